package sandbox

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// maxAlternatives is how many patterns one with braces may stand for.
const maxAlternatives = 1000

// Pattern checks a pattern of file names that is looked for beneath the folder dir,
// and gives it as one relative to dir. One that could name anything else is an error
// that wraps ErrOutside, whichever of its alternatives does: a pattern that climbs,
// that is absolute and not below dir, or that goes below a link that leads out. What
// * and ** stand for never follows a link; that is for the search to keep.
func (w *Workspace) Pattern(dir Path, pattern string) (string, error) {
	if rest, ok := strings.CutPrefix(slashes(pattern), strings.TrimSuffix(filepath.ToSlash(dir.Abs), "/")+"/"); ok {
		pattern = "./" + rest
	}
	all, err := alternatives(pattern)
	if err != nil {
		return "", fmt.Errorf("pattern %q: %w", pattern, err)
	}
	for _, one := range all {
		link, to, err := w.below(dir, one)
		if err == nil && link != "" && len(all) == 1 { // among others it finds nothing
			err = fmt.Errorf("%s is a link, and none is followed here; give path as %s", link, to)
		}
		if err != nil {
			return "", fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return pattern, nil
}

// below judges a pattern without braces. link is what of it goes through a link that
// stays inside, and to where that leads.
func (w *Workspace) below(dir Path, pattern string) (link, to string, err error) {
	if path.IsAbs(plain(pattern)) || path.IsAbs(pattern) || filepath.IsAbs(pattern) || filepath.VolumeName(pattern) != "" {
		return "", "", fmt.Errorf("an absolute pattern is %w that is searched, %s; give path the folder to look in", ErrOutside, dir.Name)
	}
	parts := folders(slashes(pattern))
	if slices.ContainsFunc(parts, func(s string) bool { return plain(s) == ".." }) {
		return "", "", fmt.Errorf("with .. it leads %w; give path the folder to look in", ErrOutside)
	}
	known := parts[:len(parts)-1] // the last name is matched, and a match is not followed
	if i := slices.IndexFunc(known, func(s string) bool { return wild(s) }); i >= 0 {
		known = known[:i]
	}
	if len(known) == 0 {
		return "", "", nil
	}
	for i, s := range known {
		known[i] = plain(s)
	}
	name := strings.Join(known, "/")
	switch p, err := w.Resolve(strings.TrimSuffix(filepath.ToSlash(dir.Abs), "/") + "/" + name); {
	case errors.Is(err, ErrOutside):
		return "", "", fmt.Errorf("%s is a link that leads %w", name, ErrOutside)
	case err == nil && p.Abs != filepath.Join(dir.Abs, filepath.FromSlash(name)):
		return name, p.Name, nil
	}
	return "", "", nil // anything else that is wrong with it means that nothing is there
}

// folders splits a pattern at its slashes. One behind a backslash is no less of one.
func folders(pattern string) (parts []string) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && pattern[i+1] == '/':
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
		case c == '/':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String())
}

// wild reports whether a part of a pattern stands for more than one name.
func wild(part string) bool {
	for i := 0; i < len(part); i++ {
		switch part[i] {
		case '\\':
			i++
		case '*', '?', '[':
			return true
		}
	}
	return false
}

// plain is the name that a part without wildcards stands for.
func plain(part string) string {
	if !strings.Contains(part, `\`) || filepath.Separator == '\\' {
		return part
	}
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] == '\\' && i+1 < len(part) {
			i++
		}
		b.WriteByte(part[i])
	}
	return b.String()
}

// alternatives are the patterns that one with braces stands for.
func alternatives(pattern string) ([]string, error) {
	open, commas, end := braces(pattern)
	if end < 0 {
		return []string{pattern}, nil
	}
	var out []string
	from := open + 1
	for _, to := range append(commas, end) {
		more, err := alternatives(pattern[:open] + pattern[from:to] + pattern[end+1:])
		if err != nil {
			return nil, err
		}
		if out = append(out, more...); len(out) > maxAlternatives {
			return nil, fmt.Errorf("its braces stand for more than %d patterns; send simpler ones", maxAlternatives)
		}
		from = to + 1
	}
	return out, nil
}

// braces finds the first pair in a pattern and the commas between; end is -1 where
// there is none.
func braces(pattern string) (open int, commas []int, end int) {
	open, depth := -1, 0
	class := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			if depth++; depth == 1 {
				open = i
			}
		case c == ',' && depth == 1:
			commas = append(commas, i)
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				return open, commas, i
			}
		}
	}
	return -1, nil, -1
}
