//go:build unix

package ui

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/display"
	"forge/ui/keymap"
	"forge/ui/screentest"
)

// heard notes the keys a program is told of, as the screen takes them.
type heard struct{ to chan string }

func (h heard) Init() tea.Cmd  { return nil }
func (h heard) View() tea.View { return tea.NewView("") }
func (h heard) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := m.(tea.KeyPressMsg); ok {
		h.to <- known(nil, k).String()
	}
	return h, nil
}

// hearing is a program that tells which key came of some bytes; empty: none.
func hearing(t *testing.T, f func(press func(bytes string) string)) {
	t.Helper()
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		in, keys := io.Pipe()
		to := make(chan string, 8)
		done := make(chan error, 1)
		go func() {
			done <- display.Run(ctx, heard{to}, display.Terminal{Input: in, Output: io.Discard, Width: 80, Height: 24, NoSignals: true, Env: []string{"TERM=xterm-256color"}})
		}()
		time.Sleep(time.Second)
		f(func(bytes string) string {
			if _, err := io.WriteString(keys, bytes); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-to:
				return got
			case <-time.After(5 * time.Second):
				return ""
			}
		})
		cancel()
		keys.Close()
		<-done
		in.Close()
	})
}

// Every key of the map arrives under its name, in whichever way a terminal sends it.
func TestEveryKeyArrives(t *testing.T) {
	hearing(t, func(press func(string) string) {
		tried := map[string]bool{}
		for _, b := range keymap.Actions() {
			for _, k := range b.Keys {
				for stroke := range strings.FieldsSeq(k) {
					if at := string(b.Action.Context()) + stroke; tried[at] {
						continue
					} else {
						tried[at] = true
					}
					for _, p := range append(screentest.Sent(stroke), screentest.Rarely(stroke)...) {
						got := press(p.Bytes)
						if two := stroke != k; two && got != stroke || !two && keymap.Default().Action(b.Action.Context(), got) != b.Action {
							t.Errorf("%q, sent for %s by %s, arrives as %q", p.Bytes, stroke, p.By, got)
						}
					}
				}
			}
		}
		if len(tried) < 300 {
			t.Errorf("only %d keys were tried", len(tried))
		}
	})
}

// Keys of a person's own arrive, too, and one that terminals call otherwise is not
// taken for another where the map has it.
func TestOtherKeysArrive(t *testing.T) {
	hearing(t, func(press func(string) string) {
		for _, k := range []string{"f1", "f2", "f3", "f4", "f5", "f6", "f12", "alt+shift+up", "ctrl+alt+f", "alt+.", "ctrl+]"} {
			for _, p := range append(screentest.Sent(k), screentest.Rarely(k)...) {
				if got := press(p.Bytes); got != k {
					t.Errorf("%q, sent for %s by %s, arrives as %q", p.Bytes, k, p.By, got)
				}
			}
		}
		for bytes, want := range map[string]string{"\x1b[91;5u": "esc", "\x1b[105;5u": "tab", "\x1b[109;5u": "enter", "\x1b[27;5;91~": "esc",
			"\x1b[97;69u": "ctrl+a", "\x1b[57400;129u": "1"} {
			if got := press(bytes); got != want {
				t.Errorf("%q arrives as %q, want %s", bytes, got, want)
			}
		}
	})
	keys, wrong := keymap.New([]keymap.Entry{{Action: "screen.todos", Keys: []string{"ctrl+shift+-"}}, {Action: "screen.model", Keys: []string{"ctrl+ш"}}, {Action: "empty.help", Keys: []string{"ctrl+i"}}})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for want, k := range map[string]tea.Key{"ctrl+shift+-": {Code: '-', ShiftedCode: '_', Mod: tea.ModCtrl | tea.ModShift},
		"ctrl+ш": {Code: 'ш', ShiftedCode: 'i', BaseCode: 'i', Mod: tea.ModCtrl | tea.ModNumLock}, "ctrl+i": {Code: 'i', Mod: tea.ModCtrl}} {
		if got := known(keys, tea.KeyPressMsg(k)).String(); got != want {
			t.Errorf("%s arrives as %s", want, got)
		}
	}
}
