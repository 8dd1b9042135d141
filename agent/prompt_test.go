package agent

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestSystemPromptGolden(t *testing.T) {
	got := SystemPrompt(PromptOptions{
		Cwd: "/home/me/shop", OS: "linux/amd64", Shell: "bash", Date: "2026-11-29", GitBranch: "main",
		Tools:  []string{"read_file", "list_dir", "glob", "grep", "write_file", "edit_file", "move_file", "delete_file", "run_bash", "todo"},
		Memory: []MemoryFile{{Name: "AGENTS.md", Text: "# Shop\nRun `go test ./...` before you finish.\n"}},
		Append: "Prefer small commits.",
	})
	const golden = "testdata/prompt.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the system prompt changed; if that is meant, run with -update\n%s", got)
	}
	without, _, _ := strings.Cut(got, "\n# Instructions of this project")
	if len(without) > 3500 {
		t.Errorf("the prompt has %d bytes, at most 3,500 are to be sent with every request", len(without))
	}
}

func TestSystemPromptNamesOnlyToolsThatExist(t *testing.T) {
	got := SystemPrompt(PromptOptions{Tools: []string{"read_file"}})
	for _, name := range []string{"edit_file", "run_bash", "todo", "glob"} {
		if strings.Contains(got, name) {
			t.Errorf("the prompt speaks of %s, which the session does not have", name)
		}
	}
	if got := SystemPrompt(PromptOptions{}); strings.Contains(got, "# Tools") || !strings.Contains(got, "git: not a repository") {
		t.Errorf("without tools and git:\n%s", got)
	}
	got = SystemPrompt(PromptOptions{Override: " You are a poet. ", Cwd: "/w\n# Injected", Tools: []string{"read_file"}})
	if !strings.HasPrefix(got, "You are a poet.\n") || strings.Contains(got, "coding agent") || strings.Contains(got, "\n# Injected") {
		t.Errorf("overridden:\n%s", got)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestReadMemory(t *testing.T) {
	names := func(fs []MemoryFile) string {
		var s []string
		for _, f := range fs {
			s = append(s, f.Name)
		}
		return strings.Join(s, " ")
	}
	for name, c := range map[string]struct {
		make     func(dir string)
		want     string
		warnings int
	}{
		"none": {func(string) {}, "", 0},
		"both": {func(d string) {
			put(t, d+"/AGENTS.md", "a")
			put(t, d+"/CLAUDE.md", "c")
		}, "AGENTS.md CLAUDE.md", 0},
		"the same text": {func(d string) {
			put(t, d+"/AGENTS.md", "a\n")
			put(t, d+"/CLAUDE.md", "a")
		}, "AGENTS.md", 0},
		"one a link": {func(d string) {
			put(t, d+"/CLAUDE.md", "c")
			os.Symlink("CLAUDE.md", d+"/AGENTS.md")
		}, "AGENTS.md", 0},
		"one a pointer": {func(d string) {
			put(t, d+"/AGENTS.md", "a")
			put(t, d+"/CLAUDE.md", "@AGENTS.md\n")
		}, "AGENTS.md", 0},
		"a link out of the workspace": {func(d string) {
			out := t.TempDir() + "/secret"
			put(t, out, "key")
			os.Symlink(out, d+"/AGENTS.md")
		}, "", 1},
		"a folder": {func(d string) { os.Mkdir(d+"/AGENTS.md", 0o755) }, "", 1},
		"binary":   {func(d string) { put(t, d+"/AGENTS.md", "a\x00b") }, "", 1},
	} {
		dir := t.TempDir()
		c.make(dir)
		got, warnings := ReadMemory(dir)
		if names(got) != c.want || len(warnings) != c.warnings {
			t.Errorf("%s: read %q with warnings %q, want %q", name, names(got), warnings, c.want)
		}
	}
	dir := t.TempDir()
	put(t, dir+"/secret", "s")
	put(t, dir+"/in/AGENTS.md", "\xff\xfea\x00")
	if err := os.Symlink("../secret", dir+"/in/CLAUDE.md"); err != nil {
		t.Skip(err)
	}
	_, warnings := ReadMemory(dir + "/in")
	if got, want := strings.Join(warnings, "\n"), "AGENTS.md not read: it is not UTF-8 text; save it as UTF-8\n"+
		"CLAUDE.md not read: it is a link that leads out of the workspace (../secret); copy the file to use it"; got != want {
		t.Errorf("warnings:\n%s\nwant:\n%s", got, want)
	}
	dir = t.TempDir()
	put(t, dir+"/AGENTS.md", strings.Repeat("very long line 长\n", 4000))
	got, warnings := ReadMemory(dir)
	if len(got) != 1 || len(got[0].Text) > maxMemory+100 || len(warnings) != 1 || !strings.HasSuffix(got[0].Text, "长\n(the rest was left out)") {
		t.Errorf("a long file: %d files, warnings %q", len(got), warnings)
	}
}

func TestGitBranch(t *testing.T) {
	dir := t.TempDir()
	if got := GitBranch(dir); got != "" {
		t.Errorf("outside a repository: %q", got)
	}
	put(t, dir+"/repo/.git/HEAD", "ref: refs/heads/feature/x\n")
	put(t, dir+"/repo/deep/down/f", "")
	put(t, dir+"/repo/.git/worktrees/w/HEAD", "0123456789abcdef0123456789abcdef01234567\n")
	put(t, dir+"/w/.git", "gitdir: ../repo/.git/worktrees/w\n")
	put(t, dir+"/abs/.git", "gitdir: "+dir+"/repo/.git\n")
	put(t, dir+"/broken/.git", "nonsense")
	for path, want := range map[string]string{
		"repo": "feature/x", "repo/deep/down": "feature/x", "w": "detached at 0123456", "abs": "feature/x", "broken": "",
	} {
		if got := GitBranch(filepath.Join(dir, path)); got != want {
			t.Errorf("%s: branch %q, want %q", path, got, want)
		}
	}
}
