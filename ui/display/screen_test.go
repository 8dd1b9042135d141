package display

import (
	"errors"
	"fmt"
	"image/color"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

func alt(v *tea.View) { v.AltScreen = true }

// A change after a pause is written at once, those after it in time, and the last one
// is what is seen.
func TestAChangeIsWrittenAtOnce(t *testing.T) {
	play(t, 20, 3, func(s *stage) {
		s.show(alt)
		pause(time.Second)
		s.writes()
		for i := range 20 {
			before := time.Now()
			s.content(fmt.Sprint("frame ", i))
			if at := s.writes(); i == 0 && (len(at) != 1 || !at[0].Equal(before)) {
				t.Errorf("a change came at %v, writes at %v", before, at)
			} else if i > 0 && len(at) > 1 {
				t.Errorf("%d writes for one change", len(at))
			}
			pause(time.Millisecond)
		}
		pause(floor)
		if got := s.looks(); !strings.HasPrefix(got, "frame 19") {
			t.Errorf("in the end it shows %q", got)
		}
	})
}

func TestFramesAreAtLeastAFloorApart(t *testing.T) {
	play(t, 20, 3, func(s *stage) {
		s.show(alt)
		pause(time.Second)
		s.writes()
		for i := range 100 {
			s.content(fmt.Sprint(i))
			pause(time.Millisecond)
		}
		pause(time.Second)
		at := s.writes()
		if len(at) < 10 || len(at) > 14 { // 100 ms, 8 ms each
			t.Errorf("%d frames", len(at))
		}
		for i := 1; i < len(at); i++ {
			if d := at[i].Sub(at[i-1]); d < floor {
				t.Errorf("frame %d came after %v", i, d)
			}
		}
	})
}

func TestNothingIsWrittenWhereNothingChanges(t *testing.T) {
	play(t, 20, 3, func(s *stage) {
		s.show(alt)
		s.content("as it was")
		pause(time.Second)
		s.writes()
		for range 10 {
			s.content("as it was")
			pause(time.Minute)
		}
		if at := s.writes(); len(at) > 0 {
			t.Errorf("%d writes", len(at))
		}
	})
}

// Whatever follows whatever, the terminal shows the last frame: words, wide and joined
// characters, styles, links, more rows than there is room for, another size.
func TestTheTerminalShowsTheFrame(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w, h := 30, 8
	play(t, w, h, func(s *stage) {
		s.show(alt)
		rows := make([]string, 0, 20)
		for i := range 400 {
			switch r.IntN(8) {
			case 0:
				rows = rows[:0]
			case 1:
				if len(rows) > 2 {
					rows = append(rows[:1], rows[2:]...) // scrolls
				}
			case 2:
				w, h = 1+r.IntN(60), 1+r.IntN(20)
				s.mu.Lock()
				s.em.Resize(w, h)
				s.mu.Unlock()
				s.do(func() tea.Msg { return tea.WindowSizeMsg{Width: w, Height: h} })
			case 3:
				s.do(tea.ClearScreen)
			default:
				at := r.IntN(len(rows) + 1)
				if at == len(rows) {
					rows = append(rows, "")
				}
				rows[at] = row(r)
			}
			text := strings.Join(rows, "\n")
			x, y := r.IntN(w), r.IntN(h)
			s.show(func(v *tea.View) { v.Content, v.Cursor = text, tea.NewCursor(x, y) })
			pause(floor)
			want := vt.NewEmulator(w, h)
			for y, row := range rows[:min(h, len(rows))] {
				want.WriteString(fmt.Sprintf("\x1b[%dH%s", y+1, ansi.Truncate(row, w, "")))
			}
			s.mu.Lock()
			got, at := s.em.Render(), s.em.CursorPosition()
			s.mu.Unlock()
			if got != want.Render() {
				t.Fatalf("step %d at %dx%d: frame\n%q\nis shown as\n%q\nnot\n%q", i, w, h, text, got, want.Render())
			}
			if at.X != x || at.Y != y {
				t.Fatalf("step %d: the cursor is at %v, not %d,%d", i, at, x, y)
			}
		}
	})
}

// row is a row of text, short enough for no emulator to differ about its end.
func row(r *rand.Rand) string {
	words := []string{"word", "  ", "宽字符", "é", "a\x1b[1mbold\x1b[m", "\x1b[38;2;10;200;30mgreen\x1b[m", "\x1b[7minverse \x1b[m",
		"\x1b]8;;http://x.test\x1b\\link\x1b]8;;\x1b\\", "\x1b[48;5;17m   \x1b[m", "……", "🙂"}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(words[r.IntN(len(words))])
	}
	return b.String()
}

