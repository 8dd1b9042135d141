package ui

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// bytesOf is what a terminal sends for a key: the old way where there is one, else
// that of Kitty's protocol.
func bytesOf(key string) string {
	rest, mod := key, 0
	for name, bit := range map[string]int{"shift+": 1, "alt+": 2, "ctrl+": 4, "super+": 8} {
		if strings.Contains(rest, name) {
			rest, mod = strings.Replace(rest, name, "", 1), mod|bit
		}
	}
	letters := map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "home": "H", "end": "F"}
	numbers := map[string]int{"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6}
	plain := map[string]string{"enter": "\r", "tab": "\t", "esc": "\x1b", "backspace": "\x7f", "space": " "}
	codes := map[string]int{"enter": 13, "tab": 9, "esc": 27, "backspace": 127, "space": 32}
	switch {
	case letters[rest] != "" && mod == 0:
		return "\x1b[" + letters[rest]
	case letters[rest] != "":
		return fmt.Sprintf("\x1b[1;%d%s", mod+1, letters[rest])
	case numbers[rest] != 0 && mod == 0:
		return fmt.Sprintf("\x1b[%d~", numbers[rest])
	case numbers[rest] != 0:
		return fmt.Sprintf("\x1b[%d;%d~", numbers[rest], mod+1)
	case mod == 0 && plain[rest] != "":
		return plain[rest]
	case key == "shift+tab":
		return "\x1b[Z"
	case codes[rest] != 0:
		return fmt.Sprintf("\x1b[%d;%du", codes[rest], mod+1)
	case mod == 0:
		return rest
	case mod == 4 && rest[0] >= 'a' && rest[0] <= 'z':
		return string(rest[0] - 'a' + 1)
	case mod == 2:
		return "\x1b" + rest
	case key == "ctrl+_":
		return "\x1f"
	}
	return fmt.Sprintf("\x1b[%d;%du", rest[0], mod+1)
}

// heard notes the keys a program is told of.
type heard struct{ to chan string }

func (h heard) Init() tea.Cmd  { return nil }
func (h heard) View() tea.View { return tea.NewView("") }
func (h heard) Update(m tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := m.(tea.KeyPressMsg); ok {
		h.to <- k.String()
	}
	return h, nil
}

// Every key of the map arrives under its name when a terminal sends it.
func TestEveryKeyArrives(t *testing.T) {
	bubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		in, keys := io.Pipe()
		to := make(chan string, 8)
		done := make(chan error, 1)
		p := tea.NewProgram(heard{to}, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(io.Discard), tea.WithoutSignalHandler(),
			tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		go func() { _, err := p.Run(); done <- err }()
		time.Sleep(time.Second)
		var tried []string
		for _, b := range keymap.Actions() {
			for _, k := range b.Keys {
				for stroke := range strings.FieldsSeq(k) {
					if slices.Contains(tried, stroke) {
						continue
					}
					tried = append(tried, stroke)
					if _, err := io.WriteString(keys, bytesOf(stroke)); err != nil {
						t.Fatal(err)
					}
					select {
					case got := <-to:
						if strings.Replace(got, "meta+", "super+", 1) != stroke { // the map takes them for one
							t.Errorf("%q, sent for %s, arrives as %q", bytesOf(stroke), stroke, got)
						}
					case <-time.After(5 * time.Second):
						t.Errorf("%q, sent for %s, does not arrive", bytesOf(stroke), stroke)
					}
				}
			}
		}
		if len(tried) < 80 {
			t.Errorf("only %d keys were tried", len(tried))
		}
		cancel()
		keys.Close()
		<-done
		in.Close()
	})
}
