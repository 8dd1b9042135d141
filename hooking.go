package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"forge/agent/config"
	"forge/agent/session"
	"forge/plainfile"
	"forge/tilde"
	"forge/tools/hook"
	"forge/tools/permission"
	"forge/tools/trust"
	"forge/ui/lang"
	"forge/ui/safe"
)

// hooking is the hooks of a session: whose they are, and which of them may run.
type hooking struct {
	set   *hook.Set
	found chan struct{} // closed once it was looked for them
	look  sync.Once

	now atomic.Pointer[hook.Session] // the conversation there is

	mu      sync.Mutex
	begun   chan struct{} // closed when those of the conversation's begin have run
	started bool          // those of the first one's were
	source  string        // what that one is, if it is not new
	context string        // what they say to the model, until it is told
	left    bool          // the session is over
}

// openHooks joins the person's commands to the door. Nothing is looked for yet: that
// waits for the first frame.
func (f *forge) openHooks() {
	h := &hooking{found: make(chan struct{}), begun: make(chan struct{})}
	h.set = hook.New(hook.Options{
		Dir: f.hands.workspace.Root(), Guardian: f.hands.guardian, Mask: f.masked, Hash: f.hashOf,
		Session: func() hook.Session {
			if now := h.now.Load(); now != nil {
				return *now
			}
			return hook.Session{}
		},
		Mode: func() string { return string(f.hands.guard.Mode()) },
	})
	f.hooks, f.hands.exec.Hooks, f.hands.hooked = h, h.set, h.set.Obeys
}

func recordOf(s *session.Session) hook.Session {
	if s == nil {
		return hook.Session{}
	}
	return hook.Session{ID: s.ID(), Transcript: s.Path()}
}

func (f *forge) masked(text string) string {
	if f.veil == nil {
		return text
	}
	text, _ = f.veil.Mask(text)
	return text
}

// hashOf is what a file of the workspace holds now, as trust knows it.
func (f *forge) hashOf(path string) (string, error) {
	files, err := trust.Find(f.hands.workspace.Root(), []trust.Power{{Path: path}})
	switch {
	case err != nil:
		return "", err
	case len(files) != 1:
		return "", fs.ErrNotExist
	}
	return files[0].Hash, nil
}

// hookFiles are the settings of a project that may name hooks.
var hookFiles = []string{".forge/forge.json", ".claude/settings.json", ".claude/settings.local.json"}

