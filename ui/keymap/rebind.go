package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/sorting"
	"forge/ui/lang"
)

// Entry is what a person chose for an action. Without keys the action has none.
type Entry struct {
	Action string
	Keys   []string // as they wrote them
}

// Problem is an entry that cannot be taken, by its place among them, and why, in
// English. Its action keeps the keys it had.
type Problem struct {
	Entry int
	Text  string
}

// writes are the contexts in which what is typed is text: a letter means itself.
var writes = []Context{Screen, Suggest, Running, Prompt, Menu, Line, List, Note, Hunk, Form}

// together are contexts that have the keys at once, so that a key that both have can
// only be had by one.
var together = [][2]Context{{Screen, Prompt}, {Ask, Review}}

// careless are keys that are pressed without a look: they answer no question whether
// something may run.
var careless = []string{"enter", "space", "tab", "backspace", "ctrl+j", "ctrl+m", "ctrl+v", "ctrl+y", "alt+v", "shift+insert", "super+v"}

// interrupt stops and leaves wherever it is pressed, and nobody can take it away.
const interrupt = "ctrl+c"

// New makes the map of what a person chose. An entry that is wrong, or that gives a
// key to two actions of one place, is left out and told of.
func New(chosen []Entry) (*Map, []Problem) {
	var problems []Problem
	keys := map[Action][]string{}
	for _, b := range bindings() {
		keys[b.Action] = b.Keys
	}
	by := map[Action]int{}
	for i, e := range chosen {
		a, list, err := e.read(keys)
		if err != nil {
			problems = append(problems, Problem{i, err.Error()})
			continue
		}
		if old, twice := by[a]; twice {
			problems = append(problems, Problem{old, fmt.Sprintf(lang.N("%s stands there twice; the last one counts"), e.Action)})
		}
		keys[a], by[a] = list, i
	}
	for {
		i, text, clash := conflict(keys, by, chosen)
		if !clash {
			break
		}
		problems = append(problems, Problem{i, text})
		a := Action(chosen[i].Action)
		keys[a] = Default().Keys(a)
		delete(by, a)
	}
	sorting.StableBy(problems, func(a, b Problem) int { return a.Entry - b.Entry })
	return build(keys), problems
}

// read says which keys an entry gives to which action.
func (e Entry) read(known map[Action][]string) (Action, []string, error) {
	a := Action(e.Action)
	standard, ok := known[a]
	if !ok {
		return a, nil, fmt.Errorf(lang.N("there is no action %q%s"), e.Action, nearest(e.Action, known))
	}
	var list []string
	for _, written := range e.Keys {
		k, err := Spell(written)
		switch {
		case err != nil:
			return a, nil, err
		case slices.Contains(standard, k): // it is where it was
		case k == interrupt || strings.HasPrefix(k, interrupt+" "):
			return a, nil, errors.New(lang.N("ctrl+c interrupts and leaves, and does nothing else"))
		case strings.Contains(k, " ") && a.Context() != Screen && a.Context() != Prompt:
			return a, nil, fmt.Errorf(lang.N("%s is two keys: only screen and prompt take two"), k)
		case types(first(k)) && slices.Contains(writes, a.Context()):
			return a, nil, fmt.Errorf(lang.N("%s writes itself here: choose a key with ctrl or alt, or f1 to f12"), k)
		case answers(a) && slices.Contains(careless, k):
			return a, nil, fmt.Errorf(lang.N("%s may answer no question: it is pressed too easily"), k)
		}
		if !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	if slices.Contains(standard, interrupt) && !slices.Contains(list, interrupt) {
		list = append(list, interrupt) // nobody may be shut in
	}
	return a, list, nil
}

func first(key string) string { k, _, _ := strings.Cut(key, " "); return k }

// answers reports whether an action says yes or no to a question.
func answers(a Action) bool {
	return slices.Contains([]Action{AskOnce, AskSession, AskRule, AskDeny, ReviewAll}, a)
}

// conflict finds a key that two actions have at once, one of them by choice, and
// names the entry to be left out: the last one chosen.
func conflict(keys map[Action][]string, by map[Action]int, chosen []Entry) (entry int, text string, found bool) {
	order := make([]Action, 0, len(by))
	for a := range by {
		order = append(order, a)
	}
	sorting.By(order, func(a, b Action) int { return by[b] - by[a] })
	for _, a := range order {
		for _, b := range bindings() {
			if b.Action == a || !meet(a, b.Action) {
				continue
			}
			for _, k := range keys[a] {
				other, clash := clashing(k, keys[b.Action])
				if !clash || stood(a, k) && stood(b.Action, other) {
					continue
				}
				text := fmt.Sprintf(lang.N("%s is a key of %s already: give that another one, or none"), k, b.Action)
				if other != k {
					text = fmt.Sprintf(lang.N("%s and %s of %s cannot both be told apart"), k, other, b.Action)
				}
				return by[a], text, true
			}
		}
	}
	return 0, "", false
}

// meet reports whether two actions listen at the same time.
func meet(a, b Action) bool {
	x, y := a.Context(), b.Context()
	return x == y || slices.Contains(together, [2]Context{x, y}) || slices.Contains(together, [2]Context{y, x})
}

// stood reports whether an action has a key by itself.
func stood(a Action, key string) bool { return slices.Contains(Default().keys[a], key) }

// clashing finds a key among others that cannot stand beside k: the same one, or one
// of which the other is the beginning.
func clashing(k string, others []string) (string, bool) {
	for _, o := range others {
		if o == k || strings.HasPrefix(o, k+" ") || strings.HasPrefix(k, o+" ") {
			return o, true
		}
	}
	return "", false
}

// nearest names the action that was probably meant.
func nearest(name string, known map[Action][]string) string {
	_, tail, dotted := strings.Cut(name, ".")
	if !dotted {
		tail = name
	}
	for _, b := range bindings() {
		if _, t, _ := strings.Cut(string(b.Action), "."); t == tail && tail != "" {
			return fmt.Sprintf(lang.N("; did you mean %q?"), b.Action)
		}
	}
	return lang.N("; forge config keys lists them")
}

// Actions lists every action in the table's order, with what it does in English and
// the keys it has when nobody chose others.
func Actions() []Binding { return bindings() }
