package hook

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/lazy"
)

// projectVariables are the names under which a command finds the workspace.
var projectVariables = []string{"FORGE_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "CRUSH_PROJECT_DIR", "GEMINI_PROJECT_DIR"}

// Marks that stand for a folder while a command is cut into words: folders have blanks
// and quotes in their names.
const (
	hereMark = "\x01" // the workspace
	homeMark = "\x02" // the person's own folder
	somewhat = "\x03" // what another command says
)

// reading is what words are known by, compiled once a hook is there.
type reading struct {
	here, home *regexp.Regexp // how a command says the workspace, which it runs in; and the person's folder
	written    *regexp.Regexp // where its output goes: what it writes it does not obey by that
	unknown    *regexp.Regexp // parts of a word that are known once it runs
	said       *regexp.Regexp // commands whose output is such a part
	wrapping   *regexp.Regexp // commands that run another program
	obeying    *regexp.Regexp // commands that run the file they are given
	python     *regexp.Regexp
}

var readings = lazy.Value[reading]{Of: func() reading {
	names := strings.Join(projectVariables, "|") + "|PWD"
	return reading{
		here: regexp.MustCompile(`\$\{(?:` + names + `)(?::?-[^}]*)?\}|\$(?:` + names + `)\b` +
			"|(?:\\$\\(|`)[ \\t]*(?:(?:command[ \\t]+)?pwd(?:[ \\t]+-[LP])?|realpath[ \\t]+\\.|git[ \\t]+rev-parse[ \\t]+--show-toplevel)(?:[ \\t]+2>[ \\t]*/dev/null)?[ \\t]*(?:\\)|`)"),
		home:     regexp.MustCompile(`\$\{HOME\}|\$HOME\b`),
		written:  regexp.MustCompile(`>[>|]?[ \t]*(?:"[^"\n]*"|'[^'\n]*'|[^ \t\n;|&()<>"'])+`),
		unknown:  regexp.MustCompile(somewhat + "|\\$\\{[^}]*\\}|\\$\\w+|\\{[^{}]*,[^{}]*\\}"),
		said:     regexp.MustCompile("\\$\\([^()]*\\)|`[^`]*`"),
		wrapping: regexp.MustCompile(`^(?:.*/)?(?:exec|command|env|sudo|nohup|time|timeout|nice)$`),
		obeying:  regexp.MustCompile(`^(?:.*/)?(?:\.|source|sh|bash|dash|zsh|ksh|fish|python[0-9.]*|node|bun|deno|ruby|perl|php|pwsh|powershell)$`),
		python:   regexp.MustCompile(`\b(?:python|pypy)[0-9.]*(?:\.exe)?\b`),
	}
}}

// A word of a command.
type token struct {
	text string
	runs bool   // it is where a program stands, or what one is given to run
	prev string // the word before it
}

// tokens cuts a command into words as a shell would, and once more with what stands
// within quotes cut too: that may be code for another shell.
func tokens(text string) (out []token) {
	for _, part := range strings.FieldsFunc(strings.NewReplacer(`"`, "", `'`, "").Replace(text), func(r rune) bool { return strings.ContainsRune("\n;|&()`", r) }) {
		out = append(out, sorted(strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t<>=", r) }))...)
	}
	var part []string
	var word strings.Builder
	var quote rune
	open := false
	next := func() {
		if open {
			part = append(part, word.String())
		}
		word.Reset()
		open = false
	}
	escaped := false
	for _, r := range text {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && filepath.Separator == '/':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case quote == 0 && strings.ContainsRune(" \t<>=", r):
			next()
		case quote == 0 && strings.ContainsRune("\n;|&", r):
			next()
			out = append(out, sorted(part)...)
			part = nil
		default:
			word.WriteRune(r)
			open = true
		}
	}
	next()
	return append(out, sorted(part)...)
}

func sorted(words []string) (out []token) {
	for i, w := range words {
		t := token{text: w, runs: i == 0}
		if i > 0 {
			t.prev = words[i-1]
			t.runs = readings.Get().obeying.MatchString(t.prev) || strings.HasPrefix(t.prev, "-") && i > 1 && readings.Get().obeying.MatchString(words[i-2]) ||
				strings.Contains(w, "/") && readings.Get().wrapping.MatchString(words[0])
		}
		out = append(out, t)
	}
	return out
}

// Named is a file that a command may name, relative to the workspace, with slashes, or a
// pattern of such. Runs says that the command would run it.
type Named struct {
	Path string
	Runs bool
}

// Paths are the words of a command that may name files of the workspace at dir. It looks
// which folders there are; whether the files are is for the caller to look.
//
// A word is taken for every file it may mean: in the workspace, in each of its folders
// that the command names (it may go there first), by the person's folder, through links,
// and as what an interpreter makes of it.
func (h Hook) Paths(dir string) (out []Named) {
	text := strings.NewReplacer(hereMark, "", homeMark, "", somewhat, "").Replace(strings.Join(append([]string{h.Command}, h.Args...), "\n"))
	text = readings.Get().here.ReplaceAllLiteralString(strings.ReplaceAll(text, dir, hereMark), hereMark)
	text = readings.Get().written.ReplaceAllString(readings.Get().home.ReplaceAllLiteralString(text, homeMark), " ")
	words := append(tokens(text), tokens(readings.Get().said.ReplaceAllLiteralString(text, somewhat))...)
	for _, a := range h.Args { // one is one word, whatever is in it
		words = append(words, token{text: a, runs: true})
	}
	at := func(base, w string) string {
		w = strings.ReplaceAll(w, hereMark, dir)
		if own, err := os.UserHomeDir(); err == nil {
			if w == "~" || strings.HasPrefix(w, "~/") {
				w = own + w[1:]
			}
			w = strings.ReplaceAll(w, homeMark, own)
		}
		if !filepath.IsAbs(w) {
			w = filepath.Join(base, w)
		}
		return w
	}
	bases := []string{dir}
	for _, t := range words {
		p := filepath.Clean(at(dir, t.text))
		if _, ok := within(dir, p); ok && p != dir && len(bases) < 32 && !slices.Contains(bases, p) {
			if fi, err := os.Stat(p); err == nil && fi.IsDir() {
				bases = append(bases, p)
			}
		}
	}
	seen := map[string]int{}
	for i, t := range words {
		if t.runs && !strings.ContainsAny(t.text, `/\`+hereMark+homeMark) && (t.prev == "" && len(h.Args) == 0 || i == 0) {
			continue // a program, which is looked for in PATH
		}
		for _, w := range meant(t) {
			for _, base := range bases {
				rel, ok := within(dir, at(base, w))
				if !ok || rel == "." || strings.ContainsRune(rel, 0) {
					continue
				}
				n, known := seen[rel]
				if !known {
					n, seen[rel] = len(out), len(out)
					out = append(out, Named{Path: filepath.ToSlash(rel)})
				}
				out[n].Runs = out[n].Runs || t.runs || t.prev == "-m"
			}
		}
	}
	return out
}

// meant are the files a word may name.
func meant(t token) []string {
	w := t.text
	out := []string{w}
	if strings.HasPrefix(w, "-") && len(w) > 2 {
		out = append(out, w[2:], w[2:]+".rb") // -r./lib
	}
	if t.prev == "-m" { // a module of Python
		path := strings.ReplaceAll(w, ".", "/")
		for i, r := range path { // each package it goes through has its say
			if r == '/' {
				out = append(out, path[:i]+"/__init__.py")
			}
		}
		return append(out, path+".py", path+"/__main__.py", path+"/__init__.py")
	}
	if t.runs && t.prev != "" {
		out = append(out, w+".js", w+".cjs", w+"/index.js", w+"/__main__.py")
	}
	// What runs is of no one name: it is looked for by a pattern, unless that says nothing.
	if loose := readings.Get().unknown.ReplaceAllLiteralString(w, "*"); t.runs && loose != w && strings.Contains(w, "/") && !strings.HasSuffix(loose, "*") {
		out = append(out, loose)
	}
	return out
}

// within gives a path relative to a folder, if it lies there, also through links.
func within(dir, path string) (string, bool) {
	inside := func(dir, path string) (string, bool) {
		rel, err := filepath.Rel(dir, path)
		return rel, err == nil && filepath.IsLocal(rel)
	}
	if rel, ok := inside(dir, path); ok {
		return rel, true
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", false
	}
	return inside(root, real)
}

// guarded is what a hook's Python is told in its environment: a file json.py of a folder
// is not to be what "import json" means in a line of code. Whoever runs a script by its
// name, or a module that was trusted, has what lies beside that.
func (h Hook) guarded() []string {
	const safe = "PYTHONSAFEPATH"
	if slices.Contains(h.Pass, safe) || readings.Get().python.MatchString(h.Line()) && strings.Contains(h.Line(), ".py") {
		return nil
	}
	for path, hash := range h.Needs {
		if hash != "" && strings.HasSuffix(path, ".py") {
			return nil
		}
	}
	return []string{safe + "=1"}
}
