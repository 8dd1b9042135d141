//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"

	forgeacp "forge/ui/acp"
)

// aServer is a real forge serve.
type aServer struct {
	t    *testing.T
	p    *program
	cmd  *exec.Cmd
	said string // where it listens, and how to connect
	errs bytes.Buffer
}

// newServed is a program whose server's socket has a short name, on every system.
func newServed(t *testing.T) *program {
	t.Helper()
	p := newProgram(t)
	home, err := os.MkdirTemp("", "fs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	p.home = home
	return p
}

func openServer(t *testing.T, p *program, script string, args ...string) *aServer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "serve.script")
	p.write(t, file, script)
	return startServer(t, p, p.command(append([]string{"serve", "--demo=" + file}, args...)...))
}

func startServer(t *testing.T, p *program, cmd *exec.Cmd) *aServer {
	t.Helper()
	s := &aServer{t: t, p: p, cmd: cmd}
	s.cmd.Stderr = &s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	r := bufio.NewReader(out)
	for !strings.Contains(s.said, "forge acp --connect") { // it listens before it says so
		line, err := r.ReadString('\n')
		if s.said += line; err != nil {
			_ = s.cmd.Wait()
			t.Fatalf("%v: %s%s", err, s.said, s.errs.String())
		}
	}
	return s
}

func (s *aServer) serveDir() string { return filepath.Join(s.p.home, "state", "forge", "serve") }

// ends has it end by a signal.
func (s *aServer) ends(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("it ended with %v\n%s", err, s.errs.String())
	}
}

// vanishes ends an editor and its bridge as a power cut would.
func (e *anEditor) vanishes() {
	e.t.Helper()
	if err := e.cmd.Process.Kill(); err != nil {
		e.t.Fatal(err)
	}
	_ = e.cmd.Wait()
}

func (e *anEditor) load(id acp.SessionId) {
	e.t.Helper()
	if _, err := e.LoadSession(e.t.Context(), acp.LoadSessionRequest{SessionId: id, Cwd: e.p.dir, McpServers: []acp.McpServer{}}); err != nil {
		e.t.Fatalf("%v\n%s", err, e.errs.String())
	}
}

// until waits until a conversation's updates were told that hold all of want, in one line.
func (e *anEditor) until(what string, holds func(acp.SessionNotification) bool) {
	e.t.Helper()
	deadline(e.t, what, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, n := range e.updates {
			if holds(n) {
				return true
			}
		}
		return false
	})
}

func says(text string) func(acp.SessionNotification) bool {
	return func(n acp.SessionNotification) bool {
		m := n.Update.AgentMessageChunk
		return m != nil && m.Content.Text != nil && strings.Contains(m.Content.Text.Text, text)
	}
}

// stands is true where a conversation was told to stand so.
func stands(state string) func(acp.SessionNotification) bool {
	return func(n acp.SessionNotification) bool {
		if n.Update.SessionInfoUpdate == nil {
			return false
		}
		b, err := json.Marshal(n.Update.SessionInfoUpdate.Meta)
		return err == nil && strings.Contains(string(b), `"state":"`+state+`"`)
	}
}

const servedScript = `text I begin.
end
text One.
call run_bash {"command":"touch made.txt"}
end
text Made.
end
text More.
end
`

// What an editor began goes on when it vanishes. The question that comes meanwhile waits for
// the next who loads the conversation, who sees what has happened and what comes.
func TestServeGoesOn(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	s := openServer(t, p, servedScript)
	a := openEditor(t, p, "", "--connect")
	id := a.begin().SessionId
	a.say(id, acp.TextBlock("first"))
	a.answers(func(ctx context.Context, _ acp.RequestPermissionRequest) string { <-ctx.Done(); return "" }) // the person is away
	go func() {
		_, _ = a.Prompt(context.Background(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("second")}})
	}()
	a.until("it says One", says("One."))
	a.vanishes()

	b := openEditor(t, p, "", "--connect")
	l, err := b.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &p.dir})
	if err != nil || len(l.Sessions) != 1 || l.Sessions[0].SessionId != id {
		t.Fatalf("listed are %+v, %v", l, err)
	}
	b.load(id)
	b.until("it ends", stands("idle"))
	b.has(id, "user: first", "says: I begin.", "user: second", "says: One.", "execute", "in_progress", "completed", "says: Made.")
	if _, err := os.Stat(filepath.Join(p.dir, "made.txt")); err != nil {
		t.Error(err)
	}
	b.mu.Lock()
	if len(b.asked) != 1 || !strings.Contains(*b.asked[0].ToolCall.Title, "touch made.txt") {
		t.Errorf("asked was %+v", b.asked)
	}
	b.mu.Unlock()
	if why := b.say(id, acp.TextBlock("third")); why != acp.StopReasonEndTurn {
		t.Errorf("it ended with %s", why)
	}
	b.has(id, "says: More.")
	b.leave()
	s.ends(syscall.SIGTERM)
	if left, err := os.ReadDir(s.serveDir()); err != nil || len(left) != 1 || left[0].Name() != "lock" {
		t.Errorf("left are %v, %v", left, err)
	}
	if s.errs.Len() > 0 {
		t.Errorf("it says %s", s.errs.String())
	}
}

