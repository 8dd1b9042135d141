package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder that is opened later can be written to by the commands that begin after it,
// what lies in it protected as in any other; a folder of secrets is seen once it is opened.
func TestAddedRoot(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		dir := base(t)
		ws, other, ssh := filepath.Join(dir, "ws"), filepath.Join(dir, "other"), filepath.Join(dir, ".ssh")
		for _, d := range []string{ws, filepath.Join(other, ".git", "hooks"), ssh} {
			must(t, os.MkdirAll(d, 0o755))
		}
		must(t, os.WriteFile(filepath.Join(ssh, "config"), []byte("Host x\n"), 0o600))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Home: dir})
		if r := run(t, Command{Shell: "echo x >../other/f", Dir: ws, Policy: p}); r.Ok() {
			t.Errorf("before it was opened: %+v", r)
		}
		if r := run(t, Command{Shell: "cat ../.ssh/config", Dir: ws, Policy: p}); r.Ok() {
			t.Errorf("a secret: %+v", r)
		}
		p.AddRoot(other)
		p.AddRoot(other)
		p.AddRoot(ssh)
		if r := run(t, Command{Shell: "echo x >../other/f && cat ../.ssh/config", Dir: ws, Policy: p.WithNetwork()}); !r.Ok() {
			t.Errorf("opened: %+v", r)
		}
		run(t, Command{Shell: "echo 'exit 0' >../other/.git/hooks/pre-commit; chmod +x ../other/.git/hooks/pre-commit", Dir: ws, Policy: p})
		if _, err := os.Stat(filepath.Join(other, ".git", "hooks", "pre-commit")); err == nil {
			t.Error("a hook stays in the opened folder")
		}
		if got := len(p.scope().roots); got != 3 {
			t.Errorf("%d folders", got)
		}
	})
}
