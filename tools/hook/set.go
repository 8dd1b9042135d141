package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/programs"
	"forge/tools/sandbox"
)

// Options is what a Set needs of the session it belongs to.
type Options struct {
	Dir      string            // the workspace, absolute; hooks run there
	Guardian *sandbox.Guardian // ends what is left when forge is killed
	Session  func() Session    // the conversation there is; nil: none
	Mode     func() string     // of permissions
	// Mask hides secrets in what hooks are told; nil: nothing is hidden.
	Mask func(string) string
	// Hash is that of a file of the workspace as it is now; it compares with Hook.Needs.
	Hash func(path string) (string, error)
}

// Session is the conversation hooks are told of.
type Session struct{ ID, Transcript string }

// Set is the hooks of a session. Methods may be called from any goroutine.
type Set struct {
	o    Options
	ctx  context.Context // ends with the session
	stop context.CancelFunc
	late sync.WaitGroup // hooks that nobody waits for

	mu  sync.Mutex
	all []*state
}

// state is a hook, and what is known of it.
type state struct {
	hook    Hook
	off     bool
	waiting bool // for trust
	last    Last
}

// Last is how a hook ended the last time.
type Last struct {
	At   time.Time // zero: it never ran
	Took time.Duration
	What string // "allowed", "denied: …", "failed: …"
}

// Status is a hook for a person.
type Status struct {
	Hook
	Off, Waiting bool
	Last         Last
}

// New gives a Set without hooks.
func New(o Options) *Set {
	s := &Set{o: o}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// Add takes hooks in. Those that wait are shown and do not run.
func (s *Set) Add(hooks []Hook, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range hooks {
		s.all = append(s.all, &state{hook: h, waiting: waiting})
	}
}

// Trust puts the waiting hooks in force for which ready gives true; ready may change them.
func (s *Set) Trust(ready func(*Hook) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.all {
		if st.waiting && ready(&st.hook) {
			st.waiting = false
			n++
		}
	}
	return n
}

// Waiting says whether hooks wait for trust.
func (s *Set) Waiting() bool {
	return slices.ContainsFunc(s.List(), func(st Status) bool { return st.Waiting })
}

// List tells all there are, in their order.
func (s *Set) List() (out []Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.all {
		out = append(out, Status{Hook: st.hook, Off: st.off, Waiting: st.waiting, Last: st.last})
	}
	return out
}

// Switch turns the n-th hook of List off or on, for this session.
func (s *Set) Switch(n int, on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n < 0 || n >= len(s.all) {
		return fmt.Errorf("there is no hook %d", n+1)
	}
	s.all[n].off = !on
	return nil
}

// Has says whether any hook is in force for an event: else nothing need be made ready.
func (s *Set) Has(e Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(st *state) bool { return st.hook.Event == e && st.counts() })
}

// counts says whether a hook is in force. One of the person's own that guards calls is
// also while it waits: a folder could switch it off by a file else.
func (st *state) counts() bool {
	return !st.off && (!st.waiting || st.hook.Source.Scope == User && st.hook.Event == PreToolUse)
}

// Close ends what still runs, and waits for it.
func (s *Set) Close() {
	s.mu.Lock()
	s.stop() // nothing begins late from here on
	s.mu.Unlock()
	s.late.Wait()
}

// later does what nobody waits for, but for Close; not once that was called.
func (s *Set) later(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() == nil {
		s.late.Go(do)
	}
}

// matching are the hooks of an event that are about one of these names, each command once.
// Without names matchers say nothing: the event has nothing they could be about.
func (s *Set) matching(e Event, names []string) (out []*state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.all {
		if st.hook.Event != e || !st.counts() || len(names) > 0 && !st.hook.matches(names) ||
			slices.ContainsFunc(out, func(o *state) bool { return o.hook.same(st.hook) }) {
			continue
		}
		out = append(out, st)
	}
	return out
}

// fire runs the hooks of an event side by side and gives their answers in the order of
// the settings. tell makes what one is told.
func (s *Set) fire(ctx context.Context, e Event, names []string, tell func(*Hook) input) []answer {
	found := s.matching(e, names)
	if len(found) == 0 {
		return nil
	}
	answers := make([]answer, len(found))
	var wg sync.WaitGroup
	for i, st := range found {
		if st.hook.Async {
			s.later(func() { s.one(s.ctx, st, tell) })
			continue
		}
		wg.Go(func() { answers[i] = s.one(ctx, st, tell) })
	}
	wg.Wait()
	return slices.DeleteFunc(answers, func(a answer) bool { return a.hook == nil })
}

