package builtin

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/sandbox"
)

// rig is a temporary workspace and the tools over it.
type rig struct {
	*testing.T
	env   *Env
	dir   string
	tools map[string]tools.Tool
}

func newRig(t *testing.T, files map[string]string) *rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t, dir: dir, tools: map[string]tools.Tool{}}
	for name, text := range files {
		r.put(name, text)
	}
	w, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r.env = &Env{Workspace: w}
	for _, tool := range All(r.env) {
		r.tools[tool.Spec().Name] = tool
	}
	return r
}

func (r *rig) put(name, text string) {
	r.Helper()
	p := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		r.Fatal(err)
	}
}

// holds checks a file's bytes.
func (r *rig) holds(name, want string) {
	r.Helper()
	got, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil || string(got) != want {
		r.Errorf("%s holds %q, want %q (%v)", name, got, want, err)
	}
}

type o map[string]any

func input(args o) string {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (r *rig) prepare(name string, args o) (*tools.Invocation, error) {
	r.Helper()
	return r.tools[name].Prepare(r.Context(), tools.Call{ID: "1", Name: name, Input: input(args)})
}

// run prepares a call and runs what it proposed.
func (r *rig) run(name string, args o) (tools.Result, error) {
	r.Helper()
	inv, err := r.prepare(name, args)
	if err != nil {
		return tools.Result{}, err
	}
	return inv.Run(r.Context(), inv.Effect, io.Discard)
}

// ok runs a call that must work and gives its text.
func (r *rig) ok(name string, args o) string {
	r.Helper()
	res, err := r.run(name, args)
	if err != nil || res.IsError {
		r.Fatalf("%s %v: %v %s", name, args, err, res.Text)
	}
	return res.Text
}

// fails runs a call that must fail with all of want in its error.
func (r *rig) fails(name string, args o, want ...string) {
	r.Helper()
	_, err := r.run(name, args)
	if err == nil {
		r.Errorf("%s %v: no error, want %q", name, args, want)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			r.Errorf("%s %v: %v\nwant %q", name, args, err, w)
		}
	}
}

func (r *rig) has(text string, want ...string) {
	r.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			r.Errorf("no %q in\n%s", w, text)
		}
	}
}
