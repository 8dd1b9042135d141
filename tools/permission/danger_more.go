package permission

import (
	"regexp"
	"slices"
	"strings"
)

// dispatch hands a command to the family that knows it.
func (c *command) dispatch() {
	s := c.s
	name := c.name
	if w, ok := wrappers[name]; ok {
		c.wrap(w)
		c.traced()
		return
	}
	switch {
	case name == "git":
		c.git()
	case name == "env" || name == "printenv":
		c.environment()
	case name == "xargs":
		c.xargs()
	case shellNames[name]:
		c.shell()
	case name == "deno" && c.first() != "" && c.first() != "run" && c.first() != "eval", name == "bun" && c.first() != "" && c.first() != "run" && !strings.Contains(c.first(), "."):
		c.byVerb()
		s.risk(Medium, runsProject)
	case interpreter(name) != "":
		c.interpret(interpreter(name))
	case name == "awk" || name == "gawk" || name == "mawk" || name == "nawk":
		c.awk()
	case name == "sed" || name == "gsed":
		c.sed()
	case slices.Contains([]string{"vim", "vi", "nvim", "ex", "view", "vimdiff", "ed", "emacs", "emacsclient", "gvim", "rvim", "kak", "helix", "hx"}, name):
		c.editor()
	case c.builtin(), c.files(), c.network():
	case c.byVerb(), c.byPlain():
	default:
		c.other()
	}
	c.flags()
}

// environment judges what prints variables.
func (c *command) environment() {
	if c.name == "env" {
		c.env()
		return
	}
	c.s.secret = true
	c.risk(Medium, "prints the environment, which holds secrets")
	for _, w := range c.operands() {
		if secretVariable(w.text) {
			c.risk(High, "prints a secret from the environment")
		}
	}
}

func (c *command) traced() {
	if (c.name == "strace" || c.name == "ltrace" || c.name == "perf") && c.has("-p", "--attach", "--pid") {
		c.risk(High, "looks into another process")
	}
	if c.name == "flock" || c.name == "time" {
		for _, w := range c.values("-o", "--output") {
			c.s.writes(w, false)
		}
	}
}

// other judges a program no table knows: what it is called with may still tell.
func (c *command) other() {
	s := c.s
	if _, known := harmless[c.name]; known || slices.Contains([]string{"find", "jq", "ps", "test", "["}, c.name) {
		s.risk(Medium, "has a flag or an argument forge does not vouch for")
		if c.name == "jq" && jqReaches.MatchString(strings.Join(texts(c.args), " ")) {
			s.secret = true
		}
		c.readsAll()
		return
	}
	s.risk(Medium, "runs a program forge does not know")
	for _, a := range c.operands() {
		if l, ok := publishing(a.text); ok && !strings.ContainsAny(a.text, "./") {
			s.risk(l, "may publish or destroy something")
		}
	}
	c.readsAll()
	c.anywhere()
}

