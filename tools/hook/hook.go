// Package hook runs commands of the person's own at set moments of a session.
//
// It owns what a hook is, how the settings of several agents write one, what a hook is
// told on its standard input and what its exit code and its output mean. Its Set is the
// tools.Hooks of the one door, so that a hook can refuse a call, ask for a question, or
// change the arguments; it can never allow what the guard would not let an answer of the
// person allow. Prompts, sessions and compactions are told to it by main. A hook runs
// with the person's rights and outside of the sandbox: whose hooks may run is for main
// to decide, and nothing of a workspace is in a Set that nobody trusted.
package hook

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"forge/lazy"
)

// Event is a moment at which hooks run.
type Event string

// The events, by the names they have in settings.
const (
	PreToolUse   Event = "PreToolUse"         // before a call is authorized
	PostToolUse  Event = "PostToolUse"        // after a call that worked
	PostFailure  Event = "PostToolUseFailure" // after one that did not
	PromptSubmit Event = "UserPromptSubmit"   // before the model is told a prompt
	SessionStart Event = "SessionStart"       // a conversation begins, or is gone on with
	SessionEnd   Event = "SessionEnd"         // forge ends, or leaves a conversation
	Stop         Event = "Stop"               // the agent is about to rest
	SubagentStop Event = "SubagentStop"       // a sub-agent is about to report
	PreCompact   Event = "PreCompact"         // before a conversation is shortened
	Notification Event = "Notification"       // the person is asked something
)

// Events lists them all.
func Events() []Event {
	return []Event{PreToolUse, PostToolUse, PostFailure, PromptSubmit, SessionStart, SessionEnd, Stop, SubagentStop, PreCompact, Notification}
}

// Dialect is which agent's words a hook is written in: what its tools are called, what
// their arguments are, what its answers mean.
type Dialect string

// The dialects.
const (
	Claude Dialect = "claude" // groups with a matcher and a list of hooks; also ours
	Crush  Dialect = "crush"  // one entry with a command
	Gemini Dialect = "gemini" // groups, under names like BeforeTool
)

// Scope is whose settings a hook stands in.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Source is where a hook stands.
type Source struct {
	Scope Scope
	File  string // as it is shown
}

// DefaultTimeout is how long a hook may run that says nothing of it, endTimeout how long
// one at the end of a session: whoever leaves does not wait.
const (
	DefaultTimeout = time.Minute
	endTimeout     = 5 * time.Second
	mostTimeout    = time.Hour
)

// Hook is one command.
type Hook struct {
	Event   Event
	Dialect Dialect
	Matcher string
	Command string   // for the shell, unless there are Args
	Args    []string // of Command as a program
	Name    string   // as its settings call it; may be empty
	Timeout time.Duration
	Strict  bool     // PreToolUse: what it fails at does not run
	Async   bool     // it is not waited for, and its answer counts for nothing
	Pass    []string // variables it gets though commands do not
	Source  Source
	// Needs are the files of the workspace that its command names, relative, with
	// slashes, by the hash of what was trusted of them; empty: there was none.
	Needs map[string]string

	exact   []string       // names the matcher lists
	pattern *regexp.Regexp // else; nil: it matches everything
}

// maxLabel bounds what a hook is called, in bytes.
const maxLabel = 40

// Label is the hook for a person: its name, else the file its command begins with, else
// the command's begin.
func (h Hook) Label() string {
	line := h.Line()
	for i, w := range strings.Fields(strings.NewReplacer(`"`, "", `'`, "").Replace(line)) {
		if base := w[strings.LastIndexAny(w, `/\`)+1:]; i < 2 && base != w && base != "" && !strings.ContainsAny(w, ";|&<>()") {
			line = base // of ./check.sh, python3 ~/check.py
			break
		}
	}
	return firstLine(cmp.Or(h.Name, line), maxLabel)
}

// Line is its command, with its arguments.
func (h Hook) Line() string { return strings.Join(append([]string{h.Command}, h.Args...), " ") }

// Limit is how long it may run.
func (h Hook) Limit() time.Duration {
	limit := cmp.Or(h.Timeout, DefaultTimeout)
	if h.Event == SessionEnd {
		limit = min(limit, endTimeout)
	}
	return min(limit, mostTimeout)
}

// same says whether two hooks of one event are one command: it runs once.
func (h Hook) same(o Hook) bool {
	return h.Dialect == o.Dialect && h.Command == o.Command && strings.Join(h.Args, "\x00") == strings.Join(o.Args, "\x00")
}

// words of a matcher that lists names, as opposed to one that is an expression.
var listed = lazy.Regexp{Expr: `^[A-Za-z0-9_\-|, ]+$`}

// compile reads the matcher. A list of names matches them exactly, anything else is an
// expression that may match any part.
func (h *Hook) compile() (err error) {
	m := strings.TrimSpace(h.Matcher)
	switch {
	case m == "" || m == "*":
	case h.Dialect == Claude && listed.Get().MatchString(m):
		for _, name := range strings.FieldsFunc(m, func(r rune) bool { return r == '|' || r == ',' }) {
			h.exact = append(h.exact, strings.TrimSpace(name))
		}
	default:
		h.pattern, err = regexp.Compile(m)
	}
	return err
}

// matches says whether it is about any of these names.
func (h *Hook) matches(names []string) bool {
	if h.exact == nil && h.pattern == nil {
		return true
	}
	for _, n := range names {
		for _, e := range h.exact {
			if e == n {
				return true
			}
		}
		if h.pattern != nil && h.pattern.MatchString(n) {
			return true
		}
	}
	return false
}

// Inside is the variable that tells a command which event it is run for. A forge that
// finds it is run by a hook, and runs none itself: they would never end.
const Inside = "FORGE_HOOK_EVENT"
