package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Want is how much a person insists on the sandbox.
type Want string

// What can be wanted.
const (
	Auto    Want = "auto"    // confine commands where the system can
	Require Want = "require" // run no command without, whoever allows it
	Off     Want = "off"     // confine nothing
)

// ParseWant reads what a flag or a setting says.
func ParseWant(s string) (Want, error) {
	switch w := Want(s); w {
	case Auto, Require, Off:
		return w, nil
	}
	return "", fmt.Errorf("sandbox %q is unknown: use auto, require or off", s)
}

// Form is what confines commands.
type Form string

// The forms, the strongest first.
const (
	Bubblewrap Form = "bubblewrap" // Linux: namespaces and a filter of system calls
	Landlock   Form = "landlock"   // Linux: rules of a thread and a filter of system calls
	Seatbelt   Form = "seatbelt"   // macOS; never tried on a real one
	None       Form = "none"       // there is nothing here that could
)

// PolicyOptions is what a Policy is made of. All paths are absolute.
type PolicyOptions struct {
	Want  Want     // empty: Auto
	Roots []string // folders commands may write to: the workspace and what was added to it

	// Network leaves the network open to every command; else WithNetwork opens it to
	// one.
	Network bool

	Cache    string   // forge's cache folder; build caches are kept beneath it. Empty: in the private temp folder
	Private  []string // forge's own folders, which commands see nothing of
	Readable []string // folders within Private that they may read all the same
	Home     string   // whose secrets are hidden; empty: this user's
	Temp     string   // where the private temp folder is made; empty: the system's place

	// Form asks for one form, for tests; one that is not to be had is an error.
	// Empty: the strongest that works.
	Form Form
	// Bwrap is the bubblewrap program; empty: /usr/bin/bwrap, else the one in PATH.
	Bwrap string
}

// Policy is what commands may do to the machine: write to the workspace, to a
// temp folder of their own and to build caches, read what is no secret, and use
// the network only if it is open. A nil Policy confines nothing. Its methods may
// be called from any goroutine; Close it when the last command has ended.
type Policy struct {
	*core
	network bool
}

// core is what a Policy shares with the one that opens the network.
type core struct {
	want     Want
	form     Form
	why      string // None: what is missing
	at       atomic.Pointer[scope]
	scratch  *Scratch
	temp     string // its path
	caches   string
	goCache  string // empty: there is none
	home     string
	readable []string
	bwrap    string

	running atomic.Int32 // commands

	mu     sync.Mutex
	kernel kernel // what a system keeps between commands
}

// scope is where commands may write and what they do not see. It is replaced as a whole.
type scope struct {
	roots  []string
	hidden []string // secrets: absolute, links resolved, there or not
}

func (c *core) scope() *scope {
	if s := c.at.Load(); s != nil {
		return s
	}
	return &scope{} // nothing was opened
}

// AddRoot opens one more folder, absolute, to commands that are started from now on.
func (p *Policy) AddRoot(dir string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	was, dir := p.scope(), resolved(dir)
	if slices.Contains(was.roots, dir) {
		return
	}
	// Whoever opens a folder of secrets asked for it.
	p.at.Store(&scope{append(slices.Clone(was.roots), dir), slices.DeleteFunc(slices.Clone(was.hidden), func(s string) bool { return beneath(s, dir) })})
	p.renew()
}

// NewPolicy finds out what this system can enforce and makes the folders that
// commands need. It fails if a sandbox is required and there is none, and names
// the reason.
func NewPolicy(o PolicyOptions) (*Policy, error) {
	c := &core{want: cmp.Or(o.Want, Auto), form: None, bwrap: o.Bwrap}
	p := &Policy{core: c, network: o.Network}
	here := &scope{}
	c.at.Store(here)
	if c.want == Off {
		return p, nil
	}
	for _, root := range o.Roots {
		if !filepath.IsAbs(root) {
			return nil, fmt.Errorf("sandbox: the folder %q is not absolute", root)
		}
		here.roots = append(here.roots, resolved(root))
	}
	if c.form, c.why = c.choose(o.Form); c.form != None {
		if err := c.folders(o); err != nil {
			c.form, c.why = None, "there is no place for temporary files: "+err.Error()
		}
	}
	if c.form == None {
		switch {
		case c.want == Require:
			return nil, fmt.Errorf("a sandbox is required and there is none: %s; --sandbox auto goes on without it", c.why)
		case o.Form != "" && o.Form != None:
			return nil, fmt.Errorf("no %s here: %s", o.Form, c.why)
		}
		return p, nil
	}
	return p, nil
}

