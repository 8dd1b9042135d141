package subagent

import (
	"fmt"
	"strconv"
	"strings"
)

// field is one setting of a front matter. list is its text cut at commas and blanks
// that stand outside of brackets, or its items where it is written as a list.
type field struct {
	line int
	name string
	text string
	list []string
}

// frontMatter reads the part of YAML that people write there: name: value, with
// quotes or without; lists in brackets or one item a line; | and > blocks. It is read
// leniently: a colon inside a description is part of it.
func frontMatter(text string) (fields []field, body string, err error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\xef\xbb\xbf"), "\r\n", "\n")
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
			return nil, "", at(i+1, "%q is no setting; write name: value", line)
		}
		if n := seen[name]; n > 0 {
			return nil, "", at(i+1, "%s stands in line %d already", name, n)
		}
		seen[name] = i + 1
		f := field{line: i + 1, name: name}
		block := 0
		for i+block+1 < len(lines) && belongs(lines[i+block+1]) {
			block++
		}
		if err := f.read(strings.TrimSpace(value), lines[i+1:i+1+block]); err != nil {
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

func (f *field) read(value string, block []string) error {
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
		f.text = strings.TrimSpace(strings.Join(words, sep))
	case value == "" && len(block) > 0 && !isItem(block[0]): // an object of settings of its own
		f.text = strings.Join(block, "\n")
		return nil
	case value == "":
		for n, l := range block {
			l = strings.TrimSpace(l)
			if l == "" || strings.HasPrefix(l, "#") {
				continue
			}
			if !isItem(l) {
				return at(f.line+1+n, "%q is no item of a list; begin it with -", l)
			}
			item, err := unquote(strings.TrimSpace(l[1:]))
			if err != nil {
				return at(f.line+1+n, "%v", err)
			}
			f.list = append(f.list, item)
		}
		f.text = strings.Join(f.list, ", ")
		return nil
	case strings.HasPrefix(value, "["):
		all := value
		for _, l := range block {
			all += " " + strings.TrimSpace(l)
		}
		inner, ok := strings.CutSuffix(strings.TrimPrefix(all, "["), "]")
		if !ok {
			return at(f.line, "the list has no ] at its end")
		}
		for _, item := range cut(inner) {
			item, err := unquote(item)
			if err != nil {
				return at(f.line, "%v", err)
			}
			f.list = append(f.list, item)
		}
		f.text = strings.Join(f.list, ", ")
		return nil
	default:
		all := value
		for _, l := range block {
			all += " " + strings.TrimSpace(l)
		}
		text, err := unquote(all)
		if err != nil {
			return at(f.line, "%v", err)
		}
		f.text = text
	}
	f.list = cut(f.text)
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
			return "", fmt.Errorf("%s is not quoted to its end", s)
		}
		return out, nil
	case strings.HasPrefix(s, "'"):
		inner, ok := strings.CutSuffix(s[1:], "'")
		if !ok || s == "'" {
			return "", fmt.Errorf("%s is not quoted to its end", s)
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

func at(line int, format string, args ...any) error {
	return &ParseError{Line: line, Err: fmt.Errorf(format, args...)}
}
