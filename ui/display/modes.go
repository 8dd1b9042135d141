package display

import (
	"fmt"
	"image/color"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// modes is what a terminal was told beside its cells. Two of them can be compared, and
// change says what leads from one to the other: so taking the terminal, giving it back
// and every step in between are the same thing.
type modes struct {
	alt       bool
	cursor    bool // shown
	shape     int  // of the cursor, as DECSCUSR counts; 0: the terminal's own
	paste     bool // pasted text comes between marks
	focus     bool // the terminal says when it is looked at
	graphemes bool
	mouse     tea.MouseMode
	keys      int // flags of the Kitty keyboard protocol; 0: keys as they ever were
	title     string
	bar       tea.ProgressBar
	status    tea.ProgramStatus
	// Colours as #rrggbb; empty: the terminal's own.
	cursorColour, foreground, background string
}

// plain is a terminal nobody asked for anything. A program's status outlives it.
func plain(m modes) modes { return modes{cursor: true, status: m.status} }

// wanted is what a view asks for.
func (s *screen) wanted(v *tea.View) modes {
	m := modes{
		alt: v.AltScreen, paste: !v.DisableBracketedPasteMode, focus: v.ReportFocus, graphemes: s.graphemes,
		mouse: v.MouseMode, title: v.WindowTitle, keys: keyFlags(v.KeyboardEnhancements),
		foreground: hex(v.ForegroundColor), background: hex(v.BackgroundColor),
		shape: s.modes.shape, cursorColour: s.modes.cursorColour, // of a hidden cursor they do not matter
	}
	if c := v.Cursor; c != nil {
		m.cursor, m.cursorColour = true, hex(c.Color)
		m.shape = uv.CursorShape(c.Shape).Encode(c.Blink)
	}
	if v.ProgressBar != nil {
		m.bar = *v.ProgressBar
	}
	if v.ProgramStatus != nil {
		m.status = *v.ProgramStatus
	}
	return m
}

// change writes what leads from one state to another, but for hiding and showing the
// cursor, which has to stand before and after the cells.
func change(w io.StringWriter, from, to modes) {
	if from == to {
		return
	}
	if from.alt != to.alt {
		// Each screen has a keyboard stack of its own.
		if from.keys != 0 {
			w.WriteString(ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1))
			from.keys = 0
		}
		either(w, to.alt, ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor)
	}
	if from.graphemes != to.graphemes {
		either(w, to.graphemes, ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore)
	}
	if from.paste != to.paste {
		either(w, to.paste, ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste)
	}
	if from.focus != to.focus {
		either(w, to.focus, ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent)
	}
	if from.mouse != to.mouse {
		mouse(w, from.mouse, to.mouse)
	}
	if from.keys != to.keys {
		keyboard(w, from.keys, to.keys)
	}
	if from.title != to.title {
		w.WriteString(ansi.SetWindowTitle(to.title))
	}
	if from.bar != to.bar {
		w.WriteString(progress(to.bar))
	}
	if from.status != to.status {
		none := tea.ProgramStatus{}
		if from.status != none && (to.status == none || to.status.ID != from.status.ID) {
			w.WriteString(ansi.ClearProgramStatusID(from.status.ID))
		}
		if to.status != none {
			w.WriteString(ansi.SetProgramStatus(to.status))
		}
	}
	if from.shape != to.shape || from.alt != to.alt && to.shape != 0 { // in Kitty each screen has its own
		w.WriteString(ansi.SetCursorStyle(to.shape))
	}
	colour(w, from.cursorColour, to.cursorColour, ansi.SetCursorColor, ansi.ResetCursorColor)
	colour(w, from.foreground, to.foreground, ansi.SetForegroundColor, ansi.ResetForegroundColor)
	colour(w, from.background, to.background, ansi.SetBackgroundColor, ansi.ResetBackgroundColor)
}

func either(w io.StringWriter, on bool, set, reset string) {
	if on {
		w.WriteString(set)
	} else {
		w.WriteString(reset)
	}
}

func mouse(w io.StringWriter, from, to tea.MouseMode) {
	if from != tea.MouseModeNone {
		w.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent)
	}
	switch to {
	case tea.MouseModeNone:
		w.WriteString(ansi.ResetModeMouseExtSgr)
	case tea.MouseModeCellMotion:
		w.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
	case tea.MouseModeAllMotion:
		w.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
	}
}

// keyboard asks for keys that can be told apart, by both protocols there are: terminals
// pass over the one they do not know. What the terminal has taken of it, it answers.
func keyboard(w io.StringWriter, from, to int) {
	switch {
	case to == 0:
		w.WriteString(ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1))
	case from == 0:
		w.WriteString(ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(to) + ansi.RequestKittyKeyboard)
	default:
		w.WriteString(ansi.KittyKeyboard(to, 1) + ansi.RequestKittyKeyboard)
	}
}

func keyFlags(k tea.KeyboardEnhancements) int {
	flags := ansi.KittyDisambiguateEscapeCodes
	for _, f := range []struct {
		on   bool
		flag int
	}{
		{k.ReportEventTypes, ansi.KittyReportEventTypes}, {k.ReportAlternateKeys, ansi.KittyReportAlternateKeys},
		{k.ReportAllKeysAsEscapeCodes, ansi.KittyReportAllKeysAsEscapeCodes}, {k.ReportAssociatedText, ansi.KittyReportAssociatedKeys},
	} {
		if f.on {
			flags |= f.flag
		}
	}
	return flags
}

// progress ends with ST: GNOME's terminals pass over one that ends with BEL.
func progress(b tea.ProgressBar) string {
	return strings.TrimSuffix(bar(b), "\a") + "\x1b\\"
}

func bar(b tea.ProgressBar) string {
	switch b.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(b.Value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(b.Value)
	case tea.ProgressBarIndeterminate:
		return ansi.SetIndeterminateProgressBar
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(b.Value)
	}
	return ansi.ResetProgressBar
}

func colour(w io.StringWriter, from, to string, set func(string) string, reset string) {
	switch {
	case from == to:
	case to == "":
		w.WriteString(reset)
	default:
		w.WriteString(set(to))
	}
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// questions is what a terminal is asked at the beginning: whether it shows a frame at
// once, and whether it counts cells by graphemes. Apple's prints what it does not know;
// over SSH only the first is asked of a terminal that is not known for the second.
func questions(env []string) string {
	e := uv.Environ(env)
	program := e.Getenv("TERM_PROGRAM")
	if strings.Contains(program, "Apple") {
		return ""
	}
	q := ansi.RequestModeSynchronizedOutput
	if _, ssh := e.LookupEnv("SSH_TTY"); !ssh || e.Getenv("WT_SESSION") != "" || known(e.Getenv("TERM")) {
		q += ansi.RequestModeUnicodeCore
	}
	return q
}

func known(term string) bool {
	for _, name := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(term, name) {
			return true
		}
	}
	return false
}
