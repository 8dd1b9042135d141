package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"forge/lazy"
)

// foreign are the events of Gemini by ours.
var foreign = lazy.Value[map[string][]Event]{Of: func() map[string][]Event {
	return map[string][]Event{
		"BeforeTool": {PreToolUse}, "AfterTool": {PostToolUse, PostFailure}, "BeforeAgent": {PromptSubmit},
		"AfterAgent": {Stop}, "PreCompress": {PreCompact},
	}
}}

// maxHooks is how many hooks of one file are read, maxCommand how long the command of one
// may be, in bytes: all of it is looked at for files of the workspace.
const (
	maxHooks   = 200
	maxCommand = 8 << 10
)

// group is an entry under an event: a matcher with hooks, or a hook by itself.
type group struct {
	Matcher string            `json:"matcher"`
	Hooks   []json.RawMessage `json:"hooks"`
}

// entry is a hook as settings have it. What is not here is none of ours.
type entry struct {
	Type      string          `json:"type"`
	Command   string          `json:"command"`
	Args      []string        `json:"args"`
	Name      string          `json:"name"`
	Timeout   float64         `json:"timeout"`
	OnFailure string          `json:"onFailure"`
	Async     bool            `json:"async"`
	Pass      []string        `json:"pass"`
	If        json.RawMessage `json:"if"`
}

// Parse reads the value of "hooks" of a settings file. A hook that cannot be had is left
// out, and problems says so, for a person.
func Parse(raw []byte, src Source) (hooks []Hook, problems []string) {
	say := func(format string, args ...any) {
		problems = append(problems, src.File+": "+firstLine(tidy(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; "), maxReason), 300))
	}
	var events map[string]json.RawMessage
	if err := json.Unmarshal(raw, &events); err != nil {
		say("hooks must be an object {…} of events; none of them is in force")
		return nil, problems
	}
	dialect := Claude
	for name := range events {
		if foreign.Get()[name] != nil {
			dialect = Gemini
		}
	}
	for _, name := range slices.Sorted(maps.Keys(events)) {
		of, ok := foreign.Get()[name]
		if !ok {
			e, known := eventOf(name)
			if !known {
				say("hooks: forge has no event %q; what stands there never runs", name)
				continue
			}
			of = []Event{e}
		}
		var groups []json.RawMessage
		if err := json.Unmarshal(events[name], &groups); err != nil {
			say("hooks: %s must be a list", name)
			continue
		}
		for i, g := range groups {
			found, err := parseGroup(g, dialect)
			if err != nil {
				say("hooks: %s, entry %d: %v; it is left out", name, i+1, err)
			}
			for _, h := range found {
				for _, e := range of {
					h.Event, h.Source = e, src
					if len(hooks) == maxHooks {
						say("hooks: only the first %d are read", maxHooks)
						return hooks, problems
					}
					hooks = append(hooks, h)
				}
			}
		}
	}
	return hooks, problems
}

// eventOf finds an event by its name, whatever its case, also with underscores.
func eventOf(name string) (Event, bool) {
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, e := range Events() {
		if plain(string(e)) == plain(name) {
			return e, true
		}
	}
	return "", false
}

// EventOf finds an event by a name of any dialect.
func EventOf(name string) (Event, error) {
	if es := foreign.Get()[name]; es != nil {
		return es[0], nil
	}
	if e, ok := eventOf(name); ok {
		return e, nil
	}
	var all []string
	for _, e := range Events() {
		all = append(all, string(e))
	}
	return "", fmt.Errorf("no event is named %q; there are %s", name, strings.Join(all, ", "))
}

// parseGroup gives the hooks of one entry that can be had; the error is about the others.
func parseGroup(raw json.RawMessage, dialect Dialect) (hooks []Hook, err error) {
	var g group
	if err := json.Unmarshal(raw, &g); err != nil {
		return nil, err
	}
	entries := g.Hooks
	if entries == nil {
		dialect, entries = Crush, []json.RawMessage{raw}
	}
	for _, e := range entries {
		h, bad := parseEntry(e, dialect)
		if bad == nil {
			h.Matcher = g.Matcher
			bad = h.compile()
		}
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		hooks = append(hooks, h)
	}
	return hooks, err
}

func parseEntry(raw json.RawMessage, dialect Dialect) (Hook, error) {
	var e entry
	if err := json.Unmarshal(raw, &e); err != nil {
		return Hook{}, err
	}
	unit := time.Second
	if dialect == Gemini {
		unit = time.Millisecond
	}
	h := Hook{Dialect: dialect, Command: e.Command, Args: e.Args, Name: e.Name, Async: e.Async, Pass: e.Pass, Strict: e.OnFailure == "block"}
	switch {
	case e.Type != "" && e.Type != "command":
		return h, fmt.Errorf("hooks of the type %q are not run here, only commands", e.Type)
	case strings.TrimSpace(e.Command) == "":
		return h, errors.New("it has no command")
	case len(h.Line()) > maxCommand:
		return h, fmt.Errorf("its command has %d bytes, and more than %d are not taken; put it into a script", len(h.Line()), maxCommand)
	case len(e.If) > 0 && string(e.If) != "null":
		return h, errors.New(`"if" is not known here; narrow it with its matcher, or in the script`)
	case e.OnFailure != "" && e.OnFailure != "block" && e.OnFailure != "allow":
		return h, fmt.Errorf(`onFailure is "block" or "allow", not %q`, e.OnFailure)
	case e.Timeout < 0:
		return h, errors.New("its timeout is negative")
	case e.Timeout > 0:
		h.Timeout = max(time.Duration(min(e.Timeout, float64(mostTimeout/unit))*float64(unit)), time.Millisecond)
	}
	return h, nil
}
