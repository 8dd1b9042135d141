package permission

import (
	"path"
	"slices"
	"strings"

	"forge/lazy"
)

// command is an argv in the hands of the danger detector.
type command struct {
	s    *scan
	name string // without its directory
	args []word
	feed feed
}

func (c *command) risk(l Level, why string) { c.s.risk(l, why) }

// run looks for danger in one command. vouched: the tables know it as harmless.
func (s *scan) run(argv []word, f feed, vouched bool) {
	if len(argv) == 0 {
		return
	}
	if s.depth > 8 {
		s.odd()
		s.risk(High, "wraps commands nine deep")
		return
	}
	s.depth++
	defer func() { s.depth-- }()
	c := &command{s: s, name: path.Base(argv[0].text), args: argv[1:], feed: f}
	c.prints()
	if vouched {
		return
	}
	s.ro = false
	c.obeys(argv[0])
	if len(s.a.inner) < 500 {
		s.a.inner = append(s.a.inner, append([]string{c.name}, texts(c.args)...))
	}
	for _, a := range argv {
		if a.opaque && !a.subst {
			s.ungrantable = true
		}
		if a.alike {
			s.odd()
			s.risk(Medium, "holds a sign that only looks like one of the shell's")
		}
	}
	if !argv[0].lit {
		s.odd()
		s.risk(High, "the name of the program is not written out")
		switch {
		case argv[0].subst && s.net:
			s.risk(Critical, "runs what it fetched from the network")
		case argv[0].subst && s.decodes:
			s.risk(Critical, "runs text that is put together only as it runs")
		}
		if strings.ContainsAny(c.name, "*?[{$`") {
			c.anywhere()
			return
		}
	}
	if strings.ContainsFunc(argv[0].text, func(r rune) bool { return r > 0x7f }) {
		s.odd()
		s.risk(High, "the program's name holds letters that look like others")
	}
	if strings.Contains(argv[0].text, "/") {
		c.byPath(argv[0])
	}
	c.dispatch()
	c.inFetched()
}

// byPath judges a program that is named by where it lies.
func (c *command) byPath(w word) {
	s := c.s
	if s.fetchedFile(w.path) {
		s.risk(Critical, "runs what it fetched from the network")
	}
	if systemProgram(w.text) {
		return
	}
	for _, at := range s.places(w.path, true) {
		if !s.inside(at) {
			s.risk(High, "runs a program outside the workspace that is none of the system's")
			return
		}
	}
	s.ungrantable = true
	s.risk(Medium, "runs a program of the workspace")
}

// systemProgram reports whether a path names a program where the system keeps them.
func systemProgram(p string) bool {
	return slices.Contains([]string{"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"}, path.Dir(path.Clean(p)))
}

// has reports whether a flag stands among the words: -x also in a cluster,
// --long also cut short or with a value.
func (c *command) has(flags ...string) bool {
	for _, a := range c.args {
		if a.text == "--" {
			return false
		}
		if slices.ContainsFunc(flags, func(f string) bool { return isFlag(a.text, f) }) {
			return true
		}
	}
	return false
}

func isFlag(arg, f string) bool {
	if arg == f {
		return true
	}
	name, _, _ := strings.Cut(arg, "=")
	switch {
	case len(f) == 2 && f[0] == '-':
		return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.Contains(cluster(arg), f[1:])
	case strings.HasPrefix(f, "--"):
		return len(name) > 3 && strings.HasPrefix(f, name)
	}
	return name == f
}

// cluster is the letters of -abc, up to where a value begins.
func cluster(arg string) string {
	i := 1
	for i < len(arg) && (arg[i] >= 'a' && arg[i] <= 'z' || arg[i] >= 'A' && arg[i] <= 'Z' || arg[i] >= '0' && arg[i] <= '9') {
		i++
	}
	return arg[1:i]
}

// values are what flags are given: the next word, or what is attached.
func (c *command) values(flags ...string) []word {
	var out []word
	for i, a := range c.args {
		for _, f := range flags {
			switch {
			case a.text == f, strings.HasPrefix(f, "--") && len(a.text) > 4 && !strings.Contains(a.text, "=") && strings.HasPrefix(f, a.text):
				if i+1 < len(c.args) {
					out = append(out, c.args[i+1])
				}
			case strings.HasPrefix(f, "--") || len(f) > 2:
				if name, _, ok := strings.Cut(a.text, "="); ok && (name == f || len(name) > 4 && strings.HasPrefix(f, name)) {
					out = append(out, a.after(len(name)+1))
				}
			case len(f) == 2 && len(a.text) > 2 && a.text[0] == '-' && a.text[1] != '-':
				if i2 := strings.IndexByte(a.text, f[1]); i2 > 0 && strings.Contains(cluster(a.text), f[1:]) {
					if rest := a.after(i2 + 1); rest.text != "" {
						out = append(out, rest)
					} else if i+1 < len(c.args) {
						out = append(out, c.args[i+1])
					}
				}
			}
		}
	}
	return out
}

