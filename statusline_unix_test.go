//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"forge/agent/config"
	"forge/tools/builtin"
	"forge/tools/sandbox"
	"forge/ui"
	"forge/ui/graphics"
	ways "forge/ui/terminal"
	"forge/ui/theme"
)

// The names that the settings take are those the screen knows.
func TestStatusPartsAreKnown(t *testing.T) {
	for name, all := range map[string][]string{
		"screen.status": ui.StatusParts(), "screen.title_shows": ui.TitleParts(), "screen.glyphs": theme.GlyphSets(),
		"screen.notify": ways.Ways(), "screen.links": ways.LinkWays(), "screen.images": graphics.Ways(),
	} {
		for _, part := range all {
			if _, err := config.Read(name, part); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := config.Read(name, "nonsense"); err == nil || !strings.Contains(err.Error(), all[len(all)-1]) {
			t.Errorf("%s takes nonsense: %v", name, err)
		}
	}
}

func workspaceOf(t *testing.T) *sandbox.Workspace {
	t.Helper()
	w, err := sandbox.OpenWorkspace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// The command reads its JSON, its errors are no status but say why it failed, and it ends
// with its time.
func TestRunStatus(t *testing.T) {
	t.Setenv("LC_ALL", "") // of one that the machine has not bash complains
	w := workspaceOf(t)
	f := &forge{hands: &hands{workspace: w, env: &builtin.Env{Workspace: w}}}
	for command, want := range map[string]string{
		"echo noise >&2; cat; echo more": "in\nmore\n",
		"exec 0<&-; pwd -P":              w.Root() + "\n",
		"exit 3":                         "exit status 3",
		"echo; echo no such jq >&2; echo more >&2; exit 127": "\nexit status 127: no such jq",
		"head -c 300 /dev/zero | tr '\\0' x >&2; exit 1":     "exit status 1: " + strings.Repeat("x", 200),
		"sleep 100 & echo at once":                           "at once\n",
	} {
		out, err := f.runStatus(t.Context(), command, []byte("in\n"))
		if err != nil {
			out += err.Error()
		}
		if out != want {
			t.Errorf("%s: %q", command, out)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.runStatus(ctx, "touch ran", nil); err == nil {
		t.Error("it ran behind the end")
	}
}

// A project cannot name a command for the status line, and a person's own runs no longer
// than forge does.
func TestStatusCommandIsThePersons(t *testing.T) {
	t.Parallel()
	dir, conf := t.TempDir(), t.TempDir()
	pid := filepath.Join(conf, "pid")
	put := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(dir, ".forge", "forge.json"), `{"screen": {"status_command": "touch stranger"}}`)
	put(filepath.Join(conf, "forge", "forge.json"), `{"screen": {"status_command": "echo mine $$; echo $$ > `+pid+`; sleep 1000"}}`)
	s := openTerminal(t, 80, 24, dir, []string{"XDG_CONFIG_HOME=" + conf}, "--demo", "-C", dir)
	var id int
	deadline(t, "the command runs", func() bool {
		text, _ := os.ReadFile(pid)
		line, whole := strings.CutSuffix(string(text), "\n")
		id, _ = strconv.Atoi(line)
		return whole
	})
	s.see("ask for something")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(id, 0); err == nil {
		t.Errorf("%d runs on", id)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "stranger" }) {
		t.Errorf("%v %v", entries, err)
	}
}