// Two editors look at one conversation: both see it, both are asked, and the first answer
// counts.
func TestServeTwoEditors(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	s := openServer(t, p, servedScript)
	a, b := openEditor(t, p, "", "--connect"), openEditor(t, p, "", "--connect="+filepathAddress(s))
	id := a.begin().SessionId
	b.load(id)
	a.say(id, acp.TextBlock("first"))
	b.until("the other one sees it", stands("idle"))
	b.until("the other one sees it", says("begin."))
	b.has(id, "user: first", "says: I begin.")
	var asked sync.WaitGroup
	asked.Add(2)
	late := make(chan struct{})
	a.answers(func(context.Context, acp.RequestPermissionRequest) string { asked.Done(); <-late; return "deny" })
	b.answers(func(context.Context, acp.RequestPermissionRequest) string {
		asked.Done()
		asked.Wait()
		return "allow-once"
	})
	if why := b.say(id, acp.TextBlock("second")); why != acp.StopReasonEndTurn {
		t.Errorf("it ended with %s", why)
	}
	close(late)
	if _, err := os.Stat(filepath.Join(p.dir, "made.txt")); err != nil {
		t.Error("the second answer counted: ", err)
	}
	a.until("it is over here as well", says("Made."))
	a.has(id, "user: second", "says: One.", "completed", "says: Made.")
	a.leave()
	out, errs, code := p.run(t, "serve", "--status")
	if code != 0 || !strings.Contains(out, "1 client is connected; 1 conversation is open") || !strings.Contains(out, string(id)+"  nothing goes on  1 client  "+real(t, p.dir)) || !strings.Contains(out, "    first") {
		t.Errorf("it stands so: %d %s%s", code, out, errs)
	}
	out, errs, code = p.run(t, "serve", "--status", "--json")
	var standing forgeacp.Standing
	if err := json.Unmarshal([]byte(out), &standing); code != 0 || err != nil || standing.PID != s.cmd.Process.Pid || len(standing.Open) != 1 {
		t.Errorf("it stands so: %d %v %s%s", code, err, out, errs)
	}
	_, errs, code = p.run(t, "serve", "--demo")
	if code != 1 || !strings.Contains(errs, filepathAddress(s)) {
		t.Errorf("a second one ends with %d and says %s", code, errs)
	}
	out, errs, code = p.run(t, "serve", "--stop")
	if code != 0 || out != "forge serve has ended\n" {
		t.Errorf("it is stopped with %d: %s%s", code, out, errs)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, s.errs.String())
	}
	if err := b.cmd.Wait(); err == nil || !strings.Contains(b.errs.String(), "has ended the connection") {
		t.Errorf("the bridge ends with %v and says %s", err, b.errs.String())
	}
	if _, errs, code = p.run(t, "serve", "--status"); code != 1 || !strings.Contains(errs, "no forge serve is running") {
		t.Errorf("without one it is %d %s", code, errs)
	}
	if _, errs, code = p.run(t, "acp", "--connect"); code != 1 || !strings.Contains(errs, "no forge serve is running") {
		t.Errorf("without one a bridge ends with %d and says %s", code, errs)
	}
}

func filepathAddress(s *aServer) string {
	return "unix:" + filepath.Join(s.serveDir(), "socket")
}

