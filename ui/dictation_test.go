package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent"
)

// Someone who is dictated to by hand: what comes is written, and what follows the request
// to end as well.
func TestDictation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		words, fails := make(chan string), make(chan error)
		var ran atomic.Value
		a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }}
		o := testOptions(a)
		o.Dictation = &Dictation{Command: []string{"listen", "--well"}, Run: func(ctx context.Context, command []string, out io.Writer) error {
			ran.Store(strings.Join(command, " "))
			for {
				select {
				case w := <-words:
					io.WriteString(out, w)
				case err := <-fails:
					return err
				case <-ctx.Done():
					io.WriteString(out, "the last words\n")
					return ctx.Err()
				}
			}
		}}
		s := start(t, o, 80, 24)
		s.send("Well,\x18d")
		s.see("listening 0 s")
		if ran.Load() != "listen --well" {
			t.Errorf("ran %q", ran.Load())
		}
		words <- "make\x1b[2J"
		words <- "\rmake it faster\n"
		s.see("› Well, make it faster")
		time.Sleep(5 * time.Second)
		s.see("listening 5 s")
		s.see("ctrl+x d ends it")
		s.send("\x1b")
		s.see("› Well, make it faster the last words")
		s.gone("listening")
		s.send("\x1f") // undo
		s.see("\n› Well,\n")

		s.send("\x18d") // and the key ends it, too
		s.see("listening")
		s.send("\x18d")
		s.see("› Well, the last words")

		s.send("\x15/dictate\r")
		s.see("listening")
		words <- "send it\n"
		s.see("› send it")
		s.send("\r") // sending ends it; what comes late is not lost
		s.see("› the last words")
		if a.said() != "send it" {
			t.Errorf("sent %q", a.said())
		}
		s.send("\x15\x18d")
		s.see("listening")
		fails <- errors.New("cannot open the microphone")
		s.see("cannot open the microphone; run listen in a shell")
		s.gone("listening")

		s.send("\x18d")
		s.see("listening")
		fails <- nil
		s.see("nothing was heard")
		s.send("\x18d")
		s.see("listening")
		s.send("\x18") // a key of two that is not gone on with leaves nothing behind
		s.send("\x1b")
		s.gone("listening")
		s.send("s")
		s.see("› the last wordss")
		s.send("\x15\x18d") // on the way out it is ended as well
		s.see("listening")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A command that is set while forge runs is the one from then on, and one that is taken
// out is not there any more.
func TestDictationSetLater(t *testing.T) {
	o := testOptions(&fakeAgent{})
	m := still(t, o, 80, 24)
	if _, ok := m.takeSetting(settingKept{dictateSetting, `["listen"]`}); ok {
		t.Error("it holds where nothing can listen")
	}
	o.Dictation = &Dictation{Command: []string{"old"}}
	m = still(t, o, 80, 24)
	for value, want := range map[string]string{`["listen", "--well"]`: "listen --well", "listen": "listen", "": "", "[]": ""} {
		if _, ok := m.takeSetting(settingKept{dictateSetting, value}); !ok || strings.Join(m.o.Dictation.Command, " ") != want {
			t.Errorf("%s: %v, %q", value, ok, m.o.Dictation.Command)
		}
	}
}

func TestDictationIsNotSet(t *testing.T) {
	for _, d := range []*Dictation{nil, {}} {
		o := testOptions(&fakeAgent{})
		o.Dictation = d
		m := still(t, o, 80, 24)
		if m.dictate(); m.hears != nil || !strings.Contains(m.status.flash, "editor.dictate") {
			t.Errorf("said %q", m.status.flash)
		}
	}
}