func (c *core) folders(o PolicyOptions) (err error) {
	if c.home = o.Home; c.home == "" {
		if c.home, err = os.UserHomeDir(); err != nil {
			c.home = "" // a user without a home has no secrets in it
		}
	}
	if c.scratch, err = NewScratch(o.Temp, ScratchTemp); err != nil {
		if o.Cache == "" || os.MkdirAll(o.Cache, 0o700) != nil {
			return err
		}
		if c.scratch, err = NewScratch(o.Cache, ScratchTemp); err != nil {
			return err
		}
	}
	c.temp = c.scratch.Path()
	c.caches = filepath.Join(o.Cache, "build")
	if o.Cache == "" || os.MkdirAll(c.caches, 0o700) != nil {
		c.caches = filepath.Join(c.temp, "cache") // which writable makes
	}
	c.caches = resolved(c.caches)
	c.goCache = goCache()
	for _, s := range slices.Concat(o.Private, secrets(c.home)) {
		s = resolved(s)
		// Whoever works in a folder of secrets asked for it.
		if here := c.scope(); !slices.ContainsFunc(here.roots, func(root string) bool { return beneath(s, root) }) && !slices.Contains(here.hidden, s) {
			here.hidden = append(here.hidden, s)
		}
	}
	for _, r := range o.Readable {
		if err := os.MkdirAll(r, 0o700); err == nil {
			c.readable = append(c.readable, resolved(r))
		}
	}
	return nil
}

// resolved follows the links of a path, as far as it is there.
func resolved(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

// beneath says whether path is dir or something in it.
func beneath(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// Close removes the private temp folder and gives back what the kernel holds.
func (p *Policy) Close() error {
	if p == nil || p.form == None {
		return nil
	}
	p.release()
	return p.scratch.Close()
}

// Active says whether commands are confined.
func (p *Policy) Active() bool { return p != nil && p.form != None }

// Name is what confines commands, in a word: a Form, or "off" if nobody wants it.
func (p *Policy) Name() string {
	switch {
	case p == nil:
		return string(None)
	case p.want == Off:
		return string(Off)
	}
	return string(p.form)
}

// Required says whether no command may run without it, an answer of a person or
// not.
func (p *Policy) Required() bool { return p != nil && p.want == Require }

// Network says whether commands may use the network.
func (p *Policy) Network() bool { return !p.Active() || p.network }

// WithNetwork is the same policy with the network open.
func (p *Policy) WithNetwork() *Policy {
	if p == nil {
		return nil
	}
	return &Policy{core: p.core, network: true}
}

// Temp is the private temp folder of commands; empty where nothing is confined.
func (p *Policy) Temp() string {
	if !p.Active() {
		return ""
	}
	return p.temp
}

// State says in two or three words what confines commands, for a status line and
// a question: "landlock, no network", "none".
func (p *Policy) State() string {
	switch {
	case !p.Active():
		return p.Name()
	case p.network:
		return p.Name() + ", network open"
	}
	return p.Name() + ", no network"
}

// Why says why there is no sandbox though one was wanted; empty if there is one.
func (p *Policy) Why() string {
	if p == nil || p.want == Off {
		return ""
	}
	return p.why
}

// writable lists every folder commands may write to, an outer one for all in it:
// the way to an inner one could be bent by a command. Those that are forge's are
// made again if somebody cleaned up.
func (p *Policy) writable() []string {
	p.scratch.Keep()
	_ = os.MkdirAll(p.caches, 0o700) // what is missing then fails where it is used
	out := slices.Concat(p.scope().roots, []string{p.temp, p.caches}, gitFolders(p.scope().roots))
	if fi, err := os.Stat(p.goCache); p.goCache != "" && err == nil && fi.IsDir() {
		out = append(out, p.goCache)
	}
	if p.network {
		out = append(out, p.downloads()...)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(slices.Clone(out), func(dir string) bool {
		return slices.ContainsFunc(out, func(outer string) bool { return outer != dir && beneath(outer, dir) })
	})
}

// errNotConfined is what Start fails with where a policy cannot be kept: nothing
// runs then.
var errNotConfined = errors.New("the command was not run, because it could not be confined")
