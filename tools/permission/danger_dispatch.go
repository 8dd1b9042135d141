package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// dispatch hands a command to the family that knows it.
func (c *command) dispatch() {
	s := c.s
	name := c.name
	if w, ok := wrappers.Get()[name]; ok {
		c.wrap(w)
		c.traced()
		if f := c.first(); (name == "direnv" || name == "mise") && (f == "allow" || f == "permit" || f == "grant" || f == "trust") {
			s.risk(High, "trusts what a directory sets")
		}
		if f := c.first(); (name == "mise" || name == "asdf") && slices.Contains([]string{"install", "use", "global", "upgrade", "plugin", "plugins"}, f) {
			s.risk(High, installs)
		}
		return
	}
	switch {
	case name == "git":
		c.git()
	case name == "env" || name == "printenv":
		c.environment()
	case name == "xargs":
		c.xargs()
	case shellNames.Get()[name]:
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
	if slices.Contains([]string{"ionice", "taskset", "chrt", "prlimit"}, c.name) && c.has("-p", "--pid") {
		c.risk(Medium, "changes a process")
	}
	if c.name == "flock" || c.name == "time" {
		for _, w := range c.values("-o", "--output") {
			c.s.writes(w)
		}
	}
}

// other judges a program no table knows: what it is called with may still tell.
func (c *command) other() {
	s := c.s
	if _, known := harmless.Get()[c.name]; known || slices.Contains([]string{"find", "jq", "ps", "test", "["}, c.name) {
		s.risk(Medium, "has a flag or an argument forge does not vouch for")
		if c.name == "jq" && jqReaches.Get().MatchString(strings.Join(texts(c.args), " ")) {
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
var helpers = lazy.Value[map[string][]verb]{Of: func() map[string][]verb {
	return map[string][]verb{
		"rg":   {{"--pre,--hostname-bin", High, "runs a helper program"}, {"-z,--search-zip", Medium, "runs a helper program from the path"}, {"-L,--follow", Medium, "follows links out of the workspace"}},
		"sort": {{"--compress-program", High, "runs a helper program"}, {"-o,--output,-T,--temporary-directory", Medium, "writes a file"}},
		"tree": {{"-o,-R", Medium, "writes a file"}}, "xxd": {{"-r", Medium, "writes a file"}}, "file": {{"-C,--compile", Medium, "writes a file"}, {"-z,-Z", Medium, "runs a helper program"}},
		"man": {{"-P,--pager,-H,--html,-C,--config-file,-X,-T", High, "runs a helper program"}}, "less": {{"-k,--lesskey-file,--lesskey-src", High, "obeys a file"}, {"-o,-O,--log-file,--LOG-FILE", Medium, "writes a file"}},
		"bat": {{"--pager", High, "runs a helper program"}}, "ag": {{"--pager", High, "runs a helper program"}}, "ack": {{"--pager,--ackrc,--filter", High, "runs a helper program"}}, "date": {{"-s,--set", High, "sets the clock"}},
		"hostname": {{"-F,-b,--file,--boot", High, "sets the name of the machine"}}, "ss": {{"-K,--kill", High, "closes connections of others"}}, "dmesg": {{"-C,-c,-D,-E,-n,--clear,--read-clear,--console-off,--console-on,--console-level", High, "clears or changes the kernel's log"}},
		"journalctl": {{"--vacuum-time,--vacuum-size,--vacuum-files,--rotate,--flush,--relinquish-var,--setup-keys", High, "deletes or rotates logs"}}, "fuser": {{"-k,--kill", High, "kills processes"}}, "lsof": {{"-D", Medium, "writes a file"}},
		"go": {{"-exec,--exec,-toolexec,--toolexec,-vettool,--vettool,-overlay,--overlay,-ldflags=-extld,-gccgoflags", High, "runs a helper program"}, {"-o,--o", Medium, "writes a file"}}, "gofmt": {{"-cpuprofile", Medium, "writes a file"}},
		"make":  {{"--eval,-E", High, "evaluates text as a Makefile"}},
		"cargo": {{"--config,-Z", High, "sets options by which cargo runs programs"}}, "pytest": {{"-p,--rootdir,-c", Medium, runsProject}, {"--basetemp", High, "empties a folder before it begins"}},
		"npm": {{"-g,--global", High, "installs outside the workspace"}, {"--script-shell,--node-options,--userconfig,--globalconfig", High, "runs another program than the script's"}, {"--registry", High, "takes packages from elsewhere"}},
		"pip": {{"-i,--index-url,--extra-index-url,--find-links,-f,--trusted-host", High, "takes packages from elsewhere"}, {"-t,--target,--prefix,--root", High, "installs elsewhere"}},
		"tsc": {{"--outDir,--outFile", Medium, "writes files"}}, "gpg": {{"--export-secret-keys,--export-secret-subkeys", High, "gives out private keys"}, {"--delete-secret-keys,--delete-keys,--delete-secret-and-public-keys", Critical, "destroys keys"}, {"-d,--decrypt,--import,--recv-keys,--send-keys,--edit-key,--refresh-keys,--keyserver", High, "uses or changes keys"}},
		"column": {}, "diff": {{"--diff-program", High, "runs a helper program"}}, "docker": {{"-H,--host", High, "speaks to another container service"}, {"--privileged,--cap-add,--security-opt,--device", Critical, "gives a container the rights of the machine"}}, "sqlite3": {{"-cmd,-init", High, "runs commands from elsewhere"}}, "strings": {{"-T,--target", Medium, "loads a format"}},
		"objdump": {{"--dwarf", Medium, "follows debug links"}}, "watch": {}, "zgrep": {}, "ctags": {{"--options", High, "obeys a file"}}, "iconv": {{"-o,--output", Medium, "writes a file"}}, "shuf": {{"-o,--output,--random-source", Medium, "writes a file"}}, "unzip": {}, "split": {{"--filter", High, "runs a helper program"}},
		"ld": {{"-plugin,--plugin", High, "loads code"}}, "gcc": {{"-wrapper,-B,-fplugin,-specs", High, "runs a helper program"}}, "openssl": {{"-engine,-provider,-provider-path", High, "loads code"}, {"-out,-keyout,-writerand,-CAcreateserial", Medium, "writes a file"}}, "nm": {{"--plugin", High, "loads code"}}, "ar": {{"--plugin", High, "loads code"}},
		"tcpdump": {{"-z,-w,--write", High, "runs a helper program or writes a file"}}, "screen": {}, "ip": {{"-b,-batch,--batch", High, "runs commands from a file"}}, "kubectl": {{"--kubeconfig", High, "obeys another configuration, which runs programs"}, {"--all,-A", Medium, "touches everything"}},
		"terraform": {{"-destroy,--destroy", Critical, "destroys infrastructure"}, {"-auto-approve,--auto-approve", High, "changes infrastructure unasked"}}, "protoc": {{"--plugin", High, "runs a helper program"}}, "ninja": {}, "cmake": {{"-E,-P", Medium, runsProject}}, "zip": {{"-TT,--unzip-command", High, "runs a helper program"}}, "pandoc": {{"-F,--filter,-L,--lua-filter,--pdf-engine", High, "runs a helper program"}},
		"ssh-keygen": {{"-D", High, "loads code"}, {"-R,-f", High, "changes keys"}}, "w3m": {}, "logger": {{"-n,--server,-T,--tcp,-d,--udp", High, "sends what it logs to another machine"}}, "crontab": {}, "journal": {}, "npx": {{"-y,--yes,-p,--package,-c,--call", High, "fetches a package and runs it"}}, "eslint": {{"--fix", Medium, "changes files"}, {"--rulesdir,--resolve-plugins-relative-to", High, "loads code"}},
	}
}}

// wipesData finds the words by which tasks of frameworks empty a database.
var wipesData = lazy.Regexp{Expr: `(?:^|\s)(?:\S*db:(?:drop|reset|purge|wipe|schema:load|migrate:reset)\S*|migrate:(?:fresh|reset|refresh)|ecto\.(?:drop|reset)|\S*database:drop|sqlflush|reset_db|manage\.py flush|migrate reset|db:seed:undo:all)(?:\s|$)`}

// flags looks at the flags of a program that its family may not have.
func (c *command) flags() {
	s := c.s
	name := c.name
	if name == "sdiff" || name == "diff3" {
		name = "diff"
	}
	if _, ok := helpers.Get()[name]; !ok {
		if o, ok := same.Get()[name]; ok {
			name = o
		}
	}
	for _, h := range helpers.Get()[name] {
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
					s.writes(v)
				}
			}
		}
	}
	if joined := strings.Join(texts(c.args), " "); s.a.Level >= Medium && wipesData.Get().MatchString(joined) && c.name != "git" && c.name != "grep" {
		level := Critical
		if name == "npm" || name == "make" || c.name == "just" || c.name == "task" { // a script of that name, which says what it does by it
			level = High
		}
		s.risk(level, "drops or empties a database")
	}
	switch c.name {
	case "uniq", "xxd":
		if ops := c.operands(); len(ops) > 1 {
			s.risk(Medium, "writes its second file")
			s.writes(ops[1])
		}
	case "hostname":
		if c.has("-f", "-d", "-i", "-A", "-a", "-y", "--fqdn", "--long", "--domain", "--ip-address", "--all-fqdns", "--alias", "--yp", "--nis") {
			s.risk(Medium, "asks the network")
		}
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
	case "busctl", "dbus-send", "gdbus", "qdbus":
		if f := c.first(); f == "call" || f == "emit" || f == "set-property" || c.name == "dbus-send" || c.name == "qdbus" && len(c.operands()) > 2 {
			s.risk(Critical, "has a service do something, outside the sandbox")
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
	case "pkill", "killall":
		if slices.ContainsFunc(c.operands(), func(w word) bool { return w.text == "" || strings.Trim(w.text, ".*^$+") == "" }) {
			s.risk(Critical, "signals everything")
		}
	case "npx":
		if slices.Contains([]string{"serve", "http-server", "live-server", "localtunnel", "ngrok"}, c.first()) {
			s.send = true
			s.risk(High, "serves a folder to other machines")
		}
		c.anywhere()
	case "kill":
		for _, w := range c.args {
			if w.text == "-1" && c.first() == "" || w.text == "1" && len(c.operands()) == 1 {
				s.risk(Critical, "signals everything")
			}
			if n := len(c.args); n > 1 && c.args[n-1].text == "-1" {
				s.risk(Critical, "signals everything")
			}
		}
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
		asked := !slices.Contains([]string{"black", "rustfmt", "isort"}, c.name) // the others only print, unless told to write
		for _, w := range c.operands() {
			if asked && !c.has("-w", "-i", "--write") {
				s.reads(w)
				continue
			}
			s.writes(w)
		}
	}
}
