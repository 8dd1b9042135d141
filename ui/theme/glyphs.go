package theme

import "strings"

// Glyphs are the symbols of the screen. Each field is exactly one cell in the
// set's locale unless it says otherwise, so that a layout may count on it.
type Glyphs struct {
	Name string // unicode, narrow or ascii

	Dot, Ring, Half      string // done or active, empty, in part
	Ok, Fail, Warn, Info string // states, beside their words
	Bullet               string // list item
	Open, Closed         string // fold marks
	Prompt, Pointer      string // composer prompt, chosen entry of a list
	Ellipsis             string // text was cut here
	Wrap                 string // a soft-wrapped line goes on
	Bar, Rule, Cross     string // vertical, horizontal, crossing
	TopLeft, TopRight    string // corners
	BottomLeft           string
	BottomRight          string
	TeeLeft, TeeRight    string
	Quote                string // bar beside a block quote
	Ticked, Unticked     string // task list boxes, three cells each
	Up, Down, Left, Rite string
	Dash, Sep            string // between parts of a line
	Full, Empty          string // progress and window meters
	Thumb                string // of a scrollbar
	Spinner              []string
	User, Agent, Tool    string // who is speaking
	Queue, Think         string
	Star                 string // what the person marked
}

// Unicode is the set for terminals that draw ambiguous-width symbols in one
// cell: nearly all of them.
func Unicode() Glyphs {
	return Glyphs{
		Name: "unicode",
		Dot:  "●", Ring: "○", Half: "◐", Ok: "✓", Fail: "✗", Warn: "▲", Info: "ℹ",
		Bullet: "•", Open: "▾", Closed: "▸", Prompt: "❯", Pointer: "❯", Ellipsis: "…", Wrap: "↪",
		Bar: "│", Rule: "─", Cross: "┼", TopLeft: "╭", TopRight: "╮", BottomLeft: "╰", BottomRight: "╯",
		TeeLeft: "├", TeeRight: "┤", Quote: "│", Ticked: "[✓]", Unticked: "[ ]",
		Up: "↑", Down: "↓", Left: "←", Rite: "→", Dash: "–", Sep: "·", Full: "█", Empty: "░", Thumb: "▐",
		Spinner: []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"},
		User:    "❯", Agent: "●", Tool: "◆", Queue: "⏎", Think: "✻", Star: "★",
	}
}

// Narrow is the set for locales where terminals draw ambiguous-width symbols
// in two cells: it keeps what Unicode calls neutral and replaces the rest.
func Narrow() Glyphs {
	g := ASCII()
	g.Name = "narrow"
	g.Ok, g.Fail, g.Open, g.Closed = "✓", "✗", "▾", "▸"
	g.Prompt, g.Pointer, g.User, g.Think = "❯", "❯", "❯", "✻"
	g.Ticked, g.Thumb = "[✓]", "▐"
	g.Spinner = Unicode().Spinner
	return g
}

// ASCII is the set for everything else.
func ASCII() Glyphs {
	return Glyphs{
		Name: "ascii",
		Dot:  "*", Ring: "o", Half: "%", Ok: "+", Fail: "x", Warn: "!", Info: "i",
		Bullet: "*", Open: "v", Closed: ">", Prompt: ">", Pointer: ">", Ellipsis: "~", Wrap: "\\",
		Bar: "|", Rule: "-", Cross: "+", TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		TeeLeft: "+", TeeRight: "+", Quote: "|", Ticked: "[x]", Unticked: "[ ]",
		Up: "^", Down: "v", Left: "<", Rite: ">", Dash: "-", Sep: "-", Full: "#", Empty: ".", Thumb: "|",
		Spinner: []string{"|", "/", "-", "\\"},
		User:    ">", Agent: "*", Tool: "=", Queue: "+", Think: "*", Star: "*",
	}
}

// GlyphSets lists the values the setting "screen.glyphs" takes.
func GlyphSets() []string { return []string{"auto", "unicode", "narrow", "ascii"} }

// GlyphsNamed returns the set a setting names; auto, and any other word, is what the
// environment says.
func GlyphsNamed(name string, getenv func(string) string) Glyphs {
	switch name {
	case "unicode":
		return Unicode()
	case "narrow":
		return Narrow()
	case "ascii":
		return ASCII()
	}
	return GlyphsFor(getenv)
}

// GlyphsFor chooses a set from the environment (pass os.Getenv). A locale that
// names another charset than UTF-8 gets ASCII; so does the Linux console, whose
// font lacks most symbols. An East Asian UTF-8 locale gets Narrow. No locale at
// all is usual in containers and says nothing about the terminal: Unicode.
func GlyphsFor(getenv func(string) string) Glyphs {
	loc := getenv("LC_ALL")
	if loc == "" {
		loc = getenv("LC_CTYPE")
	}
	if loc == "" {
		loc = getenv("LANG")
	}
	low := strings.ToLower(loc)
	switch {
	case getenv("TERM") == "linux" || getenv("TERM") == "dumb":
		return ASCII()
	case low == "":
		return Unicode()
	case low == "utf-8":
		return Unicode() // macOS sets LC_CTYPE to the bare charset
	case !strings.Contains(low, "utf-8") && !strings.Contains(low, "utf8"):
		return ASCII()
	case strings.HasPrefix(low, "zh") || strings.HasPrefix(low, "ja") || strings.HasPrefix(low, "ko"):
		return Narrow()
	}
	return Unicode()
}