// On the main screen a frame stands where the cursor was, is as high as its content,
// and stays when the program ends.
func TestMainScreen(t *testing.T) {
	play(t, 20, 6, func(s *stage) {
		for _, c := range []struct{ text, want string }{
			{"one", "$ run|one"},
			{"one\ntwo\nthree", "$ run|one|two|three"},
			{"one\nthree", "$ run|one|three"},
			{"", "$ run"},
			{"1\n2\n3\n4\n5\n6\n7\n8", "3|4|5|6|7|8"},
			{"last\nframe", "last|frame"},
		} {
			s.content(c.text)
			pause(floor)
			if got := rowsOf(s.em); got != c.want {
				t.Errorf("%q is shown as %q, want %q", c.text, got, c.want)
			}
		}
		if err := s.end(); !errors.Is(err, tea.ErrProgramKilled) {
			t.Error(err)
		}
		if got := rowsOf(s.em); got != "last|frame" {
			t.Errorf("%q is left", got)
		}
		if at := s.em.CursorPosition(); at.X != 0 || at.Y != 2 || s.em.CursorHidden() {
			t.Errorf("the cursor is left at %v, hidden: %v", at, s.em.CursorHidden())
		}
	}, func(s *stage) { s.em.WriteString("$ run\r\n") })
}