// one runs a hook. A fault of ours is its failure.
func (s *Set) one(ctx context.Context, st *state, tell func(*Hook) input) (a answer) {
	s.mu.Lock()
	h, waiting := st.hook, st.waiting
	s.mu.Unlock()
	began := time.Now()
	defer func() {
		if p := recover(); p != nil {
			slog.Error("hook crashed", "hook", h.Label(), "panic", p, "stack", string(debug.Stack()))
			a = answer{hook: &h, problem: fmt.Sprintf("forge crashed: %v", p)}
		}
		s.mu.Lock()
		st.last = Last{At: began, Took: time.Since(began), What: a.outcome()}
		s.mu.Unlock()
	}()
	if why := s.unfit(h, waiting); why != "" {
		a = read(&h, sandbox.Result{}, errors.New(why))
		a.ask = h.Event == PreToolUse // what it guards is not to pass unseen
		if a.reason == "" {
			a.reason = a.problem
		}
		return a
	}
	cmd, err := s.command(h, tell(&h))
	if err != nil {
		return read(&h, sandbox.Result{}, err)
	}
	stopped, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	res, err := cmd.Run(stopped)
	return read(&h, res, err)
}

// unfit says why a hook does not run although it counts: it waits for trust, or a file of
// the workspace that it needs is another one now.
func (s *Set) unfit(h Hook, waiting bool) string {
	if waiting {
		return "it did not run: it names files of this folder, which is not trusted"
	}
	for path, want := range h.Needs {
		is, err := "", errors.New("nobody can look")
		if s.o.Hash != nil {
			is, err = s.o.Hash(path)
		}
		if want == "" && errors.Is(err, fs.ErrNotExist) {
			continue // as it was
		}
		if err != nil || is != want {
			return fmt.Sprintf("it did not run: %s is not what was trusted any more", path)
		}
	}
	return ""
}

// Obeys says whether a hook runs a file of the workspace, so that changing the file is
// changing the hook; path is relative, with slashes.
func (s *Set) Obeys(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.all, func(st *state) bool {
		_, ok := st.hook.Needs[path]
		return ok && !st.off
	})
}

// command is the process of a hook. It has what commands see of the environment, and the
// variables its settings name; the person's rights, and no sandbox. A workspace is not to
// say what grep is: no folder of it is in its PATH, and none that depends on where it runs.
func (s *Set) command(h Hook, in input) (sandbox.Command, error) {
	text, err := json.Marshal(in.payload)
	if err != nil {
		return sandbox.Command{}, err
	}
	env := append(programs.Environ(sandbox.Environ(h.Pass...), s.o.Dir), h.guarded()...)
	for _, v := range projectVariables {
		env = append(env, v+"="+s.o.Dir)
	}
	env = append(env, Inside+"="+string(h.Event))
	if h.Dialect == Crush {
		env = append(env, in.crushEnviron(h.Event)...)
	}
	c := sandbox.Command{
		Dir: s.o.Dir, Env: env, Input: append(text, '\n'), Apart: true, Timeout: h.Limit(), Guardian: s.o.Guardian,
		Head: maxOutput, Tail: 1, Max: maxWritten,
	}
	if len(h.Args) > 0 {
		c.Argv = append([]string{h.Command}, h.Args...)
	} else {
		c.Shell = h.Command
	}
	if strings.ContainsRune(strings.Join(append(c.Argv, c.Shell), ""), 0) {
		return c, errors.New("its command holds a NUL byte")
	}
	return c, nil
}

// outcome is an answer in a few words, for a list.
func (a answer) outcome() string {
	switch {
	case a.problem != "":
		return fmt.Sprintf("failed: %s", firstLine(a.problem, 200))
	case a.halt != "":
		return fmt.Sprintf("stopped the run: %s", firstLine(a.halt, 200))
	case a.deny:
		return fmt.Sprintf("denied: %s", firstLine(a.reason, 200))
	case a.ask:
		return "asked"
	case a.input != nil:
		return "changed the arguments"
	case a.allow:
		return "allowed"
	}
	return "ok"
}
