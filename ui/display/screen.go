// Package display draws what a Bubble Tea program shows, when there is something to
// show.
//
// Bubble Tea's own renderer looks for something to write at every tick of a clock that
// never stops: it wakes an idle program hundreds of times a second, and a key waits for
// the next tick. Here a frame is written as soon as the model's view has changed, at
// most one every 8 ms, and nothing runs in between. Bubble Tea stays what runs the
// loop.
//
// The package owns the terminal while the program runs: its line discipline, its two
// screens, its size, all a tea.View may ask of it but OnMouse, the questions it is asked
// at the beginning, and giving it back: to a program that is run in between, to the
// shell while forge is suspended, and at the end, whatever the end is. Models are as
// everywhere, with two differences: another program is run by Exec instead of
// tea.ExecProcess, and what is printed above the program by tea.Println is not shown.
package display

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

const (
	// floor is the time from one frame to the next at least. A change after a pause is
	// shown at once.
	floor = 8 * time.Millisecond
	// again is the pause after a write that failed, and patience how long writes may go
	// on failing before the program ends.
	again    = 100 * time.Millisecond
	patience = 5 * time.Second
)

// Terminal is where a program is shown. The zero value is the terminal the process was
// started in; the fields are for tests.
type Terminal struct {
	Input         io.Reader // nil: standard input
	Output        io.Writer // nil: standard output
	Env           []string  // nil: the process's
	Width, Height int       // in cells, of an Output that is no terminal
	NoSignals     bool      // leave signals to whoever runs the program
}

// screen is the terminal, and what is known of it. Its fields are guarded by mu: the
// loop draws, and so does the timer of a frame that came too soon.
type screen struct {
	w     io.Writer
	tty   *tty // nil: a pipe
	env   []string
	input input
	send  func(tea.Msg)
	end   context.CancelFunc
	still func() // stops Bubble Tea's clock

	console console // of Bubble Tea's loop alone
	konsole bool    // keys come from KDE's Konsole

	mu        sync.Mutex
	width     int
	height    int
	profile   colorprofile.Profile
	synced    bool // the terminal shows what stands between two marks at once (mode 2026)
	graphemes bool // it counts cells by graphemes (mode 2027)
	wide      bool // characters of ambiguous width take two cells
	joins     bool // the parts of an emoji make one sign
	asking    bool // how it draws such characters is asked with the next frame,
	asked     int  // or was asked: answers that have not come yet
	second    bool // the next of them is about emoji
	sized     bool // its size has reached the model,
	coloured  bool // and its colours; before that there is nothing worth drawing

	view    tea.View // what is to be seen
	stale   bool     // the size is another one than the view was made for
	resized bool     // it changed while the alternate screen was shown
	shown   frame    // what is seen
	modes   modes    // what the terminal was told last
	main    *canvas  // nil: nothing was drawn there
	alt     *canvas
	out     bytes.Buffer

	prints bool     // the model leaves rows above its frame:
	above  []string // those that are not written yet
	moved  bool     // the frame on the main screen is to be taken off, and drawn from the ground

	away    bool        // somebody else has the terminal
	drawn   time.Time   // of the last frame
	timer   *time.Timer // of the next one; nil: none waits
	failing time.Time   // since when writes fail; zero: they do not
	lost    error       // of writes that failed too long
}

// frame is what a canvas shows, to tell whether another view differs.
type frame struct {
	content string
	x, y    int
	cursor  bool
	valid   bool
}

// show takes a view and draws it now, or when the last frame is old enough.
func (s *screen) show(v tea.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view, s.stale = v, false
	s.due()
}

func (s *screen) due() {
	if s.away || s.timer != nil || !s.sized || !s.coloured {
		return
	}
	if wait := floor - time.Since(s.drawn); wait > 0 {
		s.wake(wait)
		return
	}
	s.draw()
}