// A server that was killed leaves a socket behind and no lock: the next one starts, and what
// was said is there.
func TestServeIsKilled(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	s := openServer(t, p, servedScript)
	a := openEditor(t, p, "", "--connect")
	id := a.begin().SessionId
	a.say(id, acp.TextBlock("first"))
	asked := make(chan struct{})
	a.answers(func(ctx context.Context, _ acp.RequestPermissionRequest) string {
		close(asked)
		<-ctx.Done()
		return ""
	})
	go func() {
		_, _ = a.Prompt(context.Background(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("second")}})
	}()
	<-asked
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait()
	if err := a.cmd.Wait(); err == nil {
		t.Error("the bridge ends as if all were well")
	}
	if _, err := os.Lstat(filepath.Join(s.serveDir(), "socket")); err != nil {
		t.Fatal("nothing is left of it: ", err)
	}
	if _, errs, code := p.run(t, "serve", "--status"); code != 1 || !strings.Contains(errs, "no forge serve is running") {
		t.Errorf("of a killed one it is said %d %s", code, errs)
	}
	s = openServer(t, p, servedScript)
	b := openEditor(t, p, "", "--connect")
	b.load(id)
	b.has(id, "user: first", "says: I begin.", "user: second", "says: One.")
	if why := b.say(id, acp.TextBlock("go on")); why != acp.StopReasonEndTurn {
		t.Errorf("it ended with %s", why)
	}
	b.has(id, "says: Made.")
	if _, err := os.Stat(filepath.Join(p.dir, "made.txt")); err == nil {
		t.Error("a question that nobody answered was a yes")
	}
	b.leave()
	s.ends(syscall.SIGTERM)
}

// A signal ends it in order while something runs: the conversation is whole, clients are
// told, and it ends well.
func TestServeEndsInOrder(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	mark := fmt.Sprintf("2000.%d", os.Getpid())
	script := `call run_bash {"command":"exec sleep ` + mark + `"}
end
text After.
end
`
	s := openServer(t, p, script)
	a := openEditor(t, p, "", "--connect")
	id := a.begin().SessionId
	end := make(chan acp.PromptResponse, 1)
	go func() {
		r, err := a.Prompt(context.Background(), acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
		if err != nil {
			t.Error(err)
		}
		end <- r
	}()
	deadline(t, "the command runs", func() bool { return alive(t, "sleep\x00"+mark) || alive(t, "sleep "+mark) })
	s.ends(syscall.SIGTERM)
	if r := <-end; r.StopReason != acp.StopReasonCancelled {
		t.Errorf("the prompt ended with %s", r.StopReason)
	}
	if alive(t, mark) {
		t.Error("the command lives on")
	}
	_ = a.cmd.Wait()
	a.has(id, "the server is ending")
	s = openServer(t, p, script)
	b := openEditor(t, p, "", "--connect")
	b.load(id)
	b.has(id, "user: go", "execute")
	b.say(id, acp.TextBlock("on"))
	b.has(id, "says: After.")
	b.leave()
	s.ends(os.Interrupt)
}

// A port is for who knows its token, which stands in no log and is not shown where it would
// be kept. Whoever does not know it, or says nothing, hears nothing of ACP.
func TestServeOnAPort(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	s := openServer(t, p, "text Here.\nend\n", "--listen", "127.0.0.1:0", "--debug")
	b, err := os.ReadFile(filepath.Join(s.serveDir(), "token"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(b))
	if fi, err := os.Stat(filepath.Join(s.serveDir(), "token")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the token lies there as %v, %v", fi.Mode(), err)
	}
	_, address, _ := strings.Cut(s.said, "clients on ")
	address, _, _ = strings.Cut(address, ",")
	if strings.Contains(s.said, token) || !strings.HasPrefix(address, "127.0.0.1:") {
		t.Fatalf("it says %s", s.said)
	}
	for _, first := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n",
		"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
		"forge-client AAAA " + strings.Repeat("0", 64) + "\n",
		"forge-client \n", "\n", "\x00\xff\n", strings.Repeat("x", 10<<20) + "\n",
	} {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(c, first) }()
		got, _ := io.ReadAll(c) // a reset is an end as well
		if strings.Contains(string(got), "jsonrpc") || !strings.HasPrefix(string(got), "forge-serve 1 ") {
			t.Errorf("%.80q is answered %q", first, got)
		}
		c.Close()
	}
	e := openEditor(t, p, "", "--connect", address)
	e.say(e.begin().SessionId, acp.TextBlock("x"))
	e.leave()
	elsewhere := newServed(t)
	if _, errs, code := elsewhere.run(t, "acp", "--connect", address); code != 1 || !strings.Contains(errs, "wants its token") {
		t.Errorf("without the token it is %d %s", code, errs)
	}
	for have, want := range map[string]int{token + "x": 1, token: 0} {
		elsewhere.env = []string{"FORGE_SERVE_TOKEN=" + have}
		if _, errs, code := elsewhere.run(t, "acp", "--connect", address); code != want || (code == 1) != strings.Contains(errs, "the token is not the server's") {
			t.Errorf("with %s it is %d %s", have, code, errs)
		}
	}
	s.ends(syscall.SIGTERM)
	_ = filepath.WalkDir(p.home, func(path string, d os.DirEntry, err error) error {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(token)) {
			t.Errorf("the token stands in %s", path)
		}
		return nil
	})
}

