package permission

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command: what its words do, whether the tables vouch for
// it, and what danger is in it.
func (s *scan) call(c *syntax.CallExpr, in []string, f feed) (ok, fail []string) {
	s.cwds = in
	for _, as := range c.Assigns {
		s.assign(as)
	}
	var argv []word
	subst := false
	for i, w := range c.Args {
		subst = s.walk(w) || subst
		s.cwds = in
		argv = append(argv, s.words(w, i > 0)...)
	}
	mild := s.mild // of what its words are made by: settled below
	s.mild = false
	if len(argv) == 0 {
		return in, in
	}
	s.commands++
	parsed := make([]string, len(argv))
	for i, w := range argv {
		if parsed[i] = w.src; w.lit {
			parsed[i] = w.text
		}
	}
	s.a.Parsed = append(s.a.Parsed, parsed)
	if s.commands > 4*maxCommands { // enough is known; a cap on the work
		s.odd()
		return in, in
	}
	vouched := len(c.Assigns) == 0 && (s.vouched(argv) || argv[0].lit && argv[0].text == "xargs" && !s.shadowed("xargs") && s.xargsReads(argv[1:], f))
	if s.stage.names = nil; vouched {
		s.stage.names = s.lists(argv, f)
	}
	if subst && !vouched && !(mild && s.known(argv[0])) && !slices.Contains([]string{"echo", "printf", "test", "[", "true", ":", "git"}, argv[0].text) {
		s.risk(High, "has words that another command writes")
	}
	if s.mild = mild && !vouched; s.mild {
		s.settle()
	}
	part := Part{Argv: parsed, Harmless: vouched}
	if !vouched {
		s.ro = false
		part.Shape, part.Harmless = s.grant(argv, len(c.Assigns) > 0)
	}
	at, outer := len(s.a.Parts), s.obeyed
	s.a.Parts, s.obeyed = append(s.a.Parts, part), nil
	s.run(argv, f, vouched)
	s.a.Parts[at].Files, s.obeyed = s.obeyed, append(outer, s.obeyed...)
	if !vouched {
		s.expanded(c.Args, argv, f)
	}
	s.cwds = in
	return s.moved(argv, in)
}

// known reports whether a program is one that may only read.
func (s *scan) known(name word) bool {
	_, there := harmless.Get()[name.text]
	return name.lit && (there || slices.Contains([]string{"find", "sed", "awk", "jq"}, name.text))
}

// vouched reports whether the tables say that a command is harmless.
func (s *scan) vouched(argv []word) bool {
	if !argv[0].lit || slices.ContainsFunc(argv, func(w word) bool { return w.alike }) {
		return false
	}
	name := argv[0].text
	if s.shadowed(name) {
		s.risk(High, "is a name that PATH may find in the workspace first")
		return false
	}
	if name == "cd" {
		return s.cdInside(argv[1:])
	}
	if len(argv) == 2 && argv[1].lit && isVersion(name, argv[1].text) {
		return true
	}
	if ok, there := s.special(name, argv[1:]); there {
		return ok
	}
	k, there := harmless.Get()[name]
	return there && k.allows(s, argv[1:])
}

