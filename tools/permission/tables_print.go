package permission

import (
	"strings"

	"forge/lazy"
)

// echo and printf put text out. They are harmless where the text is only text: no
// format that stores something, and no control characters put together from escapes,
// which a terminal would obey.

// printfStores finds %n, by which printf sets the variable an argument names.
var printfStores = lazy.Regexp{Expr: `%[-+ #0-9.*'hlLjzt]*n`}

// escapesControl finds escapes that make a control or an invisible character of
// what is written out as letters.
var escapesControl = lazy.Regexp{Expr: `\\(?:[abefv]|E|c|0[0-7]|[0-7]{1,3}|x[0-9A-Fa-f]|u[0-9A-Fa-f]|U[0-9A-Fa-f])`}

// sequence finds the begin of a terminal's control string or clipboard write.
var sequence = lazy.Regexp{Expr: `(?i)\\(?:e|E|0?33|x1b|u0*1b)[\]PX^_]|\\(?:0?235|x9d|u0*9d|0?220|x90|u0*90)`}

// echoReads accepts text that is known, the names a pattern inside the workspace
// becomes, the status of the command before, and what a command prints that only reads.
func (s *scan) echoReads(args []word) bool {
	known := true
	for _, a := range args {
		if !a.lit && !a.status && !a.said && !a.commit && !(a.glob && s.matches(a.text)) {
			return false
		}
		known = known && (a.lit || a.status)
	}
	return !echoesEscapes(args) || known && !escapesControl.Get().MatchString(strings.Join(texts(args), " "))
}

// echoesEscapes reports whether echo is told to read escapes.
func echoesEscapes(args []word) bool {
	for _, a := range args {
		if len(a.text) < 2 || a.text[0] != '-' || strings.Trim(a.text[1:], "neE") != "" {
			return false
		}
		if strings.Contains(a.text, "e") {
			return true
		}
	}
	return false
}

// printfReads accepts a format that only prints.
func (s *scan) printfReads(args []word) bool {
	if len(args) > 0 && args[0].lit && args[0].text == "--" {
		args = args[1:]
	} else if len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		return false
	}
	if len(args) == 0 || !args[0].lit {
		return false
	}
	format := strings.ReplaceAll(args[0].text, "%%", "")
	if printfStores.Get().MatchString(format) || escapesControl.Get().MatchString(format) {
		return false
	}
	for _, a := range args[1:] {
		known := a.lit || a.status
		if !known && !a.said && !(a.glob && s.matches(a.text)) || strings.Contains(format, "%b") && (!known || escapesControl.Get().MatchString(a.text)) {
			return false
		}
	}
	return true
}

// escapes judges what the text of echo and printf makes a terminal do.
func (c *command) escapes() {
	s := c.s
	joined := strings.Join(texts(c.args), " ")
	if c.name == "printf" && len(c.args) > 0 && printfStores.Get().MatchString(strings.ReplaceAll(c.args[0].text, "%%", "")) {
		s.ungrantable = true
		s.risk(Medium, "sets a variable")
		for _, a := range c.args[1:] {
			s.setsVariable(a.text, "")
		}
	}
	if c.name == "echo" && !echoesEscapes(c.args) {
		return
	}
	switch {
	case sequence.Get().MatchString(joined):
		s.risk(High, "writes control sequences, which a terminal obeys")
	case escapesControl.Get().MatchString(joined):
		s.risk(Medium, "puts control characters together")
	}
}
