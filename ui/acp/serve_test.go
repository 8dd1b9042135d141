package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
)

// client is the other end of a connection, line by line.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	out  chan string // every line that came; closed at the end
	ends chan error
}

// serve begins a connection; what a talk does with a prompt is run's, and with makes it
// another one before it is open.
func serve(t *testing.T, run func(ctx context.Context, l *Line, w Words, sink agent.Sink) error, with ...func(*Talk, *Line)) *client {
	t.Helper()
	h := host(run, with...)
	fromClient, toAgent := io.Pipe()
	fromAgent, toClient := io.Pipe()
	c := &client{t: t, in: toAgent, out: make(chan string, 10_000), ends: make(chan error, 1)}
	go c.hears(fromAgent)
	go func() {
		err := Serve(context.Background(), fromClient, toClient, h)
		toClient.Close()
		c.ends <- err
	}()
	t.Cleanup(func() { toAgent.Close(); fromAgent.Close() })
	return c
}

// hears takes every line that comes.
func (c *client) hears(from io.Reader) {
	defer close(c.out)
	r := bufio.NewReader(from)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			c.out <- line
		}
		if err != nil {
			return
		}
	}
}

// host opens talks that are not kept.
func host(run func(ctx context.Context, l *Line, w Words, sink agent.Sink) error, with ...func(*Talk, *Line)) Host {
	var n int
	var mu sync.Mutex
	return Host{
		Version: "1", Log: slog.New(slog.DiscardHandler),
		Ready: func(context.Context) error { return nil },
		Open: func(_ context.Context, s Start, to *Line) (*Talk, error) {
			if s.ID == "none" {
				return nil, ErrNoSession
			}
			if s.Cwd == "/keyless" {
				return nil, NoModel{errors.New("no key")}
			}
			mu.Lock()
			n++
			id := fmt.Sprintf("s%d", n)
			mu.Unlock()
			mode := permission.ModeAsk
			talk := &Talk{
				ID: id, Root: s.Cwd,
				Run:     func(ctx context.Context, w Words, sink agent.Sink) error { return run(ctx, to, w, sink) },
				Told:    func() int { return 0 },
				Replay:  func(int, agent.Sink) {},
				Todos:   func() []Todo { return nil },
				Title:   func() string { return "" },
				Spent:   func() agent.Totals { return agent.Totals{} },
				Modes:   []Mode{{permission.ModeAsk, "ask", ""}, {permission.ModePlan, "plan", ""}},
				Mode:    func() permission.Mode { mu.Lock(); defer mu.Unlock(); return mode },
				SetMode: func(m permission.Mode) { mu.Lock(); defer mu.Unlock(); mode = m },
				Models:  func() []Model { return []Model{{"p/a", "a", ""}, {"p/b", "b", ""}} },
				Model:   func() (string, string) { return "p/a", "a" },
				SetModel: func(id string, running bool) error {
					to.Notice(fmt.Sprintf("model %s running %v", id, running))
					return nil
				},
				Efforts:  func() ([]string, string) { return nil, "" },
				Commands: func() []Command { return []Command{{"compact", "shorten", "[what]"}} },
				Command: func(_ context.Context, line string, _ agent.Sink, say func(string)) (bool, error) {
					say("ran " + line)
					return line == "/compact", nil
				},
				Busy:  func() bool { return false },
				Empty: func() bool { return true },
				Close: func() {},
			}
			for _, change := range with {
				change(talk, to)
			}
			return talk, nil
		},
		List: func() (out []Stored, err error) {
			for i := range 250 {
				out = append(out, Stored{ID: fmt.Sprint(i), Cwd: "/w"})
			}
			return out, nil
		},
		Delete: func(string) error { return ErrNoSession },
	}
}

// send writes a line; read gives the next one.
func (c *client) send(format string, args ...any) {
	c.t.Helper()
	if _, err := fmt.Fprintf(c.in, format+"\n", args...); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) read() string {
	c.t.Helper()
	line, more := <-c.out
	if !more {
		c.t.Fatal("nothing more comes")
	}
	if !json.Valid([]byte(line)) || !utf8.ValidString(line) {
		c.t.Fatalf("this is no message: %q", line)
	}
	return strings.TrimSuffix(line, "\n")
}

