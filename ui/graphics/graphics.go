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
	"strconv"
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
	if !Direct(getenv) {
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

// Direct reports whether no multiplexer stands between, which would answer for itself.
func Direct(getenv func(string) string) bool {
	term := getenv("TERM")
	return getenv("TMUX") == "" && getenv("STY") == "" && getenv("ZELLIJ") == "" && !strings.HasPrefix(term, "screen") && !strings.HasPrefix(term, "tmux")
}

// Question asks a terminal for its name and version (XTVERSION), and then for its primary
// device attributes (DA1). Every terminal answers the second, so that the first has been
// answered by then, or never is.
const Question = "\x1b[>0q" + "\x1b[c"

// Answered is how a terminal shows pictures by what it answered, where guess is what
// Detect said of it and version what it calls itself, empty if it did not say. A name
// says more than the environment, which may be that of the terminal it was started from; of the
// attributes 4 is sixel, the first one is a class and none. cells reports whether
// pictures can stand among the text.
func Answered(guess Way, version string, attributes []int) (way Way, cells bool) {
	if way, cells = named(version); way != Unknown {
		return way, cells
	}
	if version == "" && guess != Unknown {
		return guess, false // which version of it is not known
	}
	for i, a := range attributes {
		if i > 0 && a == 4 {
			return Sixel, false
		}
	}
	return Off, false
}

// named knows terminals by what they call themselves. The names are followed by a blank
// or a bracket and the version.
func named(version string) (way Way, cells bool) {
	name, number := version, ""
	if i := strings.IndexAny(version, " ("); i > 0 {
		name, number = version[:i], strings.Trim(version[i:], " ()")
	}
	switch strings.ToLower(name) {
	case "kitty": // placeholders came with 0.28; before, they are drawn as letters nobody has
		return Kitty, since(number, 0, 28)
	case "ghostty":
		return Kitty, true
	case "iterm2", "wezterm", "mintty", "rio":
		return ITerm, false
	case "foot", "mlterm":
		return Sixel, false
	}
	return Unknown, false
}

// since reports whether a version is major.minor or a later one.
func since(version string, major, minor int) bool {
	a, rest, _ := strings.Cut(version, ".")
	b, _, _ := strings.Cut(rest, ".")
	x, err := strconv.Atoi(a)
	if err != nil {
		return false
	}
	y, err := strconv.Atoi(b)
	return x > major || x == major && err == nil && y >= minor
}

// Wrapped says whether what is sent passes through tmux, which hands it on where
// allow-passthrough is on.
func Wrapped(getenv func(string) string) bool { return getenv("TMUX") != "" }

// Cell is how many pixels a cell of the terminal has; zero: nobody knows.
type Cell struct{ W, H int }

// Most cells are about so large, and a terminal scales a picture to the cells it is given.
const (
	assumedW = 10
	assumedH = 20
)

func (c Cell) known() bool { return c.W > 0 && c.H > 0 }

// or is the cell, or what is assumed of one.
func (c Cell) or(w, h int) Cell {
	if c.known() {
		return c
	}
	return Cell{w, h}
}

// Fit is the cells a picture of w by h pixels takes, at most cols and rows, in its
// proportions; it is never drawn larger than it is.
func Fit(w, h, cols, rows int, cell Cell) (c, r int) {
	w, h, cols, rows = max(w, 1), max(h, 1), max(cols, 1), max(rows, 1)
	cell = cell.or(assumedW, assumedH)
	c, r = (w+cell.W-1)/cell.W, (h+cell.H-1)/cell.H
	if c > cols {
		c, r = cols, (h*cols*cell.W/w+cell.H-1)/cell.H
	}
	if r > rows {
		c, r = (w*rows*cell.H/h+cell.W-1)/cell.W, rows
	}
	return min(max(c, 1), cols), min(max(r, 1), rows)
}
