package permission

import (
	"context"
	"strings"
	"sync"
	"testing"

	"forge/tools"
)

// answers is an asker that says what a test says.
type answers func(Request) Answer

func (f answers) Ask(_ context.Context, r Request) (Answer, error) { return f(r), nil }

func written(path, before, after string) tools.Effect {
	return tools.Effect{Kind: tools.Write, Title: "edit " + path, Paths: []string{"/w/" + path},
		Changes: []tools.Change{{Path: path, Op: tools.Modify, Before: []byte(before), After: []byte(after)}}}
}

// series are calls that come right behind each other, as they are foreseen.
type series struct {
	effects []tools.Effect
	shelf   sync.Map
}

// at is the context of the nth call.
func (s *series) at(t *testing.T, nth int) context.Context {
	return tools.WithAhead(t.Context(), &tools.Ahead{Nth: nth, Shelf: &s.shelf, Behind: func(context.Context, map[string][]tools.Change) (out []tools.Planned) {
		for i, e := range s.effects[nth+1:] {
			out = append(out, tools.Planned{Call: call(nth + 1 + i), Effect: e})
		}
		return out
	}})
}

func call(n int) tools.Call { return tools.Call{ID: string(rune('a' + n)), Name: "edit_file"} }

// What must be looked at by itself is not among others, first or behind.
func TestWhatIsShownAmongOthers(t *testing.T) {
	secret := written("a", "x", "y")
	secret.Secrets = []tools.Hidden{{Kind: "token", Placeholder: "‹1›", Count: 1}}
	clash := written("a", "x", "y")
	clash.Changes[0].Conflicts = 1
	again := written("a", "x", "y")
	again.Detail = "it was changed on disk"
	large := written("a", "", "")
	large.Changes[0] = tools.Change{Path: "a", Op: tools.Delete, Thing: tools.Large, Size: 9}
	lost := written("a", "", "")
	lost.Changes[0] = tools.Change{Path: "a", Op: tools.Delete, Before: []byte("x"), Lost: 1}
	link := written("a", "", "")
	link.Changes[0] = tools.Change{Path: "a", Op: tools.Delete, Thing: tools.Link, Before: []byte("→ b\n")}
	outside := written("a", "x", "y")
	outside.Paths = []string{"/etc/a"}
	for name, c := range map[string]struct {
		effect tools.Effect
		among  bool
	}{"an edit": {written("a", "x", "y"), true}, "a link that goes": {link, true}, "a secret": {secret, false}, "a conflict": {clash, false},
		"asked again": {again, false}, "not shown": {large, false}, "not to be undone": {lost, false}, "HIGH": {outside, false},
		"a command": {tools.Effect{Kind: tools.Exec, Command: "touch x"}, false}} {
		for _, first := range []bool{true, false} {
			s := &series{effects: []tools.Effect{written("z", "1", "2"), c.effect}}
			if first {
				s.effects = []tools.Effect{c.effect, written("z", "1", "2")}
			}
			var with int
			m := New(Options{Roots: []string{"/w"}, Asker: answers(func(r Request) Answer { with = len(r.With); return Answer{} })})
			if _, err := m.Authorize(s.at(t, 0), call(0), s.effects[0]); err != nil {
				t.Fatal(err)
			}
			if (with == 1) != c.among {
				t.Errorf("%s, first %v: asked with %d others", name, first, with)
			}
		}
	}
}

