package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// verbExtras are what a program's verbs alone do not tell.
func (c *command) verbExtras(name string, ops []string) {
	s := c.s
	joined := " " + strings.Join(texts(c.args), " ") + " "
	first, rest := "", []string(nil)
	if len(ops) > 0 {
		first, rest = ops[0], ops[1:]
	}
	switch name {
	case "npm":
		switch {
		case slices.Contains([]string{"install", "i", "add", "link"}, first) && len(rest) > 0 && slices.ContainsFunc(rest, func(t string) bool {
			return !strings.HasPrefix(t, ".") || strings.HasSuffix(t, ".tgz") || strings.HasSuffix(t, ".tar.gz")
		}):
			s.risk(High, "fetches a new package and runs its scripts")
		case slices.Contains([]string{"exec", "x", "dlx", "create", "init"}, first):
			s.ungrantable = true
			if first != "init" || len(rest) > 0 {
				s.risk(High, "fetches a package and runs it")
			}
			c.everywhere()
		case first == "run" || first == "run-script" || c.name != "npm" && first != "":
			for _, t := range rest {
				if l, ok := publishing(t); ok {
					s.risk(min(l, High), "runs a script that publishes or destroys, by its name")
				}
			}
			if c.name == "yarn" && (first == "global" || first == "dlx" || first == "npm") {
				s.risk(High, installs)
			}
		}
	case "pip":
		if first == "install" && c.has("-r", "--requirement", "-e", "--editable") && len(rest) <= 1 && !c.has("-i", "--index-url") {
			return
		}
	case "cargo", "go":
		c.goExtras(name, first, rest)
	case "docker":
		if strings.Contains(joined, "docker.sock") || strings.Contains(joined, "--pid=host") || strings.Contains(joined, "--pid host") || strings.Contains(joined, "--net=host --priv") || strings.Contains(joined, "--userns=host") || strings.Contains(joined, "--ipc=host") {
			s.risk(Critical, "gives a container the rights of the machine")
		}
		for _, v := range c.values("-v", "--volume", "--mount") {
			src, _, _ := strings.Cut(v.path, ":")
			if _, after, ok := strings.Cut(src, "source="); ok {
				src, _, _ = strings.Cut(after, ",")
			} else if _, after, ok := strings.Cut(src, "src="); ok {
				src, _, _ = strings.Cut(after, ",")
			}
			if first != "compose" && (src == "/" || system(src) || strings.HasPrefix(src, "/") && !s.inside(src) || secretFile(src)) {
				s.risk(Critical, "gives a container files outside the workspace")
			}
		}
		if first == "compose" && len(rest) > 0 && rest[0] == "down" && c.has("-v", "--volumes", "--rmi") {
			s.risk(Critical, "deletes volumes")
		}
		if c.has("--push") && (first == "build" || first == "buildx") {
			s.send = true
			s.risk(High, publishes)
		}
		if first == "run" || first == "exec" {
			s.ungrantable = true
			c.anywhere()
		}
	case "kubectl":
		if first == "exec" || first == "run" {
			s.ungrantable = true
		}
		if strings.Contains(joined, " secret") {
			s.risk(High, "reads or changes secrets of a cluster")
		}
	case "terraform", "pulumi":
		for _, a := range c.args {
			if a.text == "-destroy" || a.text == "--destroy" {
				s.risk(Critical, "destroys infrastructure")
			}
		}
	case "gh":
		c.ghAPI(first)
		if first == "gist" || first == "release" || first == "issue" || first == "pr" || first == "secret" {
			for _, w := range c.args {
				if s.a.Level >= High && secretFile(w.path) {
					s.secret, s.send = true, true
				}
			}
		}
	case "psql":
		c.database(joined)
	case "make":
		for _, t := range append(ops, texts(c.args)...) {
			k, _, ok := strings.Cut(t, "=")
			if k = strings.TrimRight(k, ":+?!"); ok && (k == "SHELL" || k == ".SHELLFLAGS" || variableLevel(k) == High) {
				s.risk(High, "sets "+k+", by which make runs programs")
			}
			if l, found := publishing(t); found && !ok {
				s.risk(min(l, High), "runs a target that publishes or destroys, by its name")
			}
		}
		for _, v := range c.values("-f", "--file", "--makefile", "-C", "--directory", "-I") {
			for _, at := range s.places(v.path, true) {
				if !s.inside(at) {
					s.risk(High, "runs the recipes of a Makefile outside the workspace")
				}
			}
		}
	case "apt":
		if c.name == "dpkg" && c.has("-l", "-L", "-s", "-S", "--list") || c.name == "rpm" && c.has("-q", "--query") || c.name == "pacman" && c.has("-Q", "-Ss", "-Si") && !c.has("-R", "-U") {
			s.risk(Medium, "looks at the system's packages")
		}
		if c.name == "conda" || c.name == "pipx" || c.name == "mamba" {
			c.anywhere()
		}
	case "poetry", "uv", "bundle", "composer", "pyenv":
		if c.name == "pipenv" && first == "install" && len(rest) > 0 {
			s.risk(High, installs)
		}
		if first == "run" || first == "exec" {
			s.ungrantable = true
			c.everywhere()
		}
	case "aws":
		c.cloud(ops)
	case "openssl":
		s.send = s.send || first == "s_client"
		for _, v := range c.values("-out", "-keyout") {
			s.writes(v)
		}
		c.readsAll()
		if slices.Contains([]string{"x509", "req", "dgst", "enc", "version"}, first) && s.a.Level == Low {
			s.risk(Medium, "writes or reads what forge does not vouch for")
		}
	case "tmux", "nix":
		c.anywhere()
	case "systemctl":
		if c.has("-H", "--host", "-M") {
			s.risk(High, "changes another machine")
		}
	case "ip":
		if first == "netns" && slices.Contains(rest, "exec") {
			c.anywhere()
		}
	}
}