// helpers are flags, by program, that run something, write somewhere or undo a
// program's harmlessness. Long ones count cut short as well.
var helpers = map[string][]verb{
	"rg":   {{"--pre,--hostname-bin", High, "runs a helper program"}, {"-z,--search-zip", Medium, "runs a helper program from the path"}, {"-L,--follow", Medium, "follows links out of the workspace"}},
	"sort": {{"--compress-program", High, "runs a helper program"}, {"-o,--output,-T,--temporary-directory", Medium, "writes a file"}},
	"tree": {{"-o,-R", Medium, "writes a file"}}, "xxd": {{"-r", Medium, "writes a file"}}, "file": {{"-C,--compile", Medium, "writes a file"}, {"-z,-Z", Medium, "runs a helper program"}},
	"man": {{"-P,--pager,-H,--html,-C,--config-file,-X,-T", High, "runs a helper program"}}, "less": {{"-k,--lesskey-file,--lesskey-src", High, "obeys a file"}, {"-o,-O,--log-file,--LOG-FILE", Medium, "writes a file"}},
	"bat": {{"--pager", High, "runs a helper program"}}, "ag": {{"--pager", High, "runs a helper program"}}, "ack": {{"--pager,--ackrc,--filter", High, "runs a helper program"}}, "date": {{"-s,--set", High, "sets the clock"}},
	"hostname": {{"-F,-b,--file,--boot", High, "sets the name of the machine"}}, "ss": {{"-K,--kill", High, "closes connections of others"}}, "dmesg": {{"-C,-c,-D,-E,-n,--clear,--read-clear,--console-off,--console-on,--console-level", High, "clears or changes the kernel's log"}},
	"journalctl": {{"--vacuum-time,--vacuum-size,--vacuum-files,--rotate,--flush,--relinquish-var,--setup-keys", High, "deletes or rotates logs"}}, "fuser": {{"-k,--kill", High, "kills processes"}}, "lsof": {{"-D", Medium, "writes a file"}},
	"go": {{"-exec,--exec,-toolexec,--toolexec,-vettool,--vettool,-overlay,--overlay,-ldflags=-extld,-gccgoflags", High, "runs a helper program"}, {"-o,--o", Medium, "writes a file"}}, "gofmt": {{"-cpuprofile", Medium, "writes a file"}},
	"make":  {{"--eval,-E", High, "evaluates text as a Makefile"}},
	"cargo": {{"--config,-Z", High, "sets options by which cargo runs programs"}}, "pytest": {{"-p,--rootdir,-c", Medium, runsProject}},
	"npm": {{"-g,--global", High, "installs outside the workspace"}, {"--script-shell,--node-options,--userconfig,--globalconfig", High, "runs another program than the script's"}, {"--registry", High, "takes packages from elsewhere"}},
	"pip": {{"-i,--index-url,--extra-index-url,--find-links,-f,--trusted-host", High, "takes packages from elsewhere"}, {"-t,--target,--prefix,--root", High, "installs elsewhere"}},
	"tsc": {{"--outDir,--outFile", Medium, "writes files"}}, "gpg": {{"--export-secret-keys,--export-secret-subkeys", High, "gives out private keys"}, {"--delete-secret-keys,--delete-keys,--delete-secret-and-public-keys", Critical, "destroys keys"}, {"-d,--decrypt,--import,--recv-keys,--send-keys,--edit-key,--refresh-keys,--keyserver", High, "uses or changes keys"}},
	"column": {}, "docker": {{"--privileged,--cap-add,--security-opt,--device", Critical, "gives a container the rights of the machine"}}, "sqlite3": {{"-cmd,-init", High, "runs commands from elsewhere"}}, "strings": {{"-T,--target", Medium, "loads a format"}},
	"objdump": {{"--dwarf", Medium, "follows debug links"}}, "watch": {}, "zgrep": {}, "ctags": {{"--options", High, "obeys a file"}}, "iconv": {{"-o,--output", Medium, "writes a file"}}, "shuf": {{"-o,--output,--random-source", Medium, "writes a file"}}, "unzip": {}, "split": {{"--filter", High, "runs a helper program"}},
	"ld": {{"-plugin,--plugin", High, "loads code"}}, "gcc": {{"-wrapper,-B,-fplugin,-specs", High, "runs a helper program"}}, "openssl": {{"-engine,-provider,-provider-path", High, "loads code"}, {"-out,-keyout,-writerand,-CAcreateserial", Medium, "writes a file"}}, "nm": {{"--plugin", High, "loads code"}}, "ar": {{"--plugin", High, "loads code"}},
	"tcpdump": {{"-z,-w,--write", High, "runs a helper program or writes a file"}}, "screen": {}, "ip": {{"-b,-batch,--batch", High, "runs commands from a file"}}, "kubectl": {{"--kubeconfig", High, "obeys another configuration, which runs programs"}, {"--all,-A", Medium, "touches everything"}},
	"terraform": {{"-destroy,--destroy", Critical, "destroys infrastructure"}, {"-auto-approve,--auto-approve", High, "changes infrastructure unasked"}}, "protoc": {{"--plugin", High, "runs a helper program"}}, "ninja": {}, "cmake": {{"-E,-P", Medium, runsProject}}, "zip": {{"-TT,--unzip-command", High, "runs a helper program"}}, "pandoc": {{"-F,--filter,-L,--lua-filter,--pdf-engine", High, "runs a helper program"}},
	"ssh-keygen": {{"-D", High, "loads code"}, {"-R,-f", High, "changes keys"}}, "w3m": {}, "crontab": {}, "journal": {}, "npx": {{"-y,--yes,-p,--package,-c,--call", High, "fetches a package and runs it"}}, "eslint": {{"--fix", Medium, "changes files"}, {"--rulesdir,--resolve-plugins-relative-to", High, "loads code"}},
}