// expanded judges what braces, ANSI-C quotes, IFS and known variables make of
// the words, beside what they look like.
func (s *scan) expanded(args []*syntax.Word, argv []word, f feed) {
	if allLiteral(argv) || s.depth > 6 {
		return
	}
	for _, w := range args {
		bad := strings.Count(source(w), "{") > 4 || strings.Contains(source(w), "..}") || strings.Contains(source(w), "..") && strings.Contains(source(w), "{")
		syntax.Walk(w, func(n syntax.Node) bool {
			if _, ok := n.(*syntax.ArithmExp); ok {
				bad = true
			}
			return !bad
		})
		if bad {
			return
		}
	}
	env := expand.FuncEnviron(func(name string) string {
		switch name {
		case "HOME":
			return s.w.home
		case "PWD":
			return s.cwds[0]
		case "IFS":
			return " \t\n"
		}
		return s.vars[name]
	})
	cfg := &expand.Config{Env: env, NoUnset: false}
	var split []*syntax.Word
	for _, w := range args {
		for b, err := range expand.BracesSeq(cfg, w) {
			if err != nil { // more words than anybody reads: it stays a question
				return
			}
			split = append(split, b)
		}
	}
	fields, err := safeFields(cfg, split)
	if err != nil || len(fields) == 0 || slices.Equal(fields, texts(argv)) || len(fields) > 1000 {
		return
	}
	var words []word
	for _, t := range fields {
		w := literal(t)
		w.glob = strings.ContainsAny(t, "*?[")
		w.lit = !w.glob
		words = append(words, w)
	}
	words[0].lit = true
	s.run(words, f, false)
}

// safeFields keeps a fault of the expansion from being one of ours.
func safeFields(cfg *expand.Config, ws []*syntax.Word) (fields []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			fields = nil
		}
	}()
	return expand.Fields(cfg, ws...)
}

// moved follows a change of directory.
func (s *scan) moved(argv []word, in []string) (ok, fail []string) {
	switch argv[0].text {
	case "cd", "pushd", "chdir":
	case "popd":
		return union(in, []string{s.w.dir}), in
	default:
		return in, in
	}
	to := s.w.home
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a.text, "-") || a.text == "-" {
			to = a.path
			break
		}
	}
	if to == "-" {
		return union(in, []string{s.w.dir}), in
	}
	for _, dir := range in {
		p, _ := s.w.reach(dir, to)
		if p == "" {
			p = "/" // not known: judged as the worst
		}
		ok = union(ok, []string{p})
	}
	return ok, in
}

// cdInside: the one operand is a directory inside that no link leads to, so that
// where the shell and the system think it is are one.
func (s *scan) cdInside(args []word) bool {
	if len(args) != 1 || !args[0].lit || strings.HasPrefix(args[0].text, "-") || args[0].text == "" {
		return false
	}
	for _, dir := range s.cwds {
		p, in := s.w.reach(dir, args[0].text)
		plain := args[0].text
		if !rooted(plain) {
			plain = path.Join(dir, plain)
		}
		if !in || p != path.Clean(plain) {
			return false
		}
	}
	return true
}

// assign judges a variable set before a command or alone.
func (s *scan) assign(as *syntax.Assign) {
	s.odd()
	if as.Value != nil {
		s.expand(as.Value)
	}
	if as.Array != nil {
		s.expand(as.Array)
	}
	if as.Index != nil {
		s.expand(as.Index)
		s.evaluated(as.Index)
		s.risk(Medium, "sets a subscript")
	}
	if as.Name == nil {
		return
	}
	v := s.word(as.Value)
	if v.lit && !as.Append {
		s.vars[as.Name.Value] = v.text
	} else {
		s.vars[as.Name.Value] = v.path
	}
	s.setsVariable(as.Name.Value, v.text)
}

func (s *scan) setsVariable(name, value string) {
	switch l := variableLevel(name); l {
	case High:
		s.risk(High, "sets "+name+", by which programs run code or go elsewhere")
		for _, cut := range []string{"", "|", "!"} {
			s.maybeCode(strings.TrimPrefix(value, cut))
		}
	case Medium:
		s.risk(Medium, "sets "+name)
	default:
		s.risk(Medium, "sets a variable")
	}
	if strings.Contains(value, "$(") || strings.Contains(value, "`") {
		s.risk(High, "keeps a command in a variable")
	}
}