// An answer given ahead is for what was shown, by whom it was shown for, at the risk it
// had.
func TestWhatAnAnswerAheadCountsFor(t *testing.T) {
	cut := written("b", "x", "cut").Changes
	for name, c := range map[string]struct {
		mode   Mode // by the time of the second
		answer Answer
		second func(*tools.Effect)
		want   string
		asked  int
	}{
		"the same":                  {ModeAsk, Answer{Allow: true}, func(*tools.Effect) {}, "allowed", 1},
		"a part of it":              {ModeAsk, Answer{Allow: true, Changes: cut}, func(*tools.Effect) {}, "cut", 1},
		"a part of it, mode edits":  {ModeEdits, Answer{Allow: true, Changes: cut}, func(*tools.Effect) {}, "cut", 1},
		"another text":              {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Changes[0].After = []byte("evil") }, "refused", 2},
		"another ground":            {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Changes[0].Before = []byte("other") }, "refused", 2},
		"another path":              {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Paths = []string{"/w/c"} }, "refused", 2},
		"a mode":                    {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Changes[0].Mode = 0o755 }, "refused", 2},
		"more changes":              {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Changes = append(e.Changes, e.Changes[0]) }, "refused", 2},
		"a secret":                  {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Secrets = []tools.Hidden{{Kind: "token"}} }, "refused", 2},
		"another agent":             {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Agent = "explore" }, "refused", 2},
		"a higher risk":             {ModeAsk, Answer{Allow: true}, func(e *tools.Effect) { e.Paths = []string{"/etc/b"} }, "refused", 2},
		"another text, mode edits":  {ModeEdits, Answer{Allow: true}, func(e *tools.Effect) { e.Changes[0].After = []byte("more") }, "allowed", 1},
		"a part of another text":    {ModeEdits, Answer{Allow: true, Changes: cut}, func(e *tools.Effect) { e.Changes[0].After = []byte("more") }, "part of this was refused", 1},
		"a no":                      {ModeAsk, Answer{Reason: "not so"}, func(*tools.Effect) {}, "says: not so", 1},
		"a no, mode edits":          {ModeEdits, Answer{Reason: "not so"}, func(*tools.Effect) {}, "says: not so", 1},
		"a no, mode plan":           {ModePlan, Answer{Reason: "not so"}, func(*tools.Effect) {}, "plan mode is on", 1},
		"a yes, mode plan":          {ModePlan, Answer{Allow: true}, func(*tools.Effect) {}, "plan mode is on", 1},
		"nothing said":              {ModeAsk, Answer{Open: true, Allow: true}, func(*tools.Effect) {}, "refused", 2},
		"shown as something else":   {ModeAsk, Answer{Allow: true, Shown: cut}, func(*tools.Effect) {}, "refused", 2},
		"and that is what it is":    {ModeAsk, Answer{Allow: true, Shown: cut}, func(e *tools.Effect) { e.Changes = cut }, "allowed", 1},
		"nobody there, and refused": {ModeAsk, Answer{Reason: "the screen was closed", Unattended: true}, func(*tools.Effect) {}, "the screen was closed", 1},
	} {
		s := &series{effects: []tools.Effect{written("a", "1", "2"), written("b", "x", "y")}}
		asked, over := 0, false
		m := New(Options{Roots: []string{"/w"}, Asker: answers(func(r Request) Answer {
			if asked++; len(r.With) == 0 {
				if len(r.Changed) == 0 && !c.answer.Open && !over {
					t.Errorf("%s: asked again without a reason", name)
				}
				return Answer{Reason: "refused"}
			}
			return Answer{Allow: true, With: []Answer{c.answer}}
		})})
		if v, err := m.Authorize(s.at(t, 0), call(0), s.effects[0]); err != nil || !v.Allow {
			t.Fatalf("%+v %v", v, err)
		}
		m.SetMode(c.mode)
		e := written("b", "x", "y")
		c.second(&e)
		v, err := m.Authorize(s.at(t, 1), call(1), e)
		got := v.Reason
		switch {
		case v.Allow && v.Changes != nil:
			got = string(v.Changes[0].After)
		case v.Allow:
			got = "allowed"
		}
		if err != nil || !strings.Contains(got, c.want) || asked != c.asked {
			t.Errorf("%s: %q, %v, asked %d times; want %q, %d", name, got, err, asked, c.want, c.asked)
		}
		over = true
		if v, _ := m.Authorize(s.at(t, 1), call(1), written("b", "x", "y")); c.mode == ModeAsk && v.Allow {
			t.Errorf("%s: it counts twice", name)
		}
	}
}

// The changes of a sub-agent are shown as its own.
func TestSeveralOfAnAgent(t *testing.T) {
	s := &series{effects: []tools.Effect{written("a", "1", "2"), written("b", "x", "y")}}
	m := New(Options{Roots: []string{"/w"}, Asker: answers(func(r Request) Answer {
		if len(r.With) != 1 || r.With[0].Effect.Agent != "fix" {
			t.Errorf("%+v", r.With)
		}
		return Answer{Allow: true, With: []Answer{{Allow: true}}}
	})})
	for i, e := range s.effects {
		e.Agent = "fix" // as the guard of an agent has it
		if v, err := m.Authorize(s.at(t, i), call(i), e); err != nil || !v.Allow {
			t.Errorf("%d: %+v %v", i, v, err)
		}
	}
}
