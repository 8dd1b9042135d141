package display

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/clipperhouse/displaywidth"
)

// hushAfter is how long the end of a read is waited for. What cannot be interrupted, a
// pipe on some systems, keeps the next key.
const hushAfter = 500 * time.Millisecond

// input reads what the terminal sends, from listen to hush.
//
// Bubble Tea would read it as well, with the same decoder. But only a program that reads
// nothing by itself can have its renderer stopped (see still), and the clock with it.
type input struct {
	from io.Reader
	term string // TERM
	send func(tea.Msg)
	fail func(error) // a read that failed
	end  func()      // of the reading; nil: nobody listens
}

// listen begins to read. Events go to the program as they are: it has its own names
// for them.
func (i *input) listen(rescue func()) error {
	r, err := uv.NewCancelReader(i.from)
	if err != nil {
		return fmt.Errorf("read the terminal: %w", err)
	}
	// Room for what one read may bring: hush is called from the program's loop, which
	// then takes none of it, and the reading must come to its end all the same.
	events, over := make(chan uv.Event, 4096), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	from, done, wait := io.Reader(r), func() {}, uv.DefaultEscTimeout
	if runtime.GOOS != "windows" { // there keys are records, which come whole, and the decoder wants the console itself
		w := newWhole(r, rescue)
		from, done, wait = w, w.close, time.Millisecond // the rest was waited for
	}
	go func() {
		defer rescue()
		defer close(over)
		defer close(events)
		decoder := uv.NewTerminalReader(from, i.term)
		decoder.EscTimeout = wait
		if err := decoder.StreamEvents(ctx, events); err != nil && ctx.Err() == nil {
			i.fail(fmt.Errorf("read the terminal: %w", err))
		}
	}()
	go func() {
		for e := range events {
			for _, e := range apart(e) {
				i.send(e)
			}
		}
	}()
	i.end = func() {
		cancel()
		if r.Cancel() {
			late := time.NewTimer(hushAfter)
			defer late.Stop()
			select {
			case <-over:
			case <-late.C:
			}
		}
		done()
		_ = r.Close() // what it holds beside the terminal
	}
	return nil
}

// apart is an event as the keys that were really pressed. A terminal says Alt by an Esc
// ahead of the key, so Esc and a key right behind it, as they arrive together from ssh,
// look the same. But what is wide is written by an input method, never with Alt.
func apart(e uv.Event) []uv.Event {
	k, ok := e.(uv.KeyPressEvent)
	if !ok || k.Mod != uv.ModAlt || k.Code > unicode.MaxRune || displaywidth.Rune(k.Code) != 2 {
		return []uv.Event{e}
	}
	return []uv.Event{uv.KeyPressEvent{Code: uv.KeyEscape}, uv.KeyPressEvent{Code: k.Code, Text: string(k.Code)}}
}

// hush ends the reading, if there is any. What was read reaches the program.
func (i *input) hush() {
	if i.end != nil {
		i.end()
		i.end = nil
	}
}
