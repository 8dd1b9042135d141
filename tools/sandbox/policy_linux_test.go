package sandbox

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// forms runs a test in each form this system has.
func forms(t *testing.T, test func(t *testing.T, form Form)) {
	for _, form := range []Form{Landlock, Bubblewrap} {
		t.Run(string(form), func(t *testing.T) { test(t, form) })
	}
}

// The attacks run as root and as somebody, since much that is refused to one is
// allowed to the other.
func TestAttacksAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("they ran without root already")
	}
	dir, err := os.MkdirTemp("/var/lib", "forge-nobody-") // bubblewrap puts something over /tmp
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o777))
	out := asNobody(t, dir, "TestAttacks|TestForgeStaysFree|TestNetworkOpen|TestConfinedCommandsEnd|TestNestedFolders|TestObeyedFiles|TestKilledForge|TestOrdersPutBack")
	if abi, err := landlockABI(); err == nil && abi >= minABI {
		if n := strings.Count(out, "--- PASS: TestAttacks/landlock/"); n < 50 {
			t.Errorf("only %d attacks were tried:\n%s", n, out)
		}
	}
}

// confinedThreads counts the threads of this process that are confined.
func confinedThreads(t *testing.T) (n int) {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/status")
	must(t, err)
	for _, f := range files {
		b, _ := os.ReadFile(f) // it may be gone by now
		if strings.Contains(string(b), "NoNewPrivs:\t1") || strings.Contains(string(b), "Seccomp:\t2") {
			n++
		}
	}
	return n
}

// The thread that starts a command is confined, and nothing else of forge is; it
// is gone with the command. Many go on at the same time.
func TestForgeStaysFree(t *testing.T) {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o755))
	p := policyFor(t, PolicyOptions{Form: Landlock, Roots: []string{ws}, Home: dir})
	const n = 8
	var procs []*Process
	for range n {
		out := newLines()
		proc, err := Command{Shell: "echo ready; sleep 100", Dir: ws, Output: out, Policy: p}.Start()
		must(t, err)
		t.Cleanup(func() { proc.Stop(); <-proc.Done() })
		if out.next(t) != "ready" {
			t.Fatal("it is not ready")
		}
		procs = append(procs, proc)
	}
	if got := confinedThreads(t); got != n {
		t.Errorf("%d threads are confined, want %d", got, n)
	}
	// Whatever thread this runs on: it may write, connect and make namespaces.
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			runtime.LockOSThread() // each on one of its own
			defer runtime.UnlockOSThread()
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("free", i)), []byte("x"), 0o600); err != nil {
				t.Error(err)
			}
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Error(err)
				return
			}
			l.Close()
			if out, err := exec.Command("grep", "NoNewPrivs:.*0", "/proc/self/status").CombinedOutput(); err != nil {
				t.Errorf("a command of forge's own is confined: %v %s", err, out)
			}
		})
	}
	wg.Wait()
	for _, proc := range procs {
		proc.Stop()
	}
	for _, proc := range procs {
		ended(t, proc)
	}
	for end := time.Now().Add(patience); confinedThreads(t) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d threads are confined after all has ended", confinedThreads(t))
		}
	}
}

// What a confined command starts is ended with it, and it dies with forge.
func TestConfinedCommandsEnd(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		ws := t.TempDir()
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}})
		for _, line := range []string{"echo; sleep 100", "sleep 100 & echo; wait", "trap '' INT TERM; echo; sleep 100", "setsid sleep 100 & echo; wait"} {
			out := newLines()
			proc, err := Command{Shell: line, Dir: ws, Output: out, Policy: p}.Start()
			must(t, err)
			out.next(t)
			// While a process becomes another program its environment cannot be read.
			for end := time.Now().Add(patience / 2); len(descendants(proc)) == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("nothing runs: the test is broken")
				}
			}
			proc.Stop()
			if r := ended(t, proc); !r.Cancelled {
				t.Errorf("%s: %+v", line, r)
			}
			for end := time.Now().Add(patience / 2); len(descendants(proc)) > 0; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s: left running: %v", line, descendants(proc))
				}
			}
		}
		r := run(t, Command{Shell: "exit 7", Dir: ws, Policy: p})
		if r.ExitCode != 7 || len(r.Notes) > 0 || r.Denied != nil {
			t.Errorf("%+v", r)
		}
		if r := run(t, Command{Shell: "echo x; sleep 100", Timeout: time.Second, Dir: ws, Policy: p}); !r.TimedOut || r.Output != "x\n" {
			t.Errorf("%+v", r)
		}
	})
}

