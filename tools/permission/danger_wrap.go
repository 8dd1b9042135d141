package permission

import (
	"path"
	"slices"
	"strings"

	"forge/lazy"
)

// wrapper describes a program that runs the command in its words.
type wrapper struct {
	flags  string // those with a value, as in known
	skip   int    // words before the command
	level  Level
	reason string
}

var wrappers = lazy.Value[map[string]wrapper]{Of: func() map[string]wrapper {
	return map[string]wrapper{
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
		"gksudo": {"", 0, High, "runs as another user"}, "kdesu": {"", 0, High, "runs as another user"}, "beesu": {"", 0, High, "runs as another user"}, "arch": {"", 0, Low, ""},
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
}}

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
