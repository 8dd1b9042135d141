package journal_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/tools/journal"
)

func TestSedIsTakenBackAndALaterLineKept(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("printf 'one\\ntwo\\n' > a; chmod 640 a")
	before := r.tree()
	r.Begin("shout")
	r.sh("sed -i s/two/TWO/ a")
	after := r.tree()
	r.undo()
	r.same("undone", r.tree(), before)
	r.redo()
	r.same("redone", r.tree(), after)
	r.own("echo three >> a")
	d := r.undo()
	if got := r.read("a"); got != "one\ntwo\nthree\n" || len(d.Kept) > 0 || d.Files[0].Do != journal.Merge {
		t.Errorf("%q, %+v", got, d)
	}
	r.redo()
	if got := r.read("a"); got != "one\nTWO\nthree\n" {
		t.Errorf("redone: %q", got)
	}
}

func TestKindsOfChange(t *testing.T) {
	for _, line := range []string{
		"rm a", "rm -r d", "mv a b", "mv d e", "mkdir -p x/y/z", "ln -s a l; rm a", "chmod 755 a", "chmod 700 d", "chmod 000 a",
		"rm a; mkdir a; echo in > a/f", "rm -r d; echo flat > d", "rm a; ln -s d a", "ln -sfn d/sub link", "rm link; echo text > link",
		"cp -rp d copy", "printf 'bin\\0ary' > a", ": > a", "echo more >> d/sub/deep", "touch a", "rm -r d; mkdir d; echo other > d/f",
		"ln a hard; echo x >> a", "mv a t; mv d/f a; mv t d/f", "rm -r d; mkdir -p d/sub; echo deep > d/sub/deep; echo f > d/f", "chmod 555 d; chmod 444 d/f",
		"printf 'caf\\303\\251' > 'n\u00e4me with blank'", "printf x > \"$(printf 'bad\\377name')\"", "mkfifo pipe",
	} {
		t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
			for _, git := range []bool{false, true} {
				r := newRig(t, journal.Options{})
				r.own("echo a > a; mkdir -p d/sub; echo f > d/f; echo deep > d/sub/deep; ln -s a link; chmod 751 d")
				if git {
					r.own("git init -q && git add -A && git -c user.name=n -c user.email=e commit -qm x && touch -d '2 days ago' a d/f && git update-index -q --refresh || true")
				}
				before := r.tree()
				r.Begin("do")
				r.sh(line)
				after := r.tree()
				if line == "mkfifo pipe" {
					r.own("rm pipe")
					after = before
				}
				if p, err := r.Undo(journal.LastRun); err == nil {
					if d := r.apply(p); len(d.Kept) > 0 {
						t.Errorf("kept %+v", d.Kept)
					}
					r.same("undone", r.tree(), before)
					r.redo()
				} else if before != after {
					t.Fatal(err)
				}
				r.same("redone", r.tree(), after)
				if len(r.said) > 0 {
					t.Error(r.said)
				}
			}
		})
	}
}

