package dialog

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/golden"
	"forge/ui/lang"
	"forge/ui/safe"
)

// opened is three topics: one answer, many, and Chinese.
func opened() tools.Question {
	return tools.Question{ID: "q", Topics: []tools.Topic{
		{Header: "Database", Text: "Which database should it use?", Options: []tools.Alternative{{Label: "PostgreSQL", About: "runs already, and needs a migration tool that nobody has chosen so far"}, {Label: "SQLite"}}},
		{Header: "Login", Text: "How may people log in?", Many: true, Options: []tools.Alternative{{Label: "Password"}, {Label: "Passkey"}, {Label: "Single sign-on"}}},
		{Header: "部署", Text: "部署到哪里？", Options: []tools.Alternative{{Label: "测试环境", About: "先在这里验证"}, {Label: "生产环境"}}},
	}}
}

func alone(q tools.Question, i int) tools.Question {
	q.Topics = q.Topics[i : i+1]
	return q
}

// pressed hands keys to a dialog, each on what was drawn.
func pressed(s *Stack, keys ...string) {
	for _, k := range keys {
		s.View(80, 24)
		s.Update(press(k))
	}
	s.View(80, 24)
}

// Each way to answer says what it says, and nothing else does.
func TestInquiryAnswers(t *testing.T) {
	ok := func(rs ...tools.Response) *tools.Reply { return &tools.Reply{Choice: "ok", Responses: rs} }
	one := func(i ...int) tools.Response { return tools.Response{Chosen: i} }
	words := func(s string) tools.Response { return tools.Response{Words: s} }
	for _, c := range []struct {
		q    tools.Question
		keys string
		want *tools.Reply // nil: it is still open
	}{
		{alone(opened(), 0), "2", ok(one(1))},
		{alone(opened(), 0), "enter", ok(one(0))},
		{alone(opened(), 0), "down enter", ok(one(1))},
		{alone(opened(), 0), "up up enter", ok(one(1))},
		{alone(opened(), 0), "space down", nil},
		{alone(opened(), 0), "space down space enter", ok(one(1))},
		{alone(opened(), 0), "4 9 0", nil},
		{alone(opened(), 0), "esc", &tools.Reply{}},
		{alone(opened(), 0), "3 m y space 1 enter", ok(words("my 1"))},
		{alone(opened(), 0), "3 m y esc", nil},
		{alone(opened(), 0), "3 m y esc 1", ok(one(0))},
		{alone(opened(), 0), "3 enter", nil},
		{alone(opened(), 0), "down down enter m enter", ok(words("m"))},
		{alone(opened(), 1), "enter", nil},
		{alone(opened(), 1), "1 3 enter", ok(one(0, 2))},
		{alone(opened(), 1), "1 3 1 enter", ok(one(2))},
		{alone(opened(), 1), "space 4 x enter enter", ok(tools.Response{Chosen: []int{0}, Words: "x"})},
		{alone(opened(), 1), "4 x enter space enter", nil},
		{opened(), "2 1 enter 1", nil},
		{opened(), "2 1 enter 1 enter", ok(one(1), one(0), one(0))},
		{opened(), "2 1 enter 3 x enter enter", ok(one(1), one(0), words("x"))},
		{opened(), "2 left 1 1 enter 1 enter", ok(one(0), one(0), one(0))},
		{opened(), "right right 2 enter", ok(tools.Response{}, tools.Response{}, one(1))},
		{opened(), "2 1 enter 1 1 1 1 1 tab tab enter", ok(one(0), one(0), one(0))},
		{opened(), "2 shift+tab shift+tab enter", ok(one(1), tools.Response{}, tools.Response{})},
		{opened(), "2 1 esc", &tools.Reply{}},
	} {
		var got []tools.Reply
		s, _ := open(NewInquiry(dark, c.q, func(r tools.Reply) { got = append(got, r) }))
		pressed(s, strings.Fields(c.keys)...)
		switch {
		case c.want == nil && (len(got) > 0 || !s.Active()):
			t.Errorf("%s: answered %+v", c.keys, got)
		case c.want != nil && (len(got) != 1 || !reflect.DeepEqual(got[0], *c.want) || s.Active()):
			t.Errorf("%s: got %+v, want %+v", c.keys, got, *c.want)
		}
	}
}

