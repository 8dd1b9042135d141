package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"forge/agent"
	"forge/provider"
)

// The prompts of a conversation are listed, the transcript goes along while one is chosen,
// stays with enter, and is back where it was with esc.
func TestTimeline(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := still(t, testOptions(&fakeAgent{}), 80, 30)
		m.cmdTimeline("")
		has(t, shot(m), "nothing was asked in this conversation yet")
		for i, q := range []string{"first question", "second question", "third question"} {
			tell(m, agent.UserMessage{Text: q}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: i, Text: "About the " + q + ".\n\n" + strings.Repeat("so it is\n\n", 40)}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{})
		}
		before := shot(m)
		press(m, "ctrl+x")
		press(m, "g")
		rows := strings.Split(shot(m), "\n")
		if !strings.Contains(rows[0], "› third question") {
			t.Errorf("not at the last prompt:\n%s", shot(m))
		}
		press(m, "down")
		if rows = strings.Split(shot(m), "\n"); !strings.Contains(rows[0], "› second question") {
			t.Errorf("it does not go along:\n%s", shot(m))
		}
		work(m, m.key(keyMsg("esc")))
		if now := shot(m); now != before || !m.tr.follow {
			t.Errorf("not back:\n%s", now)
		}
		press(m, "ctrl+x")
		press(m, "g")
		for _, r := range "first" {
			press(m, string(r))
		}
		work(m, m.key(keyMsg("enter")))
		if rows = strings.Split(shot(m), "\n"); !strings.Contains(rows[0], "› first question") {
			t.Errorf("not there:\n%s", shot(m))
		}
		press(m, "ctrl+x")
		press(m, "g")
		if rows = strings.Split(shot(m), "\n"); !strings.Contains(rows[0], "› first question") {
			t.Errorf("the list does not begin where one is:\n%s", shot(m))
		}
	})
}

// However many prompts there are, half of the screen shows the one that is chosen.
func TestTimelineLeavesRoom(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 10}} {
			m := still(t, testOptions(&fakeAgent{}), size[0], size[1])
			for i := range 60 {
				tell(m, agent.UserMessage{Text: fmt.Sprint("question ", i)}, agent.TurnStart{Turn: 1}, agent.TextDelta{Block: i, Text: strings.Repeat("so it is\n\n", 40)}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{})
			}
			press(m, "ctrl+x")
			press(m, "g")
			press(m, "down")
			read, _, _ := strings.Cut(shot(m), m.th.Glyphs.Rule)
			if !strings.Contains(read, "› question 58") || strings.Count(read, "\n") < size[1]/2-3 || !strings.Contains(shot(m), "❯ question 58") {
				t.Errorf("%v:\n%s", size, shot(m))
			}
		}
	})
}

// /stop ends what runs in the background and nothing else, and says of which it could not.
func TestStopEndsAllInTheBackground(t *testing.T) {
	var ended []string
	jobs := Jobs{List: func() []Job { return []Job{{ID: "job1", Running: true}, {ID: "job2"}, {ID: "job3", Running: true}} },
		End: func(id string) error { ended = append(ended, id); return nil }}
	said, err := jobs.stop()
	if err != nil || said != "2 commands in the background were ended" || !slices.Equal(ended, []string{"job1", "job3"}) {
		t.Errorf("%q, %v, ended %q", said, err, ended)
	}
	jobs.End = func(id string) error { return errors.New("it clings") }
	if _, err = jobs.stop(); err == nil || !strings.Contains(err.Error(), "job1: it clings") || !strings.Contains(err.Error(), "job3") {
		t.Error(err)
	}
	jobs.List = func() []Job { return nil }
	if said, err = jobs.stop(); err != nil || said != "nothing runs in the background" {
		t.Errorf("%q, %v", said, err)
	}
}

// /rename alone asks for a name, with the present one written there.
func TestRenameAsks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		named := make(chan string, 1)
		o.Stored.Rename = func(id, title string) error { named <- id + ":" + title; return nil }
		o.Place = func() Place { return Place{Title: "laps"} }
		s := start(t, o, 80, 24)
		s.send("/rename\r")
		s.see("Rename")
		s.see("laps")
		s.send(" and medians\r")
		s.see("this conversation is called laps and medians now")
		if got := <-named; got != ":laps and medians" {
			t.Errorf("renamed %q", got)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