// descendants lists the living processes of a command.
func descendants(p *Process) (pids []int) {
	for _, st := range processes() {
		if st.alive() && marked(st.pid, p.mark) {
			pids = append(pids, st.pid)
		}
	}
	return pids
}

// A command of root keeps what file work needs, and nothing that runs a machine.
func TestCapabilities(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("others have none")
	}
	forms(t, func(t *testing.T, form Form) {
		ws := t.TempDir()
		must(t, os.WriteFile(filepath.Join(ws, "theirs"), []byte("x"), 0o600))
		must(t, os.Chown(filepath.Join(ws, "theirs"), 1234, 1234))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}})
		r := run(t, Command{Shell: "grep CapEff /proc/self/status; echo y >>theirs; chown 0:0 theirs", Dir: ws, Policy: p})
		var caps uint64
		if _, err := fmt.Sscanf(r.Output, "CapEff:\t%x", &caps); err != nil || caps&^kept != 0 || caps == 0 || !r.Ok() {
			t.Errorf("%x, want no more than %x: %v %+v", caps, uint64(kept), err, r)
		}
	})
}

func TestNetworkOpen(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	go func() {
		defer recovered("accept")
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			c.Write([]byte("hello\n"))
			c.Close()
		}
	}()
	dir := base(t)
	door := filepath.Join(dir, "door")
	d, err := net.Listen("unix", door)
	must(t, err)
	defer d.Close()
	ws := filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o755))
	line := fmt.Sprintf("cat </dev/tcp/127.0.0.1/%d", l.Addr().(*net.TCPAddr).Port)
	forms(t, func(t *testing.T, form Form) {
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Home: dir})
		if r := run(t, Command{Shell: line, Dir: ws, Policy: p}); r.Ok() {
			t.Errorf("the network is open: %+v", r)
		}
		open := p.WithNetwork()
		if r := run(t, Command{Shell: line, Dir: ws, Policy: open}); !r.Ok() || r.Output != "hello\n" {
			t.Errorf("the network is closed: %+v", r)
		}
		// The rest stays as it was.
		if r := run(t, Command{Shell: "echo x >../new", Dir: ws, Policy: open}); r.Ok() || r.Denied == nil && form == Landlock {
			t.Errorf("it may write outside: %+v", r)
		}
		if _, err := exec.LookPath("python3"); err == nil {
			try := `import socket,sys; s=socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])`
			if r := run(t, Command{Argv: []string{"python3", "-c", try, door}, Dir: ws, Policy: open}); r.Ok() {
				t.Error("with the network open, sockets of other programs are as well")
			}
			if r := run(t, Command{Argv: []string{"python3", "-c", try, door}, Dir: ws}); !r.Ok() {
				t.Errorf("the attempt is broken: %+v", r)
			}
		}
		always := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Home: dir, Network: true})
		if r := run(t, Command{Shell: line, Dir: ws, Policy: always}); !r.Ok() || r.Output != "hello\n" || always.State() != open.State() {
			t.Errorf("the network is closed: %s %+v", always.State(), r)
		}
		if p.State() != string(form)+", no network" || open.State() != string(form)+", network open" || p.Network() || !open.Network() {
			t.Errorf("%q, %q", p.State(), open.State())
		}
	})
}

// What git takes orders from cannot be changed, or at least not unseen.
func TestObeyedFiles(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	forms(t, func(t *testing.T, form Form) {
		ws := t.TempDir()
		if out, err := exec.Command("git", "init", "-q", ws).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}})
		for _, c := range []struct{ line, path string }{
			{"echo x >.git/hooks/pre-commit", ".git/hooks/pre-commit"},
			{"echo '[core]' >>.git/config", ".git/config"},
			{"mv .git .git2 && mkdir -p .git/hooks && echo x >.git/hooks/post-commit", ".git/hooks/post-commit"},
		} {
			r := run(t, Command{Shell: c.line, Dir: ws, Policy: p})
			switch {
			case form == Bubblewrap && r.Ok():
				t.Errorf("%s: it could", c.line)
			case form == Landlock && (!r.Ok() || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], filepath.Join(ws, c.path))):
				t.Errorf("%s: not told of: %+v", c.line, r)
			}
		}
		// Names that are not there yet.
		r := run(t, Command{Shell: "mkdir .vscode; echo x >.vscode/tasks.json; echo y >.envrc", Dir: ws, Policy: p})
		if !r.Ok() || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], ".envrc (new)") || !strings.Contains(r.Notes[0], "tasks.json (new)") {
			t.Errorf("%+v", r)
		}
		if r := run(t, Command{Shell: "cat .envrc; echo z >plain", Dir: ws, Policy: p}); len(r.Notes) != 0 {
			t.Errorf("%+v", r)
		}
	})
}

