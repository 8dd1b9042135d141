//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// What programs say when a sandbox stops them, and when it is not the sandbox.
func TestDenied(t *testing.T) {
	dir := resolved(t.TempDir())
	ws, open := filepath.Join(dir, "ws"), filepath.Join(dir, "open")
	for _, d := range []string{ws, open, filepath.Join(dir, "secret"), filepath.Join(ws, ".git")} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := &Policy{core: &core{form: Landlock, temp: filepath.Join(dir, "temp"), caches: filepath.Join(dir, "caches"),
		home: dir}}
	p.at.Store(&scope{roots: []string{ws}, hidden: []string{filepath.Join(dir, "secret")}})
	for _, c := range []struct {
		line    string
		network bool
		path    string // relative to dir; empty: none
		none    bool
	}{
		{line: "bash: line 1: " + open + "/x: Permission denied", path: "open/x"},
		{line: "/usr/bin/bash: line 1: ../open/x: Permission denied", path: "open/x"},
		{line: "sh: 1: cannot create " + open + "/x: Permission denied", path: "open/x"},
		{line: "touch: cannot touch '" + open + "/a b': Permission denied", path: "open/a b"},
		{line: "touch: cannot touch '../open/x': Read-only file system", path: "open/x"},
		{line: "PermissionError: [Errno 13] Permission denied: '" + open + "/x'", path: "open/x"},
		{line: "open " + open + "/x: permission denied", path: "open/x"},
		{line: "Error: EACCES: permission denied, open '" + open + "/x'", path: "open/x"},
		{line: "mkdir: cannot create directory ‘" + open + "/x’: Permission denied", path: "open/x"},
		{line: "cat: " + dir + "/secret/id: Permission denied", path: "secret/id"},
		{line: "curl: (6) Could not resolve host: example.com", network: true},
		{line: "fatal: unable to access 'https://example.com/x/': Could not resolve host: example.com", network: true},
		{line: "go: example.com/x@v1: Get \"https://proxy\": dial tcp: lookup proxy on 1.1.1.1:53: dial udp 1.1.1.1:53: socket: operation not permitted", network: true},
		{line: "panic: httptest: failed to listen on a port: listen tcp6 [::1]:0: socket: operation not permitted", network: true},
		{line: "npm error code EAI_AGAIN", network: true},
		{line: "Error: listen EPERM: operation not permitted 127.0.0.1", network: true},
		{line: "ping: socktype: SOCK_RAW: Operation not permitted", network: true},
		{line: "unshare: unshare failed: Operation not permitted"},
		{line: "bash: line 1: " + ws + "/x: Permission denied", none: true}, // its own rights
		{line: "touch: cannot touch '" + ws + "/x': No such file or directory", none: true},
		{line: "--- FAIL: TestX (0.00s)", none: true},
		{line: "/nonexistent/x: Permission denied", none: os.Geteuid() != 0, path: "/nonexistent/x"},
	} {
		got := p.denied(ws, Result{ExitCode: 1, Output: "before\n" + c.line + "\nafter\n"})
		switch {
		case c.none:
			if got != nil {
				t.Errorf("%s: %+v", c.line, got)
			}
			continue
		case got == nil:
			t.Errorf("%s: not seen", c.line)
			continue
		}
		want := c.path
		if want != "" && !filepath.IsAbs(want) {
			want = filepath.Join(dir, want)
		}
		if got.Network != c.network || got.Path != want || got.Line == "" || got.String() == "" {
			t.Errorf("%s: %+v, want network %v, path %s", c.line, got, c.network, want)
		}
	}
	if got := p.denied(ws, Result{ExitCode: 1, Output: "dial tcp 127.0.0.1:5432: connect: connection refused"}); (got != nil) != p.ownLoopback() {
		t.Errorf("own loopback %v: %+v", p.ownLoopback(), got)
	}
	if got := p.WithNetwork().denied(ws, Result{ExitCode: 1, Output: "Could not resolve host"}); got != nil {
		t.Errorf("the network is open: %+v", got)
	}
}

// What a part of a command says that ended well.
func TestDeniedWithin(t *testing.T) {
	p := &Policy{core: &core{form: Landlock}}
	const lost = "curl: (6) Could not resolve host: example.com"
	for _, c := range []struct {
		line, output string
		denied       bool
	}{
		{"curl -s example.com | head -3", lost, true},
		{"curl example.com; true", "before\n" + lost + "\nafter", true},
		{"/usr/bin/curl example.com || echo none", lost, true},
		{"x=$(curl example.com); echo $x", lost, true},
		{"(git pull) | cat", "fatal: unable to access 'https://example.com/x/': Could not resolve host: example.com", true},
		{"npm view x | head", "npm error network getaddrinfo EAI_AGAIN registry", true},
		{"curl example.com", lost, false},                 // it ended well, whatever it says
		{"cat build.log | tail -3", lost, false},          // what a file holds
		{"curl x | cat", "log: could not resolve", false}, // another one's words
		{"curl x | cat", "curl: (22) not found", false},
	} {
		got := p.deniedWithin(c.line, Result{Output: c.output})
		if (got != nil) != c.denied || got != nil && (!got.Network || got.Line == "") {
			t.Errorf("%s, %s: %+v", c.line, c.output, got)
		}
	}
	if got := p.WithNetwork().deniedWithin("curl x | cat", Result{Output: lost}); got != nil {
		t.Errorf("the network is open: %+v", got)
	}
}

