package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

var (
	quoted    = lazy.Regexp{Expr: "(?s)\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`((?:[^`\\\\]|\\\\.)*)`"}
	codeShell = lazy.Regexp{Expr: `os\.system|os\.popen|subprocess|popen|exec|spawn|system|shell|Process|backtick|qx`}
	codeNet   = lazy.Regexp{Expr: `urlopen|fsockopen|urllib|requests\.|http|fetch\(|socket|Net::|LWP|TCPSocket|/inet/|XMLHttp|curl`}
	codeBack  = lazy.Regexp{Expr: `dup2|pty|/bin/(?:ba)?sh|SOCK_STREAM|\bsh\b.*-i|fsockopen|TCPSocket|/inet/tcp`}
	codeWipe  = lazy.Regexp{Expr: `rmtree|rm_rf|rm_r\b|remove_tree|rmSync|rmdirSync|rimraf|removeAll|RemoveAll|unlink|os\.remove|File\.delete|fs\.rm|Remove-Item|deleteRecursively`}
	codeEval  = lazy.Regexp{Expr: `\beval\b|\bexec\b|system|spawn|subprocess|compile\(|Function\(|popen`}
)

// source reads code of another language for what can be seen in it: commands in
// quotes, files in quotes, sockets tied to a shell, trees being removed.
func (c *command) source(code string) {
	s := c.s
	if len(code) > 4*maxLine {
		code = code[:4*maxLine]
	}
	if codeNet.Get().MatchString(code) {
		s.net = true
		if strings.Contains(code, "socket") || strings.Contains(code, "/inet/") || strings.Contains(code, "fsockopen") || strings.Contains(code, "TCPSocket") || strings.Contains(code, "Socket") {
			if codeBack.Get().MatchString(code) {
				s.risk(Critical, "ties a shell to a network connection")
			}
		}
		if codeEval.Get().MatchString(code) {
			s.risk(Critical, "runs what it fetched from the network")
		}
		s.send = true
	}
	wipes, shells := codeWipe.Get().MatchString(code), codeShell.Get().MatchString(code)
	n := 0
	for _, m := range quoted.Get().FindAllStringSubmatch(code, 200) {
		text := m[1] + m[2] + m[3]
		if text == "" {
			continue
		}
		if secretFile(text) && strings.ContainsAny(text, "./") {
			s.readsSecret(text)
		}
		if wipes {
			w := literal(text)
			if strings.HasPrefix(text, "~") {
				w.path = s.w.home + text[1:]
			}
			s.destroys(w, true)
		}
		if (shells || m[3] != "") && n < 20 {
			n++
			s.maybeCode(text)
		}
	}
}

// maybeCode scans text that may be a command line: only what is bad in it counts.
func (s *scan) maybeCode(text string) {
	if strings.TrimSpace(text) == "" || s.depth > 6 {
		return
	}
	other := newScan(s.w)
	other.depth, other.cwds = s.depth+1, s.cwds
	other.read(text)
	other.depth = 0
	other.whole()
	for _, r := range other.a.Risks {
		if r.Level >= High && r.Reason != "cannot be read as a shell command" {
			s.risk(r.Level, r.Reason)
		}
	}
	s.a.inner = append(s.a.inner, other.a.Parsed...)
	s.a.inner = append(s.a.inner, other.a.inner...)
	s.net, s.secret, s.send = s.net || other.net, s.secret || other.secret, s.send || other.send
}

func (c *command) sources(ws []word) {
	for _, w := range ws {
		c.source(w.text)
		if w.subst && c.s.net {
			c.s.risk(Critical, "runs what it fetched from the network")
		} else if w.subst && c.s.decodes {
			c.s.risk(Critical, "runs text that is put together only as it runs")
		}
	}
}