func rowsOf(em *vt.Emulator) string {
	rows := strings.Split(em.String(), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.TrimRight(strings.Join(rows, "|"), "|")
}

// From one screen to the other and back, each is as it was.
func TestBothScreens(t *testing.T) {
	play(t, 20, 4, func(s *stage) {
		s.content("main")
		for i := range 3 {
			pause(floor)
			s.show(func(v *tea.View) { v.AltScreen, v.Content = true, fmt.Sprint("alternate ", i) })
			pause(floor)
			if got := rowsOf(s.em); !s.em.IsAltScreen() || got != fmt.Sprint("alternate ", i) {
				t.Errorf("%q, alternate: %v", got, s.em.IsAltScreen())
			}
			s.show(func(v *tea.View) { v.AltScreen, v.Content = false, fmt.Sprint("main ", i) })
			pause(floor)
			if got := rowsOf(s.em); s.em.IsAltScreen() || got != fmt.Sprint("main ", i) {
				t.Errorf("%q, alternate: %v", got, s.em.IsAltScreen())
			}
		}
	})
}

// All a view may ask for is asked for once, and taken back at the end.
func TestModesAreTakenBack(t *testing.T) {
	asked := map[string]string{
		ansi.SetModeAltScreenSaveCursor:    ansi.ResetModeAltScreenSaveCursor,
		ansi.SetModeBracketedPaste:         ansi.ResetModeBracketedPaste,
		ansi.SetModeFocusEvent:             ansi.ResetModeFocusEvent,
		ansi.SetModeMouseAnyEvent:          ansi.ResetModeMouseAnyEvent,
		ansi.SetModeMouseExtSgr:            ansi.ResetModeMouseExtSgr,
		ansi.SetModifyOtherKeys2:           ansi.ResetModifyOtherKeys,
		ansi.PushKittyKeyboard(3):          ansi.PopKittyKeyboard(1),
		ansi.SetWindowTitle("title"):       ansi.SetWindowTitle(""),
		"\x1b]9;4;4;70\x1b\\":              "\x1b]9;4;0\x1b\\",
		ansi.SetCursorStyle(6):             ansi.SetCursorStyle(0),
		ansi.SetCursorColor("#010203"):     ansi.ResetCursorColor,
		ansi.SetForegroundColor("#ffffff"): ansi.ResetForegroundColor,
		ansi.SetBackgroundColor("#000000"): ansi.ResetBackgroundColor,
		ansi.SetModeUnicodeCore:            ansi.ResetModeUnicodeCore,
		ansi.SetProgramStatus(tea.ProgramStatus{State: tea.ProgramStateWorking}): "", // outlives the program
	}
	c := tea.NewCursor(1, 1)
	c.Shape, c.Blink, c.Color = tea.CursorBar, false, color.RGBA{1, 2, 3, 255}
	v := tea.View{Content: "text", AltScreen: true, Cursor: c, ReportFocus: true, MouseMode: tea.MouseModeAllMotion,
		WindowTitle: "title", ProgressBar: tea.NewProgressBar(tea.ProgressBarWarning, 70), BackgroundColor: color.Black,
		ForegroundColor: color.White, ProgramStatus: &tea.ProgramStatus{State: tea.ProgramStateWorking}}
	v.KeyboardEnhancements.ReportEventTypes = true
	play(t, 20, 4, func(s *stage) {
		fmt.Fprint(s.keys, "\x1b[?2027;2$y")
		pause(time.Second)
		s.content("another text")
		pause(time.Second)
		s.end()
		raw := s.wrote()
		for on, off := range asked {
			if strings.Count(raw, on) != 1 {
				t.Errorf("%q was sent %d times", on, strings.Count(raw, on))
			}
			if off != "" && strings.LastIndex(raw, off) < strings.Index(raw, on) {
				t.Errorf("%q was not taken back by %q", on, off)
			}
		}
		if s.em.CursorHidden() || s.em.IsAltScreen() {
			t.Error("the cursor is hidden, or the screen is the alternate one")
		}
	}, func(s *stage) { s.p.view = v })
}

// What changes in between is changed in between.
func TestModesChange(t *testing.T) {
	none := modes{}
	for _, c := range []struct {
		from, to modes
		want     string
	}{
		{none, none, ""},
		{modes{mouse: tea.MouseModeCellMotion}, none, "\x1b[?1002l\x1b[?1003l\x1b[?1006l"},
		{none, modes{mouse: tea.MouseModeCellMotion}, "\x1b[?1002h\x1b[?1006h"},
		{modes{mouse: tea.MouseModeAllMotion}, modes{mouse: tea.MouseModeCellMotion}, "\x1b[?1002l\x1b[?1003l\x1b[?1002h\x1b[?1006h"},
		{none, modes{keys: 1}, ansi.SetModifyOtherKeys2 + "\x1b[>1u\x1b[?u"},
		{modes{keys: 1}, modes{keys: 3}, "\x1b[=3;1u\x1b[?u"},
		{modes{keys: 3}, none, ansi.ResetModifyOtherKeys + "\x1b[<1u"},
		// Each screen has a keyboard of its own.
		{modes{keys: 1}, modes{keys: 1, alt: true}, ansi.ResetModifyOtherKeys + "\x1b[<1u\x1b[?1049h" + ansi.SetModifyOtherKeys2 + "\x1b[>1u\x1b[?u"},
		{modes{keys: 1, alt: true}, modes{}, ansi.ResetModifyOtherKeys + "\x1b[<1u\x1b[?1049l"},
		{none, modes{bar: tea.ProgressBar{State: tea.ProgressBarIndeterminate}}, "\x1b]9;4;3\x1b\\"},
		{none, modes{bar: tea.ProgressBar{State: tea.ProgressBarError, Value: 3}}, "\x1b]9;4;2;3\x1b\\"},
		{none, modes{bar: tea.ProgressBar{State: tea.ProgressBarDefault, Value: 3}}, "\x1b]9;4;1;3\x1b\\"},
		{modes{bar: tea.ProgressBar{State: tea.ProgressBarDefault, Value: 3}}, none, "\x1b]9;4;0\x1b\\"},
		{modes{status: tea.ProgramStatus{ID: "a", State: tea.ProgramStateDone}}, modes{status: tea.ProgramStatus{ID: "b", State: tea.ProgramStateDone}},
			ansi.ClearProgramStatusID("a") + ansi.SetProgramStatus(tea.ProgramStatus{ID: "b", State: tea.ProgramStateDone})},
		{modes{status: tea.ProgramStatus{ID: "a", State: tea.ProgramStateDone}}, none, ansi.ClearProgramStatusID("a")},
	} {
		var b strings.Builder
		change(&b, c.from, c.to)
		if b.String() != c.want {
			t.Errorf("from %+v to %+v: %q, want %q", c.from, c.to, b.String(), c.want)
		}
	}
}

// A terminal that can shows a frame at once; before another one the cursor is hidden.
func TestSynchronized(t *testing.T) {
	play(t, 20, 4, func(s *stage) {
		if asked := s.wrote(); !strings.Contains(asked, ansi.RequestModeSynchronizedOutput) || !strings.Contains(asked, ansi.RequestModeUnicodeCore) {
			t.Errorf("asked %q", asked)
		}
		s.show(func(v *tea.View) { v.AltScreen, v.Cursor = true, tea.NewCursor(0, 0) })
		pause(time.Second)
		s.wrote()
		s.content("a frame")
		if got := s.wrote(); !strings.HasPrefix(got, ansi.HideCursor) || !strings.HasSuffix(got, ansi.ShowCursor) {
			t.Errorf("without: %q", got)
		}
		fmt.Fprint(s.keys, "\x1b[?2026;2$y")
		pause(time.Second)
		s.content("another")
		got := s.wrote()
		if !strings.HasPrefix(got, ansi.SetModeSynchronizedOutput) || !strings.HasSuffix(got, ansi.ResetModeSynchronizedOutput) || strings.Contains(got, ansi.HideCursor) {
			t.Errorf("with: %q", got)
		}
		pause(time.Second)
		s.show(func(v *tea.View) { v.Cursor = nil })
		if got := s.wrote(); got != ansi.HideCursor {
			t.Errorf("hiding the cursor alone: %q", got)
		}
	})
}

func TestQuestions(t *testing.T) {
	both := ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
	for _, c := range []struct {
		env  string
		want string
	}{
		{"TERM=xterm-256color", both},
		{"TERM_PROGRAM=Apple_Terminal", ""},
		{"TERM_PROGRAM=iTerm.app", both},
		{"SSH_TTY=/dev/pts/1", ansi.RequestModeSynchronizedOutput},
		{"SSH_TTY=/dev/pts/1 TERM=xterm-kitty", both},
		{"SSH_TTY=/dev/pts/1 WT_SESSION=x", both},
	} {
		if got := questions(strings.Fields(c.env)); got != c.want {
			t.Errorf("%s: %q", c.env, got)
		}
	}
}

// What is said beside the frames is said at once: nothing comes by and would say it later.
func TestSaidAtOnce(t *testing.T) {
	play(t, 20, 4, func(s *stage) {
		s.content("here") // the first frame is over then
		pause(time.Second)
		for _, c := range []struct {
			cmd  tea.Cmd
			want string
		}{
			{tea.Raw("\a"), "\a"},
			{tea.SetClipboard("text"), ansi.SetSystemClipboard("text")},
			{tea.ReadClipboard, ansi.RequestSystemClipboard},
			{tea.RequestBackgroundColor, ansi.RequestBackgroundColor},
			{tea.RequestForegroundColor, ansi.RequestForegroundColor},
			{tea.RequestCursorColor, ansi.RequestCursorColor},
			{tea.RequestCursorPosition, ansi.RequestCursorPositionReport},
			{tea.RequestTerminalVersion, ansi.RequestNameVersion},
			{tea.SetPrimaryClipboard("text"), ansi.SetPrimaryClipboard("text")},
			{tea.ReadPrimaryClipboard, ansi.RequestPrimaryClipboard},
			{tea.RequestProgramStatusSupport, ansi.RequestProgramStatusSupport},
			{tea.RequestCapability("RGB"), ansi.RequestTermcap("RGB")},
		} {
			s.wrote()
			s.do(c.cmd)
			if got := s.wrote(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		}
	})
}

// A panic, wherever it comes from, is told on the terminal as it was before.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	stderr := os.Stderr
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = null // where Bubble Tea tells it
	defer func() { os.Stderr = stderr; null.Close() }()
	bad := func() tea.Msg { panic("at the disco") }
	for name, f := range map[string]func(s *stage){
		"update":  func(s *stage) { s.p.tell <- told{view: func(*tea.View) { panic("in Update") }} },
		"view":    func(s *stage) { s.p.tell <- told{view: func(v *tea.View) { v.WindowTitle = "bad" }} },
		"command": func(s *stage) { s.p.tell <- told{cmd: bad} },
		"batch":   func(s *stage) { s.p.tell <- told{cmd: tea.Batch(bad, bad)} },
		"sequence": func(s *stage) {
			s.p.tell <- told{cmd: tea.Sequence(func() tea.Msg { return nil }, tea.Batch(bad, bad))}
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, 20, 4, func(s *stage) {
				s.show(func(v *tea.View) { v.AltScreen, v.MouseMode = true, tea.MouseModeCellMotion })
				pause(time.Second)
				if !s.em.IsAltScreen() {
					t.Fatal("nothing was shown")
				}
				f(s)
				if err := <-s.ended; !errors.Is(err, tea.ErrProgramPanic) && !errors.Is(err, tea.ErrProgramKilled) {
					t.Error(err)
				}
				raw := s.wrote()
				if s.em.IsAltScreen() || s.em.CursorHidden() || !strings.Contains(raw, ansi.ResetModeMouseButtonEvent) {
					t.Errorf("the terminal was not given back: %q", raw)
				}
			}, func(s *stage) {
				s.p.draw = func(v tea.View) tea.View {
					if v.WindowTitle == "bad" {
						panic("in View")
					}
					return v
				}
			})
		})
	}
}

