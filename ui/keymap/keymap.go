// Package keymap knows which key does what.
//
// It owns the table of everything a key of the screen can do: an Action, the place
// where it means that, the keys it has when nobody chose others, and the line that
// explains it. Whoever takes keys asks it which action a press is and names no key
// of its own, so that every key can be chosen by the person, and help and
// docs/keys.md say what is true. It reads no key itself, draws nothing, and knows
// none of the rooms that ask it; a Map never changes once it was made.
package keymap

import (
	"slices"
	"strings"

	"forge/lazy"
)

// Context is where a key is pressed: what has the keys then.
type Context string

// The contexts. Suggest is asked before all others of the prompt, Empty and Running are asked before Screen, and Screen before Prompt.
const (
	Screen   Context = "screen"   // the screen, whatever is written
	Empty    Context = "empty"    // the screen, while nothing is written
	Suggest  Context = "suggest"  // the empty prompt, while a next one is suggested in it
	Running  Context = "running"  // the screen, while a command runs
	Prompt   Context = "prompt"   // text being written
	Menu     Context = "menu"     // the completion menu
	Read     Context = "read"     // the transcript
	Pager    Context = "pager"    // one thing whole
	Line     Context = "line"     // words to find being written
	List     Context = "list"     // a list to choose from
	Ask      Context = "ask"      // a permission question
	Note     Context = "note"     // words to the model beside an answer
	Review   Context = "review"   // a diff in a permission question
	Files    Context = "files"    // the list of its files
	Hunk     Context = "hunk"     // a hunk being edited there
	Question Context = "question" // any other question
	Form     Context = "form"     // fields to fill in
	Choice   Context = "choice"   // one of them whose value is chosen
	Inquiry  Context = "inquiry"  // what a model wants to know
	Takeback Context = "takeback" // what undo would do
	Window   Context = "window"   // the panel of the model's window
	Servers  Context = "servers"  // the panel of MCP servers
	Server   Context = "server"   // one of them, looked at
	Login    Context = "login"    // logging in at one
)

// Action is what a key does: its context, a dot, and a name.
type Action string

// Context is where the action can be done.
func (a Action) Context() Context {
	c, _, _ := strings.Cut(string(a), ".")
	return Context(c)
}

// Binding is a line of the table. A line without an Action only explains: its keys
// are shown as they stand, with {action} for the first key of one.
type Binding struct {
	Action Action
	Keys   []string // as Bubble Tea spells them; two with a blank between are pressed one after the other
	Help   string   // in English, a key of the catalogue
}

// Group is lines of the table that help shows together.
type Group struct {
	Name  string // for docs/keys.md, never shown
	Title string // in English, a key of the catalogue
	Short bool   // shown by the help of the screen
	Lines []Binding
}

// Map is the keys in force. A nil Map is the keys nobody changed.
type Map struct {
	keys   map[Action][]string
	does   map[Context]map[string]Action
	begins map[string]bool // first keys of two
	names  map[string]bool // every key that means something somewhere
}

var defaults = lazy.Value[*Map]{Of: func() *Map {
	keys := map[Action][]string{}
	for _, b := range bindings() {
		keys[b.Action] = b.Keys
	}
	return build(keys)
}}

// Default is the map nobody changed.
func Default() *Map { return defaults.Get() }

// bindings lists the lines that have an action, in the table's order.
func bindings() []Binding {
	var out []Binding
	for _, g := range Groups() {
		for _, b := range g.Lines {
			if b.Action != "" {
				out = append(out, b)
			}
		}
	}
	return out
}

func build(keys map[Action][]string) *Map {
	m := &Map{keys: keys, does: map[Context]map[string]Action{}, begins: map[string]bool{}, names: map[string]bool{}}
	for a, list := range keys {
		at := m.does[a.Context()]
		if at == nil {
			at = map[string]Action{}
			m.does[a.Context()] = at
		}
		for _, k := range list {
			at[k] = a
			if first, _, two := strings.Cut(k, " "); two {
				m.begins[first] = true
			}
			for stroke := range strings.FieldsSeq(k) {
				m.names[stroke] = true
			}
		}
	}
	return m
}

// Action is what a key means in a context, by its name as Bubble Tea gives it or by
// two such names with a blank between; empty: nothing.
func (m *Map) Action(c Context, key string) Action {
	if m == nil {
		m = Default()
	}
	if a, ok := m.does[c][key]; ok {
		return a
	}
	return m.does[c][plainName(key)]
}

// Names reports whether a key means something in any context, by itself or as one of
// two.
func (m *Map) Names(key string) bool {
	if m == nil {
		m = Default()
	}
	return m.names[key] || m.names[plainName(key)]
}

// plainName is the one name of a key that terminals report under several.
func plainName(key string) string {
	key = strings.Replace(key, "meta+", "super+", 1) // cmd of an arrow, by the older of two ways to send it
	switch rest, shifted := strings.CutPrefix(key, "shift+"); {
	case key == " ":
		return "space"
	case key == "ctrl+h": // what some terminals send for it
		return "backspace"
	case key == "ctrl+alt+h":
		return "alt+backspace"
	case shifted && len(rest) == 1 && rest[0] >= 'a' && rest[0] <= 'z':
		return strings.ToUpper(rest)
	}
	return key
}

// Begins reports whether a key is the first of two that mean something together.
func (m *Map) Begins(key string) bool {
	if m == nil {
		m = Default()
	}
	return m.begins[key]
}

// Keys lists the keys of an action; none: it has been unbound.
func (m *Map) Keys(a Action) []string {
	if m == nil {
		m = Default()
	}
	return slices.Clone(m.keys[a])
}

// First is the key of an action that hints name; empty: it has none.
func (m *Map) First(a Action) string {
	if m == nil {
		m = Default()
	}
	if list := m.keys[a]; len(list) > 0 {
		return list[0]
	}
	return ""
}

// Help is what an action does, in English; empty: there is no such action.
func Help(a Action) string {
	for _, b := range bindings() {
		if b.Action == a {
			return b.Help
		}
	}
	return ""
}

// Row is a line of help: keys, and what they do in English.
type Row struct {
	Keys []string
	Help string
}

// Rows are the lines of a group as they are now. What has no key is left out.
func (m *Map) Rows(g Group) []Row {
	var rows []Row
	for _, b := range g.Lines {
		keys := b.Keys
		if b.Action != "" {
			keys = m.Keys(b.Action)
		} else {
			keys = m.named(keys)
		}
		if len(keys) > 0 {
			rows = append(rows, Row{keys, b.Help})
		}
	}
	return rows
}

// named puts the first keys of actions in the place of their names. A line that
// names one without a key is not true any more.
func (m *Map) named(keys []string) []string {
	out := make([]string, 0, len(keys))
	for _, k := range keys {
		for {
			before, rest, open := strings.Cut(k, "{")
			if !open {
				break
			}
			name, after, _ := strings.Cut(rest, "}")
			first := m.First(Action(name))
			if first == "" {
				return nil
			}
			k = before + first + after
		}
		out = append(out, k)
	}
	return out
}
