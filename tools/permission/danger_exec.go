package permission

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var shellNames = set("sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh", "yash")

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// interpreter gives the language a program runs, "" for none.
func interpreter(name string) string {
	if shellNames[name] {
		return "shell"
	}
	for _, p := range []string{"python", "pypy", "perl", "ruby", "node", "nodejs", "php", "lua", "luajit", "tclsh", "wish", "Rscript", "guile", "deno", "bun", "osascript", "pwsh", "powershell", "groovy", "scala",
		"julia", "elixir", "iex", "erl", "escript", "ghci", "runghc", "irb", "expect", "jshell", "R", "swipl", "racket", "clojure", "ocaml", "ts-node", "tsx", "jruby", "ipython", "bpython", "raku", "crystal", "cmd", "cmd.exe"} {
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

// script judges a file that an interpreter runs.
func (c *command) script(w word) {
	s := c.s
	switch {
	case w.subst && s.net:
		s.risk(Critical, "runs what it fetched from the network")
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
	case w.subst && s.net:
		s.risk(Critical, "runs what it fetched from the network")
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

// interpret judges python, node and the rest.
func (c *command) interpret(lang string) {
	s := c.s
	s.ungrantable = true
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
		case lang == "python" && (t == "-m" || strings.HasPrefix(t, "-m")):
			s.risk(Medium, "runs a module, which the workspace may bring")
			if rest := c.args[min(i+1, len(c.args)):]; t == "-m" && len(rest) > 0 && slices.Contains([]string{"pip", "pytest", "black", "http.server"}, rest[0].text) {
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

// inline: the flag's value is code, or loads some.
func inline(lang, f string) bool {
	letters := map[string]string{"python": "c", "pypy": "c", "perl": "eEM", "ruby": "er", "node": "epr", "nodejs": "epr", "php": "rBRE", "lua": "el", "luajit": "el", "osascript": "e", "Rscript": "e", "R": "e", "guile": "c",
		"pwsh": "cCe", "powershell": "cCe", "groovy": "e", "julia": "eE", "elixir": "e", "deno": "", "bun": "e", "cmd": "", "raku": "e", "tsx": "e", "ts-node": "ep"}
	if strings.HasPrefix(f, "--") {
		return slices.Contains([]string{"--eval", "--print", "--require", "--import", "--loader", "--experimental-loader", "--run", "--exec", "--command", "--init-file"}, f)
	}
	if slices.Contains([]string{"-Command", "-EncodedCommand", "-eval", "-File", "-enc"}, f) {
		return true
	}
	return strings.ContainsAny(cluster(f), letters[lang]) && letters[lang] != ""
}

func (c *command) sources(ws []word) {
	for _, w := range ws {
		c.source(w.text)
		if w.subst && c.s.net {
			c.s.risk(Critical, "runs what it fetched from the network")
		}
	}
}

var (
	quoted    = regexp.MustCompile("(?s)\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`((?:[^`\\\\]|\\\\.)*)`")
	codeShell = regexp.MustCompile(`os\.system|os\.popen|subprocess|popen|exec|spawn|system|shell|Process|backtick|qx`)
	codeNet   = regexp.MustCompile(`urlopen|fsockopen|urllib|requests\.|http|fetch\(|socket|Net::|LWP|TCPSocket|/inet/|XMLHttp|curl`)
	codeBack  = regexp.MustCompile(`dup2|pty|/bin/(?:ba)?sh|SOCK_STREAM|\bsh\b.*-i|fsockopen|TCPSocket|/inet/tcp`)
	codeWipe  = regexp.MustCompile(`rmtree|rm_rf|rm_r\b|remove_tree|rmSync|rmdirSync|rimraf|removeAll|RemoveAll|unlink|os\.remove|File\.delete|fs\.rm|Remove-Item|deleteRecursively`)
	codeEval  = regexp.MustCompile(`\beval\b|\bexec\b|system|spawn|subprocess|compile\(|Function\(|popen`)
)

// source reads code of another language for what can be seen in it: commands in
// quotes, files in quotes, sockets tied to a shell, trees being removed.
func (c *command) source(code string) {
	s := c.s
	if len(code) > 4*maxLine {
		code = code[:4*maxLine]
	}
	if codeNet.MatchString(code) {
		s.net = true
		if strings.Contains(code, "socket") || strings.Contains(code, "/inet/") || strings.Contains(code, "fsockopen") || strings.Contains(code, "TCPSocket") || strings.Contains(code, "Socket") {
			if codeBack.MatchString(code) {
				s.risk(Critical, "ties a shell to a network connection")
			}
		}
		if codeEval.MatchString(code) {
			s.risk(Critical, "runs what it fetched from the network")
		}
		s.send = true
	}
	wipes, shells := codeWipe.MatchString(code), codeShell.MatchString(code)
	n := 0
	for _, m := range quoted.FindAllStringSubmatch(code, 200) {
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

// wrapper describes a program that runs the command in its words.
type wrapper struct {
	flags  string // those with a value, as in known
	skip   int    // words before the command
	level  Level
	reason string
}

var wrappers = map[string]wrapper{
	"nohup": {"", 0, Medium, "goes on after the session"}, "nice": {"-n: --adjustment:", 0, Low, ""}, "ionice": {"-c: -n: -p: -t --class: --classdata:", 0, Low, ""},
	"timeout": {"-s: -k: -fpv --signal: --kill-after: --preserve-status --foreground --verbose", 1, Low, ""}, "gtimeout": {"-s: -k: --signal: --kill-after:", 1, Low, ""},
	"stdbuf": {"-i: -o: -e: --input: --output: --error:", 0, Low, ""}, "unbuffer": {"-p", 0, Low, ""}, "setsid": {"-cfw --ctty --fork --wait", 0, Medium, "leaves the session"},
	"taskset": {"-apc --all-tasks --pid --cpu-list", 1, Low, ""}, "chrt": {"-abdfiorRm -T: -P: -D:", 1, Medium, "changes the scheduling"}, "numactl": {"-N: -m: -i: -C: -p: -l", 0, Low, ""},
	"flock": {"-eEnosuxF -w: -E: --timeout: --exclusive --nonblock --shared --unlock --close", 1, Low, ""}, "time": {"-apqvV -f: -o: --format: --output: --append --portability --verbose", 0, Low, ""},
	"watch":   {"-bcdegptwxrC -n: -q: --interval: --differences? --errexit --exec --no-title --color --beep --chgexit", 0, Medium, "runs a command again and again"},
	"command": {"-p", 0, Low, ""}, "builtin": {"", 0, Low, ""}, "exec": {"-cl -a:", 0, Medium, "replaces the shell"}, "coproc": {"", 0, High, "starts a coprocess"}, "noglob": {"", 0, Low, ""}, "nocorrect": {"", 0, Low, ""},
	"strace": {"-fcdDFhiqrtTvVxyzkCwZ -e: -o: -O: -P: -s: -S: -u: -U: -a: -b: -E: -I: -p: -ff -tt -yy --trace: --output:", 0, Medium, "traces a program"},
	"ltrace": {"-fcdhirStTVC -e: -o: -n: -p: -s: -u: -x: -a: -l:", 0, Medium, "traces a program"},
	"perf":   {"", 1, Medium, "measures a program"}, "valgrind": {"-vq", 0, Medium, "runs a program"}, "rr": {"", 1, Medium, "records a program"}, "heaptrack": {"", 0, Medium, "runs a program"}, "hyperfine": {"-Ni -w: -r: -m: -M: -n: -p: -c: -s:", 0, Medium, "runs commands"},
	"sudo": {"-AbEHKkinlPSsVv -C: -D: -g: -h: -p: -R: -r: -T: -t: -U: -u: --user: --group: --preserve-env? --login --shell --non-interactive --stdin --background --chdir: --host: --prompt:", 0, High, "runs as another user"},
	"doas": {"-Lns -a: -C: -u:", 0, High, "runs as another user"}, "run0": {"-u: --user:", 0, High, "runs as another user"}, "gosu": {"", 1, High, "runs as another user"}, "su-exec": {"", 1, High, "runs as another user"},
	"pkexec": {"-u: --user: --disable-internal-agent --keep-cwd", 0, Critical, "runs as root"}, "runuser": {"-flmpP -c: -g: -G: -s: -u: -w: --user: --command: --shell:", 0, Critical, "runs as another user"},
	"su":      {"-flmpP -c: -g: -G: -s: -w: --command: --shell: --login --session-command:", 1, Critical, "runs as another user"},
	"unshare": {"-CimnpruTU -S: -G: -R: -w: --fork --mount --user --map-root-user --net --pid --ipc --uts --mount-proc? --root: --wd:", 0, High, "leaves its namespaces"},
	"nsenter": {"-aCeFimnpUuTZrW -t: -S: -G: --target: --all --mount? --pid? --net? --uts? --ipc?", 0, Critical, "enters other namespaces"},
	"setpriv": {"-d --reuid: --regid: --groups: --clear-groups --no-new-privs --init-groups --inh-caps: --bounding-set: --reset-env", 0, High, "changes its rights"}, "capsh": {"", 0, High, "changes its rights"},
	"chroot": {"--userspec: --groups: --skip-chdir", 1, High, "runs in another root"}, "proot": {"-r: -b: -w: -q: -S:", 0, High, "runs in another root"}, "fakeroot": {"-u -l: -s: -i: -b:", 0, Medium, "pretends to be root"},
	"firejail": {"", 0, Medium, "runs in another sandbox"}, "bwrap": {"", 0, High, "runs in another sandbox"}, "systemd-run": {"-dGPqrStu -p: -u: -E: -M: -H: -t --user --scope --unit: --property: --pty --wait --shell --collect --slice: --uid: --gid: --working-directory: --setenv: --on-active:", 0, Critical, "runs outside the session, through the service manager"},
	"dbus-run-session": {"", 0, Medium, "runs a program"}, "xvfb-run": {"-a -n: -s: -e: -f: -w: -p:", 0, Medium, "runs a program"}, "cgexec": {"-g:", 0, Medium, "runs a program"}, "prlimit": {"-p:", 0, Medium, "changes limits"}, "softlimit": {"-m:", 0, Medium, "changes limits"},
	"ld-linux-x86-64.so.2": {"--library-path: --preload: --audit: --argv0: --inhibit-rpath: --list --verify", 0, High, "has the loader run a program"}, "ld.so": {"", 0, High, "has the loader run a program"}, "ld-linux.so.2": {"", 0, High, "has the loader run a program"},
	"busybox": {"", 0, Low, ""}, "toybox": {"", 0, Low, ""}, "script": {"-aefq -c: -O: -t? --command:", 9, Medium, "records a shell"}, "scriptreplay": {"", 9, Medium, "plays a recording"},
	"entr": {"-acdnprsz", 0, Medium, "runs a command on each change"}, "watchexec": {"-w: -e: -i: -d: -s: -r -c", 0, Medium, "runs a command on each change"}, "nodemon": {"-x: -e: -w: -i:", 0, Medium, "runs a command on each change"},
	"direnv": {"", 2, Medium, "loads the environment of a directory"}, "chronic": {"", 0, Low, ""}, "ts": {"", 9, Low, ""}, "trickle": {"-s -d: -u:", 0, Low, ""}, "torsocks": {"", 0, Medium, "goes through Tor"}, "proxychains": {"-q -f:", 0, Medium, "goes through a proxy"}, "proxychains4": {"-q -f:", 0, Medium, "goes through a proxy"},
	"catchsegv": {"", 0, Low, ""}, "setarch": {"-RvLXZB3", 1, Low, ""}, "linux64": {"", 0, Low, ""}, "linux32": {"", 0, Low, ""}, "eatmydata": {"", 0, Low, ""}, "faketime": {"-f", 1, Low, ""}, "parallel": {"-j: -N: -n: -I: --jobs:", 0, Medium, "runs a command for each line"},
	"dotenv": {"-f: -e:", 0, Medium, "loads variables"}, "env-cmd": {"-f:", 0, Medium, "loads variables"}, "cross-env": {"", 0, Medium, "sets variables"}, "aws-vault": {"", 2, High, "hands out credentials"}, "op": {"", 1, High, "hands out secrets"}, "sshpass": {"-p: -f: -e", 0, High, "hands out a password"},
	"mise": {"", 1, Medium, "runs a tool the project picks"}, "asdf": {"", 1, Medium, "runs a tool the project picks"}, "nix-shell": {"-p: --run: --command:", 9, Medium, "runs in an environment the project picks"}, "distrobox": {"", 1, High, "runs in a container"}, "toolbox": {"", 1, High, "runs in a container"},
}

// wrap peels a wrapper off. Where its flags are not known, every word that may
// begin a command is taken for one.
func (c *command) wrap(w wrapper) {
	s := c.s
	s.ungrantable = true
	if w.reason != "" {
		s.risk(w.level, w.reason)
	}
	args := c.args
	if len(args) == 0 {
		return
	}
	kinds := known{flags: w.flags}.kinds()
	i := 0
	for i < len(args) && strings.HasPrefix(args[i].text, "-") && args[i].text != "-" {
		t := args[i].text
		if t == "--" {
			i++
			break
		}
		name, _, attached := strings.Cut(t, "=")
		kind, ok := kinds[name]
		if !strings.HasPrefix(t, "--") && len(t) > 2 && !ok {
			name, attached = t[:2], true
			if kind, ok = kinds[name]; ok && kind == "" { // a cluster: the last one may take a value
				last := "-" + t[len(t)-1:]
				kind, attached = kinds[last], false
			}
		}
		if !ok {
			c.everywhere()
			return
		}
		if i++; kind == ":" && !attached {
			i++
		}
	}
	i += w.skip
	for _, v := range c.values("-c", "--command", "--session-command", "--run") {
		if slices.Contains([]string{"su", "runuser", "script", "nix-shell", "flock"}, c.name) {
			c.code(v)
		}
	}
	for i < len(args) && strings.Contains(args[i].text, "=") && slices.Contains([]string{"sudo", "doas", "env", "busybox", "cross-env"}, c.name) && !strings.Contains(args[i].text, "/=") {
		name, v, _ := strings.Cut(args[i].text, "=")
		s.setsVariable(name, v)
		i++
	}
	if i < len(args) {
		s.run(args[i:], c.feed, false)
	}
	if c.name == "watch" || c.name == "hyperfine" || c.name == "parallel" || c.name == "entr" || c.name == "nodemon" {
		for _, a := range args {
			if strings.Contains(a.text, " ") {
				s.read(a.text)
			}
		}
	}
	if (c.name == "sudo" || c.name == "doas") && (i >= len(args) && !c.has("-n", "-v", "-l", "-k") || i < len(args) && (interpreter(path.Base(args[i].text)) != "" || path.Base(args[i].text) == "su")) {
		s.risk(Critical, "opens a shell as another user")
	}
}

// everywhere runs the detector from every word on.
func (c *command) everywhere() {
	for i, a := range c.args {
		if i < 40 && !strings.HasPrefix(a.text, "-") && a.lit {
			c.s.run(c.args[i:], c.feed, false)
		}
	}
}

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

// xargs judges a command that gets its words from what is fed.
func (c *command) xargs() {
	s := c.s
	s.ungrantable = true
	s.risk(Medium, "runs a command with words that come from another")
	i := 0
	for i < len(c.args) && strings.HasPrefix(c.args[i].text, "-") {
		t := c.args[i].text
		if i++; slices.Contains([]string{"-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "--replace", "--max-args", "--max-procs", "--delimiter", "--arg-file", "--max-lines"}, t) {
			i++
		}
	}
	inner := slices.Clone(c.args[min(i, len(c.args)):])
	if len(inner) == 0 {
		return
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
	}
	s.run(inner, feed{}, false)
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
				}
			}
		}
		if len(c.args) == 0 {
			s.risk(Medium, "leaves the workspace")
		}
	case "echo", "exit", "return", "logout", "break", "continue", "true", "false", ":", "type", "pwd", "bg", "fg", "help":
	default:
		return false
	}
	return true
}
