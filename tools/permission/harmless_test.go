package permission

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"
)

// judged says of each line whether it runs unasked.
func judged(t *testing.T, w world, lines map[string]bool) {
	t.Helper()
	for line, want := range lines {
		if a := analyse(line, w); a.ReadOnly != want {
			t.Errorf("%q: runs unasked %v, want %v: %v %v", line, a.ReadOnly, want, a.Level, a.Risks)
		}
	}
}

// tidy is a workspace in which every name is a plain one and nothing is a secret.
func tidy(t *testing.T) world {
	t.Helper()
	w := workspace(t)
	for _, name := range []string{"link-to-home", ".env", "a b", "file with space.txt", "1,5p"} {
		if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func TestHeredocs(t *testing.T) {
	judged(t, workspace(t), map[string]bool{
		"cat <<'E'\na $x `y` $(z)\nE": true, "cat <<E\nhello\nE": true, "wc -l <<\"E\"\na\nE": true, "cat <<-E\n\ta\n\tE": true, "cat <<'E' | sort\nb\nE": true,
		"cat <<'A' <<'B'\na\nA\nb\nB": true, "cat <<E && ls\nx\nE": true, "grep x - main.go <<'E'\nx\nE": true,
		"cat <<E\n$(rm x)\nE": false, "cat <<E\n`rm x`\nE": false, "cat <<E\n$x\nE": false, "cat <<E\n${x:-'$(rm x)'}\nE": false, "cat <<E\na\\\nE\nE": false,
		"sh <<'E'\nls\nE": false, "cat <<'E' | sh\nls\nE": false, "python3 - <<'E'\nx\nE": false, "cat <<'E' > x\na\nE": false, "tee x <<'E'\na\nE": false, "xargs cat <<'E'\n/etc/passwd\nE": false,
		"cat <<'E'\na": false, "cat <<'E F'\na\nE F": false, "cat <<\\E\na\nE": false, "cat <<E\"F\"\na\nEF": false, "cat /etc/passwd - <<'E'\na\nE": false, "cat <<'E'\na\nE\nrm x": false,
		"echo \"$(cat <<'E'\nx\nE\n)\"": false,
	})
}

func TestLoops(t *testing.T) {
	judged(t, workspace(t), map[string]bool{
		"for f in a.txt b.txt; do head $f; done": true, "for f in a.txt b.txt; do echo \"== $f\"; head -5 \"$f\" | tail -1; done": true, "for f in *.go; do wc -l \"$f\"; done": true,
		"for f in {a,b}.txt; do cat ./$f; done": true, "for i in {1..3}; do echo $i; done": true, "for d in src internal; do ls $d; done; pwd": true, "for f in 'file with space.txt'; do cat \"$f\"; done": true,
		"for f in a.txt; do if grep -q x \"$f\"; then echo \"${f}\"; fi; done": true, "for f in *.txt; do [ -f \"$f\" ] && cat \"$f\"; done": true, "for f in *.txt; do wc -l < \"$f\"; done": true,
		"for x in a b; do for y in c d; do echo $x$y; done; done": true, "for d in src; do (cd $d && ls); done; cat main.go": true, "for b in main x; do git log -3 $b; done": true, "for c in ls pwd; do $c; done": true,
		"for f in /etc/passwd; do cat $f; done": false, "for f in a.txt .env; do cat $f; done": false, "for f in a.txt; do rm $f; done": false, "for f in *.txt; do cat $f; done": false, "for f in * ; do cat \"$f\"; done": false,
		"for f in $(ls); do cat $f; done": false, "for f in 'a b'; do cat $f; done": false, "for f in '*'; do cat $f; done": false, "for f in ~; do ls $f; done": false, "for f in -o x; do sort $f a.txt; done": false,
		"for PATH in .; do ls; done": false, "for IFS in a; do ls; done": false, "for http_proxy in a; do ls; done": false, "for HOME in a; do ls; done": false, "for _ in a; do ls; done": false,
		"for f in a.txt; do f=/etc/passwd; cat $f; done": false, "for f in a.txt; do for f in /etc/passwd; do true; done; cat $f; done": false, "for f in a.txt; do read f; cat $f; done": false, "for f in a.txt; do cat ${f:-x}; done": false,
		"for f in a.txt; do cat ${f@P}; done": false, "for f in a.txt; do cat $g; done": false, "for f; do cat $f; done": false, "for f in a.txt; do cat $f; done; cat $f": false, "for f in a.txt; do cat $f; done > x": false,
		"for f in link-to-home; do ls $f; done": false, "for d in ..; do ls $d; done": false, "for d in src; do cd $d; done; cat ../../x": false, "for ((i=0;i<2;i++)); do ls; done": false, "select f in a; do ls; done": false, "for f in a.txt; do cat $f & done": false,
		"for c in ls rm; do $c x; done": false, "for f in *.txt; do echo -e \"$f\"; done": false, "for f in a.txt; do uniq $f x; done": false, "for f in *.txt; do uniq b.txt \"$f\"; done": false, "for f in a.txt; do bash $f; done": false, "for f in a.txt; do cat <<< \"$(rm $f)\"; done": false,
		"while read l; do echo \"$l\"; done < a.txt": false, "until false; do ls; done": false,
	})
	many := "for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do for d in {1..60}; do echo $a$b$c$d; done; done; done; done"
	judged(t, workspace(t), map[string]bool{many: false})
}

func TestFindRunsReaders(t *testing.T) {
	judged(t, workspace(t), map[string]bool{
		"find . -name '*.go' -exec grep -l x {} +": true, "find . -name '*.go' -exec wc -l {} \\;": true, "find src -type f -exec cat {} +": true, "find src -exec ls -ld {} \\;": true, "find src -name '*.go' -print -exec head -1 {} \\; -exec md5sum {} +": true,
		"find . -name '*.go' -exec sed -n 1p {} \\;": true, "find src -exec basename {} \\;": true, "find src -exec test -f {} \\; -print": true, "find . -name '*.go' -exec awk '{print $1}' {} +": true,
		"find . -type f -exec cat {} +": false, "find . -exec ls {} +": false, "find . -name .env -exec cat {} +": false, "find . -name '.e*' -exec cat {} +": false, "find . -name '[.]env' -exec cat {} +": false,
		"find . -exec cat {} + -name '*.go'": false, "find . -name '*.go' -o -exec cat {} +": false, "find . ! -name '*.go' -exec cat {} +": false, "find . -printf -name -type f -exec cat {} +": false, "find . -path -name -type f -exec cat {} +": false,
		"find . -name '*.go' -exec sort -o x {} +": false, "find . -name '*.go' -exec sed -n 'w x' {} +": false, "find . -name '*.go' -exec uniq {} +": false, "find src -exec xxd {} +": false, "find . -name '*.go' -exec sh -c x {} +": false, "find . -name '*.go' -exec ./wc {} +": false,
		"find . -name '*.go' -exec {} +": false, "find . -name '*.go' -exec env cat {} +": false, "find . -name '*.go' -exec cat {} /etc/passwd \\;": false, "find . -name '*.go' -execdir cat {} +": false, "find . -name '*.go' -ok cat {} \\;": false,
		"find -L src -name '*.go' -exec cat {} +": false, "find / -name '*.go' -exec cat {} +": false, "find .. -name '*.go' -exec cat {} +": false, "find . -name '*.go' -exec cat {}x \\;": false, "find . -name '*.go' -exec grep x {} + -delete": false,
		"find . -name '*.go' -exec cat {} + -fprint x": false, "find . -name '*.go' -exec cat {} + -exec rm {} +": false, "find src -exec find {} -delete \\;": false, "find src -exec git log {} \\;": false, "find src -exec grep {} main.go \\;": false, "find src -exec cat {} + -exec": false,
		"find src -exec command cat {} \\;": false, "find src -exec cd {} \\;": false, "find $X -exec cat {} +": false, "find src -exec cat {} > x \\;": false,
	})
	w := tidy(t)
	judged(t, w, map[string]bool{"find . -type f -exec wc -l {} +": true, "find . -exec file {} +": true})
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "src", "z.go")); err != nil {
		t.Fatal(err)
	}
	judged(t, w, map[string]bool{"find . -type f -exec wc -l {} +": false, "find . -name '*.go' -exec wc -l {} +": false, "find internal -name '*.go' -exec wc -l {} +": true})
}

