package ui

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/agent/mark"
	"forge/provider"
	"forge/tools"
	"forge/ui/display"
	"forge/ui/graphics"
)

func pngOf(t *testing.T, w, h int) provider.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return provider.Image{MIME: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes())}
}

// onTerminal is a screen on a terminal of some kind, whose agent looks at a picture.
func onTerminal(t *testing.T, ways string, env map[string]string, w, h int) *screen {
	img := pngOf(t, 200, 80)
	dir := t.TempDir()
	a := &fakeAgent{script: func(_ context.Context, p agent.Prompt, sink agent.Sink) error {
		sink(agent.ToolStart{ID: "1", Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read shot.png"}})
		sink(agent.ToolRunning{ID: "1"})
		sink(agent.ToolEnd{ID: "1", Name: "read_file", Result: tools.Result{Text: "a picture", Images: []tools.Image{tools.Image(img)}}})
		sink(agent.TextDelta{Block: 1, Text: "It is grey.\n\n" + strings.Repeat("- more of it\n", 30)})
		return nil
	}}
	o := testOptions(a)
	o.Images = ways
	o.Getenv = func(k string) string { return env[k] }
	o.Pictures = attachments()
	o.Pictures.Keep = func(data []byte) (mark.Mark, error) {
		name := "3f2a9c1b7d20e4a1.png"
		return mark.Mark{N: 1, Name: name}, os.WriteFile(filepath.Join(dir, name), data, 0o600)
	}
	o.Pictures.File = func(name string) string { return "~/pictures/" + name }
	s := start(t, o, w, h)
	s.send("look\r")
	s.see("more of it")
	return s
}

// placeholders counts the cells of pictures on each row of the screen.
func (s *screen) placeholders(w, h int) (rows []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for y := range h {
		n := 0
		for x := range w {
			if c := s.em.CellAt(x, y); c != nil && strings.HasPrefix(c.Content, "\U0010EEEE") {
				n++
			}
		}
		if n > 0 {
			rows = append(rows, n)
		}
	}
	return rows
}

func (s *screen) sent() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// In Kitty a picture stands among the text, and goes with it when the transcript is
// scrolled.
func TestPicturesInCells(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := onTerminal(t, "", map[string]string{"TERM": "xterm-kitty"}, 80, 60)
		s.see("picture 200x80")
		s.see("~/pictures/3f2a9c1b7d20e4a1.png")
		if strings.Count(s.sent(), graphics.Question) != 1 || strings.Contains(s.sent(), "U=1") {
			t.Error("not asked which version it is")
		}
		s.send("\x1bP>|kitty(0.41.1)\x1b\\\x1b[?62c")
		want := []int{20, 20, 20, 20}
		same := func() bool {
			got := s.placeholders(80, 60)
			if len(got) != len(want) {
				return false
			}
			for i := range got {
				if got[i] != want[i] {
					return false
				}
			}
			return true
		}
		for range 200 {
			if same() {
				break
			}
			s.send("")
		}
		if !same() {
			t.Fatalf("cells of the picture: %v\n%s", s.placeholders(80, 60), s.text())
		}
		if n := strings.Count(s.sent(), "U=1"); n != 1 || !strings.Contains(s.sent(), "c=20,r=4") {
			t.Errorf("sent %d times", n)
		}
		s.send("\x1b[1;5H") // the first row; two more of it at the top are cut
		for range 2 {
			s.send("\x1b[1;2B")
		}
		if got := s.placeholders(80, 60); len(got) == 0 || got[0] != 20 {
			t.Errorf("scrolled: %v", got)
		}
		if n := strings.Count(s.sent(), "U=1"); n != 1 {
			t.Errorf("sent %d times", n)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Other terminals than newer Kittys draw placeholders as letters that nobody has: they get
// no picture among the text, and one of its own on Enter, also where a setting wants
// Kitty's way. Behind tmux the setting is all there is to know.
func TestPicturesInOtherKittys(t *testing.T) {
	for _, c := range []struct {
		images, name string
		env          map[string]string
		way          graphics.Way
		cells        bool
	}{
		{"", "kitty(0.26.5)", map[string]string{"TERM": "xterm-kitty"}, graphics.Kitty, false},
		{"", "kitty(0.41.1)", map[string]string{"TERM": "xterm-kitty"}, graphics.Kitty, true},
		{"kitty", "Konsole 22.12.3", map[string]string{"TERM": "xterm-256color"}, graphics.Kitty, false},
		{"kitty", "ghostty 1.1.3", map[string]string{"TERM": "xterm-256color"}, graphics.Kitty, true},
		{"iterm", "kitty(0.41.1)", map[string]string{"TERM": "xterm-kitty"}, graphics.ITerm, false},
		{"inline", "kitty(0.41.1)", map[string]string{"TERM": "xterm-kitty"}, graphics.Kitty, true},
		{"kitty", "tmux 3.5a", map[string]string{"TERM": "tmux-256color", "TMUX": "x"}, graphics.Kitty, true},
	} {
		o := testOptions(&fakeAgent{})
		if o.Inline = c.images == "inline"; !o.Inline {
			o.Images = c.images
		}
		o.Getenv = func(k string) string { return c.env[k] }
		m := still(t, o, 80, 40)
		m.Update(batch{agent.UserMessage{Text: "look", Images: []provider.Image{pngOf(t, 100, 40)}}})
		m.Update(tea.TerminalVersionMsg{Name: c.name})
		_, cmd := m.Update(display.Attributes{62, 4})
		if m.gallery.way != c.way || m.gallery.cells != c.cells {
			t.Errorf("%v: shown by %q, in cells: %v", c, m.gallery.way, m.gallery.cells)
		}
		if sent := strings.Contains(allRaw(cmd), "U=1"); sent != (c.cells && c.env["TMUX"] == "" && !o.Inline) { // there it was sent before
			t.Errorf("%v: sent %v", c, sent)
		}
	}
}

// A terminal that knows nothing of pictures is asked once, and gets none of their bytes.
func TestPicturesElsewhere(t *testing.T) {
	for _, env := range []map[string]string{{"TERM": "xterm-256color"}, {"TERM": "xterm-kitty", "TMUX": "x"}, {}} {
		bubble(t, func(t *testing.T) {
			s := onTerminal(t, "auto", env, 80, 60)
			s.see("picture 200x80")
			s.see("~/pictures/3f2a9c1b7d20e4a1.png")
			s.send("\t")
			s.send("gjj\r") // the prompt, the call, the picture
			s.see("this terminal shows no pictures; it is in ~/pictures/")
			sent := s.sent()
			if strings.Contains(sent, "\x1b_G") || strings.Contains(sent, "\x1b]1337;File") || len(s.placeholders(80, 60)) > 0 {
				t.Errorf("%v: bytes of a picture were sent", env)
			}
			if asked := strings.Contains(sent, graphics.Question); asked != (env["TERM"] == "xterm-256color") {
				t.Errorf("%v: asked %v", env, asked)
			}
			s.send("\x1b")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A long conversation gives the terminal no more pictures than it is to keep, and the
// newest ones; a narrow window shows words.
func TestManyPictures(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Getenv = func(k string) string { return map[string]string{"TERM": "xterm-kitty"}[k] }
	m := still(t, o, 80, 40)
	for i := range 3 {
		for range 10 {
			m.Update(batch{agent.UserMessage{Text: "look", Images: []provider.Image{pngOf(t, 100, 40)}}})
		}
		if i == 0 { // those that came before the answer are given then
			m.Update(tea.TerminalVersionMsg{Name: "kitty(0.41.1)"})
			if _, cmd := m.Update(display.Attributes{62}); strings.Count(allRaw(cmd), "U=1") != 10 {
				t.Error("pictures that waited for the answer are not given")
			}
		}
		for _, p := range m.tr.panes {
			if p, ok := p.(*pictured); ok && p.known && !p.here {
				m.Update(inPlaceMsg{p, p.placed})
			}
		}
	}
	if n := len(m.gallery.shown); n != inSight {
		t.Errorf("the terminal has %d pictures", n)
	}
	var all []*pictured
	for _, p := range m.tr.panes {
		if p, ok := p.(*pictured); ok {
			all = append(all, p)
		}
	}
	if len(all) != 30 || !all[29].here || all[0].here {
		t.Errorf("%d pictures, the last is there: %v, the first: %v", len(all), all[len(all)-1].here, all[0].here)
	}
	// A picture that comes into its place is no new output to somebody who reads above it.
	m.tr.follow, m.tr.fresh = false, false
	if m.Update(inPlaceMsg{all[29], all[29].placed}); m.tr.fresh {
		t.Error("a picture that was given again counts as new output")
	}
	m.tr.toEnd()
	// Another program had the screen: the display says so with the size there was.
	_, cmd := m.Update(tea.WindowSizeMsg{Width: 80, Height: 40})
	if again := allRaw(cmd); strings.Count(again, "U=1") != inSight {
		t.Errorf("given again: %.200q", again)
	}
	if _, cmd = m.Update(tea.WindowSizeMsg{Width: 81, Height: 40}); strings.Contains(allRaw(cmd), "U=1") {
		t.Error("given again for another size")
	}
	all[29].placed.Cols, all[29].placed.Rows = 30, 3
	all[29].version++
	d := m.tr.d
	d.w = 20
	if rows := all[29].all(&d); len(rows) != 1 {
		t.Errorf("in a narrow window: %q", rows)
	}
}

// A long path keeps its end.
func TestPictureWithALongPath(t *testing.T) {
	p := newPictured(pngOf(t, 200, 80), "", "/home/me/a/very/long/way/to/数据/shot.png")
	for w, want := range map[int]string{80: "picture 200x80, 168 B /home/me/a/very/long/way/to/数据/shot.png", 45: "picture 200x80, 168 B …g/way/to/数据/shot.png", 24: "picture 200x80, 168 B /…"} {
		if got := p.all(&drawing{w: w + gutter, th: still(t, testOptions(&fakeAgent{}), 80, 24).th}); !strings.HasSuffix(ansi.Strip(got[0]), want) {
			t.Errorf("%d cells: %q, want %q", w, ansi.Strip(got[0]), want)
		}
	}
}

// allRaw is what a command and those it brings send to the terminal.
func allRaw(cmd tea.Cmd) string {
	if cmd == nil {
		return ""
	}
	msg := cmd()
	if raw, ok := msg.(tea.RawMsg); ok {
		return fmt.Sprint(raw.Msg)
	}
	all := ""
	if v := reflect.ValueOf(msg); v.IsValid() && v.Kind() == reflect.Slice { // a batch, or a sequence, which has no name
		for i := range v.Len() {
			if c, ok := v.Index(i).Interface().(tea.Cmd); ok {
				all += allRaw(c)
			}
		}
	}
	return all
}