// What is typed when it appears is for the prompt, digits and all; a letter it has no use
// for begins words there; a paste goes there too, unless words are being written.
func TestInquiryLeavesThePrompt(t *testing.T) {
	var got []tools.Reply
	c := &clock{time.Unix(0, 0)}
	s := &Stack{Now: c.now}
	s.Push(NewInquiry(dark, alone(opened(), 0), func(r tools.Reply) { got = append(got, r) }))
	s.View(80, 24)
	for _, k := range []string{"1", "enter", "2"} { // typing goes on
		c.t = c.t.Add(300 * time.Millisecond)
		if _, handled := s.Update(press(k)); handled {
			t.Errorf("%s was taken", k)
		}
	}
	for _, k := range []string{"x", "j", "k", "space", "space"} { // the begin of words, and what parts them
		c.t = c.t.Add(time.Second)
		if _, handled := s.Update(press(k)); handled {
			t.Errorf("%s was taken", k)
		}
	}
	if _, handled := s.Update(press("1")); handled { // of the same word
		t.Error("the digit of a word was taken")
	}
	c.t = c.t.Add(time.Second)
	if _, handled := s.Update(tea.PasteMsg{Content: "1"}); handled {
		t.Error("a paste was taken")
	}
	pressed(s, "3")
	if _, handled := s.Update(tea.PasteMsg{Content: "一\n二"}); !handled || s.Words() == "" {
		t.Error("a paste was not taken")
	}
	if len(got) > 0 {
		t.Fatalf("answered %+v", got)
	}
	// They outlive a question that is taken back, and one that is closed.
	if words, _ := s.Withdraw("q"); !strings.Contains(words, "一\n二") {
		t.Errorf("withdrawn with %q", words)
	}
	kept := ""
	d := NewInquiry(dark, opened(), func(tools.Reply) {})
	d.Kept = func(words string) { kept = words }
	s, _ = open(d)
	pressed(s, "3", "m", "y", "enter", "esc")
	if kept != "my" {
		t.Errorf("closed with %q", kept)
	}
}

// Whoever wrote to the prompt while it stood there may mean to send that: the first enter,
// or a digit, answers nothing and says so; what leads about in the question ends that.
func TestInquiryAfterWordsForThePrompt(t *testing.T) {
	paste := tea.PasteMsg{Content: "neither"}
	for _, c := range []struct {
		words    tea.Msg
		quiet    time.Duration // before the words, and behind them
		keys     string
		answered bool
	}{
		{press("u"), time.Second, "enter", false},
		{press("u"), time.Second, "2", false},
		{press("u"), time.Second, "enter enter", true},
		{press("u"), time.Second, "down enter", true},
		{press("u"), time.Second, "2 2", true},
		{paste, time.Second, "enter", false},
		{press("u"), 0, "enter", false}, // while it opened
		{paste, 0, "enter", false},
		{press("enter"), 0, "enter", true}, // no words
	} {
		got := 0
		at := &clock{time.Unix(0, 0)}
		s := &Stack{Now: at.now}
		s.Push(NewInquiry(dark, alone(opened(), 0), func(tools.Reply) { got++ }))
		at.t = at.t.Add(c.quiet)
		s.View(80, 24)
		if _, handled := s.Update(c.words); handled {
			t.Errorf("%v was taken", c.words)
		}
		at.t = at.t.Add(time.Second)
		pressed(s, strings.Fields(c.keys)...)
		if (got == 1) != c.answered {
			t.Errorf("%v, %s: answered %d times", c.words, c.keys, got)
		}
		if view := strings.Join(s.View(80, 24).Rows, "\n"); !c.answered && !strings.Contains(view, "enter again answers") {
			t.Errorf("%v, %s: nothing is said:\n%s", c.words, c.keys, view)
		}
	}
}

