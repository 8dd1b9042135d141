// Package frontmatter reads the settings that people write on top of a Markdown file,
// between two lines of ---: those of sub-agents, and those of commands of their own.
//
// It knows the part of YAML that is written there, and reads it leniently: a colon
// inside a description is part of it. It knows no setting by its name, reads no file and
// is called from any goroutine.
package frontmatter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error is what is wrong with a front matter, and in which line of the file, from 1.
type Error struct {
	Line int
	Err  error
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Field is one setting. List is its text cut at commas and blanks that stand outside of
// brackets, or its items where it is written as a list.
type Field struct {
	Line int
	Name string
	Text string
	List []string
}

// Plain is a text without the mark of its encoding, and with line feeds alone at the ends
// of lines.
func Plain(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\r\n", "\n")
}

// Begins reports whether a text has a front matter, be it whole or not.
func Begins(text string) bool {
	first, _, _ := strings.Cut(Plain(text), "\n")
	return strings.TrimRight(first, " \t") == "---"
}

// Read takes the settings off a text: name: value, with quotes or without; lists in
// brackets or one item a line; | and > blocks. What one of the settings named in words
// has on its line is no list, whatever brackets it begins with. The error is an *Error.
func Read(text string, words ...string) (fields []Field, body string, err error) {
	text = Plain(text)
	lines := strings.Split(text, "\n")
	if strings.TrimRight(lines[0], " \t") != "---" {
		return nil, "", at(1, "a front matter must begin the file: a line of ---")
	}
	seen := map[string]int{}
	for i := 1; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t")
		if line == "---" {
			return fields, strings.Join(lines[i+1:], "\n"), nil
		}
		if line == "" || strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			return nil, "", at(i+1, "this line is indented and belongs to nothing")
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return nil, "", at(i+1, "%q is no setting; write name: value", brief(line))
		}
		if n := seen[name]; n > 0 {
			return nil, "", at(i+1, "%s stands in line %d already", brief(name), n)
		}
		seen[name] = i + 1
		f := Field{Line: i + 1, Name: name}
		block := 0
		for n := 1; i+n < len(lines) && (belongs(lines[i+n]) || lines[i+n] == ""); n++ {
			if lines[i+n] != "" { // an empty line belongs to what is behind it
				block = n
			}
		}
		if err := f.read(strings.TrimSpace(value), lines[i+1:i+1+block], slices.Contains(words, name)); err != nil {
			return nil, "", err
		}
		fields = append(fields, f)
		i += block
	}
	return nil, "", at(len(lines), "the front matter has no end; close it with a line of ---")
}

// belongs reports whether a line is more of the setting above it.
func belongs(line string) bool {
	return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "- ") || line == "-"
}

func (f *Field) read(value string, block []string, words bool) error {
	switch {
	case value == "|" || value == ">" || value == "|-" || value == ">-":
		sep := "\n"
		if value[0] == '>' {
			sep = " "
		}
		var words []string
		for _, l := range block {
			words = append(words, strings.TrimSpace(l))
		}
		f.Text = strings.TrimSpace(strings.Join(words, sep))
	case value == "" && len(block) > 0 && !isItem(block[0]): // an object of settings of its own
		f.Text = strings.Join(block, "\n")
		return nil
	case value == "":
		for n, l := range block {
			l = strings.TrimSpace(l)
			if l == "" || strings.HasPrefix(l, "#") {
				continue
			}
			if !isItem(l) {
				return at(f.Line+1+n, "%q is no item of a list; begin it with -", brief(l))
			}
			item, err := unquote(strings.TrimSpace(l[1:]))
			if err != nil {
				return at(f.Line+1+n, "%v", err)
			}
			f.List = append(f.List, item)
		}
		f.Text = strings.Join(f.List, ", ")
		return nil
	case strings.HasPrefix(value, "[") && !words:
		all := value
		for _, l := range block {
			all += " " + strings.TrimSpace(l)
		}
		inner, ok := strings.CutSuffix(strings.TrimPrefix(all, "["), "]")
		if !ok {
			return at(f.Line, "the list has no ] at its end")
		}
		for _, item := range cut(inner) {
			item, err := unquote(item)
			if err != nil {
				return at(f.Line, "%v", err)
			}
			f.List = append(f.List, item)
		}
		f.Text = strings.Join(f.List, ", ")
		return nil
	default:
		all := value
		for _, l := range block {
			all += " " + strings.TrimSpace(l)
		}
		text, err := unquote(all)
		if err != nil {
			return at(f.Line, "%v", err)
		}
		f.Text = text
	}
	f.List = cut(f.Text)
	return nil
}

func isItem(line string) bool {
	line = strings.TrimSpace(line)
	return line == "-" || strings.HasPrefix(line, "- ")
}

// unquote takes quotes off, and a comment behind a bare word.
func unquote(s string) (string, error) {
	switch {
	case strings.HasPrefix(s, `"`):
		out, err := strconv.Unquote(s)
		if err != nil {
			return "", fmt.Errorf("%s is not quoted to its end", brief(s))
		}
		return out, nil
	case strings.HasPrefix(s, "'"):
		inner, ok := strings.CutSuffix(s[1:], "'")
		if !ok || s == "'" {
			return "", fmt.Errorf("%s is not quoted to its end", brief(s))
		}
		return strings.ReplaceAll(inner, "''", "'"), nil
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s, nil
}

// cut parts a text at commas and blanks outside of brackets.
func cut(s string) (out []string) {
	depth, from := 0, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '(' {
			depth++
		} else if i < len(s) && s[i] == ')' {
			depth--
		}
		if i < len(s) && (depth > 0 || s[i] != ',' && s[i] != ' ' && s[i] != '\n') {
			continue
		}
		if w := strings.TrimSpace(s[from:i]); w != "" {
			out = append(out, w)
		}
		from = i + 1
	}
	return out
}

// brief is a text as an error names it: a line of a file may be a whole book.
func brief(s string) string {
	const most = 80 // bytes
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

func at(line int, format string, args ...any) error {
	return &Error{Line: line, Err: fmt.Errorf(format, args...)}
}
