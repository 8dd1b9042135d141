package builtin

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/sandbox"
)

// doorman answers for a person, by what a command would run without.
type doorman struct {
	allow map[tools.Escape]bool
	asked []tools.Effect
}

func (d *doorman) Authorize(_ context.Context, _ tools.Call, e tools.Effect) (tools.Verdict, error) {
	d.asked = append(d.asked, e)
	return tools.Verdict{Allow: d.allow[e.Escape], Reason: map[bool]string{false: "no"}[d.allow[e.Escape]]}, nil
}

// What the sandbox stops is asked about anew, with what it stopped; nothing that
// a model can write takes it away.
func TestEscape(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	outside := filepath.Join(t.TempDir(), "f")
	for _, c := range []struct {
		name, command string
		allow         []tools.Escape
		asked         []tools.Escape
		isError       bool
		has           []string
	}{
		{"nothing stopped", "echo x >f; cat f", nil, []tools.Escape{""}, false, []string{"x\n"}},
		{"fails by itself", "cat nothere", nil, []tools.Escape{""}, true, []string{"No such file"}},
		{"file refused", "echo x >" + outside, nil, []tools.Escape{"", tools.Outside}, true, []string{"the sandbox stopped it: it may not reach " + outside, "not run again outside the sandbox: no"}},
		{"file allowed", "echo x >" + outside, []tools.Escape{tools.Outside}, []tools.Escape{"", tools.Outside}, false, []string{"this one was allowed outside the sandbox", "exit code 0"}},
		{"network refused", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + "' || { echo Could not resolve host; exit 1; }", nil,
			[]tools.Escape{"", tools.NetworkOpen}, true, []string{"the sandbox stopped it: it may not use the network", "not run again with the network open: no"}},
		{"network allowed", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + "' || { echo Could not resolve host; exit 1; }", []tools.Escape{tools.NetworkOpen},
			[]tools.Escape{"", tools.NetworkOpen}, false, []string{"allowed with the network open"}},
		{"both", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + port + "' || { echo Could not resolve host; exit 1; }; echo x >" + outside, []tools.Escape{tools.NetworkOpen, tools.Outside},
			[]tools.Escape{"", tools.NetworkOpen, tools.Outside}, false, []string{"exit code 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			os.Remove(outside)
			r := newRig(t, nil)
			p, err := sandbox.NewPolicy(sandbox.PolicyOptions{Form: sandbox.Landlock, Roots: r.env.Workspace.Roots(), Home: t.TempDir()})
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { p.Close() })
			r.env.Policy = p
			d := &doorman{allow: map[tools.Escape]bool{tools.Confined: true}}
			for _, e := range c.allow {
				d.allow[e] = true
			}
			reg, err := tools.NewRegistry(All(r.env)...)
			if err != nil {
				t.Fatal(err)
			}
			x := &tools.Executor{Tools: reg, Guard: d}
			call := tools.Call{ID: "1", Name: "run_bash", Input: input(o{"command": c.command})}
			inv, err := x.Prepare(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			var live bytes.Buffer
			res := x.Run(t.Context(), call, inv, tools.Watch{Out: &live}).Result
			if res.IsError != c.isError {
				t.Errorf("%+v", res)
			}
			r.has(res.Text, c.has...)
			if len(d.asked) != len(c.asked) {
				t.Fatalf("asked %+v", d.asked)
			}
			for i, e := range d.asked {
				if e.Escape != c.asked[i] || e.Command != c.command || e.Dir != r.dir || i > 0 && (!strings.Contains(e.Detail, "it said: ") || !strings.Contains(e.Title, string(e.Escape))) {
					t.Errorf("question %d: %+v", i, e)
				}
			}
			_, err = os.Stat(outside)
			if there := err == nil; there != (d.allow[tools.Outside]) {
				t.Errorf("the file outside is there: %v", there)
			}
		})
	}
}

// Where a sandbox is required, nobody is asked to leave it.
func TestEscapeRequired(t *testing.T) {
	r := newRig(t, nil)
	p, err := sandbox.NewPolicy(sandbox.PolicyOptions{Want: sandbox.Require, Roots: r.env.Workspace.Roots(), Home: t.TempDir()})
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { p.Close() })
	r.env.Policy = p
	home, err := os.UserCacheDir()
	if err != nil {
		t.Skip(err)
	}
	outside := filepath.Join(home, "forge-test-outside")
	res, err := r.run("run_bash", o{"command": "echo x >" + outside})
	if err != nil || !res.IsError || res.Again != nil {
		t.Errorf("%+v %v", res, err)
	}
	if os.Remove(outside) == nil {
		t.Error("it was written")
	}
	if res, err = r.run("run_bash", o{"command": "echo Could not resolve host; exit 1"}); err != nil || res.Again == nil || res.Again.Effect.Escape != tools.NetworkOpen {
		t.Errorf("%+v %v", res, err)
	}
}

// No argument of the tool widens the policy.
func TestEscapeIsNoArgument(t *testing.T) {
	r := newRig(t, nil)
	for _, name := range []string{"sandbox", "network", "escape", "outside", "dangerously_disable_sandbox", "env", "dir", "policy"} {
		inv, err := r.prepare("run_bash", o{"command": "true", name: true})
		if err == nil && inv.Effect.Escape != tools.Confined {
			t.Errorf("%s: %+v", name, inv.Effect)
		}
	}
}