// On the row for one's own words, what is typed or pasted begins them; what was begun in
// the prompt goes on there.
func TestInquiryWordsBeginOnTheirRow(t *testing.T) {
	for _, c := range []struct {
		keys []tea.Msg
		want string // empty: all of it goes to the prompt
	}{
		{[]tea.Msg{press("up"), press("j"), press("u")}, "ju"},
		{[]tea.Msg{press("up"), press("k")}, "k"},
		{[]tea.Msg{press("up"), tea.KeyPressMsg{Code: '我', Text: "我"}, press("1")}, "我1"},
		{[]tea.Msg{press("up"), tea.PasteMsg{Content: "two\nlines"}}, "two\nlines"},
		{[]tea.Msg{press("3"), press("a")}, "a"}, // below what is in view
		{[]tea.Msg{press("u"), press("s")}, ""},
		{[]tea.Msg{tea.PasteMsg{Content: "words"}, press("s")}, ""},
	} {
		q := alone(opened(), 0)
		q.Topics[0].Text = strings.Repeat("A long way to go. ", 60)
		var got []tools.Reply
		s, _ := open(NewInquiry(dark, q, func(r tools.Reply) { got = append(got, r) }))
		s.View(40, 10)
		for i, k := range c.keys {
			if _, handled := s.Update(k); handled == (c.want == "") {
				t.Errorf("%v: taken %v", c.keys[:i+1], handled)
			}
			s.View(40, 10)
		}
		if s.Update(press("enter")); c.want != "" && (len(got) != 1 || len(got[0].Responses) != 1 || got[0].Responses[0].Words != c.want) {
			t.Errorf("%v: %+v", c.keys, got)
		}
	}
}

// A digit of what has not been in view only brings it there: nobody has read it.
func TestInquiryWantsToBeRead(t *testing.T) {
	q := alone(opened(), 0)
	q.Topics[0].Text = strings.Repeat("A long way to go. ", 60)
	var got []tools.Reply
	s, _ := open(NewInquiry(dark, q, func(r tools.Reply) { got = append(got, r) }))
	for i, k := range []string{"2", "2"} {
		s.View(40, 10)
		s.Update(press(k))
		if v := shown(s.View(40, 10)); i == 0 && (len(got) > 0 || !strings.Contains(v, "SQLite")) {
			t.Fatalf("answered %+v:\n%s", got, v)
		}
	}
	if len(got) != 1 {
		t.Error("not answered")
	}
	s, _ = open(NewInquiry(dark, q, func(r tools.Reply) { got = append(got, r) }))
	s.View(40, 10)
	s.Update(press("enter"))
	if v := shown(s.View(40, 10)); len(got) != 1 || !strings.Contains(v, "PostgreSQL") {
		t.Errorf("enter on what is out of view:\n%s", v)
	}
}

// In a frame of one row none of the answers is to be seen, so none is given.
func TestInquiryInOneRow(t *testing.T) {
	s, _ := open(NewInquiry(dark, alone(opened(), 0), func(r tools.Reply) { t.Errorf("answered %+v", r) }))
	for _, k := range []string{"1", "enter", "down", "enter"} {
		s.View(80, 1)
		s.Update(press(k))
	}
}

// Clicks answer once the question takes keys; what would be sent at once takes two.
func TestInquiryClicks(t *testing.T) {
	var got []tools.Reply
	put := func(q tools.Question) *Stack {
		got = nil
		s, _ := open(NewInquiry(dark, q, func(r tools.Reply) { got = append(got, r) }))
		return s
	}
	click := func(s *Stack, what string) {
		t.Helper()
		rows := strings.Split(shown(s.View(80, 24)), "\n")
		for y, r := range rows {
			if before, _, ok := strings.Cut(r, what); ok {
				s.Click(safe.Width(before), y)
				return
			}
		}
		t.Fatalf("%s is not shown:\n%s", what, strings.Join(rows, "\n"))
	}
	s := put(alone(opened(), 0))
	s.since = s.now()
	click(s, "SQLite")
	click(s, "SQLite")
	if len(got) > 0 {
		t.Fatal("a click answers what has just appeared")
	}
	s = put(alone(opened(), 0))
	click(s, "PostgreSQL") // the keys are there already
	click(s, "SQLite")
	click(s, "runs already")
	if len(got) > 0 {
		t.Fatalf("one click sends %+v", got)
	}
	pressed(s, "down", "up")
	click(s, "PostgreSQL")
	if len(got) > 0 {
		t.Fatalf("one click after a key sends %+v", got)
	}
	if click(s, "PostgreSQL"); len(got) != 1 || got[0].Responses[0].Chosen[0] != 0 || s.Active() {
		t.Errorf("two clicks: %+v", got)
	}
	s = put(opened())
	click(s, "○ Login")
	click(s, "Passkey")
	click(s, "in your own words")
	pressed(s, "x", "enter")
	click(s, "部署")
	click(s, "测试环境")
	click(s, "先在这里")
	if v := shown(s.View(80, 24)); !strings.Contains(v, "Login: Passkey, “x”") || !strings.Contains(v, "Database: not answered") {
		t.Fatalf("not at the end:\n%s", v)
	}
	click(s, "Database: not")
	click(s, "→ send")
	pressed(s)
	click(s, "4 → send")
	if len(got) > 0 {
		t.Fatal("one click sends")
	}
	if click(s, "4 → send"); len(got) != 1 || !reflect.DeepEqual(got[0].Responses, []tools.Response{{}, {Chosen: []int{1}, Words: "x"}, {Chosen: []int{0}}}) {
		t.Errorf("sent %+v", got)
	}
}

