package ui

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent"
)

// The keys of vi on the screen: the mode is said in words, esc ends insert mode, then
// interrupts, and /vim stores what it switches.
func TestVimOnScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error { return pause(ctx, time.Hour) }}
		o := testOptions(a)
		var stored atomic.Value
		o.Settings = &Settings{Set: func(name, value string) error { stored.Store(name + "=" + value); return nil }}
		s := start(t, o, 80, 24)
		s.send("/vim\r")
		s.see("esc leaves insert mode")
		s.see("INSERT")
		if stored.Load() != "editor.vim=true" {
			t.Errorf("stored %q", stored.Load())
		}
		s.send("hello world")
		s.send("\x1b")
		s.see("NORMAL")
		s.send("2d")
		s.see("NORMAL 2d")
		s.send("b")
		s.see("\n› d\n") // from the cursor's character back
		s.send("u")
		s.see("hello world")
		s.send("v0")
		s.see("VISUAL")
		s.send("\x1b")
		s.see("NORMAL")
		s.send("\r")
		s.see("INSERT")
		if a.said() != "hello world" {
			t.Errorf("sent %q", a.said())
		}
		s.send("x\x1b") // insert mode has it
		s.see("NORMAL")
		s.gone("stopping")
		s.send("\x1b")
		s.gone("esc stops")
		s.send("\x12") // ctrl+r is redo here
		s.gone("Earlier prompts")
		s.send("S")
		s.see("INSERT")
		s.send("/vim\r")
		s.gone("INSERT")
		if stored.Load() != "editor.vim=false" {
			t.Errorf("stored %q", stored.Load())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// The mode is there in the narrowest screen, and not by colour.
func TestVimModeIsSaid(t *testing.T) {
	for _, w := range []int{40, 80, 200} {
		o := testOptions(&fakeAgent{})
		o.Vim = true
		m := still(t, o, w, 12)
		press(m, "esc")
		if text := shot(m); !strings.Contains(text, "NORMAL") {
			t.Errorf("%d wide:\n%s", w, text)
		}
	}
}