// What git would run for the person is taken out again after the command, wherever
// links lead, and what was there comes back; other settings stay.
func TestOrdersPutBack(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	dir := base(t)
	ws, outside := filepath.Join(dir, "ws"), filepath.Join(dir, "outside")
	must(t, os.Mkdir(outside, 0o755))
	if out, err := exec.Command("git", "init", "-q", ws).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	hook, config := filepath.Join(ws, ".git", "hooks", "pre-push"), filepath.Join(ws, ".git", "config")
	must(t, os.MkdirAll(filepath.Dir(hook), 0o755))
	must(t, os.WriteFile(hook, []byte("#!/bin/sh\nmine\n"), 0o755))
	p := policyFor(t, PolicyOptions{Form: Landlock, Roots: []string{ws}, Home: dir})
	read := func(path string) string {
		b, _ := os.ReadFile(path)
		return string(b)
	}
	settings := read(config)
	for _, c := range []struct {
		line string
		kept bool   // what it did stays
		told string // in the notes
	}{
		{line: "echo evil >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", told: "pre-commit was moved to .git/forge-aside/pre-commit.1"},
		{line: "echo evil >.git/hooks/pre-push", told: "pre-push is as it was before"},
		{line: "rm .git/hooks/pre-push .git/config", told: "pre-push was deleted and is as it was before"},
		{line: "rm .git/config", told: "config was deleted and is as it was before"},
		{line: "chmod 600 .git/hooks/pre-push", told: "pre-push is as it was before"},
		{line: "git config core.fsmonitor ./evil", told: "config is as it was before"},
		{line: "git config alias.st '!evil'; git config include.path ../evil", told: "config is as it was before"},
		{line: "ln -s ../../evil .git/hooks/post-merge", told: "post-merge was moved"},
		{line: "git config user.name me; git remote add origin https://example.com/x", kept: true, told: "take orders from"},
		{line: "git config --unset user.name; git remote remove origin", kept: true, told: "take orders from"},
		{line: "mv .git .git2; mkfifo .git; rm .git; mv .git2 .git", kept: true},
		{line: "mv .git/hooks .git/h; mkfifo .git/hooks", told: "hooks was moved"},
	} {
		r := run(t, Command{Shell: c.line, Dir: ws, Policy: p})
		if !strings.Contains(strings.Join(r.Notes, "\n"), c.told) || c.told == "" && len(r.Notes) > 0 {
			t.Errorf("%s: %+v", c.line, r)
		}
		if c.kept {
			continue
		}
		if got := read(config); strings.Contains(got, "evil") || !strings.HasPrefix(got, strings.TrimSpace(settings)) {
			t.Errorf("%s: settings are\n%s", c.line, got)
		}
		for _, name := range []string{"pre-commit", "post-merge"} {
			if _, err := os.Lstat(filepath.Join(ws, ".git", "hooks", name)); err == nil {
				t.Errorf("%s: %s is there", c.line, name)
			}
		}
		if fi, err := os.Stat(hook); !strings.Contains(c.line, "mkfifo") && (err != nil || fi.Mode() != 0o755 || read(hook) != "#!/bin/sh\nmine\n") {
			t.Errorf("%s: the person's hook: %v %q", c.line, err, read(hook))
		}
	}
	// The way bent out of the workspace: nothing is touched there.
	must(t, os.WriteFile(filepath.Join(outside, "pre-push"), []byte("theirs"), 0o755))
	r := run(t, Command{Shell: "rm -rf .git/hooks; ln -s " + outside + " .git/hooks", Dir: ws, Policy: p})
	if read(filepath.Join(outside, "pre-push")) != "theirs" || !strings.Contains(strings.Join(r.Notes, "\n"), "hooks was moved") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Lstat(filepath.Join(ws, ".git", "hooks")); err == nil {
		t.Error("the link is there")
	}
}