// inline: the flag's value is code, or loads some.
func inline(lang, f string) bool {
	letters := map[string]string{"python": "c", "pypy": "c", "perl": "eEM", "ruby": "er", "node": "epr", "nodejs": "epr", "php": "rBRE", "lua": "el", "luajit": "el", "osascript": "e", "Rscript": "e", "R": "e", "guile": "c",
		"pwsh": "cCe", "powershell": "cCe", "groovy": "e", "julia": "eE", "elixir": "e", "deno": "", "bun": "e", "cmd": "", "raku": "e", "tsx": "e", "ts-node": "ep", "expect": "c", "ghc": "e", "dc": "e", "tclsh": "", "jrunscript": "ef"}
	if strings.HasPrefix(f, "--") {
		return slices.Contains([]string{"--eval", "--print", "--require", "--import", "--loader", "--experimental-loader", "--run", "--exec", "--command", "--init-file"}, f)
	}
	if slices.Contains([]string{"-Command", "-EncodedCommand", "-eval", "-File", "-enc"}, f) {
		return true
	}
	return strings.ContainsAny(cluster(f), letters[lang]) && letters[lang] != ""
}

// testModule is the module of a python -m that runs tests, "" for none: it is granted as
// the program of its name is, which runs the same code of the workspace.
func testModule(program string, args []word) string {
	if interpreter(program) != "python" || len(args) < 2 || args[0].text != "-m" || !allLiteral(args[:2]) || args[1].text != "pytest" && args[1].text != "unittest" {
		return ""
	}
	return args[1].text
}

// interpret judges python, node and the rest.
func (c *command) interpret(lang string) {
	s := c.s
	if testModule(c.name, c.args) == "" {
		s.ungrantable = true
	}
	if (lang == "perl" || lang == "ruby") && c.has("-i") {
		code := c.values("-e", "-E")
		for _, w := range c.operands() { // edited in place
			if !slices.ContainsFunc(code, func(v word) bool { return v.text == w.text }) {
				s.writes(w)
			}
		}
	}
	for i, a := range c.args {
		t := a.text
		if t == "--" || t == "-" || !strings.HasPrefix(t, "-") {
			if t == "-" {
				break
			}
			if lang == "osascript" || lang == "cmd" || lang == "erl" {
				s.risk(High, "runs a script that can do anything")
				return
			}
			if slices.Contains([]string{"deno", "bun"}, lang) && t == "run" {
				continue
			}
			if lang == "deno" && t == "eval" || lang == "bun" && (t == "x" || t == "-e") {
				s.risk(High, "runs code given on the command line")
				return
			}
			if strings.HasPrefix(t, "http://") || strings.HasPrefix(t, "https://") {
				s.risk(Critical, "runs what it fetches from the network")
			}
			c.script(a)
			c.sources(c.args[i+1:])
			return
		}
		switch name, _, _ := strings.Cut(t, "="); {
		case lang == "php" && strings.HasPrefix(t, "-S"):
			s.send = true
			s.risk(High, "serves a folder to other machines")
			return
		case lang == "python" && (t == "-m" || strings.HasPrefix(t, "-m")):
			s.risk(Medium, "runs a module, which the workspace may bring")
			switch module := strings.TrimPrefix(strings.Join(texts(c.args[i:]), " "), "-m"); {
			case strings.HasPrefix(strings.TrimSpace(module), "http.server"):
				s.send = true
				s.risk(High, "serves a folder to other machines")
			case strings.HasPrefix(strings.TrimSpace(module), "timeit"):
				s.risk(High, "runs code given on the command line")
				c.sources(c.args[i+1:])
			}
			if rest := c.args[min(i+1, len(c.args)):]; t == "-m" && len(rest) > 0 && slices.Contains([]string{"pip", "pytest", "black"}, rest[0].text) {
				s.run(rest, feed{}, false)
			}
			return
		case inline(lang, name):
			s.risk(High, "runs code given on the command line")
			c.sources(c.args[i:])
			return
		case t == "--version" || t == "-V" || t == "-v" || t == "--help" || t == "-h":
			s.risk(Medium, "is a program whose flags may load code")
			if len(c.args) == 1 {
				return
			}
		case t == "-i":
			s.risk(High, "starts an interpreter on whatever it is fed")
		}
	}
	c.fed(lang)
}
