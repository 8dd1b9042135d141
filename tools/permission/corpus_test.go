package permission

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// row is a line of testdata/commands.tsv.
type row struct {
	n        int
	command  string
	min      Level
	readOnly bool
	class    string
}

func corpus(t testing.TB) []row { return rowsOf(t, filepath.Join("testdata", "commands.tsv")) }

func rowsOf(t testing.TB, name string) []row {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	levels := map[string]Level{"LOW": Low, "MEDIUM": Medium, "HIGH": High, "CRITICAL": Critical}
	var rows []row
	for i, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			t.Fatalf("line %d: %d fields", i+1, len(f))
		}
		command, err := strconv.Unquote(`"` + strings.ReplaceAll(f[0], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		level, ok := levels[f[1]]
		if !ok {
			t.Fatalf("line %d: level %s", i+1, f[1])
		}
		_, class, _ := strings.Cut(f[3], "[")
		class, _, _ = strings.Cut(class, "]")
		rows = append(rows, row{i + 1, command, level, f[2] == "yes", class})
	}
	return rows
}

// workspace makes a repository with the files the corpus speaks of.
func workspace(t testing.TB) world {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work", "app")
	for _, f := range []string{"README.md", "main.go", "go.mod", "go.sum", "src/a.go", "internal/b.go", "config.ini", "index.html", "Makefile", "names.txt", "notes.txt", "a.txt", "b.txt",
		"data.bin", "package.json", "file with space.txt", ".env", "a b", "1,5p", "build/x.o", "bin/app", "release.zip", "cert.pem"} {
		p := filepath.Join(dir, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(dir, "link-to-home")); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("git", "init", "-q", dir)
	c.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Skipf("git: %v %s", err, out)
	}
	g := &gitConfigs{}
	return world{dir: dir, roots: []string{dir}, home: home, git: g.unsafe}
}

func TestCorpus(t *testing.T) {
	for _, name := range []string{"commands.tsv", "siblings.tsv", "unseen.tsv", "kinds.tsv"} {
		t.Run(name, func(t *testing.T) { judgeRows(t, rowsOf(t, filepath.Join("testdata", name))) })
	}
}

func judgeRows(t *testing.T, rows []row) {
	w := workspace(t)
	var yes, auto, unsafe, under, over int
	for _, r := range rows {
		a := analyse(r.command, w)
		short := r.command
		if len(short) > 120 {
			short = short[:60] + " … " + short[len(short)-40:]
		}
		if r.readOnly {
			if yes++; a.ReadOnly {
				auto++
			} else {
				t.Logf("line %d: %q asks: %v", r.n, short, a.Risks)
			}
		} else if a.ReadOnly {
			unsafe++
			t.Errorf("line %d: %q runs unasked", r.n, short)
		}
		if a.Level < r.min {
			under++
			t.Errorf("line %d: %q is %v, want at least %v: %v", r.n, short, a.Level, r.min, a.Risks)
		}
		if (strings.HasPrefix(r.class, "ro-") || strings.HasPrefix(r.class, "mut-")) && a.Level > r.min+1 {
			over++
			t.Errorf("line %d: %q is %v, want at most %v: %v", r.n, short, a.Level, r.min+1, a.Risks)
		}
		if len(a.Shapes) > 0 && (a.Level >= High || a.ReadOnly) {
			t.Errorf("line %d: %q, %v, offers %q", r.n, short, a.Level, a.Shapes)
		}
		if a.Level > Low && len(a.Risks) == 0 {
			t.Errorf("line %d: %q is %v for no reason", r.n, short, a.Level)
		}
	}
	t.Logf("%d of %d harmless rows run unasked; %d unsafe ones do; %d under, %d over", auto, yes, unsafe, under, over)
	if auto*100 < yes*95 {
		t.Errorf("only %d of %d harmless rows run unasked", auto, yes)
	}
}
