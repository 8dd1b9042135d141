package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"forge/ui/lang"
	"forge/ui/terminal"
)

// Terminal is what is known of the terminal by whoever asked it.
type Terminal struct {
	Shown   bool // there is one
	W, H    int  // cells
	Colours string
	Answers terminal.Answers
	Glyphs  string // the setting screen.glyphs
}

// Least is the smallest screen that is still worth something, in cells.
const leastW, leastH = 40, 10

// Terminal are the checks of the terminal.
func (h Here) Terminal(t Terminal) []Check {
	if !t.Shown {
		return []Check{
			{ID: "terminal.shown", Run: func(context.Context) []Finding {
				return []Finding{{"terminal.shown", Warn, lang.T("there is no terminal here, so nothing of it could be examined"), lang.T("run forge doctor in the terminal itself, not in a pipe")}}
			}},
			{ID: "terminal.locale", Run: func(context.Context) []Finding { return h.locale() }},
		}
	}
	return []Check{
		{ID: "terminal.term", Run: func(context.Context) []Finding { return h.term(t) }},
		{ID: "terminal.colour", Run: func(context.Context) []Finding { return h.colour(t) }},
		{ID: "terminal.keyboard", Run: func(context.Context) []Finding { return h.keyboard(t) }},
		{ID: "terminal.locale", Run: func(context.Context) []Finding { return h.locale() }},
		{ID: "terminal.width", Run: func(context.Context) []Finding { return h.ambiguous(t) }},
		{ID: "terminal.ssh", Run: func(context.Context) []Finding { return h.ssh() }},
		{ID: "terminal.tmux", Run: h.multiplexer},
	}
}

func (h Here) term(t Terminal) []Finding {
	term := h.getenv("TERM")
	switch term {
	case "":
		return []Finding{{"terminal.term", Warn, lang.T("TERM is not set, so that what the terminal can do is guessed"), lang.T("set it to what your terminal is, for example export TERM=xterm-256color")}}
	case "dumb":
		return []Finding{{"terminal.term", Warn, lang.T("TERM=%s says that no screen can be drawn here, so that forge speaks in plain lines", term), lang.T("set it to what your terminal is, for example export TERM=xterm-256color")}}
	}
	name := term
	called := cmp.Or(t.Answers.Name, terminal.Named(h.getenv))
	switch {
	case h.given("TERM") == "": // as on Windows
		name = cmp.Or(called, lang.T("the console of Windows"))
	case called != "":
		name += ", " + called
	}
	out := []Finding{{"terminal.term", Ok, lang.T("%s, %d columns and %d rows", name, t.W, t.H), ""}}
	if t.W < leastW || t.H < leastH {
		out[0].Level, out[0].Fix = Warn, lang.T("make it larger: from %d columns and %d rows on everything has room", 80, 24)
	}
	if t.Answers.Silent {
		out = append(out, Finding{"terminal.answers", Warn, lang.T("this terminal answers no questions, so that its background and abilities are guessed"), lang.T("choose the colours with --theme dark or --theme light")})
	}
	return out
}

func (h Here) colour(t Terminal) []Finding {
	switch {
	case h.getenv("NO_COLOR") != "":
		return []Finding{{"terminal.colour", Ok, lang.T("colours: none, NO_COLOR is set"), ""}}
	case strings.EqualFold(t.Colours, "truecolor"):
		return []Finding{{"terminal.colour", Ok, lang.T("colours: %s", lang.T("all of them")), ""}}
	case t.Colours == "ansi256":
		return []Finding{{"terminal.colour", Ok, lang.T("colours: %s", "256") + lang.T("; ") + lang.T("COLORTERM=truecolor gives more, if the terminal has them"), ""}}
	}
	return []Finding{{"terminal.colour", Warn, lang.T("colours: %s", lang.T("16 or fewer")), lang.T("set TERM to an entry with more, for example xterm-256color")}}
}

func (h Here) keyboard(t Terminal) (out []Finding) {
	switch t.Answers.Keyboard {
	case terminal.Yes:
		out = append(out, Finding{"terminal.keyboard", Ok, lang.T("keys are told apart (kitty keyboard): shift+enter makes a new line"), ""})
	case terminal.No:
		out = append(out, Finding{"terminal.keyboard", Warn, lang.T("not all keys are told apart (no kitty keyboard): shift+enter may be enter here"), lang.T("ctrl+j or alt+enter makes a new line")})
	}
	switch t.Answers.Sync {
	case terminal.Yes:
		out = append(out, Finding{"terminal.sync", Ok, lang.T("frames are shown whole (synchronized output)"), ""})
	case terminal.No:
		out = append(out, Finding{"terminal.sync", Warn, lang.T("frames are not shown whole (no synchronized output): large changes may flicker"), lang.T("newer terminals have it: kitty, ghostty, WezTerm, foot, iTerm2, Windows Terminal, tmux 3.4")})
	}
	return out
}