// A commit works in a work tree whose repository lies elsewhere, and the rest of
// that repository stays closed.
func TestWorktree(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	forms(t, func(t *testing.T, form Form) {
		dir := resolved(base(t))
		repo, ws := filepath.Join(dir, "repo"), filepath.Join(dir, "tree")
		line := fmt.Sprintf("git init -q %s && cd %s && git config user.email a@b && git config user.name x && git commit -q --allow-empty -m x && git worktree add -q %s", repo, repo, ws)
		if out, err := exec.Command("bash", "-c", line).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Home: dir})
		if r := run(t, Command{Shell: "echo x >f && git add f && git commit -q -m y && git log --oneline", Dir: ws, Policy: p}); !r.Ok() || strings.Count(r.Output, "\n") != 2 {
			t.Errorf("%+v", r)
		}
		for _, line := range []string{"echo x >../repo/f", "echo x >../repo/.git/hooks/post-commit", "echo x >>../repo/.git/config"} {
			if r := run(t, Command{Shell: line, Dir: ws, Policy: p}); r.Ok() {
				t.Errorf("%s: it could", line)
			}
		}
		// A folder that only claims to be one of a repository's.
		liar := filepath.Join(dir, "liar")
		must(t, os.Mkdir(liar, 0o755))
		must(t, os.WriteFile(filepath.Join(liar, ".git"), []byte("gitdir: "+filepath.Join(repo, ".git", "worktrees", "tree")+"\n"), 0o644))
		if got := gitFolders([]string{liar}); len(got) != 0 {
			t.Errorf("it got %q", got)
		}
	})
}

// Samples of what people run pass as they are, without a network.
func TestBuildsPass(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		for _, c := range []struct{ name, program, line, want string }{
			{"go", "go", "go test ./... && go build -o app . && ./app && go vet ./...", "hello"},
			{"npm", "npm", "npm test", "npm says 42"},
			{"make", "make", "make", "made it"},
		} {
			t.Run(c.name, func(t *testing.T) {
				if _, err := exec.LookPath(c.program); err != nil {
					t.Skip(err)
				}
				ws := t.TempDir()
				must(t, os.CopyFS(ws, os.DirFS(filepath.Join("testdata", "samples", c.name))))
				if c.name == "go" {
					must(t, os.Rename(filepath.Join(ws, "go.mod.txt"), filepath.Join(ws, "go.mod")))
				}
				p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Cache: t.TempDir()})
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				r, err := Command{Shell: c.line, Dir: ws, Policy: p}.Run(ctx)
				if err != nil || !r.Ok() || !strings.Contains(r.Output, c.want) || r.Denied != nil {
					t.Errorf("%v %+v", err, r)
				}
			})
		}
	})
}

// Tests that serve themselves pass where commands have a loopback of their own, and
// commands of a session reach each other there; elsewhere the network is asked for.
// A server of the machine is not reached, and that is told.
func TestLoopback(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	forms(t, func(t *testing.T, form Form) {
		ws := t.TempDir()
		must(t, os.CopyFS(ws, os.DirFS(filepath.Join("testdata", "samples", "httptest"))))
		must(t, os.Rename(filepath.Join(ws, "go.mod.txt"), filepath.Join(ws, "go.mod")))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Cache: t.TempDir()})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		r, err := Command{Shell: "go test -count=1 ./...", Dir: ws, Policy: p}.Run(ctx)
		must(t, err)
		if !p.ownLoopback() {
			if r.Denied == nil || !r.Denied.Network {
				t.Errorf("%+v", r)
			}
			return
		}
		if !r.Ok() {
			t.Errorf("%+v", r)
		}
		outside := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", l.Addr().(*net.TCPAddr).Port)
		if r := run(t, Command{Shell: outside, Dir: ws, Policy: p}); r.Ok() || r.Denied == nil || !r.Denied.Network {
			t.Errorf("%+v %v", r, r.Denied)
		}
		if _, err := exec.LookPath("python3"); err != nil || form == Bubblewrap { // there each command has its own
			return
		}
		out := newLines()
		serve := `import socket; s=socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); s.accept()[0].send(b"hello\n")`
		server, err := Command{Argv: []string{"python3", "-c", serve}, Dir: ws, Policy: p, Output: out}.Start()
		must(t, err)
		t.Cleanup(func() { server.Stop(); <-server.Done() })
		if r := run(t, Command{Shell: "cat </dev/tcp/127.0.0.1/" + out.next(t), Dir: ws, Policy: p}); r.Output != "hello\n" {
			t.Errorf("%+v", r)
		}
	})
}

// A program that wants its own files in the home folder does not spoil a
// repository that lies in it.
func TestWorkspaceIsHome(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		home := base(t)
		must(t, os.MkdirAll(filepath.Join(home, ".ssh"), 0o700))
		must(t, os.WriteFile(filepath.Join(home, ".ssh", "id"), []byte("key\n"), 0o600))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{home}, Home: home})
		r := run(t, Command{Shell: "cat .ssh/id", Dir: home, Policy: p})
		if hidden := !r.Ok(); hidden != (form == Bubblewrap) { // Landlock takes nothing out of a folder it opens
			t.Errorf("hidden: %v", hidden)
		}
	})
}

