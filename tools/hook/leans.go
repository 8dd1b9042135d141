package hook

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/lazy"
)

// maxLean is how much of a script is looked at, in bytes.
const maxLean = 64 << 10

// loads is how scripts say what they load, compiled once one is looked at.
var loads = lazy.Value[struct {
	python  *regexp.Regexp
	js      *regexp.Regexp
	comment *regexp.Regexp
	head    *regexp.Regexp
}]{Of: func() (l struct{ python, js, comment, head *regexp.Regexp }) {
	l.python = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w ,]+)|import[ \t]+([\w., \t]+))`)
	l.js = regexp.MustCompile(`(?:\brequire[ \t]*\(|\bfrom|\bimport[ \t]*\(?)\s*['"](\.{1,2}/[^'"\n]+)['"]`)
	l.comment = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
	l.head = regexp.MustCompile(`^(?:[^/]*[` + somewhat + `$][^/]*)/`)
	return l
}}

// Leans are the files of the workspace at dir that a script of it would load: what a
// shell's script sources or runs, what one of Python or JavaScript imports. path is the
// script's, relative, with slashes. What it finds out while it runs is not among them.
func Leans(path, text, dir string) (out []Named) {
	text = text[:min(len(text), maxLean)]
	first, _, _ := strings.Cut(text, "\n")
	ext := strings.ToLower(filepath.Ext(path))
	shebang := strings.HasPrefix(first, "#!")
	beside := filepath.Join(dir, filepath.FromSlash(filepath.Dir(path)))
	add := func(at string, runs bool) {
		if rel, ok := within(dir, at); ok && rel != "." {
			n := Named{filepath.ToSlash(rel), runs}
			if n.Path != path && !slices.Contains(out, n) {
				out = append(out, n)
			}
		}
	}
	switch {
	case ext == ".py" || shebang && strings.Contains(first, "python"):
		for _, m := range loads.Get().python.FindAllStringSubmatch(text, -1) {
			var names []string
			if m[1] != "" {
				names = []string{m[1]}
				for _, n := range strings.Split(m[2], ",") { // it may be a module of a package
					if n, _, _ = strings.Cut(strings.TrimSpace(n), " "); n != "" {
						names = append(names, strings.TrimSuffix(m[1], ".")+"."+n)
					}
				}
			}
			for _, n := range strings.Split(m[3], ",") {
				if n, _, _ = strings.Cut(strings.TrimSpace(n), " "); n != "" {
					names = append(names, n)
				}
			}
			for _, n := range names {
				at := beside
				rest := strings.TrimLeft(n, ".")
				for range len(n) - len(rest) - 1 { // one dot is where the script lies
					at = filepath.Dir(at)
				}
				whole := !strings.Contains(n, ".") // what is not there yet would be found before Python's own
				for _, part := range strings.Split(strings.TrimRight(rest, "."), ".") {
					at = filepath.Join(at, part)
					add(filepath.Join(at, "__init__.py"), whole) // of each package it goes through
				}
				add(at+".py", whole)
			}
		}
	case slices.Contains([]string{".js", ".cjs", ".mjs", ".ts"}, ext) || shebang && (strings.Contains(first, "node") || strings.Contains(first, "bun") || strings.Contains(first, "deno")):
		for _, m := range loads.Get().js.FindAllStringSubmatch(text, -1) {
			at := filepath.Join(beside, filepath.FromSlash(m[1]))
			for _, end := range []string{"", ".js", ".cjs", ".mjs", ".ts", "/index.js"} {
				add(at+end, false)
			}
		}
	case ext == ".sh" || ext == ".bash" || shebang && strings.Contains(first, "sh"):
		text = loads.Get().comment.ReplaceAllString(text, "")
		text = readings.Get().here.ReplaceAllLiteralString(text, dir)
		for range 3 { // $(cd "$(dirname "$0")" && pwd)
			text = readings.Get().said.ReplaceAllLiteralString(text, somewhat)
		}
		for _, t := range tokens(text) {
			if !t.runs || !strings.Contains(t.text, "/") && t.prev == "" {
				continue
			}
			// A part that is known only then is mostly where the script lies.
			w := loads.Get().head.ReplaceAllString(t.text, "")
			if filepath.IsAbs(w) {
				add(w, false)
				continue
			}
			add(filepath.Join(beside, w), false)
			add(filepath.Join(dir, w), false)
		}
	}
	return out
}