// until reads to the line that holds all of want.
func (c *client) until(want ...string) string {
	c.t.Helper()
	var seen []string
	for range 1000 {
		line := c.read()
		seen = append(seen, line)
		all := true
		for _, w := range want {
			all = all && strings.Contains(line, w)
		}
		if all {
			return line
		}
	}
	c.t.Fatalf("%q never came; there came\n%s", want, strings.Join(seen, "\n"))
	return ""
}

func (c *client) begin() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
	c.until(`"id":"i"`, `"protocolVersion":1`)
	c.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.until(`"id":"n"`, `"sessionId":"s1"`)
	c.until(`available_commands_update`, `"name":"compact"`)
}

func nothing(context.Context, *Line, Words, agent.Sink) error { return nil }

// Whatever comes is answered as JSON-RPC wants it, and what follows is heard.
func TestBadInput(t *testing.T) {
	c := serve(t, nothing)
	for _, x := range [][2]string{
		{`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, `"id":1,"error":{"code":-32600,"message":"initialize comes first"`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize"}`, `"id":2,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`, `"id":2,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"x"}}`, `"id":2,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":99,"later":true}}`, `"protocolVersion":1`},
		{`nonsense`, `"id":null,"error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":4,"meth`, `"id":null,"error":{"code":-32700`},
		{`[]`, `"id":null,"error":{"code":-32600`},
		{`"x"`, `"id":null,"error":{"code":-32600`},
		{`{"id":5,"method":"session/list"}`, `"id":5,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":{},"method":"session/list"}`, `"id":null,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":6}`, `"id":6,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":7,"method":7}`, `"id":7,"error":{"code":-32600`},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"no\"}", `"id":null,"error":{"code":-32600`},
		{"{\"jsonrpc\":\"2.0\",\"id\":25,\"method\":\"\xff\"}", `"id":25,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":null,"method":"nothing/such"}`, `"id":null,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":8,"method":"nothing/such","params":{}}`, `"id":8,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"gone","prompt":[{"type":"text","text":"x"}]}}`, `"id":9,"error":{"code":-32002`},
		{`{"jsonrpc":"2.0","id":10,"method":"session/new","params":{"cwd":"w","mcpServers":[]}}`, `"id":10,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":11,"method":"session/new","params":{"cwd":"/w","mcpServers":[{"name":"a","type":"carrier-pigeon"}]}}`, `carrier-pigeon`},
		{`{"jsonrpc":"2.0","id":12,"method":"session/new","params":{"cwd":"/w","mcpServers":7}}`, `"id":12,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":13,"method":"session/new","params":{"cwd":"/keyless","mcpServers":[]}}`, `"id":13,"error":{"code":-32000,"message":"no key\n`},
		{`{"jsonrpc":"2.0","id":14,"method":"session/load","params":{"cwd":"/w","mcpServers":[],"sessionId":"none"}}`, `"id":14,"error":{"code":-32002`},
		{`{"jsonrpc":"2.0","id":15,"method":"session/delete","params":{"sessionId":"none"}}`, `"id":15,"error":{"code":-32002`},
		{`{"jsonrpc":"2.0","id":16,"method":"authenticate","params":{"methodId":"no"}}`, `"id":16,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":17,"method":"authenticate","params":{"methodId":"forge-key"}}`, `"id":17,"result":{}`},
		{`{"jsonrpc":"2.0","method":"unknown/notification"}` + "\n" + `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n\n" + `{"jsonrpc":"2.0","id":18,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, `"id":18,"result":{"sessionId":"s1"`},
		{`{"jsonrpc":"2.0","id":19,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"audio","data":"x"}]}}`, `"id":19,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":20,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"image","data":"%%"}]}}`, `"id":20,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":21,"method":"session/prompt","params":{"sessionId":"s1","prompt":[]}}`, `"id":21,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":22,"method":"session/set_mode","params":{"sessionId":"s1","modeId":"yolo"}}`, `"id":22,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":23,"method":"session/set_config_option","params":{"sessionId":"s1","configId":"model","value":"p/none"}}`, `"id":23,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":24,"method":"session/list","params":{"cursor":"x"}}`, `"id":24,"error":{"code":-32602`},
	} {
		c.send("%s", x[0])
		c.until(x[1])
	}
	c.in.Close()
	if err := <-c.ends; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// A line of 10 MB is a message as any other; one that is too long is refused, and the
// next is heard.
func TestLongLines(t *testing.T) {
	got := make(chan int, 1)
	c := serve(t, func(_ context.Context, _ *Line, w Words, _ agent.Sink) error { got <- len(w.Text); return nil })
	c.begin()
	const ten = 10 << 20
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"%s"}]}}`, strings.Repeat("é", ten/2))
	if n := <-got; n != ten {
		t.Errorf("%d bytes came", n)
	}
	c.until(`"id":1,"result":{"stopReason":"end_turn"}`)
	c.send("%s", strings.Repeat("x", maxLine+1))
	c.until(`"id":null,"error":{"code":-32600`)
	c.send(`{"jsonrpc":"2.0","id":"long","method":"%s"}`, strings.Repeat("x", ten))
	if line := c.until(`"id":"long","error"`); len(line) > 1000 {
		t.Errorf("%d bytes answer it", len(line))
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`)
	c.until(`"id":2,"result"`, `"nextCursor":"100"`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"session/list","params":{"cursor":"200"}}`)
	if line := c.until(`"id":3,"result"`); strings.Contains(line, "nextCursor") || strings.Count(line, "sessionId") != 50 {
		t.Errorf("the last page is %s", line)
	}
}

// A cancel right behind its prompt finds it, and prompts of one conversation wait for
// each other.
func TestCancelRightBehindThePrompt(t *testing.T) {
	running := 0
	c := serve(t, func(ctx context.Context, _ *Line, _ Words, _ agent.Sink) error {
		if running++; running > 1 {
			t.Error("two at once")
		}
		defer func() { running-- }()
		<-ctx.Done()
		return ctx.Err()
	})
	c.begin()
	const prompt = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`
	const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`
	for i := range 50 {
		c.send(prompt+"\n"+prompt+"\n"+cancel, 2*i, 2*i+1)
		c.until(fmt.Sprintf(`"id":%d,"result":{"stopReason":"cancelled"}`, 2*i))
		c.until(fmt.Sprintf(`"id":%d,"result":{"stopReason":"cancelled"}`, 2*i+1))
	}
	c.send(prompt, 1000)
	c.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1000}}`)
	c.until(`"id":1000,"result":{"stopReason":"cancelled"}`)
}