func TestTheirsAreNotTouched(t *testing.T) {
	for _, c := range []struct{ name, agent, person, why, left string }{
		{"the same line", "sed -i s/two/TWO/ a", "sed -i s/TWO/Two!/ a", "the same lines were edited", "one\nTwo!\nthree\n"},
		{"made anew, then edited", "echo new > b; cp b a", "sed -i s/new/mine/ a", "the same lines", "mine\n"},
		{"made, then edited", "rm a; echo changed > other; mv other a; echo x > other", "echo mine > a", "the same lines", "mine\n"},
		{"deleted, another in its place", "rm a", "echo mine > a", "another stands in its place", "mine\n"},
		{"binary", "printf 'a\\0b' > a", "printf 'a\\0c' > a", "no text", "a\x00c"},
		{"became a folder", "echo x > a", "rm a; mkdir a; echo in > a/f; mv a b; cp b/f a", "same lines", "in\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, journal.Options{})
			r.own("printf 'one\\ntwo\\nthree\\n' > a; echo o > other")
			r.Begin("do")
			r.sh(c.agent + "; echo changed > other")
			r.own(c.person)
			p, err := r.Undo(journal.LastRun)
			if err != nil {
				t.Fatal(err)
			}
			var kept journal.File
			for _, f := range p.Files {
				if f.Do == journal.Keep {
					kept = f
				}
			}
			if kept.Path != "a" || !strings.Contains(kept.Why, c.why) {
				t.Errorf("kept %q because %q", kept.Path, kept.Why)
			}
			r.apply(p)
			if got := r.read("a"); got != c.left || r.read("other") != "o\n" {
				t.Errorf("left %q and %q", got, r.read("other"))
			}
		})
	}
	r := newRig(t, journal.Options{})
	r.own("echo 1 > a")
	r.Begin("do")
	r.sh("mkdir out; echo 1 > out/made; echo 2 > a")
	r.own("echo mine > out/mine; chmod 600 a")
	r.undo()
	if r.read("out/mine") != "mine\n" || !r.gone("out/made") || r.read("a") != "1\n" {
		t.Error(r.tree())
	}
	if fi, _ := os.Stat(filepath.Join(r.root, "a")); fi.Mode().Perm() != 0o600 {
		t.Errorf("the person's mode became %v", fi.Mode())
	}
}

// What the person does between two steps is none of either.
func TestBetweenTheSteps(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("printf '1\\n2\\n3\\n4\\n5\\n6\\n7\\n' > a; echo p > p")
	r.Begin("do")
	r.writes("a", "ONE\n2\n3\n4\n5\n6\n7\n")
	r.own("sed -i s/4/four/ a; echo mine > p; echo new > q")
	r.sh("sed -i s/7/SEVEN/ a")
	if d := r.undo(); len(d.Files) != 1 || len(d.Kept) != 0 {
		t.Errorf("%+v", d)
	}
	if got := r.read("a"); got != "1\n2\n3\nfour\n5\n6\n7\n" || r.read("p") != "mine\n" || r.read("q") != "new\n" {
		t.Errorf("%q", got)
	}
	r.redo()
	if got := r.read("a"); got != "ONE\n2\n3\nfour\n5\n6\nSEVEN\n" {
		t.Errorf("redone %q", got)
	}
}

func TestTurnsAndRuns(t *testing.T) {
	r := newRig(t, journal.Options{})
	var trees []string
	for run, turns := range []int{2, 1, 3} {
		r.Begin(strings.Repeat("x", run+1))
		for n := range turns {
			trees = append(trees, r.tree())
			r.Turn(n + 1)
			r.writes("f", strings.Repeat("line\n", len(trees)))
		}
	}
	p, err := r.Undo(journal.LastTurn)
	if err != nil || p.Label != "xxx" {
		t.Fatal(p, err)
	}
	r.apply(p)
	r.same("the last turn", r.tree(), trees[5])
	r.undo()
	r.same("the rest of the run", r.tree(), trees[3])
	r.undo()
	r.same("the run before", r.tree(), trees[2])
	r.undo()
	r.same("the first", r.tree(), trees[0])
	if _, err := r.Undo(journal.LastRun); !errors.Is(err, journal.ErrNothing) {
		t.Error(err)
	}
	for _, at := range []int{2, 3, 5} {
		r.redo()
		r.same("brought again", r.tree(), trees[at])
	}
	r.Begin("new work")
	r.writes("g", "g")
	if _, err := r.Redo(); !errors.Is(err, journal.ErrNothing) {
		t.Error("there is still something to bring again after new work")
	}
}