// locale says what the environment names for letters.
func (h Here) locale() []Finding {
	if h.system() == "windows" { // the console takes letters as they are
		return nil
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		v := h.getenv(name)
		if v == "" {
			continue
		}
		low := strings.ToLower(v)
		if strings.Contains(low, "utf-8") || strings.Contains(low, "utf8") {
			return []Finding{{"terminal.locale", Ok, lang.T("letters: UTF-8 (%s)", name+"="+v), ""}}
		}
		return []Finding{{"terminal.locale", Warn, lang.T("letters: %s names no UTF-8, so that plain symbols are drawn", name+"="+v), lang.T("set a UTF-8 locale, for example export %s=C.UTF-8", name)}}
	}
	return []Finding{{"terminal.locale", Warn, lang.T("letters: no locale is set; UTF-8 is assumed"), lang.T("set a UTF-8 locale, for example export %s=C.UTF-8", "LANG")}}
}

// ambiguous compares how wide a character of ambiguous width was drawn with what the
// setting for the symbols says of it; without a setting the screen goes by the answer.
func (h Here) ambiguous(t Terminal) []Finding {
	const id = "terminal.width"
	cells := t.Answers.Ambiguous
	switch {
	case cells == 0:
		return nil
	case cells > 1 && t.Glyphs == "unicode":
		return []Finding{{id, Warn, lang.T("characters like %s take two cells in this terminal, and screen.glyphs says one", "● →"), lang.T("forge config unset %s: the terminal is asked then", "screen.glyphs")}}
	case cells == 1 && t.Glyphs == "narrow":
		return []Finding{{id, Warn, lang.T("characters like %s take one cell in this terminal, and screen.glyphs says two", "● →"), lang.T("forge config unset %s: the terminal is asked then", "screen.glyphs")}}
	case cells > 1:
		return []Finding{{id, Ok, lang.T("characters like %s take two cells, and are laid out so", "● →"), ""}}
	}
	return []Finding{{id, Ok, lang.T("characters like %s take one cell", "● →"), ""}}
}

func (h Here) ssh() []Finding {
	if h.getenv("SSH_TTY") == "" && h.getenv("SSH_CONNECTION") == "" {
		return nil
	}
	return []Finding{{"terminal.ssh", Ok, lang.T("over ssh: copying goes through the terminal, and no browser is opened"), ""}}
}

// multiplexer looks whether what stands between forge and the terminal is set up to
// hand on what forge sends, and quickly.
func (h Here) multiplexer(ctx context.Context) []Finding {
	if h.getenv("TMUX") == "" {
		if h.getenv("STY") != "" {
			return []Finding{{"terminal.screen", Warn, lang.T("inside GNU screen: colours, copying and pictures go through it in part only"), lang.T("tmux hands more on")}}
		}
		return nil
	}
	const asked = "#{version}\t#{escape-time}\t#{set-clipboard}\t#{allow-passthrough}\t#{focus-events}\t#{extended-keys}"
	out, err := h.output(ctx, "tmux", "display-message", "-p", asked)
	v := strings.Split(out, "\t")
	if err == nil && len(v) != strings.Count(asked, "\t")+1 {
		err = errors.New(lang.T("its answer cannot be read"))
	}
	if errors.Is(err, exec.ErrNotFound) {
		err = errors.New(lang.T("the program is not in PATH"))
	}
	if err != nil {
		return []Finding{{"terminal.tmux", Warn, lang.T("inside tmux, which could not be asked: %s", err.Error()), lang.T("run %s and mend what it says", "tmux display-message -p ok")}}
	}
	found := []Finding{{"terminal.tmux", Ok, lang.T("inside tmux %s", v[0]), ""}}
	add := func(id, text, option string) {
		found = append(found, Finding{"terminal.tmux." + id, Warn, text, lang.T("put into ~/.tmux.conf: %s", option)})
	}
	const slow = 50 // ms, beyond which esc feels late
	if ms, err := strconv.Atoi(v[1]); err == nil && ms > slow {
		add("escape", lang.T("tmux waits %d ms after esc, and so does what esc stops", ms), "set -sg escape-time 10")
	}
	if v[2] == "off" {
		add("clipboard", lang.T("tmux takes no text for the clipboard"), "set -g set-clipboard on")
	}
	if off(v[3]) {
		add("passthrough", lang.T("tmux hands nothing through: no notifications, no pictures"), "set -g allow-passthrough on")
	}
	if off(v[4]) {
		add("focus", lang.T("tmux does not say where you look, so that forge tells nothing when you look elsewhere"), "set -g focus-events on")
	}
	if off(v[5]) {
		add("keys", lang.T("tmux does not tell shift+enter from enter"), "set -s extended-keys on")
	}
	return found
}

func off(value string) bool { return value == "off" || value == "0" }

// Size is a size as a person reads it.
func Size(bytes uint64) string {
	const kb = 1 << 10
	switch {
	case bytes >= kb*kb*kb:
		return fmt.Sprintf("%.1f GB", float64(bytes)/(kb*kb*kb))
	case bytes >= kb*kb:
		return fmt.Sprintf("%.0f MB", float64(bytes)/(kb*kb))
	}
	return fmt.Sprintf("%d kB", bytes/kb)
}
