package ui

import (
	"strings"
	"testing"
	"time"

	"forge/tools/permission"
	"forge/ui/dialog"
)

// Yolo asked for at the start runs nothing before it was confirmed, and no key that
// is pressed in passing confirms it.
func TestYoloIsConfirmedBeforeTheFirstRun(t *testing.T) {
	for _, yes := range []bool{true, false} {
		bubble(t, func(t *testing.T) {
			a := &fakeAgent{}
			o := testOptions(a)
			var modes []permission.Mode
			o.SetMode = func(m permission.Mode) { modes = append(modes, m) }
			o.Yolo, o.Prompt = true, "go on"
			s := start(t, o, 100, 30)
			s.see("Ask nothing any more?")
			time.Sleep(2 * dialog.Quiet) // of the bubble: the dialog takes keys now
			s.send("\r")
			s.send(" ")
			s.see("Ask nothing any more?")
			if a.said() != "" || len(modes) > 0 {
				t.Fatalf("said %q in %q before the answer", a.said(), modes)
			}
			if yes {
				s.send("y")
			} else {
				s.send("\x1b")
			}
			s.gone("Ask nothing any more?")
			s.see("go on")
			for range 100 {
				if a.said() != "" {
					break
				}
				s.send("")
			}
			if a.said() != "go on" {
				t.Errorf("said %q", a.said())
			}
			want := 0
			if yes {
				want = 1
			}
			if len(modes) != want || yes && modes[0] != permission.ModeYolo {
				t.Errorf("answered %v: modes %q", yes, modes)
			}
		})
	}
}

func TestYoloByCommandIsConfirmedOnce(t *testing.T) {
	o := testOptions(&fakeAgent{})
	mode := permission.ModeAsk
	o.SetMode = func(m permission.Mode) { mode = m }
	m := still(t, o, 100, 30)
	m.setMode(permission.ModeYolo)
	if mode != permission.ModeAsk || !m.dialogs.Active() {
		t.Fatalf("mode %s, asked %v", mode, m.dialogs.Active())
	}
	m.dialogs.Close() // nobody answered
	if mode != permission.ModeAsk {
		t.Error("no answer is a yes")
	}
	m.consented = true
	if m.setMode(permission.ModeYolo); mode != permission.ModeYolo {
		t.Error("asked a second time")
	}
}

// A policy bounds the mode: the keys pass over what it holds back.
func TestModesUnderAPolicy(t *testing.T) {
	o := testOptions(&fakeAgent{})
	var chosen permission.Mode = permission.ModeAsk
	o.SetMode = func(m permission.Mode) { chosen = m }
	o.InForce = func() permission.Mode {
		if chosen != permission.ModePlan {
			return permission.ModeAsk
		}
		return chosen
	}
	m := still(t, o, 100, 30)
	for _, want := range []permission.Mode{permission.ModePlan, permission.ModeAsk, permission.ModePlan} {
		if m.nextMode(); m.status.mode != want {
			t.Errorf("shift+tab leads to %s, want %s", m.status.mode, want)
		}
	}
	if m.setMode(permission.ModeAuto); m.status.mode != permission.ModeAsk || m.status.flash == "" {
		t.Errorf("mode %s, told %q", m.status.mode, m.status.flash)
	}
}

// Where a policy forbids yolo nobody is asked whether it shall be.
func TestYoloThatAPolicyForbidsIsNotAskedAbout(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Laxest = permission.ModeAuto
		o.SetMode = func(permission.Mode) {}
		o.InForce = func() permission.Mode { return permission.ModeAuto }
		s := start(t, o, 100, 30)
		s.send("/mode yolo\r")
		s.see("a policy of this machine allows no laxer mode than auto")
		if strings.Contains(s.text(), "Ask nothing any more?") {
			t.Errorf("asked all the same:\n%s", s.text())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
