package ui

import (
	"encoding/base64"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"forge/ui/display"
	"forge/ui/graphics"
	"forge/ui/lang"
	"forge/ui/safe"
)

// viewedMsg comes when a picture was looked at.
type viewedMsg struct{ err error }

// view shows a picture as large as the terminal can, until a key is pressed; where it
// can not, it says where the picture lies.
func (m *Model) view(p *pictured) tea.Cmd {
	way, wrapped, label := m.gallery.way, graphics.Wrapped(m.o.Getenv), p.label()
	if way == graphics.Off || way == graphics.Unknown {
		if p.file == "" {
			return m.say(lang.T("this terminal shows no pictures"))
		}
		return m.say(lang.T("this terminal shows no pictures; it is in %s", safe.Line(p.file)))
	}
	data, err := base64.StdEncoding.DecodeString(p.img.Data)
	if err != nil {
		return m.say(lang.T("not shown: %s", oneLine(err)))
	}
	key := lang.T("any key goes back")
	return display.Lend(func(in, out *os.File) error {
		return shownUntilKey(in, out, func() (string, error) {
			const foot = 2 // the line about it, and one that a picture may scroll into
			room, err := graphics.RoomOf(out, foot)
			if err != nil {
				return "", err
			}
			seq, err := graphics.Whole(way, data, room, wrapped)
			if err != nil {
				return "", err
			}
			line := safe.Truncate(key+"  "+label, max(1, room.Cols-1), "…")
			return seq + ansi.CursorPosition(1, room.Rows+foot) + line, nil
		})
	}, func(err error) tea.Msg { return viewedMsg{err} })
}

// shownUntilKey paints on an alternate screen of its own, again whenever its size is
// another one, and waits for a key.
func shownUntilKey(in, out *os.File, paint func() (string, error)) (err error) {
	first, err := paint()
	if err != nil {
		return err
	}
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return err
	}
	defer func() {
		if e := term.Restore(in.Fd(), before); err == nil {
			err = e
		}
	}()
	const clear = ansi.EraseEntireScreen + ansi.CursorHomePosition
	const begin = ansi.SetModeAltScreenSaveCursor + ansi.HideCursor + clear
	const end = ansi.EraseEntireScreen + ansi.ShowCursor + ansi.ResetModeAltScreenSaveCursor
	changes, unhear := display.Resized()
	defer unhear()
	if _, err = out.WriteString(begin + first); err == nil {
		stop := onEach(changes, func() {
			if again, err := paint(); err == nil {
				out.WriteString(clear + again)
			}
		})
		_, err = in.Read(make([]byte, 256)) // a key may be several bytes
		stop()
	}
	if _, e := out.WriteString(end); err == nil {
		err = e
	}
	return err
}

// onEach calls f for everything that comes, until stop is called; it is not called any
// more then.
func onEach[T any](c <-chan T, f func()) (stop func()) {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			case <-c:
				f()
			}
		}
	}()
	return func() {
		close(done)
		<-over
	}
}