func TestGoesOnAfterARestart(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("echo 1 > a")
	before := r.tree()
	r.Begin("do")
	r.sh("echo 2 > a; mkdir d; echo x > d/x")
	after := r.tree()
	// half a line, as a crash leaves it
	f, err := os.OpenFile(filepath.Join(r.state, "a-session", "journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"type":"undo","undo":{"id":9,"ste`)
	f.Close()
	again := func() *rig {
		j := journal.New(journal.Options{Dir: r.state, Roots: []string{r.root}, Rules: readRules})
		t.Cleanup(j.Close)
		if err := j.Open("a-session"); err != nil {
			t.Fatal(err)
		}
		return &rig{T: t, Journal: j, root: r.root, state: r.state}
	}
	r2 := again()
	r2.undo()
	r.same("undone", r.tree(), before)
	r3 := again()
	if _, err := r3.Undo(journal.LastRun); !errors.Is(err, journal.ErrNothing) {
		t.Error(err)
	}
	r3.redo()
	r.same("redone", r.tree(), after)
	r4 := again()
	if err := r4.Fork("another"); err != nil {
		t.Fatal(err)
	}
	r4.undo()
	r.same("undone in the fork", r.tree(), before)
	for _, name := range []string{"a-session", "another"} {
		filepath.WalkDir(filepath.Join(r.state, name), func(path string, e os.DirEntry, err error) error {
			if err != nil {
				t.Fatal(err)
			}
			fi, _ := e.Info()
			if want := os.FileMode(0o600); !e.IsDir() && fi.Mode().Perm() != want || e.IsDir() && fi.Mode().Perm() != 0o700 {
				t.Errorf("%s has mode %v", path, fi.Mode())
			}
			return nil
		})
	}
}

func TestGitIsReadAndNotChanged(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own(`git init -q; mkdir sub; for i in 1 2 3; do echo "file $i" > sub/f$i; done; echo staged > s; git add -A
git -c user.name=n -c user.email=e commit -qm first; echo dirty >> sub/f2; touch -d '1 hour ago' sub/f1 sub/f3 s; git update-index -q --refresh; echo untracked > u; true`)
	before, git := r.tree(), r.gitState()
	r.Begin("do")
	r.sh("rm -r sub u s; echo x > n")
	if d := r.undo(); len(d.Kept) > 0 {
		t.Errorf("%+v", d.Kept)
	}
	r.same("undone", r.tree(), before)
	r.same("git", r.gitState(), git)
	r.Begin("a command that uses git")
	r.sh("git checkout -q -b other && git rm -qf sub/f1 && git -c user.name=n -c user.email=e commit -qm second")
	git = r.gitState()
	r.undo()
	r.same("undone", r.tree(), before)
	r.same("git", r.gitState(), git)
}

func (r *rig) gitState() string {
	r.Helper()
	r.own("cat .git/HEAD > ../gs; git ls-files -s >> ../gs; git log --oneline --all >> ../gs; git stash list >> ../gs; find .git -type f | sort >> ../gs")
	b, err := os.ReadFile(filepath.Join(filepath.Dir(r.root), "gs"))
	if err != nil {
		r.Fatal(err)
	}
	return string(b)
}

// Files whose bytes git has in another form are read, not fetched from it.
func TestGitConverts(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own(`git init -q; printf '*.txt text\n*.rot filter=rot\n' > .gitattributes; git config filter.rot.clean 'tr a-z n-za-m'; git config filter.rot.smudge 'tr a-z n-za-m'
printf 'a\r\nb\r\n' > w.txt; echo secret > s.rot; git add -A 2>/dev/null; git -c user.name=n -c user.email=e commit -qm x; touch -d '1 hour ago' w.txt s.rot; git update-index -q --refresh; true`)
	before := r.tree()
	r.Begin("do")
	r.sh("rm w.txt s.rot")
	r.undo()
	r.same("undone", r.tree(), before)
}

func TestIgnoredFiles(t *testing.T) {
	r := newRig(t, journal.Options{Limits: journal.Limits{Crowd: 5}})
	r.own(`git init -q; printf '.env\nbuild/\nbig/\n' > .gitignore; echo KEY=1 > .env; mkdir build big node_modules; echo o > build/o
for i in 1 2 3 4 5 6 7; do echo x > big/$i; done; echo m > node_modules/m`)
	before := r.tree()
	r.Begin("do")
	r.sh("rm .env; echo changed > build/o; git init -q; echo more > .git/info/x")
	r.undo()
	r.same("undone", r.tree(), before)
	for made := time.Now(); time.Since(made) < 30*time.Millisecond; { // more than a step of the clock that births are told by
		r.own("true")
	}
	r.Begin("what is not followed is nobody's to delete")
	r.sh("printf '' > .gitignore; echo 8 > big/8; mv node_modules/m m; mv big came")
	d := r.undo()
	for _, name := range []string{"m", "came/1"} {
		if r.gone(name) {
			t.Errorf("%s came from where nobody looks, and was deleted", name)
		}
	}
	if len(d.Kept) == 0 || r.read(".gitignore") == "" {
		t.Errorf("%+v", d)
	}
}

func TestLimits(t *testing.T) {
	r := newRig(t, journal.Options{Limits: journal.Limits{File: 100}})
	r.own("head -c 200 /dev/zero > big; echo s > small")
	r.Begin("do")
	r.sh("rm big; echo S > small; head -c 300 /dev/zero > made")
	p, err := r.Undo(journal.LastRun)
	if err != nil {
		t.Fatal(err)
	}
	d := r.apply(p)
	if len(d.Kept) != 2 || r.read("small") != "s\n" || r.gone("made") || !strings.Contains(d.Kept[0].Why, "too large") {
		t.Errorf("%+v", d)
	}

	r = newRig(t, journal.Options{Limits: journal.Limits{Session: 5000}})
	for i := range 20 {
		r.Begin("do")
		r.writes("f", strings.Repeat(string(rune('a'+i)), 500))
	}
	n := 0
	for ; ; n++ {
		if _, err := r.Undo(journal.LastRun); err != nil {
			break
		}
		r.undo()
	}
	if n < 4 || n > 10 {
		t.Errorf("%d steps were kept of 20 of 500 bytes in 5000", n)
	}

	r = newRig(t, journal.Options{Limits: journal.Limits{Entries: 5}})
	r.own("touch 1 2 3 4 5 6 7")
	for range 2 {
		r.Begin("do")
		r.sh("echo x > 1")
	}
	r.writes("2", "x")
	if len(r.said) != 1 || !strings.Contains(r.said[0], "more than 5 files") {
		t.Errorf("said %q", r.said)
	}
	if d := r.undo(); len(d.Files) != 1 || d.Files[0].Path != "2" {
		t.Errorf("%+v", d)
	}
}

func TestAPlaceThatCannotBeWritten(t *testing.T) {
	r := newRig(t, journal.Options{})
	if err := os.WriteFile(r.state, nil, 0o600); err != nil { // a file where the folder is to be: fails for root too
		t.Fatal(err)
	}
	for range 3 {
		r.Begin("do")
		r.sh("echo x >> a")
		r.writes("b", "b")
	}
	n := 0
	for _, s := range r.said {
		if strings.Contains(s, "not all kept") {
			n++
		}
	}
	if n != 1 || r.read("a") != "x\nx\nx\n" {
		t.Errorf("said %q", r.said)
	}
}

func TestDamagedContent(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("echo before > a; echo b > b")
	r.Begin("do")
	r.sh("echo after > a; echo B > b")
	r.Close()
	files, _ := filepath.Glob(filepath.Join(r.state, "a-session", "objects", "*", "*"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		if strings.Contains(string(b), "before") || strings.Contains(string(b), "after") {
			t.Errorf("%s is not enciphered: %q", f, b)
		}
		if len(b) == len("before\n") {
			b[0] ^= 1
			os.WriteFile(f, b, 0o600)
		}
	}
	d := r.undo()
	if len(d.Kept) != 1 || d.Kept[0].Path != "a" || r.read("a") != "after\n" || r.read("b") != "b\n" {
		t.Errorf("%+v", d)
	}
}

func TestEditedWhileItWasShown(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("echo 1 > a; echo 1 > b")
	r.Begin("do")
	r.sh("echo 2 > a; echo 2 > b")
	p, err := r.Undo(journal.LastRun)
	if err != nil {
		t.Fatal(err)
	}
	r.own("echo 3 > a")
	if d := r.apply(p); len(d.Kept) != 1 || r.read("a") != "3\n" || r.read("b") != "1\n" {
		t.Errorf("%+v", d)
	}
	if _, err := p.Apply(); err == nil {
		t.Error("a plan was carried out twice")
	}
}

// No link leads the journal out of the workspace.
func TestStaysInside(t *testing.T) {
	r := newRig(t, journal.Options{})
	out := t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "f"), []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r.own("mkdir d; echo inside > d/f")
	r.Begin("do")
	r.sh("echo changed > d/f; echo x >> " + out + "/f")
	r.own("rm -r d; ln -s " + out + " d")
	p, err := r.Undo(journal.LastRun)
	if err != nil {
		t.Fatal(err)
	}
	p.Apply()
	if b, _ := os.ReadFile(filepath.Join(out, "f")); string(b) != "outside\nx\n" {
		t.Errorf("outside: %q", b)
	}
}

func TestDiff(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("printf 'a\\nb\\n' > a; echo gone > g; echo p > p")
	r.Begin("do")
	r.sh("echo B > a; rm g; mkdir n; echo new > n/f; chmod 755 p")
	text := r.Diff()
	for _, want := range []string{"diff a\n@@", "-b\n", "+B\n", "diff g (deleted file)", "diff n (new folder)", "diff n/f (new file)", "+new\n", "diff p (mode 0644 → 0755)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.undo()
	if text := r.Diff(); text != "" {
		t.Errorf("taken back, and shown:\n%s", text)
	}
}

func TestJournalsArePruned(t *testing.T) {
	r := newRig(t, journal.Options{Limits: journal.Limits{Total: 10_000}})
	old := time.Now().Add(-48 * time.Hour)
	for i, name := range []string{"older", "newer", "scratch-x", "of-today"} {
		dir := filepath.Join(r.state, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "journal.jsonl")
		if err := os.WriteFile(file, make([]byte, 6000), 0o600); err != nil {
			t.Fatal(err)
		}
		if name != "of-today" {
			os.Chtimes(file, old, old.Add(time.Duration(i)*time.Minute))
			os.Chtimes(dir, old, old.Add(time.Duration(i)*time.Minute))
		}
	}
	r.Begin("do")
	r.writes("a", "a")
	r.Close() // waits for it
	left, _ := os.ReadDir(r.state)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "a-session key of-today" {
		t.Errorf("left %s", got)
	}
	for _, bad := range []string{"", "..", "a/b", "/"} {
		if journal.Forget(r.state, bad) == nil {
			t.Errorf("%q was removed", bad)
		}
	}
	if err := journal.Forget(r.state, "a-session"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(r.state, "a-session")); !os.IsNotExist(err) {
		t.Error("the journal is still there")
	}
}

// A file whose content cannot be kept is told of with the reason, which is not that
// there is too much.
func TestContentThatCannotBeKept(t *testing.T) {
	r := newRig(t, journal.Options{})
	r.own("echo s > small")
	if err := os.WriteFile(r.state, nil, 0o600); err != nil { // as in TestAPlaceThatCannotBeWritten
		t.Fatal(err)
	}
	for range 2 {
		r.Begin("do")
		r.sh("echo x >> small")
	}
	n := 0
	for _, s := range r.said {
		if strings.Contains(s, "cannot be kept: ") {
			n++
		}
		if strings.Contains(s, "holds more than") {
			t.Errorf("said %q", s)
		}
	}
	if n != 1 {
		t.Errorf("said %q", r.said)
	}
}
