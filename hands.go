package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"forge/agent/config"
	"forge/compact"
	"forge/tilde"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/ui/cli"
	"forge/ui/lang"
)

// hands is the tools of a session, the door they are called through, and the
// guard at it.
type hands struct {
	workspace *sandbox.Workspace
	env       *builtin.Env
	registry  *tools.Registry
	narrow    *narrow // what --tools and --deny-tools leave; nil: all
	guard     *permission.Manager
	exec      *tools.Executor
	veil      tools.Veil // nil: nothing is hidden from models
	policy    *sandbox.Policy
	guardian  *sandbox.Guardian
	asker     tools.Asker            // puts what a model wants to know to the person; nil: nobody is there
	out       string                 // where output is kept that is too long to show; empty: nowhere
	hooked    func(path string) bool // whether a hook runs this file of the workspace; nil: there are none
	undo      int64                  // bytes of the largest file that undo can bring back; 0: none is kept for it
}

// newEnv is what the built-in tools of one agent share.
func (h *hands) newEnv() *builtin.Env {
	return &builtin.Env{Workspace: h.workspace, OutDir: h.out, Policy: h.policy, Guardian: h.guardian, Veil: h.veil, UndoLimit: h.undo, Asker: h.asker,
		Forbidden: func(tools ...string) func(string) bool { return h.guard.Forbidden(tools...) }}
}

// keepOutput is how long output that was too long to show can still be read.
const keepOutput = 14 * 24 * time.Hour

func newHands(f *forge, dir string, face *face) (*hands, error) {
	w, err := sandbox.OpenWorkspace(dir, f.flags.AddDirs...)
	if err != nil {
		return nil, cli.Usage{Err: fmt.Errorf(lang.T("%w; check -C and --add-dir"), err)}
	}
	// What is too long to show is kept where the model may read on in it.
	f.dirs.PruneOutput(time.Now().Add(-keepOutput))
	out := f.dirs.Output(w.Root())
	if err := os.MkdirAll(out, 0o700); err == nil {
		err = w.AddReadOnly(out)
		logged("output folder not readable", err)
	} else {
		f.notices = append(f.notices, lang.T("output that is too long is not kept: %s", err.Error()))
		out = ""
	}
	policy, err := f.openSandbox(w.WritableRoots(), out)
	if err != nil {
		return nil, err
	}
	h := &hands{workspace: w, policy: policy, guardian: f.guarded(), veil: f.veil, asker: face.models, out: out}
	h.env = h.newEnv()
	all := builtin.All(h.env)
	if !f.forgets() {
		all = append(all, f.recall(out))
	}
	if h.registry, err = tools.NewRegistry(all...); err != nil {
		return nil, err
	}
	if h.narrow, err = newNarrow(f.flags); err != nil {
		return nil, cli.Usage{Err: err}
	}
	if h.narrow != nil {
		h.registry.Narrow(h.narrow.keeps)
	}
	rules, problems := rules(f.cfg.Permissions)
	f.notices = append(f.notices, problems...)
	f.notices = append(f.notices, idle(rules, w.Roots())...)
	keep := func(r permission.Rule) error {
		err := config.AddRule(f.dirs.File(), string(r.Action), r.Text())
		if err != nil {
			f.tell(lang.T("the rule is not stored, it holds for this session: %s", err.Error()))
		}
		return err
	}
	if f.scratch() { // a rule about a folder that is gone tomorrow is none
		keep = nil
	}
	h.guard = permission.New(permission.Options{
		Rules: rules, Roots: w.Roots(), Asker: face.permission, Mode: f.mode(), Sandbox: policy.State(), Shell: sandbox.FindShell(w.Root()), Protected: h.protected, Readable: h.open,
		Strictest: permission.Mode(f.cfg.Policy.Mode), Unattended: f.flags.Headless,
		StoredIn: tilde.Short(f.dirs.File()),
		Keep:     keep,
	})
	h.exec = &tools.Executor{Tools: h.registry, Guard: h.guard, Bound: tools.Bound{Dir: out}, Veil: f.veil}
	return h, nil
}

// protected reports whether an absolute path is one that programs take orders
// from.
func (h *hands) protected(path string) bool {
	for _, root := range h.workspace.Roots() {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			rel = filepath.ToSlash(rel)
			return sandbox.Protected(rel) || root == h.workspace.Root() && h.hooked != nil && h.hooked(rel)
		}
	}
	return false
}

// lendFolder opens a folder to reading, if it is not open already: the files of a skill.
func (h *hands) lendFolder(dir string) {
	if h.open(dir) {
		return
	}
	logged("folder of a skill not readable", h.workspace.AddReadOnly(dir))
}

// open reports whether a path lies in a folder that may be read.
func (h *hands) open(path string) bool {
	return slices.ContainsFunc(h.workspace.Roots(), func(root string) bool {
		rel, err := filepath.Rel(root, path)
		return err == nil && filepath.IsLocal(rel)
	})
}

// facts is what a summary of the conversation must not lose.
func (f *forge) facts() compact.Facts {
	out := f.hands.facts()
	f.reloaded.again() // what told of these may go
	f.folders.again()
	f.moves.again()
	out.Skills, out.Goal = f.skills.facts(), f.goal.stands()
	return out
}

// facts is what the tools know of that.
func (h *hands) facts() compact.Facts {
	f := compact.Facts{Mode: string(h.guard.Mode())}
	for _, status := range []string{"in_progress", "pending"} {
		for _, t := range h.env.Todos.List() {
			if t.Status == status {
				f.Todos = append(f.Todos, t.Text)
			}
		}
	}
	return f
}

func (h *hands) close() {
	h.env.Jobs.Close()
	logged("sandbox not cleaned up", h.policy.Close())
	h.workspace.Close()
}

// self is the program that runs, to be started once more: on Linux also when
// another one lies in its place by now.
func self() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// openSandbox finds what can confine commands here. Where nothing can, that is
// told once, or ends the start if a sandbox is required.
func (f *forge) openSandbox(roots []string, out string) (*sandbox.Policy, error) {
	want, err := sandbox.ParseWant(f.cfg.Policy.AtMostSandbox(cmp.Or(f.flags.Sandbox, f.cfg.Sandbox, string(sandbox.Auto))))
	if err != nil {
		return nil, cli.Usage{Err: err}
	}
	o := sandbox.PolicyOptions{Want: want, Roots: roots, Network: network(f.flags, f.cfg), Cache: f.dirs.Cache, Private: []string{f.dirs.State, f.dirs.Config}}
	if out != "" {
		o.Readable = []string{out}
	}
	o.Readable = append(o.Readable, skillsAmongSecrets(f.dirs)...)
	p, err := sandbox.NewPolicy(o)
	if err != nil {
		return nil, err
	}
	if why := p.Why(); why != "" {
		f.notices = append(f.notices, lang.T("commands are not confined: %s", why))
	}
	return p, nil
}

// network says whether confined commands have the network without a question.
func network(flags cli.Flags, cfg *config.Config) bool {
	return cfg.Policy.AtMostNetwork(cmp.Or(flags.Network, cfg.SandboxNetwork, "closed")) == "open"
}
