package dialog

import (
	"errors"
	"strings"
	"testing"

	"forge/tools"
)

// A form begins with its defaults, is moved through with the keys of forms, says what
// is wrong where it is wrong, and is sent only when nothing is.
func TestForm(t *testing.T) {
	var got tools.Reply
	q := tools.Question{Title: "The MCP server asks", Body: "Who?", Choices: []tools.Choice{{ID: "accept", Label: "Send"}, {ID: "decline", Label: "Decline"}},
		Fields: []tools.Field{
			{Name: "name", Label: "Name", Default: "Ada", Required: true},
			{Name: "age", Label: "Age", Note: "a whole number", Required: true, Check: func(v string) error {
				if v != "36" {
					return errors.New("is no number")
				}
				return nil
			}},
			{Name: "ok", Label: "Agreed", Default: "no", Options: []tools.Option{{Value: "yes"}, {Value: "no"}}},
			{Name: "days", Label: "Days", Many: true, Options: []tools.Option{{Value: "mo", Label: "Monday"}, {Value: "tu", Label: "Tuesday"}}},
		}}
	s, _ := open(NewQuestion(dark, q, func(r tools.Reply) { got = r }))
	if v := shown(s.View(60, 20)); !strings.Contains(v, "Ada") || !strings.Contains(v, "[ ] Monday") || !strings.Contains(v, "● no") || !strings.Contains(v, "ctrl+d decline") {
		t.Fatalf("shown:\n%s", v)
	}
	for _, k := range []string{"enter", "x", "enter"} {
		s.Update(press(k))
	}
	if v := shown(s.View(60, 20)); !strings.Contains(v, "✗ is no number") || got.Choice != "" {
		t.Fatalf("a wrong value goes on:\n%s", v)
	}
	for _, k := range []string{"backspace", "3", "6", "enter", "left", "enter", "right", "space"} {
		s.Update(press(k))
	}
	s.Update(press("up"))
	s.Update(press("down"))
	s.Update(press("enter"))
	if got.Choice != "accept" || got.Values["name"] != "Ada" || got.Values["age"] != "36" || got.Values["ok"] != "yes" || got.Values["days"] != "tu" {
		t.Errorf("got %+v", got)
	}

	// A field that must hold something keeps the form here; declining and Esc do not ask.
	q.Fields[0].Default = ""
	got = tools.Reply{}
	s, _ = open(NewQuestion(dark, q, func(r tools.Reply) { got = r }))
	s.Update(press("enter"))
	if v := shown(s.View(60, 20)); !strings.Contains(v, "it must not be empty") {
		t.Errorf("shown:\n%s", v)
	}
	s.Update(press("ctrl+d"))
	if got.Choice != "decline" || s.Active() {
		t.Errorf("got %+v", got)
	}
	// A small frame shows the field that is written.
	s, _ = open(NewQuestion(dark, q, func(r tools.Reply) { got = r }))
	for range 3 {
		s.Update(press("tab"))
	}
	f := s.View(40, 8)
	if v := shown(f); len(f.Rows) > 8 || !strings.Contains(v, "Monday") {
		t.Errorf("shown %d rows:\n%s", len(f.Rows), v)
	}
	s.Update(press("esc"))
	if got.Choice != "" || s.Active() {
		t.Errorf("esc: %+v", got)
	}
}

// A page is shown whole, with its host marked, and opened by a key of the person's
// alone; where that fails nothing is answered.
func TestPage(t *testing.T) {
	var got tools.Reply
	address := "https://pay.example/order?" + strings.Repeat("x", 100) + "END"
	q := tools.Question{ID: "p", Title: "wants a page opened", Body: "Pay.", URL: address,
		Choices: []tools.Choice{{ID: "accept", Label: "I opened it myself", Key: "a"}, {ID: "decline", Label: "Decline", Key: "d"}}}
	var opened []string
	fails := errors.New("it is broken")
	page := func() (*Stack, *Question) {
		d := NewQuestion(dark, q, func(r tools.Reply) { got = r })
		d.Open = func(a string) error { opened = append(opened, a); return fails }
		s, _ := open(d)
		return s, d
	}
	s, _ := page()
	v := shown(s.View(40, 30))
	if whole := strings.ReplaceAll(strings.ReplaceAll(v, "\n", ""), " ", ""); !strings.Contains(whole, strings.ReplaceAll(address, " ", "")) {
		t.Fatalf("the address is not whole:\n%s", v)
	}
	s.Update(press("enter"))
	if opened != nil || got.Choice != "" {
		t.Fatal("enter opens or answers")
	}
	cmd, _ := s.Update(press("o"))
	s.Update(cmd())
	if v := shown(s.View(40, 30)); len(opened) != 1 || opened[0] != address || got.Choice != "" || !strings.Contains(v, "it is broken") {
		t.Errorf("opened %v, answered %+v:\n%s", opened, got, v)
	}
	fails = nil
	cmd, _ = s.Update(press("o"))
	s.Update(cmd())
	if got.Choice != "accept" || s.Active() {
		t.Errorf("got %+v", got)
	}
	// In a small frame what is not seen yet is shown before anything is opened.
	opened, got = nil, tools.Reply{}
	s, d := page()
	d.seen = false // it was in a larger frame already
	s.View(40, 9)
	if cmd, _ := s.Update(press("o")); cmd != nil {
		t.Error("it opens what was not shown")
	}
	s.Update(press("a"))
	for range 5 {
		s.View(40, 9)
		s.Update(press("pgdown"))
	}
	s.View(40, 9)
	d.Open, d.Why = nil, "forge runs over ssh"
	if v := shown(s.View(40, 9)); !strings.Contains(v, "forge runs over") || got.Choice != "" {
		t.Errorf("answered %+v:\n%s", got, v)
	}
	if cmd, _ := s.Update(press("c")); cmd == nil {
		t.Error("c copies nothing")
	}
	s.Update(press("a"))
	if got.Choice != "accept" {
		t.Errorf("got %+v", got)
	}
}