func (s *scan) declare(c *syntax.DeclClause) {
	s.a.Parsed = append(s.a.Parsed, strings.Fields(source(c)))
	s.risk(Medium, "changes or prints the shell's variables")
	for _, as := range c.Args {
		if as.Naked && as.Name == nil {
			w := s.word(as.Value)
			s.expand(as.Value)
			if strings.HasPrefix(w.text, "-") && strings.ContainsAny(w.text, "in") && c.Variant.Value != "export" {
				s.risk(High, "gives a variable a type whose values are evaluated")
			}
			s.hiddenCode(as.Value)
			if name, v, ok := strings.Cut(w.text, "="); ok && !strings.HasPrefix(name, "-") {
				s.setsVariable(name, v)
			}
			continue
		}
		if !as.Naked {
			s.assign(as)
		}
		s.hiddenCode(as)
	}
}

// variableLevel says what setting a variable can do to the programs after it.
func variableLevel(name string) Level {
	switch name {
	case "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE",
		"GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "NODE_ENV", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "CGO_ENABLED":
		return Low
	case "PATH", "ENV", "BASH_ENV", "SHELL", "SHELLOPTS", "BASHOPTS", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "HOME",
		"EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESSOPEN", "LESSCLOSE", "LESS", "LESSKEY", "MANOPT", "MORE",
		"GOFLAGS", "GOPROXY", "GOTOOLCHAIN", "GOENV", "GOROOT", "GOSUMDB", "GONOSUMDB", "GONOSUMCHECK", "GOINSECURE", "GOVCS", "GOAUTH", "GOWORK",
		"TAR_OPTIONS", "GZIP", "XZ_OPT", "ZSTD_OPT", "RIPGREP_CONFIG_PATH", "GREP_OPTIONS", "GCONV_PATH", "LOCPATH", "NLSPATH",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS",
		"CC", "CXX", "LD", "AR", "RUSTC", "RUSTC_WRAPPER", "RUSTFLAGS", "RUSTDOCFLAGS", "RUSTUP_TOOLCHAIN", "OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES",
		"HOSTALIASES", "RES_OPTIONS", "KUBECONFIG", "DOCKER_HOST", "SUDO_ASKPASS", "TERMINFO", "TERMCAP", "TERMINFO_DIRS", "DISPLAY", "CURL_HOME", "WGETRC", "SYSTEMRC",
		"VIMINIT", "EXINIT", "VIM", "PSQLRC", "PHPRC", "PHP_INI_SCAN_DIR", "LUA_INIT", "R_PROFILE", "JULIA_LOAD_PATH", "ERL_FLAGS", "HISTFILE", "INPUTRC",
		"XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "MAIL", "MAILCAPS", "FCEDIT", "GNUPGHOME", "AWS_CONFIG_FILE", "TCLLIBPATH", "GLIBC_TUNABLES", "POSIXLY_CORRECT", "MAGIC", "JQ_LIBRARY_PATH":
		return High
	case "TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "GOCACHE", "GOPATH", "GOMODCACHE":
		return Medium
	}
	up := strings.ToUpper(name)
	for _, p := range []string{"LD_", "DYLD_", "GIT_", "BASH_FUNC", "PERL", "PYTHON", "RUBY", "GEM_", "BUNDLE_", "NODE_", "NPM_CONFIG_", "YARN_", "PIP_", "UV_", "CARGO_",
		"SSH_", "AWS_", "CGO_", "DOTNET_", "MALLOC_", "LUA_", "PHP_", "DEBUGINFOD_", "COMPOSER_", "DENO_", "BUN_", "ELECTRON_", "DOCKER_", "FORGE_"} {
		if strings.HasPrefix(up, p) {
			return High
		}
	}
	if strings.HasSuffix(up, "_PROXY") || strings.HasSuffix(up, "PRELOAD") || strings.HasSuffix(up, "_EDITOR") || strings.HasSuffix(up, "_PAGER") {
		return High
	}
	return Low
}

// secretVariable reports whether a variable's name says that it holds a secret.
func secretVariable(name string) bool {
	for part := range strings.SplitSeq(strings.ToUpper(name), "_") {
		switch part {
		case "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS", "APIKEY", "KEY", "PAT":
			return true
		}
	}
	return false
}