// after is a word without its first n bytes.
func (w word) after(n int) word {
	if n > len(w.text) {
		n = len(w.text)
	}
	out := w
	if strings.HasPrefix(w.path, w.text[:n]) {
		out.path = w.path[n:]
	} else {
		out.path = unknown
	}
	// A ~ that the shell leaves alone is one the program may take for a home.
	if out.text = w.text[n:]; strings.HasPrefix(out.path, "~/") || out.path == "~" {
		out.path = unknown + out.path[1:]
	}
	return out
}

// operands are the words that are no flags, and after -- all of them.
func (c *command) operands() []word {
	var out []word
	for i, a := range c.args {
		if a.text == "--" {
			return append(out, c.args[i+1:]...)
		}
		if !strings.HasPrefix(a.text, "-") || a.text == "-" {
			out = append(out, a)
		}
	}
	return out
}

func (c *command) first() string {
	if ops := c.operands(); len(ops) > 0 {
		return ops[0].text
	}
	return ""
}

// readsAll judges every word that may name a file, the values of flags too.
func (c *command) readsAll() {
	for _, a := range c.args {
		t := a
		if strings.HasPrefix(a.text, "-") {
			_, _, ok := strings.Cut(a.text, "=")
			switch {
			case ok:
				t = a.after(strings.Index(a.text, "=") + 1)
			case len(a.text) > 2 && (a.text[2] == '/' || a.text[2] == '.' || a.text[2] == '~'):
				t = a.after(2)
			default:
				continue
			}
		}
		c.s.reads(t)
	}
}

// anywhere looks for a known dangerous command among the words of one that is
// not known: it may hand them on.
func (c *command) anywhere() {
	for i, a := range c.args {
		if a.lit && (destroyer(path.Base(a.text)) || shellNames.Get()[path.Base(a.text)]) {
			c.s.run(c.args[i:], feed{}, false)
		}
	}
}

func destroyer(name string) bool {
	return slices.Contains([]string{"rm", "shred", "dd", "wipefs", "sudo", "doas", "su", "pkexec", "chmod", "chown", "kill", "pkill", "killall", "shutdown", "reboot", "eval", "nsenter", "crontab"}, name) ||
		strings.HasPrefix(name, "mkfs")
}

// prints notes what a stage of a pipeline puts out.
func (c *command) prints() {
	st := c.s.stage
	if decoders.Get()[c.name] {
		c.s.decodes = true
	}
	st.net, st.decode = st.net || c.feed.net, st.decode || c.feed.decode
	joined := strings.Join(texts(c.args), " ")
	switch c.name {
	case "echo", "printf":
		if strings.Contains(joined, `\`) && (c.name == "printf" || c.has("-e")) && strings.ContainsAny(joined, "xu01234567") && !onlyEnds(joined) {
			st.decode = true
		}
		for _, a := range c.args {
			if a.opaque {
				st.decode = st.decode || a.subst
			}
		}
		st.text += "\n" + strings.TrimPrefix(strings.TrimPrefix(joined, "-n "), "-e ")
		st.text = strings.ReplaceAll(st.text, `\n`, "\n")
	case "cat", "head", "tail", "grep", "sort", "tee", "uniq":
		st.text += c.feed.text
		st.net = st.net || slices.ContainsFunc(c.args, func(w word) bool { return c.s.fetchedFile(w.path) })
	case "ls", "find", "git", "cut", "jq", "wc", "true", "cd", "test", "[", "seq", "pwd":
	case "curl", "wget", "fetch", "aria2c", "nc", "ncat", "netcat", "socat", "ssh", "http", "https", "xh", "lynx", "links", "w3m", "ftp", "telnet":
		st.net, c.s.net = true, true
	default:
		st.decode = true
	}
	if c.name != "" && len(st.text) > 4*maxLine {
		st.text = st.text[:4*maxLine]
	}
}

// decoders turn text nobody can read into text that can be run.
var decoders = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("base64", "base32", "basenc", "xxd", "openssl", "uudecode", "rev", "tr", "gunzip", "zcat", "gzip", "bzip2", "bzcat", "xz", "xzcat", "zstd", "zstdcat", "gpg", "od", "ascii2uni")
}}

// onlyEnds: the one escape used is \n or \t.
func onlyEnds(s string) bool {
	s = strings.NewReplacer(`\\`, "", `\n`, "", `\t`, "").Replace(s)
	return !strings.Contains(s, `\`)
}