// Writes that fail for a moment cost nothing but that moment; a terminal that is gone
// ends the program, with the reason.
func TestWritesThatFail(t *testing.T) {
	full := errors.New("no room")
	play(t, 20, 4, func(s *stage) {
		s.show(alt)
		pause(time.Second)
		until := time.Now().Add(2 * time.Second)
		s.mu.Lock()
		s.fail = func() error {
			if time.Now().Before(until) {
				return full
			}
			return nil
		}
		s.mu.Unlock()
		s.content("one\ntwo")
		pause(time.Second)
		s.content("one\ntwo\nthree")
		pause(2 * time.Second)
		if got := rowsOf(s.em); got != "one|two|three" {
			t.Errorf("afterwards it shows %q", got)
		}
		s.mu.Lock()
		s.fail = func() error { return full }
		s.mu.Unlock()
		s.content("four")
		select {
		case err := <-s.ended:
			if !errors.Is(err, full) {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("the program goes on without a terminal")
		}
	})
}

// A terminal that was left non-blocking takes a frame in parts.
func TestNoRoomForAWholeFrame(t *testing.T) {
	play(t, 40, 4, func(s *stage) {
		s.show(alt)
		pause(time.Second)
		s.mu.Lock()
		s.room = 7
		s.mu.Unlock()
		s.p.tell <- told{view: func(v *tea.View) { v.Content = "a row of some length\nand another one" }}
		pause(time.Second)
		if got := rowsOf(s.em); got != "a row of some length|and another one" {
			t.Errorf("it shows %q", got)
		}
	})
}

// The last frame is shown even where it came too soon after the one before.
func TestTheLastFrameIsShown(t *testing.T) {
	play(t, 20, 4, func(s *stage) {
		s.content("one")
		s.p.tell <- told{view: func(v *tea.View) { v.Content = "two" }, cmd: tea.Quit}
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := rowsOf(s.em); got != "two" {
			t.Errorf("%q is left", got)
		}
	})
}

// Some terminals keep a cursor's shape by screen: it is said anew on the other one.
func TestShapeOfEachScreen(t *testing.T) {
	bar := modes{cursor: true, shape: 5}
	over := bar
	over.alt = true
	for _, c := range []struct {
		from, to modes
		want     bool
	}{{bar, over, true}, {over, bar, true}, {bar, bar, false}, {modes{cursor: true}, modes{cursor: true, alt: true}, false}} {
		var b strings.Builder
		change(&b, c.from, c.to)
		if got := strings.HasSuffix(b.String(), "\x1b[5 q"); got != c.want {
			t.Errorf("from %+v to %+v: %q", c.from, c.to, b.String())
		}
	}
}