func (c *command) goExtras(name, first string, rest []string) {
	s := c.s
	if name == "go" {
		switch {
		case first == "env" && c.has("-w", "-u"):
			s.risk(Critical, "changes what every later go command obeys")
		case (first == "run" || first == "install") && slices.ContainsFunc(rest, func(t string) bool { return strings.Contains(t, "@") }):
			s.risk(High, "fetches a program and builds or runs it")
		case first == "clean" && c.has("-modcache"), first == "clean" && strings.Contains(strings.Join(texts(c.args), " "), "-modcache"):
			s.risk(Medium, "empties caches")
		}
		if first == "build" || first == "vet" {
			for _, v := range c.values("-o") {
				s.writes(v)
			}
			for _, t := range rest {
				if strings.Contains(t, "@") {
					s.risk(Medium, "fetches over the network")
				}
			}
		}
	}
}

func (c *command) ghAPI(first string) {
	s := c.s
	if first != "api" {
		return
	}
	method := ""
	for _, v := range c.values("-X", "--method") {
		method = strings.ToUpper(v.text)
	}
	switch {
	case method == "DELETE":
		s.risk(Critical, wipes)
	case method != "" && method != "GET", method == "" && c.has("-f", "-F", "--field", "--raw-field", "--input"):
		s.send = true
		s.risk(High, publishes)
	}
}

var sqlWipes = lazy.Regexp{Expr: `(?i)\b(drop\s+(database|schema|table|user|role|index|view|keyspace|collection)|truncate\b|flushall|flushdb|dropdatabase|deletemany\(\s*\{\s*\}|db\.\w+\.drop\(|delete\s+from\s+[\w."]+\s*(;|"|'|$)|drop\s+\w+)`}
var sqlChanges = lazy.Regexp{Expr: `(?i)\b(insert|update|delete|alter|create|grant|revoke|copy\s|load\s+data|call\s|do\s+\$|into\s+outfile|set\s+password|vacuum|reindex|attach)`}
var sqlRuns = lazy.Regexp{Expr: `(?i)(\\!|\.shell|\.system|system\s|program\s+'|sys_exec|xp_cmdshell|load_extension|\.import\s|\.output|\.once|\\copy|lo_export|pg_read_file)`}

func (c *command) database(joined string) {
	text := joined + c.feed.text
	switch {
	case sqlWipes.Get().MatchString(text):
		c.risk(Critical, "drops or empties a database")
	case sqlRuns.Get().MatchString(text):
		c.risk(High, "has the database run a program or touch files")
	case sqlChanges.Get().MatchString(text):
		c.risk(High, "changes a database")
	case c.feed.piped || c.has("-f", "--file"):
		c.risk(High, "runs statements that are not seen here")
	}
	c.readsAll()
}

// cloud judges the command lines of providers by the verbs they share.
func (c *command) cloud(ops []string) {
	s := c.s
	level, seen := High, false
	for i, t := range ops {
		head, _, _ := strings.Cut(t[strings.LastIndexByte(t, ':')+1:], "-")
		if i > 1 && ops[0] == "configure" && (strings.Contains(t, "secret") || strings.Contains(t, "token")) {
			level = max(level, High)
		}
		switch head {
		case "ls", "list", "describe", "show", "status", "version", "info", "whoami", "logs", "lookup", "head", "help", "search", "diff", "plan", "validate":
			if !seen {
				level, seen = Medium, true
			}
		case "get":
			if !seen {
				level, seen = Medium, true
			}
			if strings.Contains(t, "secret") || strings.Contains(t, "token") || strings.Contains(t, "password") || strings.Contains(t, "parameter") || strings.Contains(t, "credential") {
				level = High
			}
		case "rm", "rb", "delete", "terminate", "destroy", "purge", "remove", "deregister", "wipe", "nuke", "drop", "mb":
			level, seen = Critical, true
		}
	}
	s.risk(level, map[Level]string{Medium: asksRemote, High: "changes a cloud", Critical: wipes}[level])
	s.net = true
	if level >= High {
		s.send = true
		for _, w := range c.args {
			if secretFile(w.path) {
				s.secret = true
			}
		}
	}
}
