package permission

import (
	"path"
	"slices"
	"strings"

	"forge/lazy"
)

var shellNames = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh", "yash")
}}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// interpreter gives the language a program runs, "" for none.
func interpreter(name string) string {
	if shellNames.Get()[name] {
		return "shell"
	}
	for _, p := range []string{"python", "pypy", "perl", "ruby", "node", "nodejs", "php", "lua", "luajit", "tclsh", "wish", "Rscript", "guile", "deno", "bun", "osascript", "pwsh", "powershell", "groovy", "scala",
		"julia", "elixir", "iex", "erl", "escript", "ghci", "runghc", "irb", "expect", "jshell", "R", "swipl", "racket", "clojure", "ocaml", "jrunscript", "ts-node", "tsx", "jruby", "ipython", "bpython", "raku", "crystal", "cmd", "cmd.exe", "ghc", "dc"} {
		if name == p || strings.HasPrefix(name, p) && strings.Trim(name[len(p):], "0123456789.") == "" {
			return p
		}
	}
	return ""
}

// shell judges sh, bash and the like.
func (c *command) shell() {
	s := c.s
	s.ungrantable = true
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		t := a.text
		if t == "--" || t == "-" || !strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "+") {
			if t == "--" || t == "-" {
				i++
			}
			if i < len(c.args) {
				c.script(c.args[i])
				return
			}
			break
		}
		switch {
		case strings.HasPrefix(t, "--rcfile"), strings.HasPrefix(t, "--init-file"):
			s.risk(High, "has the shell read a start file")
			i++
		case t == "-o" || t == "+o" || t == "-O" || t == "+O":
			i++
		case t == "--version" || t == "--help":
			return
		case t[0] == '-' && t[1] != '-' && strings.Contains(t, "c"):
			s.risk(Medium, "runs code in a shell of its own")
			for i++; i < len(c.args) && strings.HasPrefix(c.args[i].text, "-"); i++ {
			}
			if i < len(c.args) {
				c.code(c.args[i])
			}
			if c.has("-i") || c.has("-l") {
				s.risk(High, "has the shell read a start file")
			}
			return
		case t[0] == '-' && t[1] != '-' && strings.Contains(t, "s"):
			c.fed("shell")
			return
		case t[0] == '-' && strings.Contains(t, "i"):
			s.risk(High, "starts an interactive shell")
		}
	}
	c.fed("shell")
}

// conjured judges what is run by a word that a substitution makes of what was fetched or
// decoded; false: it is none.
func (s *scan) conjured(w word) bool {
	switch {
	case w.subst && s.net:
		s.risk(Critical, "runs what it fetched from the network")
	case w.subst && s.decodes:
		s.risk(Critical, "runs text that is put together only as it runs")
	default:
		return false
	}
	return true
}

// script judges a file that an interpreter runs.
func (c *command) script(w word) {
	s := c.s
	switch {
	case s.conjured(w):
	case w.subst || strings.HasPrefix(w.text, "/dev/") || strings.HasPrefix(w.text, "/proc/"):
		c.fed("shell")
	case s.fetchedFile(w.path):
		s.risk(Critical, "runs what it fetched from the network")
	case w.opaque:
		s.risk(High, "runs a script that only running it would show")
	default:
		s.risk(Medium, "runs a script")
		for _, at := range s.places(w.path, true) {
			if !s.inside(at) {
				s.risk(High, "runs a script outside the workspace")
			}
		}
	}
}

// code judges text that a shell runs.
func (c *command) code(w word) {
	s := c.s
	switch {
	case s.conjured(w):
	case w.opaque:
		s.risk(High, "runs code that only running it would show")
	}
	s.read(w.text)
}

// fed judges an interpreter that runs what comes in.
func (c *command) fed(lang string) {
	s := c.s
	s.ungrantable, s.shelled = true, true
	switch f := c.feed; {
	case f.piped && f.net:
		s.risk(Critical, "runs what it fetched from the network")
	case f.piped && f.decode:
		s.risk(Critical, "runs text that is put together only as it runs")
	case f.piped:
		s.risk(High, "runs what it is fed")
	default:
		s.risk(High, "starts an interpreter on whatever it is fed")
	}
	if c.feed.text == "" {
		return
	}
	if lang == "shell" {
		s.read(c.feed.text)
	} else {
		c.source(c.feed.text)
	}
}

// xargs judges a command that gets its words from what is fed.
func (c *command) xargs() {
	s := c.s
	s.ungrantable = true
	s.risk(Medium, "runs a command with words that come from another")
	i, mark := 0, ""
	for i < len(c.args) && strings.HasPrefix(c.args[i].text, "-") {
		t := c.args[i].text
		switch {
		case strings.HasPrefix(t, "-I") && len(t) > 2:
			mark = t[2:]
		case t == "-I" && i+1 < len(c.args):
			mark = c.args[i+1].text
		case t == "-i" || t == "--replace":
			mark = "{}"
		}
		if i++; slices.Contains([]string{"-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines"}, t) {
			i++
		}
	}
	inner := slices.Clone(c.args[min(i, len(c.args)):])
	if len(inner) == 0 {
		return
	}
	if shellNames.Get()[path.Base(inner[0].text)] || interpreter(path.Base(inner[0].text)) != "" {
		c.fedWords(inner, mark)
	}
	words := strings.Fields(c.feed.text)
	for _, t := range words[:min(len(words), 50)] {
		if t != "{}" {
			w := literal(strings.Trim(t, `'"`))
			w.lit, w.opaque = false, true
			inner = append(inner, w)
		}
	}
	if len(words) == 0 {
		inner = append(inner, word{src: "…", text: "…", path: unknown, opaque: true})
		if s.outside && (path.Base(inner[0].text) == "rm" || path.Base(inner[0].text) == "shred") {
			s.risk(Critical, "deletes what it is told, by a command that looks outside the workspace")
		}
	}
	s.run(inner, feed{}, false)
}

// fedWords judges an interpreter whose code is among the words it is fed.
func (c *command) fedWords(inner []word, mark string) {
	code := mark == "" && !slices.ContainsFunc(inner[1:], func(w word) bool { return !strings.HasPrefix(w.text, "-") })
	for i, w := range inner {
		if i > 0 && mark != "" && strings.Contains(w.text, mark) && strings.HasPrefix(inner[i-1].text, "-") {
			code = true
		}
	}
	if code {
		c.fed(interpreter(path.Base(inner[0].text)))
	}
}
