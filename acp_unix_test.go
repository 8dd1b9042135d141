//go:build unix

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	acp "github.com/coder/acp-go-sdk"

	forgeacp "forge/ui/acp"
)

const editorScript = `think I look first.
text Let me look.
call read_file {"path":"a.txt","offset":2}
call todo {"items":[{"text":"look","status":"done"},{"text":"write","status":"in_progress"}]}
end
call edit_file {"path":"a.txt","edits":[{"old_string":"two","new_string":"2"}]}
call run_bash {"command":"touch made.txt"}
end
text Done.
end
text Still here.
end
`

func TestEditorSeesATurn(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "a.txt", "one\ntwo\n")
	e := openEditor(t, p, editorScript)
	s := e.begin()
	if s.Modes.CurrentModeId != "ask" || len(s.Modes.AvailableModes) != 4 || len(s.ConfigOptions) < 2 || s.Models.CurrentModelId != "demo/demo" {
		t.Errorf("begun as %+v", s)
	}
	if why := e.say(s.SessionId, acp.TextBlock("change it")); why != acp.StopReasonEndTurn {
		t.Errorf("it ended with %s", why)
	}
	e.has(s.SessionId, "thinks: I look first.", "says: Let me look.", "read pending", "«read a.txt from line 2» read pending at a.txt:2", "in_progress", "completed text \"```\\n",
		"plan [completed look] [in_progress write]", "usage",
		`«edit a.txt`, "at a.txt:2 diff a.txt \"one\\ntwo\\n\" \"one\\n2\\n\"", "in_progress", `completed diff a.txt "one\ntwo\n" "one\n2\n"`,
		"«run touch made.txt» execute pending", "says: Done.", "titled change it")
	if b, _ := os.ReadFile(filepath.Join(p.dir, "a.txt")); string(b) != "one\n2\n" {
		t.Errorf("a.txt holds %q", b)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "made.txt")); err != nil {
		t.Error(err)
	}
	if len(e.asked) != 2 {
		t.Fatalf("asked %d times", len(e.asked))
	}
	var names []string
	for _, r := range e.asked {
		for _, o := range r.Options {
			names = append(names, string(o.OptionId)+"="+string(o.Kind))
		}
	}
	if got := strings.Join(names, " "); got != "allow-once=allow_once allow-session=allow_always allow-rule=allow_always deny=reject_once allow-once=allow_once allow-session=allow_always allow-rule=allow_always deny=reject_once" {
		t.Errorf("offered were %s", got)
	}
	if d := e.asked[0].ToolCall.Content; len(d) != 2 || d[1].Diff == nil || d[1].Diff.Path != filepath.Join(real(t, p.dir), "a.txt") {
		t.Errorf("the edit was shown as %+v", d)
	}
	e.leave()

	// Another process goes on with it, and tells it again.
	e = openEditor(t, p, editorScript)
	l, err := e.ListSessions(t.Context(), acp.ListSessionsRequest{Cwd: &p.dir})
	if err != nil || len(l.Sessions) != 1 || l.Sessions[0].SessionId != s.SessionId {
		t.Fatalf("listed are %+v, %v", l, err)
	}
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: s.SessionId, Cwd: p.dir, McpServers: []acp.McpServer{}}); err != nil {
		t.Fatal(err)
	}
	e.has(s.SessionId, "user: change it", "thinks: I look first.", "says: Let me look.", "«read a.txt from line 2» read", "completed", `diff a.txt "one\ntwo\n" "one\n2\n"`, "says: Done.", "plan [completed look]")
	if why := e.say(s.SessionId, acp.TextBlock("and now?")); why != acp.StopReasonEndTurn {
		t.Errorf("it ended with %s", why)
	}
	e.has(s.SessionId, "says: Still here.")
	if _, err := e.LoadSession(t.Context(), acp.LoadSessionRequest{SessionId: "20200101-000000-aaaaaa", Cwd: p.dir, McpServers: []acp.McpServer{}}); err == nil {
		t.Error("a conversation that is none was loaded")
	}
	e.leave()
}

