package display

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// What arrives in two pieces is what it would have been in one, however late the second
// comes; only Esc is a key by itself.
func TestSequencesInPieces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("keys come as records there")
	}
	for _, whole := range []string{
		"\x1b[12;5R",                       // where the cursor is
		"\x1b[<64;20;5M",                   // the wheel
		"\x1b[<0;3;4m",                     // a button let go
		"\x1b[A",                           // a key
		"\x1b[1;5D",                        // with ctrl
		"\x1b[97;5u",                       // as Kitty says it
		"\x1b[?2026;2$y",                   // how a mode is set
		"\x1b[I",                           // focus
		"\x1b[[B",                          // the console of Linux
		"\x1b]11;rgb:1111/2222/3333\x1b\\", // a colour
		"\x1b]11;rgb:1111/2222/3333\a",
		"\x1bP>|tmux 3.3a\x1b\\", // a name
		"你",
		"é",
		"👍",
		"a\x1b[200~one\x1b[Atwo 你好\rthree\x1b[201~b", // a paste
		"x\x1b[Ay\x1b[B你z",
	} {
		heard := make(chan tea.Msg, 100)
		play(t, 30, 4, func(s *stage) {
			s.show(alt)
			seen(s, heard)
			want := seen(s, heard, whole)
			if want == "" {
				t.Errorf("%q is nothing", whole)
			}
			for cut := 1; cut < len(whole); cut++ {
				lone := whole[cut-1] == 0x1b && !strings.Contains(whole[:cut], "200~") || strings.HasSuffix(whole[:cut], "\x1bP") || strings.HasSuffix(whole[:cut], "\x1b]")
				bracket := strings.HasSuffix(whole[:cut], "\x1b[") && !strings.Contains(whole[:cut], "200~")
				if lone || bracket {
					continue
				}
				if got := seen(s, heard, whole[:cut], whole[cut:]); got != want {
					t.Errorf("%q cut at %d: %s, want %s", whole, cut, got, want)
				}
			}
		}, func(s *stage) { s.p.heard = heard })
	}
}

// seen is what a program hears of pieces a second apart.
func seen(s *stage, heard chan tea.Msg, pieces ...string) string {
	for _, p := range pieces {
		io.WriteString(s.keys, p)
		pause(time.Second)
	}
	var out []string
	for len(heard) > 0 {
		out = append(out, fmt.Sprintf("%[1]T %[1]v", <-heard))
	}
	return strings.Join(out, ", ")
}

// What is never whole is no text for the prompt, and what follows is heard. What may be a
// key is one, soon.
func TestBeginningsWithoutAnEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("keys come as records there")
	}
	for _, c := range []struct {
		keys   string
		within time.Duration
		want   string
	}{
		{"\x1b", keyRest + 10*time.Millisecond, "esc"},
		{"\x1b\x1b", keyRest + 10*time.Millisecond, "alt+esc"},
		{"\x1bO", keyRest + 10*time.Millisecond, "alt+shift+o"},
		{"\x1b_", keyRest + 10*time.Millisecond, "alt+_"},
		{"\x1b_ab", 10 * time.Millisecond, ""},
		{"\x1b[", bracketRest + 10*time.Millisecond, "alt+["},
		{"\x1b[<64;2", sequenceRest + time.Second, ""},
		{"\x1b[1;", sequenceRest + time.Second, ""},
		{"\xe4\xbd", sequenceRest + time.Second, ""},
	} {
		heard := make(chan tea.Msg, 100)
		play(t, 30, 4, func(s *stage) {
			s.show(alt)
			io.WriteString(s.keys, c.keys)
			pause(c.within)
			got := pressed(heard)
			if c.want != "" && got != c.want {
				t.Errorf("%q: %q, want %q", c.keys, got, c.want)
			}
			if c.want == "" && c.within > sequenceRest && got != "" {
				t.Errorf("%q became %q", c.keys, got)
			}
			pause(sequenceRest)
			pressed(heard)
			io.WriteString(s.keys, "x")
			pause(time.Second)
			if got := pressed(heard); got != "x" {
				t.Errorf("behind %q: %q", c.keys, got)
			}
		}, func(s *stage) { s.p.heard = heard })
	}
}

func pressed(heard chan tea.Msg) string {
	var out []string
	for len(heard) > 0 {
		if k, ok := (<-heard).(tea.KeyPressMsg); ok {
			out = append(out, k.String())
		}
	}
	return strings.Join(out, " ")
}

// Whatever is read, in whatever pieces: without a silence every byte is handed on, in its
// order, and nothing is held for longer than a sequence may be.
func FuzzWhole(f *testing.F) {
	f.Add([]byte("a\x1b[200~x\x1b[201~\x1b]11;x\x1b\\你\x1b[<0;1;1M\x1bOA\x1b_Gi=1\x1b\\\x1b\x1b[A"), byte(1))
	f.Add([]byte("\x1b[[A\x1b[Mabc\xff\xc2\x1b_x\x1bP1"), byte(3))
	f.Fuzz(func(t *testing.T, text []byte, size byte) {
		w := newWhole(&shreds{text, int(size%16) + 1}, func() {})
		defer w.close()
		got, err := io.ReadAll(w)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	})
}

// shreds hands out a text in pieces.
type shreds struct {
	text []byte
	size int
}

func (s *shreds) Read(p []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.text[:min(s.size, len(s.text))])
	s.text = s.text[n:]
	return n, nil
}
