package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/colorprofile"

	"forge/agent"
	"forge/ui/spelling"
)

// bookish is a checker that knows some words; what it was asked is kept.
type bookish struct {
	mu     sync.Mutex
	known  []string
	asked  []string
	err    error
	off    bool
	wanted string
	again  int
}

func (b *bookish) screen() *Spelling {
	return &Spelling{
		On: func() bool { b.mu.Lock(); defer b.mu.Unlock(); return !b.off },
		Check: func(words []string) (map[string]spelling.Verdict, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			out := map[string]spelling.Verdict{}
			for _, w := range words {
				b.asked = append(b.asked, w)
				out[w] = spelling.Verdict{Right: slices.Contains(b.known, w), Meant: []string{"hello", "help"}}
			}
			return out, b.err
		},
		Again: func() { b.mu.Lock(); defer b.mu.Unlock(); b.again++ },
		Learn: func(word string) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.known = append(b.known, word)
			return nil
		},
		Use: func(setting string) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.wanted, b.off, b.err = setting, setting == "off", nil
			return nil
		},
	}
}

func (b *bookish) said() string { b.mu.Lock(); defer b.mu.Unlock(); return strings.Join(b.asked, " ") }

func TestSpelling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &bookish{known: []string{"world", "now"}}
		o := testOptions(&fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }})
		o.Spelling = b.screen()
		s := start(t, o, 80, 24)
		s.send("helo")
		s.see("› helo")
		if b.said() != "" {
			t.Errorf("asked about %q while it is written", b.said())
		}
		s.send(" world now")
		s.see("› helo world now")
		if b.said() != "helo world" {
			t.Errorf("asked about %q", b.said())
		}
		s.send("\x18s") // ctrl+x s
		s.see("Spelling of helo")
		s.see("add helo to your dictionary")
		s.send("\r")
		s.see("› hello world now")
		s.send("\x18s")
		s.see("Spelling of hello")
		s.send("\x1b[A\r") // the last line
		s.see("hello is in your dictionary")
		s.send("\x18s")
		s.see("no word looks wrong")
		s.send("\x15/spell wrlds now\r")
		s.see("looks wrong: wrlds (hello, help)")
		s.send("\x15\x04")
	})
}

// What stands in the way is said once, and asked about no more until the setting changes.
func TestSpellingFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &bookish{err: &spelling.Missing{Lang: "xx_XX", Said: "no"}}
		o := testOptions(&fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }})
		o.Spelling = b.screen()
		s := start(t, o, 80, 24)
		s.send("helo wrld and ")
		s.see("there is no dictionary for xx_XX")
		asked := b.said()
		s.send("more words come ")
		s.see("more words come")
		if b.said() != asked {
			t.Errorf("asked again: %q", b.said())
		}
		s.send("\x15\x04")
	})
	b := &bookish{err: errors.New("it ended")}
	o := testOptions(&fakeAgent{})
	o.Spelling = b.screen()
	m := still(t, o, 80, 24)
	m.comp.SetValue("helo wrld ")
	work(m, m.stirSpelling())
	if !m.spelt.failed {
		t.Fatal("no failure")
	}
	work(m, m.tookSpelling("off"))
	if b.wanted != "off" || m.spelt.failed {
		t.Errorf("another setting: %q, failed %v", b.wanted, m.spelt.failed)
	}
	if m.fixSpelling(); !strings.Contains(m.status.flash, "set editor.spelling to a language") {
		t.Errorf("said %q", m.status.flash)
	}
	if err := speltError(&spelling.Missing{Lang: "en", None: true}); !strings.Contains(err.Error(), "/doctor") {
		t.Error(err)
	}
	if err := speltError(errors.New("it ended")); err.Error() != "it ended; /spell tries it again" {
		t.Error(err)
	}
}

// A checker that failed is asked again by whoever asks by hand, who is told why it fails
// each time; once it answers, words are marked again.
func TestSpellingTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		b := &bookish{err: errors.New("it ended")}
		o := testOptions(&fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }})
		o.Spelling = b.screen()
		s := start(t, o, 80, 24)
		s.send("helo wrld ")
		s.see("it ended; /spell tries it again")
		for n := range 2 {
			s.send("\x18s") // ctrl+x s
			synctest.Wait()
			if got := strings.Count(s.text(), "it ended"); got != n+2 {
				t.Errorf("said %d times:\n%s", got, s.text())
			}
		}
		b.mu.Lock()
		if b.again != 2 {
			t.Errorf("tried %d times", b.again)
		}
		b.err, b.asked = nil, nil
		b.mu.Unlock()
		s.send("\x15/spell abc\r")
		s.see("looks wrong: abc")
		s.send("other wrods ")
		s.see("› other wrods")
		if !strings.Contains(b.said(), "other wrods") {
			t.Errorf("asked %q", b.said())
		}
		s.send("\x15\x04")
	})
}

// What a checker says is text, also where nothing but lines are sent.
func TestSpellingSaysText(t *testing.T) {
	s := (&bookish{}).screen()
	s.Check = func([]string) (map[string]spelling.Verdict, error) {
		return map[string]spelling.Verdict{"helo": {Meant: []string{"\x1b[31mred\x1b]0;title\a"}}}, nil
	}
	if line, err := s.wrongIn("helo"); err != nil || line != "looks wrong: helo (red)" {
		t.Errorf("%q %v", line, err)
	}
}

// A word that looks wrong is underlined with and without colours, curly where that is known
// to be drawn, and never where nothing but text is.
func TestWrongStyle(t *testing.T) {
	for _, test := range []struct {
		p    colorprofile.Profile
		env  map[string]string
		want string
	}{
		{colorprofile.TrueColor, map[string]string{"TERM": "xterm-kitty"}, "\x1b[4:3;58:5:1mx\x1b[24;59m"},
		{colorprofile.ASCII, map[string]string{"TERM": "foot"}, "\x1b[4:3mx\x1b[24m"},
		{colorprofile.TrueColor, map[string]string{"TERM": "xterm-256color"}, "\x1b[4mx\x1b[24m"},
		{colorprofile.ANSI, map[string]string{"TERM": "xterm", "VTE_VERSION": "7600"}, "\x1b[4:3;58:5:1mx\x1b[24;59m"},
		{colorprofile.ANSI, map[string]string{"TERM": "xterm", "VTE_VERSION": "4800"}, "\x1b[4mx\x1b[24m"},
	} {
		if got := wrongStyle(test.p, func(name string) string { return test.env[name] })("x"); got != test.want {
			t.Errorf("%v: %q, want %q", test, got, test.want)
		}
	}
	if wrongStyle(colorprofile.NoTTY, func(string) string { return "" }) != nil {
		t.Error("a mark where there is only text")
	}
}