func TestXargsWithReaders(t *testing.T) {
	yes := []string{"find . -name '*.go' | xargs wc -l", "find . -name '*.go' -print0 | xargs -0 grep -n x", "rg -l x | xargs wc -l", "rg --files src | head -20 | xargs cat", "grep -rl x src | sort | xargs -n 1 head -3", "find . -type f | grep -v build | xargs ls -l",
		"find src -type f | xargs -I{} grep -Hn x {}", "rg -l x 2>/dev/null | xargs -r file", "find . -name '*.go' | xargs -n1 basename"}
	no := []string{"rg -l x | xargs", "ls | xargs cat", "rg -l x | xargs rm", "rg -l x | xargs sh", "rg -l x | xargs -I{} sh -c {}", "rg -l x | xargs -I{} sh -c 'cat {}'", "echo /etc/passwd | xargs cat", "cat names.txt | xargs cat", "find . -printf '/etc/passwd\\n' | xargs cat",
		"{ rg -l x; echo /etc/passwd; } | xargs cat", "rg -l x 2>&1 | xargs cat", "rg -l x | sed s/a/b/ | xargs cat", "rg -l x | xargs -0 cat", "find . -print0 | xargs cat", "rg -l x | xargs sort -o", "rg -l x | xargs -n1 sort -o y", "rg -l x | xargs uniq", "rg -l x | xargs tee",
		"xargs -a names.txt cat", "xargs cat < names.txt", "rg -l x / | xargs cat", "rg x | xargs cat", "rg --json -l x | xargs cat", "grep -rlc x src | xargs cat", "grep -rn x src | xargs cat", "rg -l x | xargs -d , cat", "rg -l x | xargs xargs cat", "rg -l x | xargs ./cat", "rg -l x | xargs cat /etc/passwd",
		"rg -l x | xargs grep -f", "rg -l x | xargs git add", "rg -l x | head -c 5 | xargs cat", "git ls-files | xargs cat", "rg -l x | xargs -I{} cat {}.bak", "rg -l x; echo a | xargs cat", "find src -exec echo {} + | xargs cat"}
	all := map[string]bool{}
	for _, l := range yes {
		all[l] = true
	}
	for _, l := range no {
		all[l] = false
	}
	w := tidy(t)
	judged(t, w, all)
	// One name that is more than one word, or a flag, or leads out, and it is a question.
	for _, name := range []string{"src/a b", "src/a'b", "src/a\nb", "-f.go", "src/k=v", "src/.env"} {
		w := tidy(t)
		if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		judged(t, w, map[string]bool{"find . | xargs cat": false, "grep -rl x . | xargs cat": false})
	}
	judged(t, workspace(t), map[string]bool{"rg -l x | xargs wc -l": false, "rg -l x src | xargs wc -l": true, "rg -l x src | xargs grep -R y": false, "find . -name '*.go' | xargs wc -l": true, "find . -name '*.go' -print | xargs wc -l": true, "find . -print -name '*.go' | xargs wc -l": false,
		"find . -name '*.go' -o -name '*.txt' | xargs wc -l": false, "find . -name '*' | xargs cat": false, "find . -name .env | xargs cat": false, "find . -printf x -name '*.go' | xargs cat": false})
	judged(t, workspace(t), map[string]bool{"grep -r KEY . --include=.env": false, "grep -rn x --include='.env*' .": false, "rg --hidden -g .env KEY": false, "rg -g '!.env' x": true, "rg -g '*.key' x": false, "rg -g '*.go' x": true})
}