// What is left open when its prompt is cancelled is withdrawn; the end of the connection
// ends whoever waits for an answer.
func TestQuestionsEndWithTheirPrompt(t *testing.T) {
	answers := make(chan error, 2)
	c := serve(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		_, err := l.Ask(ctx, permission.Request{Call: tools.Call{ID: "c", Name: "run_bash"}, Effect: tools.Effect{Kind: tools.Exec, Command: "x"}})
		answers <- err
		return err
	})
	c.begin()
	const prompt = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`
	c.send(prompt, 1)
	c.until("session/request_permission")
	c.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
	c.until(`"id":1,"result":{"stopReason":"cancelled"}`)
	if err := <-answers; !errors.Is(err, context.Canceled) {
		t.Errorf("it was answered %v", err)
	}
	c.send(prompt, 2)
	c.until("session/request_permission")
	c.in.Close()
	if err := <-answers; err == nil {
		t.Error("an answer came from nowhere")
	}
	if err := <-c.ends; err != nil {
		t.Error(err)
	}
}

// An editor that cannot ask, or answers what was not offered, allows nothing.
func TestAnswersThatAllowNothing(t *testing.T) {
	got := make(chan permission.Answer, 1)
	c := serve(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		a, err := l.Ask(ctx, permission.Request{Call: tools.Call{ID: "c", Name: "x"}, Effect: tools.Effect{Kind: tools.Exec, Command: "x"}, Level: permission.High})
		got <- a
		return err
	})
	c.begin()
	for i, reply := range []string{
		`"result":{"outcome":{"outcome":"selected","optionId":"allow-session"}}`,
		`"result":{"outcome":{"outcome":"selected"}}`,
		`"result":{"outcome":{"outcome":"cancelled","optionId":"allow-once"}}`,
		`"result":{}`, `"result":null`,
		`"error":{"code":-32601,"message":"no such method"}`,
		`"error":{"code":"E_NO"}`, `"error":"no"`, `"error":null`, `"later":true`, `"result":{"outcome":{"outcome":"selected","optionId":1}}`,
	} {
		c.send(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`, i)
		line := c.until("session/request_permission")
		if strings.Contains(line, "allow_always") {
			t.Errorf("more than once is offered: %s", line)
		}
		var m struct{ ID int }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		c.send(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, reply)
		if a := <-got; a.Allow {
			t.Errorf("%s allowed it", reply)
		}
		c.until(fmt.Sprintf(`"id":"p%d"`, i))
	}
}