// A server for some folders is for no other, however they are named.
func TestServeForFolders(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	other := t.TempDir()
	link := filepath.Join(p.dir, "link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(p.dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	s := openServer(t, p, "text Here.\nend\n", "-C", p.dir)
	e := openEditor(t, p, "", "--connect")
	for dir, want := range map[string]bool{p.dir: true, sub: true, other: false, link: false, filepath.Dir(p.dir): false, p.dir + "/../" + filepath.Base(p.dir) + "x": false} {
		if _, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: dir, McpServers: []acp.McpServer{}}); (err == nil) != want {
			t.Errorf("in %s: %v", dir, err)
		}
	}
	if _, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: p.dir, AdditionalDirectories: []string{other}, McpServers: []acp.McpServer{}}); err == nil {
		t.Error("another folder came in beside")
	}
	e.leave()
	s.ends(syscall.SIGTERM)
	if _, errs, code := p.run(t, "serve", "-C", filepath.Join(p.dir, "none")); code != 2 || !strings.Contains(errs, "none") {
		t.Errorf("for a folder that is none it is %d %s", code, errs)
	}
	for _, at := range []string{"0.0.0.0:1", ":1", "example.com:1", "192.168.0.1:1"} {
		if _, errs, code := p.run(t, "serve", "--listen", at); code != 2 || !strings.Contains(errs, "ssh -L") {
			t.Errorf("on %s it is %d %s", at, code, errs)
		}
	}
}

// Two hundred who connect and vanish, whatever they say, leave no file open; whoever comes
// then is served.
func TestServeManyVanish(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	s := openServer(t, p, "text Here.\nend\n")
	socket := filepath.Join(s.serveDir(), "socket")
	status := func() (st forgeacp.Standing) {
		out, errs, code := p.run(t, "serve", "--status", "--json")
		if err := json.Unmarshal([]byte(out), &st); code != 0 || err != nil {
			t.Fatal(code, err, errs)
		}
		return st
	}
	files := func() int {
		all, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
		if err != nil {
			return 0 // no Linux
		}
		return len(all)
	}
	status()
	before := files()
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"
	say := []string{"", "\n", "nonsense\n", `{"jsonrpc":"2.0","id":1,"me`, hello, strings.Repeat("x", 10<<20) + "\n",
		hello + `{"jsonrpc":"2.0","id":2,"method":"session/list"}` + "\n", hello + fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, p.dir) + "\n"}
	var all sync.WaitGroup
	slots := make(chan struct{}, 20)
	for i := range 200 {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			c, err := net.Dial("unix", socket)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(time.Minute))
			n := i % len(say)
			if n == 5 && i > 20 {
				n = 2
			}
			_, _ = io.WriteString(c, say[n])
		})
	}
	all.Wait()
	deadline(t, "they are gone", func() bool { st := status(); return st.Clients == 0 && len(st.Open) == 0 })
	deadline(t, "their files are closed", func() bool { return files() <= before })
	e := openEditor(t, p, "", "--connect")
	e.say(e.begin().SessionId, acp.TextBlock("x"))
	e.leave()
	s.ends(syscall.SIGTERM)
}

// What stands in the socket's place and is none of ours is left alone.
func TestServeLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	dir := filepath.Join(p.home, "place")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, filepath.Join(dir, "file"), "mine")
	if err := os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "busy"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for name, want := range map[string]string{"file": "is no socket of yours", "link": "is no socket of yours", "dangling": "is no socket of yours", "busy": "another program listens there", strings.Repeat("x", 120): "longer than"} {
		_, errs, code := p.run(t, "serve", "--demo", "--listen", "unix:"+filepath.Join(dir, name))
		if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("at %s it is %d %s", name, code, errs)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(b) != "mine" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("a link was followed")
	}
}

// The protocol's own SDK finds nothing amiss with what a server says.
func TestTypeScriptEditorIsServed(t *testing.T) {
	if os.Getenv("FORGE_ACP_NPM") == "" {
		t.Skip("FORGE_ACP_NPM names no folder with the SDK; see docs/contributing.md")
	}
	p := newServed(t)
	s := openServer(t, p, typeScript)
	typeScriptEditor(t, p, "", "--connect")
	s.ends(syscall.SIGTERM)
}

// Whoever starts it so that it outlives the terminal (nohup) means it: the end of that is no
// end of the server.
func TestServeOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	p := newServed(t)
	c := p.command("serve", "--demo")
	c.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = sh
	s := startServer(t, p, c)
	for range 10 {
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if out, errs, code := p.run(t, "serve", "--status"); code != 0 {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	s.ends(syscall.SIGTERM)
	s = openServer(t, p, "text x\nend\n")
	s.ends(syscall.SIGHUP)
}