func real(t *testing.T, dir string) string {
	t.Helper()
	r, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the screen never keeps an answer for is not offered to be kept here either, and
// what is denied does not happen.
func TestEditorIsAskedAsTheScreenAsks(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "a/b.txt", "x")
	e := openEditor(t, p, `call run_bash {"command":"rm -rf a"}
end
text It was refused.
end
`, "--mode", "auto")
	e.answers(func(context.Context, acp.RequestPermissionRequest) string { return "deny" })
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("go"))
	e.has(s.SessionId, "execute pending", "failed text", "says: It was refused.")
	if len(e.asked) != 1 {
		t.Fatalf("asked %d times", len(e.asked))
	}
	var ids []string
	for _, o := range e.asked[0].Options {
		ids = append(ids, string(o.OptionId))
	}
	if got := strings.Join(ids, " "); got != "allow-once deny" || !strings.Contains(*e.asked[0].ToolCall.Title, "High risk") {
		t.Errorf("offered were %s for %q", got, *e.asked[0].ToolCall.Title)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "a/b.txt")); err != nil {
		t.Error(err)
	}
	e.leave()

	e = openEditor(t, p, "call run_bash {\"command\":\"rm -rf a\"}\nend\ntext 好。\nend\n", "--lang", "zh")
	e.answers(func(context.Context, acp.RequestPermissionRequest) string { return "deny" })
	s = e.begin()
	e.say(s.SessionId, acp.TextBlock("去"))
	e.say(s.SessionId, acp.TextBlock("/uncompact"))
	if q := e.asked[0]; *q.ToolCall.Title != "高风险：运行 rm -rf a" || q.Options[1].Name != "拒绝" {
		t.Errorf("in Chinese it is asked as %q with %+v", *q.ToolCall.Title, q.Options)
	}
	e.has(s.SessionId, `failed text "已拒绝"`, "says: 好。", "says: 没有可撤销的压缩")
	e.leave()
}

// A session grant holds for the session, and an option that was not offered is a no.
func TestEditorGrants(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, `call run_bash {"command":"touch x1"}
end
call run_bash {"command":"touch x2"}
end
text Both.
end
call run_bash {"command":"mkdir y"}
end
text Not that.
end
`)
	e.answers(func(_ context.Context, r acp.RequestPermissionRequest) string {
		if strings.Contains(*r.ToolCall.Title, "mkdir") {
			return "allow-everything"
		}
		return "allow-session"
	})
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("go"))
	if _, err := os.Stat(filepath.Join(p.dir, "x2")); err != nil || len(e.asked) != 1 {
		t.Errorf("%v, asked %d times", err, len(e.asked))
	}
	e.say(s.SessionId, acp.TextBlock("on"))
	if _, err := os.Stat(filepath.Join(p.dir, "y")); err == nil {
		t.Error("an answer that was not offered allowed it")
	}
	e.leave()
}

// Changes of one answer, which the screen asks about in one review, are asked about one by
// one: each with its own diff, and each with its own answer. So are a sub-agent's calls.
func TestEditorAsksAboutEachChange(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, `call write_file {"path":"one.txt","content":"1\n"}
call write_file {"path":"two.txt","content":"2\n"}
call task {"agent":"general","prompt":"write three","description":"three"}
end
text Done.
end
agent general
call write_file {"path":"three.txt","content":"3\n"}
end
text Written.
end
`)
	e.answers(func(_ context.Context, r acp.RequestPermissionRequest) string {
		if strings.Contains(*r.ToolCall.Title, "two") {
			return "deny"
		}
		return "allow-once"
	})
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("go"))
	var shown []string
	for _, r := range e.asked {
		for _, c := range r.ToolCall.Content {
			if c.Diff != nil {
				shown = append(shown, filepath.Base(c.Diff.Path))
			}
		}
	}
	if got := strings.Join(shown, " "); got != "one.txt two.txt three.txt" {
		t.Errorf("asked about were %s\n%s", got, strings.Join(e.told(s.SessionId), "\n"))
	}
	for name, want := range map[string]bool{"one.txt": true, "two.txt": false, "three.txt": true} {
		if _, err := os.Stat(filepath.Join(p.dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.has(s.SessionId, "«↳ create three.txt", "completed diff three.txt - \"3\\n\"", "says: Done.")
	e.leave()
}

func TestEditorCancels(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, `text I begin.
pause forever
end
call run_bash {"command":"touch never"}
end
call run_bash {"command":"sleep 1000"}
end
text After all.
end
`)
	s := e.begin()
	cancel := func() {
		if err := e.Cancel(context.Background(), acp.CancelNotification{SessionId: s.SessionId}); err != nil {
			t.Error(err)
		}
	}
	var once sync.Once
	e.hears(func(n acp.SessionNotification) {
		if n.Update.AgentMessageChunk != nil { // in the middle of the answer
			once.Do(cancel)
		}
	})
	if why := e.say(s.SessionId, acp.TextBlock("go")); why != acp.StopReasonCancelled {
		t.Errorf("while it answers: %s", why)
	}
	e.hears(nil)
	e.answers(func(context.Context, acp.RequestPermissionRequest) string { // while it asks
		cancel()
		return ""
	})
	if why := e.say(s.SessionId, acp.TextBlock("again")); why != acp.StopReasonCancelled {
		t.Errorf("while it asks: %s", why)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "never")); err == nil {
		t.Error("what was cancelled ran")
	}
	e.answers(func(context.Context, acp.RequestPermissionRequest) string { return "allow-once" })
	var ran sync.Once
	e.hears(func(n acp.SessionNotification) { // while a command runs
		if u := n.Update.ToolCallUpdate; u != nil && u.Status != nil && *u.Status == acp.ToolCallStatusInProgress {
			ran.Do(cancel)
		}
	})
	if why := e.say(s.SessionId, acp.TextBlock("once more")); why != acp.StopReasonCancelled {
		t.Errorf("while a command runs: %s", why)
	}
	e.hears(nil)
	e.told(s.SessionId)
	if why := e.say(s.SessionId, acp.TextBlock("and at last")); why != acp.StopReasonEndTurn {
		t.Errorf("afterwards: %s", why)
	}
	e.has(s.SessionId, "says: After all.")
	e.leave()
}

