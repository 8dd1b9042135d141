package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/doctor"
	"forge/ui/lang"
	"forge/ui/terminal"
)

func TestDoctorWindow(t *testing.T) {
	defer lang.Use("en")
	for _, c := range []struct {
		tag        string
		w, h       int
		title, sum string
	}{{"en", 80, 24, "Doctor", "1 to mend, 1 to look at, 1 in order"}, {"zh", 80, 24, "诊断", "1 项需要修复"}, {"en", 200, 50, "Doctor", "1 to mend"}, {"en", 30, 8, "Doctor", "1 to mend"}} {
		if err := lang.Use(c.tag); err != nil {
			t.Fatal(err)
		}
		bubble(t, func(t *testing.T) {
			o := testOptions(&fakeAgent{})
			begun, go1 := make(chan doctor.Terminal, 1), make(chan struct{})
			o.Doctor = func(_ context.Context, seen doctor.Terminal) doctor.Report {
				begun <- seen
				<-go1
				return doctor.Report{Findings: []doctor.Finding{
					{ID: "key.openai", Level: doctor.Ok, Text: "a key"},
					{ID: "endpoint.openai", Level: doctor.Fail, Text: "gone", Fix: "check the address"},
					{ID: "terminal.term", Level: doctor.Warn, Text: "small", Fix: "make it larger"}}}
			}
			s := start(t, o, c.w, c.h)
			s.send("/doctor\r")
			s.see(c.title)
			if seen := <-begun; seen.W != c.w || seen.H != c.h || !seen.Shown {
				t.Errorf("%+v", seen)
			}
			close(go1)
			s.see(c.sum)
			if c.h >= 24 {
				s.see("check the address")
				s.send("s") // it can be saved
				s.see("forge-doctor.txt")
				s.send("\x1b")
			}
			s.send("\x1b")
			s.gone(c.sum)
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What the terminal says of itself reaches the checks; one that answers other
// questions and not this one does not tell keys apart.
func TestTerminalAnswers(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	if a := m.seen().Answers; a != (terminal.Answers{}) {
		t.Errorf("before anything was said: %+v", a)
	}
	m.Update(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: 2})
	if a := m.seen().Answers; a.Sync != terminal.Yes || a.Keyboard != terminal.No {
		t.Errorf("%+v", a)
	}
	m.Update(tea.KeyboardEnhancementsMsg{Flags: 1})
	m.Update(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: 0})
	if a := m.seen().Answers; a.Sync != terminal.No || a.Keyboard != terminal.Yes {
		t.Errorf("%+v", a)
	}
}

func TestFeedbackWindow(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: nil}
		o := testOptions(a)
		var got []Feedback
		fail := false
		o.Feedback = func(_ context.Context, w Feedback) (FeedbackFile, error) {
			got = append(got, w)
			if fail {
				return FeedbackFile{}, errors.New("write the report: no room")
			}
			return FeedbackFile{Path: "/state/feedback/it.md", Text: "# Feedback on forge\nthe system", URL: "https://example.org/new?body=x"}, nil
		}
		s := start(t, o, 100, 24)
		o.Feed.send(failed{"list models", errors.New("refused by the server")})
		s.see("refused by the server")
		s.send("/feedback\r")
		s.see("/state/feedback/it.md")
		s.see("https://example.org/new?body=x")
		s.see("nothing was sent")
		s.see("the system")
		s.send("\x1b")
		s.gone("the system")
		s.send("/feedback everything\r")
		s.see("or conversation to add it")
		s.send("\x03") // the line stays to be mended
		fail = true
		s.send("/feedback conversation\r")
		s.see("no room")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if len(got) != 2 || got[0].Talk || !got[1].Talk || len(got[0].Errors) != 1 || !strings.Contains(got[0].Errors[0], "refused by the server") {
			t.Errorf("%+v", got)
		}
	})
}