// hooksIn is what of such a file names hooks, laid out to be read.
func hooksIn(text []byte) []byte {
	raw := config.Part(text, "hooks")
	if raw == nil {
		return nil
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func hookPowers() (ps []trust.Power) {
	for _, name := range hookFiles {
		ps = append(ps, trust.Power{Path: name, Does: lang.N("runs commands of its own at set moments"), Part: hooksIn})
	}
	return ps
}

// findHooks looks for hooks, once. The person's own are in force at once, but for those
// that run a file of the workspace: that, and what a project names, waits until the
// person trusts just this text of it. Its powers are what there is to be trusted.
func (f *forge) findHooks() {
	h := f.hooks
	h.look.Do(func() {
		defer close(h.found)
		if f.flags.NoHooks || os.Getenv(hook.Inside) != "" {
			return
		}
		mine, problems := f.ownHooks()
		theirs, wrong, err := f.projectHooks()
		problems = append(problems, wrong...)
		if err != nil { // of theirs alone: yours do not depend on what a folder holds
			problems = append(problems, lang.T("hooks of this folder are left out: %s", err.Error()))
			theirs = nil
		}
		all := append(mine, theirs...)
		for _, p := range problems {
			f.warn(p)
		}
		if len(all) == 0 {
			return
		}
		files := f.filesOf(all)
		changes, err := trust.Open(f.dirs.Trust()).Changes(f.hands.workspace.Root(), files)
		waits := 0
		for _, one := range all {
			needs, whole := f.needs(&one, files)
			if _, _, loose := f.namedBy(one); loose != "" {
				f.warn(lang.T("hook %s names files of this folder by a pattern, %s; write them out, so that they can be trusted", one.Label(), loose))
			}
			open := err != nil || slices.ContainsFunc(changes, func(c trust.Change) bool { return slices.Contains(needs, c.Path) })
			waiting := !whole || open && !f.flags.TrustWorkspace
			h.set.Add([]hook.Hook{one}, waiting)
			if waiting {
				waits++
			}
		}
		if waits > 0 && f.flags.Headless {
			f.warn(lang.T("hooks that name files of this folder do not run: it is not trusted (--trust-workspace lets them)"))
		}
	})
}

// ownHooks are those of the person's settings.
func (f *forge) ownHooks() ([]hook.Hook, []string) {
	var raw json.RawMessage
	if err := f.cfg.Section("hooks", &raw); err != nil {
		return nil, []string{err.Error()}
	}
	if len(raw) == 0 || raw[0] != '{' { // the settings have said that it is no object
		return nil, nil
	}
	return hook.Parse(raw, hook.Source{Scope: hook.User, File: tilde.Short(f.dirs.File())})
}

// projectHooks are those the workspace names. Of each file that has some that cannot be
// had, one line says what is wrong: what was to forbid something is not to be missing
// without a word.
func (f *forge) projectHooks() (all []hook.Hook, wrong []string, err error) {
	files, err := trust.Find(f.hands.workspace.Root(), hookPowers())
	for _, file := range files {
		if filepath.Join(f.hands.workspace.Root(), filepath.FromSlash(file.Path)) == f.dirs.File() {
			continue // forge was started in the folder of the person's own settings
		}
		hooks, problems := hook.Parse(file.Text, hook.Source{Scope: hook.Project, File: file.Path})
		all = append(all, hooks...)
		for _, p := range problems {
			slog.Info("hooks of a project", "problem", p)
		}
		if n := len(problems); n == 1 || n > 1 && f.beside {
			wrong = append(wrong, problems...)
		} else if n > 1 {
			wrong = append(wrong, lang.T("%s (and %d more like it: forge hooks list)", problems[0], n-1))
		}
	}
	return all, append(wrong, f.unreadHooks()...), err
}

// unreadHooks tells of settings of a project that speak of hooks and cannot be read.
func (f *forge) unreadHooks() (wrong []string) {
	for _, name := range hookFiles {
		whole := trust.Power{Path: name}
		files, err := trust.Find(f.hands.workspace.Root(), []trust.Power{whole})
		if err != nil || len(files) != 1 || !bytes.Contains(files[0].Text, []byte(`"hooks"`)) {
			continue // an error is said by whoever looks for what is in it
		}
		if err := config.Readable(files[0].Text); err != nil {
			wrong = append(wrong, lang.T("%s cannot be read, so that its hooks are not in force: %s", name, err.Error()))
		}
	}
	return wrong
}

// filesOf are the files of the workspace by which hooks do something: the settings they
// stand in, and what their commands name. What cannot be shown is not among them.
func (f *forge) filesOf(hooks []hook.Hook) (files []trust.File) {
	ps := hookPowers()
	for _, h := range hooks {
		paths, _, _ := f.namedBy(h)
		for _, path := range paths {
			ps = append(ps, trust.Power{Path: path, Does: lang.N("is run by a hook")})
		}
	}
	for _, p := range ps {
		found, err := trust.Find(f.hands.workspace.Root(), []trust.Power{p})
		if err != nil {
			slog.Info("file of a hook not shown", "error", err)
		}
		for _, file := range found {
			if !slices.ContainsFunc(files, func(o trust.File) bool { return o.Path == file.Path }) {
				files = append(files, file)
			}
		}
	}
	return files
}

// namedBy are the files of the workspace that a hook's command runs by or names and that
// are there. absent are those it would run, were they there; loose names those that it
// finds by a pattern: nobody can trust what that is tomorrow.
func (f *forge) namedBy(h hook.Hook) (out, absent []string, loose string) {
	root := f.hands.workspace.Root()
	named := h.Paths(root)
	obeyed, ok := permission.Obeys(h.Line(), root, []string{root})
	if !ok { // a fault of ours: what it runs is not known
		loose = h.Label()
	}
	for _, path := range obeyed {
		if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
			named = append(named, hook.Named{Path: filepath.ToSlash(rel), Runs: true})
		}
	}
	given := len(named)
	for i := 0; i < len(named); i++ { // it grows by what scripts load in their turn
		n := named[i]
		at := filepath.Join(root, filepath.FromSlash(n.Path))
		info, err := os.Stat(at)
		switch {
		case strings.ContainsAny(n.Path, `*?[\`):
			if found, err := filepath.Glob(at); err == nil && len(found) > 0 {
				loose = n.Path
			}
		case err == nil && info.Mode().IsRegular():
			if slices.Contains(out, n.Path) {
				continue
			}
			out = append(out, n.Path)
			if (n.Runs || i >= given) && len(out) < maxLoaded && info.Size() <= maxScript {
				if text, _, err := plainfile.Read(at, maxScript); err == nil {
					named = append(named, hook.Leans(n.Path, string(text), root)...)
				}
			}
		case n.Runs && errors.Is(err, fs.ErrNotExist) && len(absent) < maxAbsent:
			absent = append(absent, n.Path)
		}
	}
	return out, absent, loose
}

// maxAbsent bounds how many files are watched for that a hook would run, maxLoaded those
// whose text is looked at for what they load, maxScript such a text, in bytes.
const (
	maxAbsent = 64
	maxLoaded = 64
	maxScript = 1 << 20
)

// needs notes in a hook what it needs of the workspace, as it is in files, and gives the
// paths; whole is false where something is not among them.
func (f *forge) needs(h *hook.Hook, files []trust.File) (paths []string, whole bool) {
	h.Needs = map[string]string{}
	named, absent, loose := f.namedBy(*h)
	whole = loose == ""
	for _, path := range absent {
		h.Needs[path] = ""
	}
	for _, path := range named {
		i := slices.IndexFunc(files, func(file trust.File) bool { return file.Path == path })
		if i < 0 {
			whole = false
			continue
		}
		h.Needs[path] = files[i].Hash
		paths = append(paths, path)
	}
	if h.Source.Scope == hook.Project {
		paths = append(paths, h.Source.File)
	}
	return paths, whole
}

// hooksWanted are the files that hooks wait for: what the workspace's one question shows
// of them. None, where no hook waits.
func (f *forge) hooksWanted() []trust.File {
	<-f.hooks.found
	if !f.hooks.set.Waiting() {
		return nil
	}
	var all []hook.Hook
	for _, st := range f.hooks.set.List() {
		all = append(all, st.Hook)
	}
	return f.filesOf(all)
}

// hooksTrusted puts those in force whose files the person said yes to, as they were shown.
func (f *forge) hooksTrusted(files []trust.File) {
	f.hooks.set.Trust(func(h *hook.Hook) bool {
		needs, whole := f.needs(h, files)
		return whole && !slices.ContainsFunc(needs, func(path string) bool {
			return !slices.ContainsFunc(files, func(file trust.File) bool { return file.Path == path })
		})
	})
}

// warn tells the person something after the start, wherever they are.
func (f *forge) warn(text string) {
	if f.flags.Headless {
		fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(text)))
		return
	}
	f.tell(text)
}

// sheltered does something beside whatever else is done; a panic is logged.
func sheltered(do func()) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("hooks crashed", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	do()
}

// seek waits until it was looked for hooks.
func (h *hooking) seek(ctx context.Context) error {
	select {
	case <-h.found:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