// A closed stdin ends forge and all it started.
func TestEditorGoesAway(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	mark := fmt.Sprintf("1000.%d", os.Getpid())
	e := openEditor(t, p, `call run_bash {"command":"exec sleep `+mark+`"}
end
`)
	s := e.begin()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = e.Prompt(context.Background(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("go")}})
	}()
	deadline(t, "the command runs", func() bool { return alive(t, "sleep\x00"+mark) || alive(t, "sleep "+mark) })
	e.leave()
	<-done
	deadline(t, "the command is gone", func() bool { return !alive(t, mark) })
}

func TestEditorHasSeveralConversations(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, `when user wait
text Waiting.
pause forever
otherwise
text Here.
end
`)
	a, b := e.begin().SessionId, e.begin().SessionId
	waits := make(chan struct{})
	var once sync.Once
	e.hears(func(n acp.SessionNotification) {
		if n.SessionId == a && n.Update.AgentMessageChunk != nil {
			once.Do(func() { close(waits) })
		}
	})
	end := make(chan acp.StopReason, 1)
	go func() {
		r, err := e.Prompt(context.Background(), acp.PromptRequest{SessionId: a, Prompt: []acp.ContentBlock{acp.TextBlock("wait")}})
		if err != nil {
			t.Error(err)
		}
		end <- r.StopReason
	}()
	<-waits
	if why := e.say(b, acp.TextBlock("hello")); why != acp.StopReasonEndTurn {
		t.Errorf("the other one ended with %s", why)
	}
	e.has(b, "says: Here.")
	if err := e.Cancel(t.Context(), acp.CancelNotification{SessionId: a}); err != nil {
		t.Error(err)
	}
	if why := <-end; why != acp.StopReasonCancelled {
		t.Errorf("the first one ended with %s", why)
	}
	if _, err := e.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: b}); err != nil {
		t.Error(err)
	}
	if _, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: b, Prompt: []acp.ContentBlock{acp.TextBlock("x")}}); err == nil {
		t.Error("a closed conversation takes prompts")
	}
	e.leave()
}

// What an editor hands over reaches the model: a buffer, a link, a picture, a server.
func TestEditorHandsOver(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "linked.txt", "first\nsecond of the link\n")
	p.write(t, "buffer.txt", "as it is on disk\n")
	e := openEditor(t, p, `expect seen not saved yet at all
expect seen second of the link
expect seen [image 1: 1x1
expect tool mcp__my-demo__word_count
text I see them.
call mcp__my-demo__word_count {"text":"three small words"}
end
expect result 3
text Heard.
end
`)
	self, err := exec.LookPath("forge")
	if err != nil {
		t.Fatal(err)
	}
	s := e.begin(acp.McpServer{Stdio: &acp.McpServerStdio{Name: "my demo", Command: self, Args: []string{"mcp", "demo"}, Env: []acp.EnvVariable{{Name: "X", Value: "${NOWHERE}"}}}})
	dir := "file://" + filepath.ToSlash(p.dir)
	e.say(s.SessionId, acp.TextBlock("compare"), acp.ResourceLinkBlock("linked.txt", dir+"/linked.txt#L2"),
		acp.ResourceBlock(acp.EmbeddedResourceResource{TextResourceContents: &acp.TextResourceContents{Uri: dir + "/buffer.txt", Text: "not saved yet at all"}}),
		acp.ImageBlock(base64.StdEncoding.EncodeToString(dot), "image/png"))
	e.has(s.SessionId, "says: I see them.", "completed", "says: Heard.")
	e.leave()
}

