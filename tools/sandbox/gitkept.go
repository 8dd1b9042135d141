package sandbox

import (
	"path/filepath"
	"strconv"
	"strings"
)

// WithoutKept is a difference without the text of files a rule keeps from being read;
// each is named in its place. kept is told paths from the top of the repository on. Lines
// of a file's text begin with a sign, so that none can pass for the head of a file.
func WithoutKept(diff string, kept func(path string) bool) string {
	var b strings.Builder
	var head strings.Builder // of the file that is looked at, until its text begins
	names := map[string]bool{}
	hides, inHead := false, false
	end := func() {
		if !inHead {
			return
		}
		inHead = false
		for name := range names {
			if hides = hides || kept(name); hides {
				break
			}
		}
		if !hides {
			b.WriteString(head.String())
			return
		}
		first, _, _ := strings.Cut(head.String(), "\n")
		b.WriteString(first + "\n(not shown: a rule keeps this file from being read)\n")
	}
	for line := range strings.Lines(diff) {
		text := strings.TrimRight(line, "\r\n")
		if found, is := headNames(text); is {
			end()
			head.Reset()
			clear(names)
			hides, inHead = false, true
			for _, n := range found {
				names[n] = true
			}
		}
		switch {
		case !inHead:
			if !hides {
				b.WriteString(line)
			}
			continue
		case strings.HasPrefix(text, "@@"), strings.HasPrefix(text, "+") && !strings.HasPrefix(text, "+++ "):
			end()
			if !hides {
				b.WriteString(line)
			}
			continue
		}
		for _, sign := range []string{"--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "} {
			if rest, ok := strings.CutPrefix(text, sign); ok {
				names[sideless(rest, strings.HasSuffix(sign, "- ") || strings.HasSuffix(sign, "+ "))] = true
			}
		}
		head.WriteString(line)
	}
	end()
	return b.String()
}

// headNames are the files that a line at the head of a file names, and whether it is one.
// Where two names stand in a line, both are of one file, or others name them again.
func headNames(line string) (names []string, is bool) {
	for _, cc := range []string{"diff --cc ", "diff --combined "} {
		if rest, ok := strings.CutPrefix(line, cc); ok {
			return []string{sideless(rest, false)}, true
		}
	}
	if rest, ok := strings.CutPrefix(line, "new file "); ok && !strings.HasPrefix(rest, "mode ") {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && rest[0] == '"' {
			return []string{sideless(quoted, false)}, true
		}
		names = append(names, rest)
		if i := strings.LastIndex(rest, " ("); i >= 0 { // a remark, or a part of the name
			names = append(names, rest[:i])
		}
		return names, true
	}
	rest, ok := strings.CutPrefix(line, "diff --git ")
	if !ok {
		return nil, false
	}
	for i := range len(rest) {
		if rest[i] != ' ' {
			continue
		}
		if a, b := sideless(rest[:i], true), sideless(rest[i+1:], true); a == b {
			names = append(names, a)
		}
	}
	return names, true
}

// sideless is a name as git writes it, without quotes and, where it has one, the letter
// of its side.
func sideless(name string, side bool) string {
	name = strings.TrimSuffix(name, "\t") // behind a name with blanks
	if s, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		name = s
	}
	if side {
		for _, letter := range []string{"a/", "b/"} {
			if rest, ok := strings.CutPrefix(name, letter); ok {
				return filepath.FromSlash(rest)
			}
		}
	}
	return filepath.FromSlash(name)
}