func TestSeatbelt(t *testing.T) {
	p := &Policy{core: &core{form: Seatbelt, temp: "/private/tmp/t", caches: "/Users/x/Library/Caches/forge/build",
		home: "/nonexistent", readable: []string{"/Users/x/state/output"}}}
	p.at.Store(&scope{roots: []string{`/Users/x/a "b"\c`}, hidden: []string{"/Users/x/.ssh"}})
	want := `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow user-preference-read)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.logger") (global-name "com.apple.system.notification_center") (global-name "com.apple.trustd.agent"))
(allow ipc-posix-sem)
(allow ipc-posix-shm)
(allow pseudo-tty)
(allow file-read*)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (subpath "/Users/x/Library/Caches/forge/build"))
(allow file-write* (subpath "/Users/x/a \"b\"\\c"))
(allow file-write* (subpath "/private/tmp/t"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.git/hooks"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.git/config"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.git/config.worktree"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.git/info"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.git/modules"))
(deny file-write* (subpath "/Users/x/a \"b\"\\c/.forge"))
(deny file-write-unlink (literal "/Users/x/a \"b\"\\c/.git"))
(deny file-read* file-write* (subpath "/Users/x/.ssh"))
(allow file-read* (subpath "/Users/x/state/output"))
`
	if got := p.seatbelt(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	network := "(allow network-outbound (remote ip \"*:*\") (literal \"/private/var/run/mDNSResponder\"))\n" +
		"(allow network-inbound (local ip \"*:*\"))\n(allow network-bind (local ip \"*:*\"))\n(allow system-socket)\n"
	t.Setenv("CARGO_HOME", "/nonexistent/cargo")
	t.Setenv("GOMODCACHE", "/nonexistent/mod")
	if got := p.WithNetwork().seatbelt(); got != want+network {
		t.Errorf("with the network: got\n%s", got)
	}
}

func TestPolicyChoice(t *testing.T) {
	for _, c := range []struct {
		o    PolicyOptions
		fail bool
	}{
		{PolicyOptions{Want: Off}, false},
		{PolicyOptions{Want: Require, Form: "nothing"}, true}, // fails closed
		{PolicyOptions{Form: "nothing"}, true},
		{PolicyOptions{Roots: []string{"relative"}}, true},
	} {
		p, err := NewPolicy(c.o)
		if (err != nil) != c.fail {
			t.Errorf("%+v: %v", c.o, err)
			continue
		}
		if err == nil && (p.Active() || p.State() != "off" || !p.Network() || p.Close() != nil) {
			t.Errorf("%+v: %s", c.o, p.State())
		}
	}
	var none *Policy
	if none.Active() || none.State() != "none" || none.Close() != nil || none.WithNetwork() != nil || none.Why() != "" {
		t.Error("a nil policy confines something")
	}
	for _, s := range []string{"auto", "require", "off"} {
		if w, err := ParseWant(s); err != nil || string(w) != s {
			t.Error(w, err)
		}
	}
	if _, err := ParseWant("on"); err == nil {
		t.Error("on is no word for it")
	}
}

// Where no temp folder can be made, one lies in forge's cache; where neither can,
// auto goes on and says why, and require does not.
func TestPolicyWithoutTemp(t *testing.T) {
	ws, nowhere := t.TempDir(), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(nowhere, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := NewPolicy(PolicyOptions{Roots: []string{ws}}); err != nil || !p.Active() {
		t.Skip("no sandbox here: ", err, p.Why())
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
	cache := filepath.Join(t.TempDir(), "cache")
	p, err := NewPolicy(PolicyOptions{Roots: []string{ws}, Temp: nowhere, Cache: cache})
	if err != nil || !p.Active() || !beneath(resolved(cache), p.Temp()) {
		t.Fatalf("%v %s %s", err, p.State(), p.Why())
	}
	if r := run(t, Command{Shell: "mktemp", Dir: ws, Policy: p}); !r.Ok() {
		t.Errorf("%+v", r)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	p, err = NewPolicy(PolicyOptions{Roots: []string{ws}, Temp: nowhere, Cache: nowhere})
	if err != nil || p.Active() || p.State() != "none" || p.Why() == "" {
		t.Errorf("%v %s", err, p.State())
	}
	if _, err := NewPolicy(PolicyOptions{Want: Require, Roots: []string{ws}, Temp: nowhere, Cache: nowhere}); err == nil {
		t.Error("it goes on without")
	}
}

// The private temp folder is for this user alone, and goes with the policy.
func TestPolicyTemp(t *testing.T) {
	ws := t.TempDir()
	p, err := NewPolicy(PolicyOptions{Roots: []string{ws}, Home: t.TempDir()})
	if err != nil || !p.Active() {
		t.Skip("no sandbox here: ", err, p.Why())
	}
	fi, err := os.Stat(p.Temp())
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Error(fi, err)
	}
	if r := run(t, Command{Shell: `echo x >"$TMPDIR/f" && mkdir -p "$PIP_CACHE_DIR" "$npm_config_cache" && mktemp`, Dir: ws, Policy: p}); !r.Ok() {
		t.Errorf("%+v", r)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(p.Temp()); !os.IsNotExist(err) {
		t.Error("the temp folder stays: ", err)
	}
}
