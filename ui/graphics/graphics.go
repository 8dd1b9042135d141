// Package graphics shows pictures in terminals that can.
//
// There are three ways: Kitty's, whose pictures stand in cells as text does, so that a
// screen that is drawn anew and scrolled keeps them in place; and iTerm2's and sixel,
// which paint where the cursor is and know nothing of cells, and so are for a screen that
// stands still. The package says which of them a terminal understands, as far as its
// environment or an answer of its own tells, and makes the bytes. It writes nothing and
// owns no terminal: package ui sends what the functions return.
package graphics

import (
	"strings"
)

// Way is how a terminal shows pictures.
type Way string

// The ways. Auto is a wish alone; Unknown says that the terminal itself is to be asked.
const (
	Auto    Way = "auto"
	Kitty   Way = "kitty"
	ITerm   Way = "iterm"
	Sixel   Way = "sixel"
	Off     Way = "off"
	Unknown Way = ""
)

// Ways are the names a setting has for them.
func Ways() []string {
	return []string{string(Auto), string(Kitty), string(ITerm), string(Sixel), string(Off)}
}

// Detect says how a terminal shows pictures, from its environment: the wish where there is
// one. What is wrongly taken for a terminal that shows pictures prints their bytes, so
// only those are named that are known, and whoever stands between counts: tmux and screen
// pass on no pictures unless they are told to.
func Detect(wish Way, getenv func(string) string) Way {
	if wish != Auto && wish != Unknown {
		return wish
	}
	term := getenv("TERM")
	switch term {
	case "", "dumb", "unknown", "linux":
		return Off
	}
	if getenv("TMUX") != "" || getenv("STY") != "" || strings.HasPrefix(term, "screen") || strings.HasPrefix(term, "tmux") || getenv("ZELLIJ") != "" {
		return Off
	}
	program := getenv("TERM_PROGRAM") // whoever was started from Kitty has its variables, too
	switch {
	case getenv("KITTY_WINDOW_ID") != "" && program == "", strings.Contains(term, "kitty"), program == "ghostty", strings.Contains(term, "ghostty"):
		return Kitty
	case program == "iTerm.app", getenv("LC_TERMINAL") == "iTerm2", program == "WezTerm", program == "mintty", program == "rio":
		return ITerm
	case strings.HasPrefix(term, "foot"), strings.HasPrefix(term, "mlterm"), strings.HasPrefix(term, "contour"):
		return Sixel
	case program == "Apple_Terminal":
		return Off
	}
	return Unknown
}

// Answered is what a terminal's primary device attributes say: 4 among them is sixel. The
// first is its class, and not an attribute.
func Answered(attributes []int) Way {
	for i, a := range attributes {
		if i > 0 && a == 4 {
			return Sixel
		}
	}
	return Off
}

// Question asks a terminal for its primary device attributes (DA1); every terminal answers.
const Question = "\x1b[c"

// Wrapped says whether what is sent passes through tmux, which hands it on where
// allow-passthrough is on.
func Wrapped(getenv func(string) string) bool { return getenv("TMUX") != "" }

// Fit is the cells a picture of w by h pixels takes, at most cols and rows, in its
// proportions. A cell counts as cellW by cellH pixels; a picture is never drawn larger
// than it is.
func Fit(w, h, cols, rows, cellW, cellH int) (c, r int) {
	w, h, cols, rows, cellW, cellH = max(w, 1), max(h, 1), max(cols, 1), max(rows, 1), max(cellW, 1), max(cellH, 1)
	c, r = (w+cellW-1)/cellW, (h+cellH-1)/cellH
	if c > cols {
		c, r = cols, (h*cols*cellW/w+cellH-1)/cellH
	}
	if r > rows {
		c, r = (w*rows*cellH/h+cellW-1)/cellW, rows
	}
	return min(max(c, 1), cols), min(max(r, 1), rows)
}
