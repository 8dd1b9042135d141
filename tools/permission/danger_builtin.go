package permission

import "strings"

// env judges env, which sets variables and splits strings.
func (c *command) env() {
	s := c.s
	s.ungrantable = true
	for i := 0; i < len(c.args); i++ {
		a := c.args[i]
		t := a.text
		switch {
		case t == "-S" || t == "--split-string":
			if i+1 < len(c.args) {
				s.read(strings.Join(texts(c.args[i+1:]), " "))
			}
			return
		case strings.HasPrefix(t, "--split-string="):
			s.read(t[15:] + " " + strings.Join(texts(c.args[i+1:]), " "))
			return
		case len(t) > 2 && t[0] == '-' && t[1] != '-' && strings.Contains(t, "S"):
			rest := t[strings.Index(t, "S")+1:]
			s.read(rest + " " + strings.Join(texts(c.args[i+1:]), " "))
			return
		case t == "-u" || t == "--unset" || t == "-C" || t == "--chdir" || t == "-P":
			i++
		case t == "-" || strings.HasPrefix(t, "-") && t != "--":
		case t == "--":
		case strings.Contains(t, "="):
			name, v, _ := strings.Cut(t, "=")
			s.setsVariable(strings.TrimSuffix(name, "%%"), v)
		default:
			s.run(c.args[i:], c.feed, false)
			return
		}
	}
	s.secret = true
	s.risk(Medium, "prints the environment, which holds secrets")
}

// builtins of bash that do more than they seem to.
func (c *command) builtin() bool {
	s := c.s
	joined := strings.Join(texts(c.args), " ")
	switch c.name {
	case "eval":
		s.risk(High, "evaluates text as code")
		for _, a := range c.args {
			if a.subst && s.net {
				s.risk(Critical, "runs what it fetched from the network")
			} else if a.subst && s.decodes {
				s.risk(Critical, "runs text that is put together only as it runs")
			}
		}
		s.read(joined)
	case "source", ".":
		s.risk(Medium, "runs a script in this shell")
		if len(c.args) > 0 {
			c.script(c.args[0])
		}
	case "trap":
		if len(c.args) > 1 {
			s.risk(High, "keeps code for later")
			s.read(c.args[0].text)
		}
	case "compgen", "complete", "compopt":
		s.risk(Medium, "has completion run code")
		for _, v := range c.values("-C", "-F", "-W") {
			if c.name == "compgen" {
				s.risk(High, "runs code as a completion")
			}
			s.read(v.text)
			s.inner(v.text)
		}
	case "jobs":
		if c.has("-x") {
			s.risk(High, "runs a command")
			c.everywhere()
		}
	case "mapfile", "readarray":
		s.risk(Medium, "sets variables")
		c.setsNamed(c.operands())
		for _, v := range c.values("-C") {
			s.risk(High, "runs a callback")
			s.read(v.text)
		}
	case "enable":
		s.risk(Medium, "changes which commands the shell itself has")
		if c.has("-f") {
			s.risk(High, "loads code into the shell")
		}
	case "hash":
		if len(c.args) > 0 {
			s.risk(Medium, "changes where commands are found")
		}
		if c.has("-p") {
			s.risk(High, "changes where commands are found")
		}
	case "history", "fc":
		s.risk(Medium, "reads or writes the history of commands")
	case "alias", "unalias":
		s.risk(Medium, "changes what a name stands for")
		for _, a := range c.args {
			if _, v, ok := strings.Cut(a.text, "="); ok {
				s.maybeCode(v)
			}
		}
	case "set", "shopt", "umask", "ulimit", "unset", "bind", "export", "shift", "getopts", "declare", "typeset", "local", "readonly", "dirs", "popd", "suspend", "disown", "caller", "setopt", "times":
		s.risk(Medium, "changes the shell")
		if c.name == "getopts" {
			c.setsNamed(c.operands())
		}
		if c.name == "bind" && c.has("-x") {
			s.risk(High, "keeps code for later")
		}
		for _, a := range c.args {
			s.subscript(a.text)
		}
	case "read", "wait", "test", "[", "printf", "let":
		for _, a := range c.args {
			evaluates := c.name == "read" || c.name == "wait" || c.name == "let" || c.has("-v") || c.has("-R") || strings.HasPrefix(c.name, "[") || c.name == "test"
			if evaluates {
				s.subscript(a.text)
			}
		}
		if c.name == "printf" && (c.has("-v")) || c.name == "read" || c.name == "let" {
			s.risk(Medium, "sets a variable")
		}
		switch c.name {
		case "read":
			c.setsNamed(c.operands())
			c.setsNamed(c.values("-a"))
		case "printf":
			c.setsNamed(c.values("-v"))
			c.escapes()
			c.lists()
		case "wait":
			c.setsNamed(c.values("-p"))
		}
		for _, w := range c.args {
			if c.name == "test" || c.name == "[" {
				if strings.HasPrefix(w.path, "/") || strings.Contains(w.path, "..") {
					s.reads(w)
				}
			}
		}
	case "cd", "pushd", "chdir":
		for _, a := range c.operands() {
			for _, at := range s.places(a.path, true) {
				if !s.inside(at) {
					s.risk(Medium, "leaves the workspace")
					s.ungrantable = true // what runs there is not what the same words run here
				}
			}
			if a.text == "-" {
				s.risk(Medium, "goes back to where it was, which only running it would show")
			}
		}
		if len(c.args) == 0 {
			s.risk(Medium, "leaves the workspace")
		}
	case "echo":
		c.escapes()
		c.lists()
	case "exit", "return", "logout", "break", "continue", "true", "false", ":", "type", "pwd", "bg", "fg", "help":
	default:
		return false
	}
	return true
}

// setsNamed judges variables that a builtin sets by their names.
func (c *command) setsNamed(names []word) {
	for _, w := range names {
		if l := variableLevel(w.text); l > Low {
			c.s.setsVariable(w.text, "")
		}
	}
}

// lists: a pattern in the words of echo shows the names of a folder.
func (c *command) lists() {
	for _, a := range c.args {
		i := strings.IndexAny(a.path, "*?[")
		if i < 0 || a.lit {
			continue
		}
		if dir := a.path[:strings.LastIndexByte(a.path[:i], '/')+1]; dir != "" {
			c.s.reads(word{text: dir, path: dir})
		}
	}
}
