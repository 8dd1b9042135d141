package ui

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/provider"
	"forge/ui/clipboard"
)

var shotMark = mark.Mark{N: 1, Width: 640, Height: 480, Name: "3f2a9c1b7d20e4a1.png"}

// attachments is a Pictures that knows a few files.
func attachments() *Pictures {
	return &Pictures{Home: "/home/me", Drop: func(path string) (string, error) {
		switch path {
		case "/home/me/shot.png", "/home/me/a shot.png":
			return shotMark.String(), nil
		case "/home/me/other.png":
			o := shotMark
			o.Name = "0000000000000000.png"
			return o.String(), nil
		case "/home/me/laps/main.go":
			return "@main.go", nil
		case "/home/me/broken.png":
			return "", errors.New("the picture is broken")
		}
		return "", nil
	}}
}

// done runs what a command leads to, and what that leads to.
func done(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			done(m, c)
		}
	case droppedMsg, pastedMsg:
		_, next := m.Update(msg)
		done(m, next)
	}
}

func TestDroppedFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is not the world's
		for pasted, want := range map[string]string{
			"/home/me/shot.png":                       shotMark.String() + " ",
			"'/home/me/shot.png' \n":                  shotMark.String() + " ",
			"~/shot.png":                              shotMark.String() + " ",
			"file:///home/me/a%20shot.png":            shotMark.String() + " ",
			"/home/me/a shot.png":                     shotMark.String() + " ", // not quoted at all
			`/home/me/a\ shot.png`:                    shotMark.String() + " ",
			"/home/me/laps/main.go":                   "@main.go ",
			"/home/me/laps/main.go /home/me/shot.png": "@main.go " + shotMark.String() + " ",
			"/home/me/shot.png\n/home/me/other.png":   shotMark.String() + " [image 2: 640x480 0000000000000000.png] ",
			"/home/me/a shot.png\n/home/me/other.png": shotMark.String() + " [image 2: 640x480 0000000000000000.png] ", // nor here
			"/etc/passwd":                             "/etc/passwd",
			"/home/me/shot.png /etc/passwd":           "/home/me/shot.png /etc/passwd",
			"see /home/me/shot.png":                   "see /home/me/shot.png",
			"/home/me/broken.png":                     "/home/me/broken.png",
		} {
			o := testOptions(&fakeAgent{})
			o.Pictures = attachments()
			m := still(t, o, 80, 24)
			_, cmd := m.Update(tea.PasteMsg{Content: pasted})
			done(m, cmd)
			if got := m.comp.Value(); got != want {
				t.Errorf("%q became %q, want %q", pasted, got, want)
			}
			if m.looking != 0 {
				t.Errorf("%q is still looked at", pasted)
			}
		}
	})
}

// A command for the shell keeps its paths, and what is typed while a file is looked at
// stays where it is.
func TestDroppedWhileTyping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is not the world's
		o := testOptions(&fakeAgent{})
		o.Pictures = attachments()
		m := still(t, o, 80, 24)
		press(m, "!")
		_, cmd := m.Update(tea.PasteMsg{Content: "/home/me/shot.png"})
		done(m, cmd)
		if got := m.comp.Value(); got != "!/home/me/shot.png" {
			t.Errorf("in a shell line: %q", got)
		}
		m.comp.Reset()
		m.Update(tea.PasteMsg{Content: "look at "})
		_, cmd = m.Update(tea.PasteMsg{Content: "/home/me/shot.png"})
		press(m, " ", "n", "o", "w")
		press(m, "enter") // it waits for the picture
		done(m, cmd)
		if got, want := m.comp.Value(), "look at "+shotMark.String()+"  now"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestPictureInTheComposer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is not the world's
		o := testOptions(&fakeAgent{})
		o.Pictures = attachments()
		o.Model = provider.Model{ID: "mole", Blind: true}
		m := still(t, o, 80, 24)
		_, cmd := m.Update(tea.PasteMsg{Content: "/home/me/shot.png"})
		done(m, cmd)
		if v := shot(m); !strings.Contains(v, "› [image 1: 640x480]") || strings.Contains(v, shotMark.Name) || !strings.Contains(v, "mole sees no pictures") {
			t.Errorf("shown:\n%s", v)
		}
		press(m, "backspace", "backspace") // the blank, then the picture as one
		if !m.comp.Empty() {
			t.Errorf("left %q", m.comp.Value())
		}
		press(m, "ctrl+_")
		if m.comp.Draft() != shotMark.String() {
			t.Errorf("undo brought %q", m.comp.Draft())
		}
		// A draft and a history line bring it back.
		m.comp.SetValue("with " + shotMark.String())
		if v := shot(m); !strings.Contains(v, "with [image 1: 640x480]") {
			t.Errorf("restored:\n%s", v)
		}
		if m.comp.Value() != "with "+shotMark.String() {
			t.Errorf("restored %q", m.comp.Value())
		}
	})
}

func TestClipboardKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // its clock is not the world's
		for _, c := range []struct {
			held clipboard.Held
			err  error
			want string
			said string
		}{
			{clipboard.Held{Picture: []byte("png")}, nil, shotMark.String() + " ", ""},
			{clipboard.Held{Text: "some words"}, nil, "some words", ""},
			{clipboard.Held{Text: "file:///home/me/shot.png\r\n"}, nil, shotMark.String() + " ", ""},
			{clipboard.Held{}, clipboard.ErrNoReader, "", "install wl-clipboard or xclip"},
			{clipboard.Held{}, clipboard.ErrEmpty, "", "the clipboard is empty"},
		} {
			for _, how := range []string{"ctrl+v", "alt+v", "an empty paste"} {
				o := testOptions(&fakeAgent{})
				o.Pictures = attachments()
				o.Pictures.Clipboard = func(context.Context) (clipboard.Held, error) { return c.held, c.err }
				o.Pictures.Keep = func(data []byte) (mark.Mark, error) {
					if !bytes.Equal(data, []byte("png")) {
						t.Errorf("kept %q", data)
					}
					return shotMark, nil
				}
				m := still(t, o, 160, 24)
				var cmd tea.Cmd
				switch how {
				case "ctrl+v":
					_, cmd = m.Update(tea.KeyPressMsg{Code: 'v', Mod: tea.ModCtrl})
				case "alt+v":
					_, cmd = m.Update(tea.KeyPressMsg{Code: 'v', Mod: tea.ModAlt})
				default:
					_, cmd = m.Update(tea.PasteMsg{})
				}
				done(m, cmd)
				if got := m.comp.Value(); got != c.want || !strings.Contains(shot(m), c.said) {
					t.Errorf("%s, %+v: %q, %q\n%s", how, c.held, got, c.want, shot(m))
				}
			}
		}
	})
}