// forge's own folders are closed, but for what is there to be read.
func TestPrivate(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		dir := base(t)
		state, out, ws := filepath.Join(dir, "state"), filepath.Join(dir, "state", "output"), filepath.Join(dir, "ws")
		must(t, os.MkdirAll(state, 0o700))
		must(t, os.Mkdir(ws, 0o755))
		must(t, os.WriteFile(filepath.Join(state, "keys.json"), []byte("key\n"), 0o600))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}, Home: dir, Private: []string{state}, Readable: []string{out}})
		must(t, os.WriteFile(filepath.Join(out, "long"), []byte("text\n"), 0o600))
		if r := run(t, Command{Shell: "cat ../state/keys.json", Dir: ws, Policy: p}); r.Ok() || form == Landlock && (r.Denied == nil || r.Denied.Path != filepath.Join(resolved(state), "keys.json")) {
			t.Errorf("%+v %v", r, r.Denied)
		}
		if r := run(t, Command{Shell: "cat ../state/output/long", Dir: ws, Policy: p}); r.Output != "text\n" {
			t.Errorf("%+v", r)
		}
		if r := run(t, Command{Shell: "echo x >../state/output/long || echo x >../state/new", Dir: ws, Policy: p}); r.Ok() {
			t.Errorf("%+v", r)
		}
	})
}

// A folder within another one of the workspace is not followed elsewhere when the
// way to it was bent.
func TestNestedFolders(t *testing.T) {
	forms(t, func(t *testing.T, form Form) {
		dir := base(t)
		outer, inner, other := filepath.Join(dir, "ws"), filepath.Join(dir, "ws", "x", "y"), filepath.Join(dir, "other")
		must(t, os.MkdirAll(inner, 0o755))
		must(t, os.MkdirAll(filepath.Join(other, "y"), 0o755))
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{outer, inner}, Home: dir})
		if r := run(t, Command{Shell: "mv x x2 && ln -s ../other x", Dir: outer, Policy: p}); !r.Ok() {
			t.Fatalf("%+v", r)
		}
		if r := run(t, Command{Shell: "echo x >x/y/f", Dir: outer, Policy: p}); r.Ok() {
			t.Errorf("%+v", r)
		}
		if _, err := os.Stat(filepath.Join(other, "y", "f")); err == nil {
			t.Error("it was written")
		}
	})
}

// Folders that come and go beside the workspace can be read like others.
func TestNewFolders(t *testing.T) {
	dir := base(t)
	ws := filepath.Join(dir, "ws")
	must(t, os.Mkdir(ws, 0o755))
	p := policyFor(t, PolicyOptions{Form: Landlock, Roots: []string{ws}, Home: dir})
	if r := run(t, Command{Shell: "true", Dir: ws, Policy: p}); !r.Ok() {
		t.Fatalf("%+v", r)
	}
	must(t, os.Mkdir(filepath.Join(dir, "later"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "later", "f"), []byte("text\n"), 0o644))
	if r := run(t, Command{Shell: "cat ../later/f", Dir: ws, Policy: p}); r.Output != "text\n" {
		t.Errorf("%+v", r)
	}
	must(t, os.Rename(ws, ws+"2")) // and a workspace that was made anew is the workspace
	must(t, os.Mkdir(ws, 0o755))
	if r := run(t, Command{Shell: "echo x >f", Dir: ws, Policy: p}); !r.Ok() {
		t.Errorf("%+v", r)
	}
	must(t, os.RemoveAll(ws))
	if _, err := (Command{Shell: "true", Dir: dir, Policy: p}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "not run") {
		t.Errorf("a command that cannot be confined ran: %v", err)
	}
}

// BenchmarkSpawn shows what a confinement adds to the start of a command.
func BenchmarkSpawn(b *testing.B) {
	for _, form := range []Form{None, Landlock, Bubblewrap} {
		b.Run(string(form), func(b *testing.B) {
			ws := b.TempDir()
			p := policyFor(b, PolicyOptions{Form: form, Roots: []string{ws}})
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				proc, err := Command{Argv: []string{"bash", "-c", "true"}, Dir: ws, Policy: p}.Start()
				if err != nil {
					b.Fatal(err)
				}
				<-proc.Done()
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