// What an editor writes into a server means what it says.
func TestLentServersAreTakenAtTheirWord(t *testing.T) {
	got := lent([]forgeacp.Server{
		{Name: "my demo", Type: "stdio", Command: "x${HOME}", Args: []string{"${NOWHERE:-y}", "$a"}, Env: map[string]string{"A": "${B}"}},
		{Name: "my-demo", Type: "http", URL: "http://h/${C}", Headers: map[string]string{"H": "$${D}"}},
	})
	one, err := got["my-demo"].Expand(os.LookupEnv)
	two, err2 := got["my-demo-2"].Expand(os.LookupEnv)
	if err != nil || err2 != nil || one.Command != "x${HOME}" || one.Args[0] != "${NOWHERE:-y}" || one.Args[1] != "$a" || one.Env["A"] != "${B}" || two.URL != "http://h/${C}" || two.Headers["H"] != "$${D}" {
		t.Errorf("%+v %v\n%+v %v", one, err, two, err2)
	}
}

var dot = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")

func TestEditorLearnsWhyItStopped(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, `text Too lo
end max_tokens
text No.
end refusal
when user again
text Here again.
otherwise
error auth 401 the key is wrong
end
`)
	s := e.begin()
	if why := e.say(s.SessionId, acp.TextBlock("a")); why != acp.StopReasonMaxTokens {
		t.Errorf("%s", why)
	}
	if why := e.say(s.SessionId, acp.TextBlock("b")); why != acp.StopReasonRefusal {
		t.Errorf("%s", why)
	}
	_, err := e.Prompt(t.Context(), acp.PromptRequest{SessionId: s.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("fail")}})
	var re *acp.RequestError
	if !errors.As(err, &re) || re.Code != -32000 || !strings.Contains(re.Message, "the key is wrong") {
		t.Errorf("a wrong key is told as %v", err)
	}
	e.told(s.SessionId)
	if why := e.say(s.SessionId, acp.TextBlock("again")); why != acp.StopReasonEndTurn {
		t.Errorf("%s", why)
	}
	e.has(s.SessionId, "says: Here again.")
	e.leave()

	e = openEditor(t, p, `loop
call run_bash {"command":"true"}
end
`, "--max-turns", "2")
	e.answers(func(_ context.Context, r acp.RequestPermissionRequest) string { return "stop" })
	s = e.begin()
	if why := e.say(s.SessionId, acp.TextBlock("a")); why != acp.StopReasonMaxTurnRequests {
		t.Errorf("%s", why)
	}
	e.leave()
}

func TestEditorChangesModesAndRunsCommands(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, ".forge/commands/hi.md", "say hello to $1")
	e := openEditor(t, p, "call write_file {\"path\":\"n.txt\",\"content\":\"new ```x\"}"+`
end
text Written.
end
expect user say hello to you
text Hello.
end
`)
	s := e.begin()
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "yolo"}); err == nil {
		t.Error("yolo can be chosen though nobody set forge up for it")
	}
	if _, err := e.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: s.SessionId, ModeId: "plan"}); err != nil {
		t.Error(err)
	}
	r, err := e.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{SessionId: s.SessionId, ConfigId: "mode", Value: "edits"}})
	if err != nil || r.ConfigOptions[0].Select.CurrentValue != "edits" {
		t.Errorf("%+v, %v", r, err)
	}
	e.has(s.SessionId, "mode plan", "mode edits")
	e.say(s.SessionId, acp.TextBlock("go"))
	if len(e.asked) != 0 {
		t.Error("an edit was asked about in mode edits")
	}
	e.say(s.SessionId, acp.TextBlock("/hi you"))
	e.has(s.SessionId, "says: Hello.")
	e.say(s.SessionId, acp.TextBlock("/Diff"))
	e.has(s.SessionId, "says: ````diff\n", "+new ```x\n")
	e.answers(func(_ context.Context, r acp.RequestPermissionRequest) string { return "yes" })
	e.say(s.SessionId, acp.TextBlock("/undo"))
	e.has(s.SessionId, "call question-1", "says: took back the changes to n.txt")
	if _, err := os.Stat(filepath.Join(p.dir, "n.txt")); err == nil {
		t.Error("n.txt is still there")
	}
	e.leave()
}

