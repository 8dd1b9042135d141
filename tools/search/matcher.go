package search

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// A matcher chooses files by glob patterns. The zero matcher takes all.
type matcher struct {
	include, exclude []glob
}

// A glob is one pattern with the shortcut most of them allow.
type glob struct {
	pattern  string
	all      bool     // everything
	suffixes []string // what a name must end in, for *.go and **/*.{ts,tsx}
}

func newMatcher(include, exclude []string) (m matcher, err error) {
	for _, p := range include {
		g, err := newGlob(p)
		if err != nil {
			return m, err
		}
		m.include = append(m.include, g)
	}
	for _, p := range exclude {
		g, err := newGlob(p)
		if err != nil {
			return m, err
		}
		m.exclude = append(m.exclude, g)
	}
	return m, nil
}

func newGlob(p string) (glob, error) {
	if p == "" {
		return glob{}, errors.New("the pattern is empty; **/* matches every file")
	}
	if !doublestar.ValidatePattern(p) {
		return glob{}, fmt.Errorf("pattern %q: a bracket or brace is not closed; write \\[ or \\{ for the character itself", p)
	}
	deep := !strings.Contains(p, "/")
	if rooted, ok := strings.CutPrefix(p, "./"); ok {
		p = rooted
	} else {
		p = strings.TrimPrefix(p, "/")
	}
	if strings.HasSuffix(p, "/") { // a folder: what is in it
		p += "**"
	}
	rest := p
	if strings.HasPrefix(p, "**/") {
		rest, deep = p[3:], true
	} else if deep {
		p = "**/" + p
	}
	g := glob{pattern: p, all: p == "**" || deep && (rest == "**" || rest == "*" || rest == "**/*")}
	if g.all || !deep {
		return g, nil
	}
	tail, ok := strings.CutPrefix(rest, "*")
	if !ok || strings.ContainsAny(tail, `*?[\/`) {
		return g, nil
	}
	head, inner, ok := strings.Cut(tail, "{")
	if !ok {
		g.suffixes = []string{tail}
		return g, nil
	}
	if inner, after, ok := strings.Cut(inner, "}"); ok && after == "" && !strings.Contains(inner, "{") {
		for alt := range strings.SplitSeq(inner, ",") {
			g.suffixes = append(g.suffixes, head+alt)
		}
	}
	return g, nil
}

// match says whether the file name in the folder prefix is chosen; prefix is
// empty or ends in a slash. The two are joined only where a pattern needs it.
func (g *glob) match(prefix, name string) bool {
	if g.all {
		return true
	}
	for _, s := range g.suffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	return g.suffixes == nil && doublestar.MatchUnvalidated(g.pattern, prefix+name)
}

func (m *matcher) match(prefix, name string) bool {
	for i := range m.exclude {
		if m.exclude[i].match(prefix, name) {
			return false
		}
	}
	for i := range m.include {
		if m.include[i].match(prefix, name) {
			return true
		}
	}
	return len(m.include) == 0
}
