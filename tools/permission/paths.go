package permission

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// hitsPath reports whether the pattern of an allow rule names a path, absolute or as
// it is called in one of the folders: this path alone.
func (r Rule) hitsPath(roots []string, path string) bool {
	pattern := slashed(r.Pattern, runtime.GOOS)
	return slices.ContainsFunc(called(roots, path), func(n string) bool { return matches(pattern, n) })
}

// slashed is a pattern of paths as it is compared: a backslash parts folders on Windows,
// where no name holds one, and elsewhere takes a meaning from what follows.
func slashed(pattern, system string) string {
	if system == "windows" {
		return strings.ReplaceAll(pattern, `\`, "/")
	}
	return pattern
}

// called are the names a path has: absolute, and relative to each folder it lies in.
func called(roots []string, path string) []string {
	names := []string{filepath.ToSlash(path)}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && within(root, path) {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return names
}

func matches(pattern, name string) bool {
	ok, err := doublestar.Match(pattern, name)
	return err == nil && ok
}

// restricts gives what tells of a path whether a rule that asks or denies is about
// it. Such a rule is about more than an allow rule with the same pattern: one that
// names a folder, by its last part or with a slash behind it, is about all that is in
// there, and one that names a link is about what that leads to.
func (r Rule) restricts(roots []string) func(path string) bool {
	return r.restrictsOn(runtime.GOOS, roots)
}

// restrictsOn is restricts on a system. Those on which a file is found by its name in any
// case compare in any case: else a rule would be passed by in capitals.
func (r Rule) restrictsOn(system string, roots []string) func(path string) bool {
	spelled := func(s string) string { return s }
	if system == "windows" || system == "darwin" {
		spelled = strings.ToLower
	}
	whole := spelled(slashed(r.Pattern, system))
	pattern := strings.TrimRight(whole, "/")
	folder := pattern != whole || !strings.ContainsAny(path.Base(pattern), `*?[{\`)
	target := ""
	if !strings.ContainsAny(pattern, `*?[{\`) {
		at := "/"
		if len(roots) > 0 {
			at = roots[0]
		}
		target = spelled(filepath.ToSlash(real(at, slashed(r.Pattern, system))))
	}
	return func(p string) bool {
		for _, name := range called(roots, p) {
			name = spelled(name)
			for {
				if matches(pattern, name) || target != "" && name == target {
					return true
				}
				up := path.Dir(name)
				if !folder || up == name || up == "." {
					break
				}
				name = up
			}
		}
		return false
	}
}

// Forbidden gives what tells of an absolute path whether a deny rule for one of these
// tools is about it: a search through a folder leaves out what may not be named to
// the tool. nil: no rule is about single paths.
func (m *Manager) Forbidden(names ...string) func(path string) bool {
	var about []func(string) bool
	for _, r := range m.current() {
		if r.Action == Deny && r.Pattern != "" && slices.ContainsFunc(names, func(n string) bool { return wildcard(r.Tool, n) }) {
			about = append(about, r.restricts(m.roots()))
		}
	}
	if about == nil {
		return nil
	}
	return func(path string) bool {
		return slices.ContainsFunc(about, func(hits func(string) bool) bool { return hits(path) })
	}
}