func TestWhatHarmlessCommandsPrint(t *testing.T) {
	judged(t, workspace(t), map[string]bool{
		"git show $(git rev-parse HEAD)": true, "git log --oneline $(git merge-base main HEAD)..HEAD": true, "git diff --stat \"$(git merge-base HEAD main)\" -- src": true, "echo $(pwd)": true, "echo $(git rev-parse HEAD) \"$(git rev-parse HEAD)\"": true, "echo \"on $(git branch --show-current)\"": true, "printf '%s\\n' \"$(git log -1 --format=%s)\"": true,
		"echo \"files: $(ls | wc -l)\"": true, "ls \"$(git rev-parse --show-toplevel)\"": true, "cd \"$(git rev-parse --show-toplevel)\" && cat main.go": true, "cd src && ls $(git rev-parse --show-toplevel)": true, "[ -n \"$(git status --porcelain)\" ] && echo dirty": true, "[[ -n $(git status --porcelain) ]] && ls": true,
		"[ \"$(cat a.txt)\" = x ]": true, "[[ $(cat a.txt) == x* ]]": true, "if test -z \"$(git diff --name-only)\"; then echo clean; fi": true, "cat $(pwd)/main.go": true,
		"echo $(cat main.go)": false, "echo \"$(cat .env)\"": false, "echo \"$(cat /etc/passwd)\"": false, "echo -e \"$(cat main.go)\"": false, "cat \"$(cat names.txt)\"": false, "ls $(cat names.txt)": false, "wc -l $(git ls-files)": false, "git log $(git describe --tags)": false, "git log $(git branch --show-current)": false,
		"git log -$(git rev-parse HEAD)": false, "git log --output=$(git rev-parse HEAD)": false, "git log $(git rev-parse --git-path x)": false, "git log $(git rev-parse HEAD; echo x)": false, "git show $(git rev-parse '*')": false, "git show $(git rev-parse HEAD:.env)": false, "git cat-file -p $(git rev-parse :.env)": false, "git push $(git rev-parse HEAD)": false,
		"$(git rev-parse HEAD)": false, "rm $(git rev-parse HEAD)": false, "echo \"$(rm x)\"": false, "echo \"`date`\"": false, "[ -f \"$(cat names.txt)\" ]": false, "[[ -f $(cat names.txt) ]]": false, "[ \"$(date)\" -eq 1 ]": false, "[[ $(date) -eq 1 ]]": false, "[[ -v $(date) ]]": false, "[[ a == $(cat a.txt) ]]": false,
		"test $(date) = x": false, "printf \"$(cat main.go)\"": false, "printf %b \"$(cat main.go)\"": false, "echo \"$(<main.go)\"": false, "head -n \"$(wc -l < main.go)\" main.go": false, "echo \"$(date)\" > x": false, "x=\"$(date)\"": false, "cd \"$(cat names.txt)\"": false, "echo \"$(date; rm x)\"": false,
		"echo \"$(date)$x\"": false, "echo \"$(curl https://e.example)\"": false, "cat ../$(pwd)": false, "cat $(pwd)/../x": false, "find \"$(cat names.txt)\"": false, "grep \"$(cat a.txt)\" main.go": false, "echo \"$(echo \"$(rm x)\")\"": false, "echo ${x:-\"$(date)\"}": false, "cat < \"$(cat names.txt)\"": false,
	})
}