// flags looks at the flags of a program that its family may not have.
func (c *command) flags() {
	s := c.s
	name := c.name
	if _, ok := helpers[name]; !ok {
		if o, ok := same[name]; ok {
			name = o
		}
	}
	for _, h := range helpers[name] {
		for f := range strings.SplitSeq(h.words, ",") {
			single := len(f) > 2 && f[0] == '-' && f[1] != '-'
			if single && !slices.ContainsFunc(c.args, func(w word) bool { return w.text == f || strings.HasPrefix(w.text, f+"=") }) || !single && !c.has(f) {
				continue
			}
			if s.risk(h.level, h.reason); h.level >= High {
				s.ungrantable = true
			}
			for _, v := range c.values(f) {
				if strings.HasPrefix(h.reason, "writes") || strings.Contains(h.reason, "elsewhere") {
					s.writes(v, false)
				}
			}
		}
	}
	switch c.name {
	case "uniq", "xxd":
		if ops := c.operands(); len(ops) > 1 {
			s.risk(Medium, "writes its second file")
			s.writes(ops[1], false)
		}
	case "hostname":
		if len(c.operands()) > 0 {
			s.risk(High, "sets the name of the machine")
		}
	case "date":
		if f := c.first(); len(c.args) == 1 && f != "" && f[0] != '+' {
			s.risk(High, "sets the clock")
		}
		if s.a.Level == Low {
			s.risk(Medium, "has a flag or an argument forge does not vouch for")
		}
	case "ps":
		s.secret = true
	case "ip", "ifconfig", "route":
		for _, w := range c.operands() {
			if slices.Contains([]string{"set", "add", "del", "delete", "flush", "change", "replace", "up", "down", "append"}, w.text) || c.name == "ifconfig" && len(c.operands()) > 1 {
				s.risk(High, "changes the network")
			}
		}
	case "sysctl":
		if c.has("-w", "--write", "-p", "--load", "--system") || strings.Contains(strings.Join(texts(c.args), " "), "=") {
			s.risk(Critical, "changes the kernel")
		}
	case "kill":
		for _, w := range c.args {
			if w.text == "-1" && c.first() == "" || w.text == "1" && len(c.operands()) == 1 {
				s.risk(Critical, "signals everything")
			}
			if n := len(c.args); n > 1 && c.args[n-1].text == "-1" {
				s.risk(Critical, "signals everything")
			}
		}
	case "tee":
	case "bat", "batcat", "less", "more", "head", "tac", "zcat", "zgrep", "zless", "bzcat", "xzcat", "zstdcat", "ag", "ack", "cloc", "pandoc", "yq", "xmllint", "hexyl", "source-highlight", "look":
		c.readsAll()
		if c.name == "yq" && c.has("-i", "--inplace") {
			s.risk(Medium, "changes files in place")
		}
		for _, a := range c.args {
			if strings.HasPrefix(a.text, "+!") || strings.HasPrefix(a.text, "!") {
				s.risk(High, "runs a command")
			}
		}
	case "gdb", "lldb", "dlv":
		for _, v := range c.values("-ex", "-iex", "-o", "-x", "--eval-command") {
			s.maybeCode(strings.TrimPrefix(strings.TrimPrefix(v.text, "shell "), "!"))
		}
	case "gofmt", "goimports", "black", "prettier", "rustfmt", "isort", "clang-format", "shfmt":
		for _, w := range c.operands() {
			s.writes(w, false)
		}
	}
}

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
		case slices.Contains([]string{"install", "i", "add", "link"}, first) && len(rest) > 0 && !slices.ContainsFunc(rest, func(t string) bool { return !strings.HasPrefix(t, ".") }) == false:
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
		if first == "run" || first == "exec" {
			s.ungrantable = true
			c.everywhere()
		}
	case "aws":
		c.cloud(ops)
	case "openssl":
		for _, v := range c.values("-out", "-keyout") {
			s.writes(v, false)
		}
		c.readsAll()
		if slices.Contains([]string{"x509", "req", "dgst", "enc", "version"}, first) && s.a.Level == Low {
			s.risk(Medium, "writes or reads what forge does not vouch for")
		}
	case "tmux":
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
				s.writes(v, false)
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

var sqlWipes = regexp.MustCompile(`(?i)\b(drop\s+(database|schema|table|user|role|index|view|keyspace|collection)|truncate\b|flushall|flushdb|dropdatabase|deletemany\(\s*\{\s*\}|db\.\w+\.drop\(|delete\s+from\s+[\w."]+\s*(;|"|'|$)|drop\s+\w+)`)
var sqlChanges = regexp.MustCompile(`(?i)\b(insert|update|delete|alter|create|grant|revoke|copy\s|load\s+data|call\s|do\s+\$|into\s+outfile|set\s+password|vacuum|reindex|attach)`)
var sqlRuns = regexp.MustCompile(`(?i)(\\!|\.shell|\.system|system\s|program\s+'|sys_exec|xp_cmdshell|load_extension|\.import\s|\.output|\.once|\\copy|lo_export|pg_read_file)`)