// What comes right behind the closing of a conversation finds it closed, however long that
// takes; opening it again waits.
func TestWhatFollowsAClose(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	c := serve(t, func(context.Context, *Line, Words, agent.Sink) error { close(began); <-end; return nil })
	c.begin()
	const prompt = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`
	c.send(prompt, 1)
	<-began
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s1"}}`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}}`)
	c.send(prompt, 4)
	c.until(`"id":4,"error":{"code":-32002`)
	close(end)
	c.until(`"id":1,"result":{"stopReason":"cancelled"}`)
	c.until(`"id":2,"result":{}`)
	c.until(`"id":3,"result":{"modes"`)
	c.send(`{"jsonrpc":"2.0","id":5,"method":"session/close","params":{"sessionId":"s1"}}`)
	c.until(`"id":5,"result":{}`)
}

// A call has one name from its first word to its last, and another one where a server
// counts from the beginning again; what never ran is told so.
func TestCallsAreToldApart(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *Line, _ Words, sink agent.Sink) error {
		for range 2 {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.ToolInput{ID: "1", Name: "read_file"})
			sink(agent.ToolStart{ID: "1", Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read \x1b[31ma"}})
			sink(agent.ToolRunning{ID: "1"})
			sink(agent.Nested{ID: "1", Event: agent.ToolStart{ID: "1", Name: "grep", Effect: tools.Effect{Kind: tools.Read, Title: "grep"}}})
			sink(agent.Nested{ID: "1", Event: agent.ToolEnd{ID: "1", Name: "grep"}})
			sink(agent.ToolEnd{ID: "1", Name: "read_file", Result: tools.Result{Text: "a ``` b"}})
			sink(agent.ToolOutput{ID: "1", Text: "left behind"})
		}
		sink(agent.ToolInput{ID: "2", Name: "run_bash"})
		sink(agent.Retrying{Err: errors.New("broken"), Attempt: 1, Attempts: 2})
		sink(agent.TextDelta{Block: 1, Text: "<think>so</think>now"})
		sink(agent.TurnEnd{Stop: provider.StopMaxTokens, Used: 5, Window: 10})
		sink(agent.RunEnd{})
		return nil
	})
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
	var got []string
	for {
		line := c.read()
		if strings.Contains(line, `"id":1,`) {
			got = append(got, line[strings.Index(line, `"result"`):])
			break
		}
		_, line, _ = strings.Cut(line, `"update":`)
		got = append(got, strings.TrimSuffix(line, "}}"))
	}
	one := func(id string) []string {
		return []string{
			`{"sessionUpdate":"tool_call","toolCallId":"` + id + `","title":"read_file","kind":"read","status":"pending"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","title":"read a","kind":"read","status":"pending"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"` + id + `","status":"in_progress"}`,
			`{"sessionUpdate":"tool_call","toolCallId":"1/` + id + `","title":"↳ grep","kind":"search","status":"pending"}`,
			`{"sessionUpdate":"tool_call_update","toolCallId":"1/` + id + `","status":"completed"}`,
			"{\"sessionUpdate\":\"tool_call_update\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"````\\na ``` b\\n````\"}}],\"toolCallId\":\"" + id + `","status":"completed"}`,
		}
	}
	want := append(append(one("1"), one("1#2")...),
		`{"sessionUpdate":"tool_call","toolCallId":"2","title":"run_bash","kind":"execute","status":"pending"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"failed"}`,
		`{"sessionUpdate":"agent_thought_chunk","messageId":"m1","content":{"type":"text","text":"error: broken; trying again in 0s, 1 of 2, and this answer begins anew\n\n"}}`,
		`{"sessionUpdate":"agent_thought_chunk","messageId":"m2-thought","content":{"type":"text","text":"so"}}`,
		`{"sessionUpdate":"agent_message_chunk","messageId":"m2","content":{"type":"text","text":"now"}}`,
		`{"sessionUpdate":"usage_update","used":5,"size":10}`,
		`"result":{"stopReason":"max_tokens"}}`)
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("told was\n%s\nand not\n%s", g, w)
	}
}

