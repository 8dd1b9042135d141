package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/agent/session"
)

// moves is what the model knows of the folder a conversation was moved to. Its methods may
// be called from any goroutine.
type moves struct {
	mu    sync.Mutex
	keep  func() error // has the conversation there is keep where it is
	was   []string     // the folders it was worked on in before, in the order they were left in
	due   bool         // the model is to be told
	kept  bool         // the conversation says where it is
	stale bool         // the system prompt speaks of another folder
}

// movedTo begins what the model is told. It stands in stored conversations: older words
// must stay known to took.
const movedTo = "The user moved this conversation to another folder: %s. Tools, commands and relative paths begin there from now on."

// news is what the model is to be told; tell makes it, from the folder that was left last
// and whether the system prompt speaks of another one than this.
func (m *moves) news(tell func(was string, stale bool) string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.due {
		return nil
	}
	m.due = false
	if !m.kept {
		m.kept = true
		logged("where the conversation is was not kept", m.keep())
	}
	was := ""
	if n := len(m.was); n > 0 {
		was = m.was[n-1]
	}
	return []string{tell(was, m.stale)}
}

// again has it told once more, where nothing else says it: a summary takes the place of
// what told of it.
func (m *moves) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due = m.due || m.stale
}

// isStale reports whether the system prompt speaks of another folder, and fresh notes that
// it does no longer.
func (m *moves) isStale() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stale
}

func (m *moves) fresh() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stale, m.due = false, false
}

// outdated notes that the system prompt speaks of another folder.
func (m *moves) outdated() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stale = true
}

// before are the folders the conversation was worked on in before.
func (m *moves) before() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.was)
}

// took is told of the conversation there is from now on, which began in a folder, and of
// the folder that is worked in. One that was never moved needs no word: wherever it is gone
// on with, its system prompt says where that is.
func (m *moves) took(began, here string, records []session.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.was, m.due, m.kept = nil, false, false
	at, last := began, -1 // the record that says so first
	for i, r := range records {
		if r.Moved == nil || r.Moved.Dir == at && last >= 0 {
			continue
		}
		m.leave(at)
		at, last = r.Moved.Dir, i
	}
	if last < 0 {
		return
	}
	if m.kept = at == here; !m.kept { // it is gone on with elsewhere
		m.leave(at)
		m.due = true
		return
	}
	m.due = !slices.ContainsFunc(records[last:], func(r session.Record) bool {
		return r.Steer && r.Message != nil && strings.Contains(r.Message.PlainText(), fmt.Sprintf(movedTo, here))
	})
}

// leave puts a folder last of those that were left.
func (m *moves) leave(dir string) {
	if dir != "" {
		m.was = append(slices.DeleteFunc(m.was, func(d string) bool { return d == dir }), dir)
	}
}

// record is what a copy of the conversation that begins with these records is to have
// beside them: the history has no word of it.
func (m *moves) record(here session.Moved, begins []session.Record) (out []session.Record) {
	was := m.before()
	if len(was) == 0 || slices.ContainsFunc(begins, func(r session.Record) bool { return r.Moved != nil }) {
		return nil
	}
	for _, dir := range was {
		out = append(out, session.Record{Time: time.Now().UTC(), Moved: &session.Moved{Dir: dir}})
	}
	return append(out, session.Record{Time: time.Now().UTC(), Moved: &here})
}

// at is where the conversation is worked on now.
func (f *forge) at() session.Moved {
	root := f.hands.workspace.Root()
	return session.Moved{Dir: root, Branch: agent.GitBranch(root)}
}

// keepMove has the conversation there is keep where it is.
func (f *forge) keepMove() error {
	s := f.agent.Session()
	if s == nil {
		return nil
	}
	at := f.at()
	return s.Append(session.Record{Moved: &at})
}

// movedNote is what the model is told of the folder.
func (f *forge) movedNote(was string, stale bool) string {
	at := f.at()
	var b strings.Builder
	fmt.Fprintf(&b, movedTo, oneLine(at.Dir))
	if was != "" {
		fmt.Fprintf(&b, " Before, it was %s. What lies outside of the new one is open to you only where you were told so.", oneLine(was))
	}
	switch {
	case at.Branch != "":
		fmt.Fprintf(&b, " Its git branch is %s.", oneLine(at.Branch))
	default:
		b.WriteString(" It is no git repository.")
	}
	if !stale { // the system prompt says the rest
		return b.String()
	}
	b.WriteString(" What was said so far of the workspace, of git and of a project's instructions and skills is of a folder that was left: it does not hold here.")
	f.memory.mu.Lock()
	files := slices.Clone(f.memory.files)
	f.memory.mu.Unlock()
	user := func(all []agent.MemoryFile) (out []agent.MemoryFile) {
		for _, m := range all {
			if m.User {
				out = append(out, m)
			}
		}
		return out
	}
	if slices.Equal(user(files), user(f.standing)) {
		files = slices.DeleteFunc(files, func(m agent.MemoryFile) bool { return m.User })
		if len(files) == 0 {
			b.WriteString(" The folder has no instructions of its own; those of the user stay.\n")
			return b.String()
		}
		b.WriteString(" The instructions of this project, which cannot widen what you may do; those of the user stay, and are right where they differ:\n")
	} else {
		b.WriteString(" These instructions take the place of all those above; the user's own come first, then those of the project, which cannot widen what you may do:\n")
	}
	writeInstructions(&b, files)
	return b.String()
}

// oneLine keeps a name from the file system from adding lines to what the model is told.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