func (c *command) database(joined string) {
	text := joined + c.feed.text
	switch {
	case sqlWipes.MatchString(text):
		c.risk(Critical, "drops or empties a database")
	case sqlRuns.MatchString(text):
		c.risk(High, "has the database run a program or touch files")
	case sqlChanges.MatchString(text):
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
	for _, t := range ops {
		head, _, _ := strings.Cut(t, "-")
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

var (
	awkRuns   = regexp.MustCompile(`system\s*\(|\||getline|@load|@include|/inet/|ENVIRON|extension\(`)
	awkWrites = regexp.MustCompile(`print[^{};]*>|-i\s*inplace|close\(`)
	sedRuns   = regexp.MustCompile(`(^|[;{}\n\d/$!,])\s*e(\s|$)|/[gpiImM0-9]*e[gpiImM0-9]*\s*($|[;}\n])|\be\s+\S`)
	sedWrites = regexp.MustCompile(`(^|[;{}\n\d/$!,])\s*[wW]\s*\S|/[gpiImMe0-9]*w\s*\S`)
)

func (c *command) awk() {
	s := c.s
	s.ungrantable = true
	joined := strings.Join(texts(c.args), "\n")
	s.risk(Medium, "runs an awk program forge does not vouch for")
	if c.has("-f", "--file", "-i", "--include", "-l", "--load", "-E", "--exec") {
		s.risk(Medium, "runs a program from a file")
		if c.has("-l", "--load") {
			s.risk(High, "loads code")
		}
	}
	if awkRuns.MatchString(joined) {
		s.risk(High, "has awk run commands or read the environment")
		for _, m := range quoted.FindAllStringSubmatch(joined, 50) {
			s.maybeCode(m[1])
		}
	}
	if awkWrites.MatchString(joined) {
		s.risk(Medium, "writes files")
		for _, m := range quoted.FindAllStringSubmatch(joined, 50) {
			if strings.ContainsAny(m[1], "/.") && !strings.ContainsAny(m[1], " %") {
				s.writes(literal(m[1]), false)
			}
		}
	}
	for i, w := range c.operands() {
		if i > 0 {
			s.reads(w)
		}
	}
}

func (c *command) sed() {
	s := c.s
	inPlace := c.has("-i", "--in-place") || slices.ContainsFunc(c.args, func(w word) bool {
		return strings.HasPrefix(w.text, "-i") || strings.HasPrefix(w.text, "-I") || len(w.text) > 3 && strings.HasPrefix("--in-place", strings.SplitN(w.text, "=", 2)[0])
	})
	ops := c.operands()
	scripts := c.values("-e", "--expression")
	if len(scripts) == 0 && !c.has("-f", "--file") && len(ops) > 0 {
		scripts, ops = ops[:1], ops[1:]
	}
	for _, w := range c.args {
		if strings.HasPrefix(w.text, "-e") && len(w.text) > 2 {
			scripts = append(scripts, w.after(2))
		}
	}
	if c.has("-f", "--file") {
		s.ungrantable = true
		s.risk(High, "runs a sed script from a file, which can run commands")
	}
	for _, w := range scripts {
		if sedRuns.MatchString(w.text) && !sedPrints(w.text) {
			s.ungrantable = true
			s.risk(High, "has sed run commands")
		}
		if sedWrites.MatchString(w.text) && !sedPrints(w.text) {
			s.risk(Medium, "has sed write files")
			if i := strings.LastIndexAny(w.text, "wW"); i >= 0 && i+1 < len(w.text) {
				s.writes(literal(strings.TrimSpace(w.text[i+1:])), false)
			}
		}
	}
	s.risk(Medium, "has a script or a flag forge does not vouch for")
	for _, w := range ops {
		if inPlace {
			s.risk(Medium, "changes files in place")
			s.writes(w, false)
		}
		s.reads(w)
	}
}

func (c *command) editor() {
	s := c.s
	s.ungrantable = true
	s.risk(Medium, "waits for a person")
	for _, a := range c.args {
		t := a.text
		if strings.HasPrefix(t, "+") || slices.Contains([]string{"-c", "--cmd", "-S", "-s", "-es", "-Es", "-u", "--eval", "-eval", "-l", "--load", "-f", "-batch", "--batch", "--script", "-e", "-w", "-W"}, t) {
			s.risk(High, "has an editor run commands")
		}
		if _, code, ok := strings.Cut(t, "!"); ok {
			s.maybeCode(code)
		}
	}
	if c.feed.piped {
		s.risk(High, "has an editor run commands")
	}
	for _, w := range c.operands() {
		s.reads(w)
	}
}