// A goal is set, said and taken back from an editor as elsewhere.
func TestEditorSetsAGoal(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, "text\n  I need a key.\n  GOAL BLOCKED: no key\nend\n")
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("/goal all tests pass"))
	e.say(s.SessionId, acp.TextBlock("/goal"))
	e.say(s.SessionId, acp.TextBlock("/goal clear"))
	e.has(s.SessionId, "I need a key.", "all tests pass · blocked, no key", "the goal is taken back")
	e.leave()
}

// Nothing is sent by the clock where an editor speaks first.
func TestEditorHasNoLoops(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, "text I looked.\nend\n")
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("/loop 5m look"))
	e.has(s.SessionId, "/loop is for forge's screen")
	e.leave()
}

// What a project configures starts only after the yes that the first prompt asks for.
func TestEditorAsksWhetherAFolderIsTrusted(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, ".mcp.json", `{"mcpServers":{"theirs":{"command":"forge","args":["mcp","demo"]}}}`)
	const script = `when tool mcp__theirs__word_count
text It is there.
otherwise
text It is not there.
end
`
	told := filepath.Join(p.dir, "told") // the person's hooks hear of questions here, too
	if err := syscall.Mkfifo(told, 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, p.settings(), saysHook("Notification", "elicitation_dialog", "cat > "+told))
	for _, c := range []struct{ answer, says string }{{"no", "says: It is not there."}, {"trust", "says: It is there."}} {
		e := openEditor(t, p, script)
		e.answers(func(context.Context, acp.RequestPermissionRequest) string {
			if b, err := os.ReadFile(told); err != nil || !strings.Contains(string(b), `"notification_type":"elicitation_dialog"`) {
				t.Errorf("the hook was told %q, %v", b, err)
			}
			return c.answer
		})
		s := e.begin()
		e.say(s.SessionId, acp.TextBlock("hello"))
		e.has(s.SessionId, "call question-1", c.says)
		if len(e.asked) != 1 || !strings.Contains(e.asked[0].ToolCall.Content[0].Content.Content.Text.Text, "forge mcp demo") {
			t.Errorf("asked was %+v", e.asked)
		}
		e.leave()
	}
}

// A conversation that another forge has open is left to it; an editor that reads no more
// and one that is told to end by a signal leave nothing behind.
func TestEditorsDoNotShareAConversation(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	const script = "text Hello.\nend\n"
	one, two := openEditor(t, p, script), openEditor(t, p, script)
	s := one.begin()
	one.say(s.SessionId, acp.TextBlock("hi"))
	load := acp.LoadSessionRequest{SessionId: s.SessionId, Cwd: p.dir, McpServers: []acp.McpServer{}}
	if _, err := two.LoadSession(t.Context(), load); err == nil || !strings.Contains(err.Error(), "another forge has this conversation open") {
		t.Errorf("loaded twice: %v", err)
	}
	if _, err := one.LoadSession(t.Context(), load); err != nil { // its own is told again
		t.Error(err)
	}
	one.has(s.SessionId, "user: hi", "says: Hello.")
	if err := one.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := one.cmd.Wait(); one.cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("it ended with %v", err)
	}
	if _, err := two.LoadSession(t.Context(), load); err != nil {
		t.Error(err)
	}
	two.leave()
}

// An editor that goes away without closing forge's input ends it all the same.
func TestEditorReadsNoMore(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	c := p.command("acp", "--demo")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	out.Close()
	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != 1 {
		t.Errorf("it ended with %v", err)
	}
}

// Without a model a conversation does not begin, and the editor learns how to mend that.
func TestEditorWithoutAKey(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OLLAMA_HOST=http://127.0.0.1:1")
	e := openEditor(t, p, "", "--provider", "deepseek")
	_, err := e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: p.dir, McpServers: []acp.McpServer{}})
	var re *acp.RequestError
	if !errors.As(err, &re) || re.Code != -32000 || !strings.Contains(re.Message, "DEEPSEEK_API_KEY") {
		t.Errorf("told was %v", err)
	}
	if _, err := e.Authenticate(t.Context(), acp.AuthenticateRequest{MethodId: "forge-key"}); !errors.As(err, &re) || re.Code != -32000 {
		t.Errorf("authenticated with %v", err)
	}
	e.leave()
}
