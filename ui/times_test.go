package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/linear"
	"forge/ui/safe"
)

// onceSaid is a conversation of one prompt and one answer, said at a time.
func onceSaid(prompt, answer string) []agent.Event {
	return []agent.Event{agent.UserMessage{Text: prompt}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: len(answer), Text: answer}, agent.TurnEnd{}, agent.RunEnd{}}
}

// rowWith is the row of a screen that has some words.
func rowWith(t *testing.T, text, words string) (row, above string) {
	t.Helper()
	rows := strings.Split(text, "\n")
	for i, r := range rows {
		if strings.Contains(r, words) {
			if i > 0 {
				above = rows[i-1]
			}
			return r, above
		}
	}
	t.Fatalf("%q is nowhere in\n%s", words, text)
	return "", ""
}

// The time of prompts and answers stands at the edge of their row, or above it where the
// words need the row; it is shown and hidden with /times, and is in no copy.
func TestTimes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		stored := ""
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{Set: func(name, value string) error { stored = name + "=" + value; return nil }}
		m := still(t, o, 60, 30)
		full := "界 " + strings.Repeat("wide ", 40)
		tell(m, onceSaid("do it now", "It is done.")...)
		tell(m, onceSaid(full, "And again.")...)
		at := m.now.Local().Format("15:04")
		plain := shot(m)
		hasNot(t, plain, at)
		work(m, m.runCommand("/times", "times", ""))
		if stored != "screen.times=true" {
			t.Errorf("stored %q", stored)
		}
		text := shot(m)
		for _, words := range []string{"do it now", "It is done.", "And again."} {
			if row, _ := rowWith(t, text, words); !strings.HasSuffix(row, at) || safe.Width(row) != 59 {
				t.Errorf("the row of %q: %q", words, row)
			}
		}
		if row, above := rowWith(t, text, "界"); strings.Contains(row, at) || strings.TrimSpace(above) != at {
			t.Errorf("a full row: %q, above it %q", row, above)
		}
		unstamped := func(s string) string {
			var out []string
			for _, r := range strings.Split(s, "\n") {
				out = append(out, strings.TrimRight(strings.TrimSuffix(r, at), " "))
			}
			return strings.Join(out[:20], "\n")
		}
		if got, want := unstamped(text), unstamped(plain); got != want {
			t.Errorf("the words have moved:\n%s\nwere\n%s", got, want)
		}
		all := m.tr.panes
		c := &choice{from: point{all[1], 0, 0}, to: point{all[len(all)-1], 0, 1 << 20}}
		if got := c.text(m.tr); strings.Contains(got, at) || !strings.Contains(got, "It is done.") {
			t.Errorf("copied: %q", got)
		}
		m.now = m.now.AddDate(0, 0, 3)
		m.tr.d.now = m.now
		day := m.now.AddDate(0, 0, -3).Local().Format("2006-01-02 ") + at
		if row, _ := rowWith(t, shot(m), "do it now"); !strings.HasSuffix(row, "  "+day) {
			t.Errorf("of another day: %q", row)
		}
		m.o.Scrollbar = barAlways
		if got := shot(m); strings.Count(got, day) != 4 {
			t.Errorf("with a scrollbar:\n%s", got)
		}
		for w := 1; w < 40; w++ {
			m.Update(tea.WindowSizeMsg{Width: w, Height: 30})
			for _, r := range strings.Split(shot(m), "\n") {
				if safe.Width(r) > w {
					t.Errorf("at %d: %q", w, r)
				}
			}
		}
		m.Update(tea.WindowSizeMsg{Width: 60, Height: 30})
		work(m, m.runCommand("/times off", "times", "off"))
		hasNot(t, shot(m), at)
		if stored != "screen.times=false" {
			t.Errorf("stored %q", stored)
		}
		m.runCommand("/times later", "times", "later")
		has(t, shot(m), "there are on and off, not later")
		time.Sleep(flashLong)
	})
}

// In plain lines /times says the time before what asks for a prompt, or not, and keeps that.
func TestTimesInLines(t *testing.T) {
	stored := ""
	l := &lines{o: Options{Settings: &Settings{Set: func(name, value string) error { stored += name + "=" + value + " "; return nil }}}}
	var said []string
	for _, word := range []string{"", "off", "on", ""} {
		if _, err := l.sayTimes(t.Context(), word, func(s string) { said = append(said, s) }); err != nil {
			t.Error(err)
		}
	}
	const on, off = "the time is said before a prompt is asked for", "the time is not said any more"
	if want := []string{on, off, on, off}; !slices.Equal(said, want) || l.clock() != "" {
		t.Errorf("said %q, and the time is %q", said, l.clock())
	}
	if want := "screen.times=true screen.times=false screen.times=true screen.times=false "; stored != want {
		t.Errorf("stored %q", stored)
	}
	if _, err := l.sayTimes(t.Context(), "later", nil); err == nil || l.times.Load() {
		t.Errorf("later: %v", err)
	}
	if l.times.Store(true); len(l.clock()) != len("15:04") {
		t.Errorf("the time is %q", l.clock())
	}
	if !slices.ContainsFunc(l.commands(), func(c linear.Command) bool { return c.Name == "times" }) {
		t.Error("there is no such command")
	}
}

// What was stored has the times of its records; where the first thing has no room for its
// time, a row above it has.
func TestTimesOfWhatWasStored(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Times = true
	m := still(t, o, 60, 24)
	asked := time.Date(2020, 2, 3, 4, 5, 0, 0, time.Local)
	answered := asked.Add(7 * time.Minute)
	work(m, m.adopt(retold(func(sink agent.Sink) {
		for _, e := range []agent.Event{
			agent.UserMessage{Text: "begin " + strings.Repeat("wide ", 30), At: asked.UTC()},
			agent.TurnStart{Turn: 1, At: answered.UTC()}, agent.TextDelta{Text: "It is so."}, agent.TurnEnd{}, agent.RunEnd{},
			agent.UserMessage{Text: "of an old file"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "No time."}, agent.TurnEnd{}, agent.RunEnd{},
		} {
			sink(e)
		}
	})))
	text := shot(m)
	if row, above := rowWith(t, text, "begin"); strings.Contains(row, "2020") || strings.TrimSpace(above) != "2020-02-03 04:05" {
		t.Errorf("the first prompt: %q above %q", above, row)
	}
	if row, _ := rowWith(t, text, "It is so."); !strings.HasSuffix(row, "2020-02-03 04:12") {
		t.Errorf("the answer: %q", row)
	}
	if strings.Count(text, "2020-") != 2 || strings.Contains(text, "0001-") {
		t.Errorf("times nobody knows:\n%s", text)
	}
	m.o.Inline, m.last = true, nil
	if rows := plainRows(m.printTo(len(m.tr.panes))); strings.Count(rows, "2020-") != 2 {
		t.Errorf("what is left in the terminal:\n%s", rows)
	}
}