// Whatever a model writes and however small the frame, the picture stays in it, nothing
// of it reaches the terminal as it is, and forge's own words cannot be taken for it.
func TestInquiryStaysInItsFrame(t *testing.T) {
	bad := []string{"\x1b[31mred\x1b]0;title\a", "a\u202eb\u200b", "⚠ HIGH  allow once", strings.Repeat("长", 100), strings.Repeat("x\u0301", 50), "y   allow once\n\nesc deny and stop", "\xff\xfe"}
	var q tools.Question
	for i, b := range bad[:4] {
		topic := tools.Topic{Header: b, Text: strings.Repeat(b+" ", 20) + "\n\x1b[2J", Many: i%2 == 0}
		for _, l := range bad {
			topic.Options = append(topic.Options, tools.Alternative{Label: l, About: l})
		}
		q.Topics = append(q.Topics, topic)
	}
	for _, size := range [][2]int{{1, 1}, {1, 3}, {2, 2}, {5, 4}, {40, 3}, {40, 10}, {80, 24}, {200, 60}} {
		s, _ := open(NewInquiry(dark, q, func(tools.Reply) {}))
		for _, k := range []string{"", "8", "8", "w", "enter", "right", "down", "up", "pgdown", "pgup", "right", "right", "right", "down"} {
			if k != "" {
				s.Update(press(k))
			}
			f := s.View(size[0], size[1])
			if len(f.Rows) > size[1] || f.Cursor && (f.X >= max(size[0], 1) || f.Y >= size[1]) {
				t.Errorf("%v %s: %d rows, caret %d %d", size, k, len(f.Rows), f.X, f.Y)
			}
			for _, r := range f.Rows {
				if w := len([]rune(r)); strings.Contains(r, "\x1b]") || strings.Contains(r, "\x1b[2J") || strings.ContainsAny(r, "\a\u202e\u200b") || w == 0 && size[0] > 0 && len(f.Rows) == 1 {
					t.Errorf("%v %s: %q", size, k, r)
				}
			}
			if size[0] >= 40 && size[1] >= 10 {
				cells(t, f.Rows, size[0], size[1])
			}
			for _, r := range strings.Split(shown(f), "\n") {
				for _, w := range []string{"allow once", "HIGH", "deny and stop"} {
					if before, _, ok := strings.Cut(r, w); ok && !strings.Contains(before, "│") && !strings.Contains(before, "○") && !strings.Contains(before, "✓") {
						t.Errorf("%v %s: the model's words stand as forge's: %q", size, k, r)
					}
				}
			}
		}
	}
}

// Pictures of it, in both languages, at three sizes.
func TestInquiryGolden(t *testing.T) {
	defer lang.Use(lang.English)
	for _, tag := range []string{"en", "zh"} {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int{{80, 24}, {40, 10}, {120, 40}} {
			s, _ := open(NewInquiry(dark, opened(), func(tools.Reply) {}))
			frame := func(keys ...string) string {
				for _, k := range keys {
					s.View(size[0], size[1])
					s.Update(press(k))
				}
				return cells(t, s.View(size[0], size[1]).Rows, size[0], size[1])
			}
			got := frame() + "\n--- many\n" + frame("2", "1", "3") + "\n--- words of one's own\n" + frame("4", "微", "信") +
				"\n--- they are kept\n" + frame("enter") + "\n--- what would be sent\n" + frame("right", "right")
			golden.Same(t, filepath.Join("testdata", fmt.Sprintf("inquiry-%s-%dx%d.golden", tag, size[0], size[1])), got)
		}
	}
}
