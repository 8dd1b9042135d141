package ui

import (
	"context"
	"strings"
	"testing"
	"time"

	"forge/agent"
)

// A draft that is put aside stands in sight, comes back once something else is sent or
// when its key is pressed with nothing written, and is kept as the draft is: with the
// text of a long paste, and not where it may be a key.
func TestDraftPutAside(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }}
		o := testOptions(a)
		kept := make(chan string, 100)
		o.SaveDraft = func(s string) { kept <- s }
		last := func() (s string) {
			time.Sleep(2 * draftRests)
			for len(kept) > 0 {
				s = <-kept
			}
			return s
		}
		s := start(t, o, 80, 24)
		s.send("\x18a")
		s.see("nothing is put aside, and nothing is written")
		paste := strings.Repeat("a line of it\n", 30)
		s.send("rework the median \x1b[200~" + paste + "\x1b[201~")
		s.see("[paste 1: 30 lines]")
		s.send("\x18a")
		s.see("ctrl+x a takes it back")
		s.send("what is a median?")
		s.see("put aside until something is sent")
		if got := last(); !strings.HasPrefix(got, "what is a median?\n\nrework the median ") || strings.Count(got, "a line of it") != 30 {
			t.Errorf("kept %q", got)
		}
		s.send("\r")
		s.see("rework the median [paste 1: 30 lines]")
		s.gone("put aside until")
		if got := a.said(); got != "what is a median?" {
			t.Errorf("sent %q", got)
		}
		s.send("\x18asecond\x18a")
		s.see("second  1 more  ctrl+x a takes it back")
		s.send("!make it")
		s.see("! make it")
		if got := last(); !strings.HasPrefix(got, "second\n\n!make it\n\nrework the median ") {
			t.Errorf("kept %q: the shell would be given words", got)
		}
		s.send("\x15")
		s.send("\x18a")
		s.see("› second")
		s.send("\x15\x18a")
		s.see("› rework the median [paste 1: 30 lines]")
		s.send("\r")
		s.send("/login sk-12345\x18a")
		s.see("takes it back")
		if got := last(); got != "" {
			t.Errorf("kept %q", got)
		}
		s.send("and now\x13") // sent by the other key
		s.see("› /login sk-12345")
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