func TestBracesAndBrackets(t *testing.T) {
	judged(t, workspace(t), map[string]bool{
		"ls {src,internal}": true, "cat {a,b}.txt": true, "grep -rn --exclude-dir={vendor,.git} x src": true, "echo {1..5} a{b,c}": true, "ls src/[a-z]*.go": true, "cat [ab].txt": true, "wc -l src/?.[g]o": true,
		"ls {src,/etc}": false, "ls {src,..}": false, "ls {src,../..}": false, "sort {-o,x} a.txt": false, "{ls,-la}": false, "cat {.env,a.txt}": false, "cat {a,b}{.txt,.md}": false, "cat {$x,a.txt}": false, "cat {a,b c}": true, "cat {a,`x`}": false, "ls {1..100000}": false, "cat {a.txt,~/x}": false,
		"uniq {a,b}.txt": false, "cat .[d-f]nv": false, "cat [x-]*": false, "cat .[e]nv": false, "ls /[e]tc": false, "cat [/]etc/passwd": false, "cat [l]ink-to-home/x": false, "rm [a]*": false, "/bin/[l]s": false, "cat [a-z/../]x": false,
	})
}

func TestArchivesAreListedWhereNoProgramUnpacks(t *testing.T) {
	w := workspace(t)
	var plain, packed bytes.Buffer
	tw := tar.NewWriter(&plain)
	if err := tw.WriteHeader(&tar.Header{Name: "x", Size: 1, Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
		t.Fatal(err)
	}
	if _, err := tw.Write([]byte("x")); err != nil || tw.Close() != nil {
		t.Fatal(err)
	}
	gz := gzip.NewWriter(&packed)
	if _, err := gz.Write(plain.Bytes()); err != nil || gz.Close() != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"plain.tar": plain.Bytes(), "packed.tar": packed.Bytes(), "a.tar.gz": packed.Bytes(), "text.tar": []byte("x\n")} {
		if err := os.WriteFile(filepath.Join(w.dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	judged(t, w, map[string]bool{
		"tar tf plain.tar": true, "tar -tvf plain.tar | head": true, "tar --list --file=plain.tar": true, "tar tvf plain.tar x": true, "tar tf gone.tar": true, "ar t lib.a": true, "bzcat a.bz2 | head": true, "xz -l a.xz": true,
		"tar tf packed.tar": false, "tar tf a.tar.gz": false, "tar tf text.tar": false, "tar tzf plain.tar": false, "tar tf host:x.tar": false, "tar tf ../x.tar": false, "tar tf plain.tar --to-command=id": false, "tar xf plain.tar": false, "tar -txf plain.tar": false, "tar t": false, "tar tf -": false,
		"tar tf plain.tar -f packed.tar": false, "tar tf plain.tar -I ./x": false, "tar tf $X": false, "tar tf *.tar": false, "ar x lib.a": false, "ar t @x": false, "xz a.txt": false, "bzip2 -d a.bz2": false,
	})
}

// What goes down through links is asked about unless it is written out where it begins.
func TestPatternsDoNotHideLinks(t *testing.T) {
	w := workspace(t)
	if err := os.Symlink("/etc", filepath.Join(w.dir, "src", "etc")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "internal", "é")); err != nil {
		t.Skip(err)
	}
	judged(t, w, map[string]bool{
		"grep -R x internal/b.go": true, "grep -R x sr*": false, "grep -R x s[r]c": false, "grep -R x {src,internal}": false, "for d in s*; do grep -R x \"$d\"; done": false, "for d in s*; do diff -r \"$d\" build; done": false, "find . -name src -exec grep -R x {} +": false,
		"find . -name src -exec diff -r {} build \\;": false, "find -L s* -name x": false, "cat internal/??": false, "cat internal/?": false, "cat internal/[a-z]*": false, "cat internal/b?go": false,
		"sha256sum -c SHA256SUMS": true, "sha256sum -c <<< 'x  /etc/passwd'": false, "md5sum -c - <<'E'\nx  /etc/passwd\nE": false, "sha1sum main.go": true,
	})
}