// wake draws later.
func (s *screen) wake(wait time.Duration) {
	s.timer = time.AfterFunc(wait, func() {
		defer s.rescue()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timer = nil; !s.away {
			s.draw()
		}
	})
}

// draw brings the terminal from what it shows to the view.
func (s *screen) draw() {
	if s.stale || s.width < 1 || s.height < 1 {
		return // a view of this size is on its way
	}
	v := &s.view
	next := frame{content: v.Content, valid: true}
	if v.Cursor != nil {
		next.cursor, next.x, next.y = true, v.Cursor.X, v.Cursor.Y
	}
	want := s.wanted(v)
	lifts := !want.alt && (len(s.above) > 0 || s.moved && s.main != nil)
	if next == s.shown && want == s.modes && !lifts {
		return
	}
	if want.alt && !s.modes.alt {
		s.alt = nil // entering it clears it
	}
	var lifted []byte
	if lifts {
		lifted = s.lift()
	}
	c := s.canvas(v.AltScreen)
	cells := append(lifted, c.paint(next, s.width, s.height)...)
	s.compose(want, cells)
	if !s.write() {
		// How much of it arrived is not known: all is drawn once more.
		s.forget()
		s.wake(again)
		return
	}
	if lifts {
		s.above, s.moved = nil, false
	}
	s.shown, s.modes, s.drawn = next, want, time.Now()
}

// lift takes the frame off the main screen and puts the rows there that are to stay; the
// next frame begins beneath them.
func (s *screen) lift() []byte {
	var b []byte
	if s.main != nil {
		b = append(b, s.main.off(s.width, reflows(s.env))...)
		s.main = nil
	}
	end := "\r\n"
	if s.tty == nil && runtime.GOOS != "windows" {
		end = "\n" // as newCanvas has it for a pipe
	}
	for _, row := range s.above {
		ends := row != PromptEnds && strings.HasSuffix(row, PromptEnds) // an empty row has it at its begin
		if ends {
			row = strings.TrimSuffix(row, PromptEnds)
		}
		b = append(append(append(b, s.printed(row)...), ansi.ResetStyle...), end...)
		if ends {
			b = append(b, PromptEnds...)
		}
	}
	return b
}

// printed is a row to be left above the frame, moored as the frame's are. Cells hold no
// marks: those go around them.
func (s *screen) printed(row string) string {
	marks := ""
	for _, mark := range []string{PromptEnds, PromptBegins} { // a prompt may stand right behind another
		if rest, ok := strings.CutPrefix(row, mark); ok {
			marks, row = marks+mark, rest
		}
	}
	return marks + s.moored(row)
}

func (s *screen) moored(row string) string {
	if s.width < 1 || isEven(row) && (!s.wide || strings.IndexFunc(row, isAmbiguous) < 0) {
		return row
	}
	w := max(s.width, 2*ansi.StringWidth(row)) // nothing of it is cut
	c := &canvas{cells: uv.NewScreenBuffer(w, 1), graphemes: s.graphemes, joins: s.joins, odd: true, wide: s.wide, relayed: relayed(s.env)}
	if !c.graphemes {
		c.cells.Method = ansi.WcWidth // as counts has it
	}
	c.draw(row, 0, w)
	return strings.TrimRight(c.cells.Line(0).Render(), " ")
}

