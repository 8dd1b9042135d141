// Package attach reads what terminals paste when files are dropped on them.
//
// A drop is the files' paths as text: quoted, with backslashes before what a shell would
// take for its own, or as file:// addresses; several in a line, or one in each. The
// package says which paths a pasted text is made of, and nothing where it is anything
// else. It looks at no file: whoever asks knows whether they are there.
package attach

import (
	"net/url"
	"path"
	"runtime"
	"strings"
)

// mostDropped bounds what can be a drop, in bytes: longer pastes are text.
const mostDropped = 32 << 10

// Line is one line of what was pasted, in the ways it can be read. One of them may be
// empty: then it cannot be that.
type Line struct {
	Whole string   // one path, blanks and all, as some terminals drop it
	Paths []string // the paths it consists of
}

// Lines returns what a pasted text may be a drop of, by line, or nil where any of it is
// something else: relative names are words a person copied. The paths are absolute; home
// stands for a ~ at the beginning.
func Lines(pasted, home string) []Line { return lines(pasted, home, runtime.GOOS == "windows") }

func lines(pasted, home string, windows bool) []Line {
	pasted = strings.TrimSpace(pasted)
	if pasted == "" || len(pasted) > mostDropped {
		return nil
	}
	var out []Line
	for line := range strings.SplitSeq(strings.ReplaceAll(pasted, "\r", "\n"), "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		var l Line
		if p, ok := absolute(word{text: line}, home, windows); ok {
			l.Whole = p
		}
		for _, word := range words(line, windows) {
			p, ok := absolute(word, home, windows)
			if !ok {
				l.Paths = nil
				break
			}
			l.Paths = append(l.Paths, p)
		}
		if l.Whole == "" && l.Paths == nil {
			return nil
		}
		out = append(out, l)
	}
	return out
}

// Look asks about the paths of a line, and returns what it is told of each, or nil where
// one is nothing. A name with blanks in it comes before several names.
func (l Line) Look(at func(path string) (string, error)) ([]string, error) {
	if l.Whole != "" {
		if found, err := at(l.Whole); found != "" || err != nil {
			return []string{found}, err
		}
	}
	var out []string
	for _, path := range l.Paths {
		found, err := at(path)
		if found == "" || err != nil {
			return nil, err
		}
		out = append(out, found)
	}
	return out, nil
}

// word is a piece of a line, with what it was quoted by taken away.
type word struct {
	text   string
	quoted bool
}

// words splits a line as a shell would, and no more of that. On Windows a backslash is
// part of a path.
func words(line string, windows bool) (out []word) {
	var b strings.Builder
	quote, any, quoted := rune(0), false, false
	flush := func() {
		if any {
			out = append(out, word{b.String(), quoted})
		}
		b.Reset()
		any, quoted = false, false
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
			b.WriteRune(r)
		case r == '\\' && !windows && i+1 < len(runes) && (quote == 0 || strings.ContainsRune(`"\$`+"`", runes[i+1])):
			i++
			b.WriteRune(runes[i])
			any = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote, any, quoted = r, true, true
		case quote == 0 && (r == ' ' || r == '\t'):
			flush()
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if quote != 0 { // no quotation after all
		return []word{{text: line}}
	}
	flush()
	return out
}

// absolute reads one word as an absolute path.
func absolute(w word, home string, windows bool) (string, bool) {
	s := w.text
	if strings.HasPrefix(s, "file:") {
		u, err := url.Parse(s)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return "", false
		}
		s = u.Path
		if windows && len(s) > 2 && s[0] == '/' && s[2] == ':' { // file:///C:/x
			s = s[1:]
		}
		return s, true
	}
	if rest, ok := strings.CutPrefix(s, "~/"); ok && home != "" && !w.quoted {
		return path.Join(home, rest), true
	}
	switch {
	case windows && len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/'), windows && strings.HasPrefix(s, `\\`):
		return s, true
	case !windows && len(s) > 1 && s[0] == '/' && s[1] != '/':
		return s, true
	}
	return "", false
}

// Mention is a path as it stands behind an @ in a prompt: quoted where it has what would
// end it.
func Mention(name string) string {
	if strings.ContainsAny(name, " \t，。；：！？、）") {
		return `@"` + name + `"`
	}
	return "@" + name
}