// What language servers find stands beside the change, as it does on the screen, and why a
// model declined is said.
func TestWhatWasFoundIsTold(t *testing.T) {
	c := serve(t, func(_ context.Context, _ *Line, _ Words, sink agent.Sink) error {
		change := tools.Change{Path: "a.go", Op: tools.Modify, Before: []byte("a\n"), After: []byte("b\n")}
		sink(agent.ToolStart{ID: "1", Name: "edit_file", Effect: tools.Effect{Kind: tools.Write, Changes: []tools.Change{change}}})
		sink(agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{change}, Result: tools.Result{Text: "edited\n[gopls: 2 errors new]", Found: []tools.Found{
			{By: "gopls", New: 2, Lines: []string{"a.go:1:1: undefined: b\x1b[2J"}}, {By: "lint", Note: "is gone: it died"}}}})
		sink(agent.TurnEnd{Stop: provider.StopRefusal, Detail: "not this\x1b[2J"})
		return nil
	})
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
	line := c.until(`"status":"completed"`)
	if want := "```\\ngopls: 2 new errors\\na.go:1:1: undefined: b\\nand 1 more\\nlint: is gone: it died\\n```"; !strings.Contains(line, want) || !strings.Contains(line, `"type":"diff"`) {
		t.Errorf("%s is not in %s", want, line)
	}
	c.until("the model declined to answer: not this")
	c.until(`"stopReason":"refusal"`)
}

// What is asked about is written out where it would hide, and stands on one line where a
// title or a task does.
func TestQuestionsHideNothing(t *testing.T) {
	c := serve(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		_, err := l.Ask(ctx, permission.Request{Call: tools.Call{ID: "c", Name: "run_bash"}, Level: permission.Medium, Risks: []permission.Risk{{Reason: "it\x1b[2J"}},
			Effect: tools.Effect{Kind: tools.Exec, Title: "run a\u202eb", Command: "a\u202eb\n```\nc", Agent: "x", Task: "do\n\n# Low risk", Under: []string{"p", "q"}}})
		return err
	})
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
	line := c.until("session/request_permission")
	for _, want := range []string{`"toolCallId":"p/q/c"`, `"title":"Medium risk: run a<U+202E>b"`, `its task: do # Low risk`, `because: it<1B>`, "````\\na<U+202E>b\\n```\\nc\\n````", "they are shown as <…>"} {
		if !strings.Contains(line, want) {
			t.Errorf("%s is not in %s", want, line)
		}
	}
}

// While a prompt is worked on, another model is for its next call.
func TestModelWhileItRuns(t *testing.T) {
	begun, goOn := make(chan struct{}), make(chan struct{})
	c := serve(t, func(context.Context, *Line, Words, agent.Sink) error { close(begun); <-goOn; return nil })
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
	<-begun
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s1","configId":"model","value":"p/b"}}`)
	c.until("model p/b running true")
	c.until(`"id":2,"result":{"configOptions":[{"id":"mode"`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"session/set_mode","params":{"sessionId":"s1","modeId":"plan"}}`)
	c.until(`"sessionUpdate":"current_mode_update","currentModeId":"plan"`)
	c.until(`"id":3,"result":{}`)
	close(goOn)
	c.until(`"id":1,"result"`)
}