// compose puts a frame's bytes together: what the terminal is told, then the cells, as
// one picture where it can, else with the cursor hidden so that it does not fly about.
func (s *screen) compose(want modes, cells []byte) {
	s.out.Reset()
	s.vacate(want)
	change(&s.out, s.modes, want)
	if s.asking && len(cells) > 0 && s.width > 2 {
		seq, n := probe(want.alt, s.width, s.height)
		s.out.WriteString(seq)
		s.asking, s.asked, s.second = false, n, false
	}
	was := s.modes.cursor
	if want.alt != s.modes.alt { // each screen may have its own
		was = !want.cursor
	}
	hide := was && (!want.cursor || len(cells) > 0 && !s.synced)
	if s.synced && len(cells) > 0 {
		s.out.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if hide {
		s.out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	s.out.Write(cells)
	if want.cursor && (hide || !was) {
		s.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s.synced && len(cells) > 0 {
		s.out.WriteString(ansi.ResetModeSynchronizedOutput)
	}
}

// vacate empties the alternate screen before it is left, where the size changed while it
// was shown: tmux 3.3 leaves rows of it among those of the main screen then, which it
// brings to the new size at that moment.
func (s *screen) vacate(want modes) {
	if s.modes.alt && !want.alt {
		if s.resized {
			s.out.WriteString(allScrolls + ansi.CursorHomePosition + ansi.EraseEntireScreen)
		}
		s.resized = false
	}
}

// write sends what was composed, and ends the program when that fails for long.
func (s *screen) write() bool {
	if s.out.Len() == 0 {
		return true
	}
	_, err := writeAll(s.w, s.out.Bytes())
	switch {
	case err == nil:
		s.failing = time.Time{}
	case s.failing.IsZero():
		s.failing = time.Now()
	case time.Since(s.failing) > patience:
		s.lost = fmt.Errorf("write to the terminal: %w", err)
		s.end()
	}
	return err == nil
}

// say sends a sequence beside the frames: a question, a copied text, a bell.
func (s *screen) say(seq string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return
	}
	s.out.Reset()
	s.out.WriteString(seq)
	s.write()
}

// Write takes what Bubble Tea says itself.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return writeAll(s.w, b)
}

// writeAll waits where the terminal has no room, as a write does by itself unless a
// program that had the terminal has left it non-blocking.
func writeAll(w io.Writer, b []byte) (int, error) {
	all := len(b)
	for wait := time.Millisecond; ; wait = min(2*wait, again) {
		n, err := w.Write(b)
		if b = b[max(n, 0):]; !errors.Is(err, syscall.EAGAIN) || len(b) == 0 {
			return all - len(b), err
		}
		if n > 0 {
			wait = time.Millisecond
		}
		time.Sleep(wait)
	}
}

// resize takes the terminal's size. What stands on it now is moved about by the
// terminal, so that everything is drawn anew.
func (s *screen) resize(w, h int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resized = s.resized || s.modes.alt && s.sized && (s.width != w || s.height != h)
	s.width, s.height, s.sized, s.stale = w, h, true, true
	if s.alt != nil {
		s.alt.scr.Resize(w, h)
	}
	s.repaint()
}

// clear has everything drawn anew.
func (s *screen) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.repaint()
}

func (s *screen) repaint() {
	if s.alt != nil {
		s.alt.anew()
	}
	s.moved, s.shown = true, frame{}
}

// forget has everything drawn anew on screens of which nothing is known.
func (s *screen) forget() { s.main, s.alt, s.shown = nil, nil, frame{} }

func (s *screen) colours(p colorprofile.Profile) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.coloured && s.profile == p {
		return
	}
	s.profile, s.coloured = p, true
	s.forget()
}

// answered takes the terminal's answers to ask.
func (s *screen) answered(m tea.ModeReportMsg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Mode == ansi.ModeSynchronizedOutput && m.Value == ansi.ModeReset:
		s.synced = true
	case m.Mode == ansi.ModeUnicodeCore && !m.Value.IsNotRecognized() && !m.Value.IsPermanentlyReset():
		s.graphemes = true
		s.repaint()
	}
}

func (s *screen) canvas(alt bool) *canvas {
	c := &s.main
	if alt {
		c = &s.alt
	}
	if *c == nil {
		*c = newCanvas(alt, s.env, s.tty)
		(*c).scr.SetColorProfile(s.profile)
		(*c).scr.Resize(s.width, s.height)
	}
	(*c).measure(s.graphemes, s.wide)
	(*c).joins = s.joins // all is drawn anew where that is found
	return *c
}
