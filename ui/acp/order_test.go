package acp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
)

// What a command wrote last is shown while it still runs, also where it came too soon
// behind what was shown before; nothing of it comes behind the end of the call.
func TestTheEndOfLiveOutputIsShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		c := serve(t, func(_ context.Context, _ *Line, _ Words, sink agent.Sink) error {
			sink(agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "serve"}})
			sink(agent.ToolRunning{ID: "1"})
			sink(agent.ToolOutput{ID: "1", Text: "starting\n"})
			sink(agent.ToolOutput{ID: "1", Text: "ready on port 1\n"})
			<-goOn
			sink(agent.ToolOutput{ID: "1", Text: "one\n"})
			sink(agent.ToolOutput{ID: "1", Text: "two\n"})
			sink(agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "over"}})
			<-goOn
			return nil
		})
		c.begin()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
		c.until("starting")
		c.until("ready on port 1") // though nothing more is written
		goOn <- struct{}{}
		c.until(`"status":"completed"`)
		synctest.Wait()
		goOn <- struct{}{}
		if line := c.read(); !strings.Contains(line, `"id":1,"result"`) {
			t.Errorf("behind the end of the call came %s", line)
		}
		c.in.Close()
		<-c.ends
	})
}

// Nothing is told of a conversation before the editor has heard its name, and what was to
// be told meanwhile comes then.
func TestNothingIsToldBeforeTheName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var once sync.Once
		c := serve(t, nothing, func(talk *Talk, l *Line) {
			talk.Efforts = func() ([]string, string) { // looked at behind the models
				once.Do(l.OptionsChanged)
				return nil, ""
			}
		})
		c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
		c.until(`"id":"i"`)
		c.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
		if line := c.read(); !strings.Contains(line, `"id":"n","result"`) {
			t.Errorf("before the name came %s", line)
		}
		c.until("config_option_update")
		c.in.Close()
		<-c.ends
	})
}

// Who loads a conversation knows its ID, and may speak to it before the answer is there: it
// is open whole, or not yet.
func TestALoadThatIsSpokenToAtOnce(t *testing.T) {
	c := serve(t, nothing)
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
	for i := range 100 {
		c.send(`{"jsonrpc":"2.0","id":"l","method":"session/load","params":{"sessionId":"kept%d","cwd":"/w","mcpServers":[]}}`, i)
		for n := range 20 {
			c.send(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":"kept%d","prompt":[{"type":"text","text":"x"}]}}`, n, i)
		}
		for n := range 20 {
			if line := c.until(fmt.Sprintf(`"id":"p%d"`, n)); !strings.Contains(line, `"code":-32002`) && !strings.Contains(line, "end_turn") {
				t.Fatal(line)
			}
		}
	}
}

// A model that is set in the older way has its place before prompts that follow.
func TestModelsInTheOlderWayKeepTheirPlace(t *testing.T) {
	var mu sync.Mutex
	var order []string
	note := func(s string) { mu.Lock(); order = append(order, s); mu.Unlock() }
	c := serve(t, func(context.Context, *Line, Words, agent.Sink) error { note("prompt"); return nil }, func(talk *Talk, _ *Line) {
		talk.SetModel = func(id string, running bool) error { note(fmt.Sprintf("%s running %v", id, running)); return nil }
	})
	c.begin()
	for i := range 50 {
		c.send(`{"jsonrpc":"2.0","id":"m%d","method":"session/set_model","params":{"sessionId":"s1","modelId":"p/b"}}`, i)
		c.send(`{"jsonrpc":"2.0","id":"p%d","method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`, i)
		c.until(fmt.Sprintf(`"id":"p%d"`, i))
	}
	mu.Lock()
	defer mu.Unlock()
	if got, want := strings.Join(order, "; "), strings.TrimSuffix(strings.Repeat("p/b running false; prompt; ", 50), "; "); got != want {
		t.Errorf("the order was %s", got)
	}
}

// The end closes all that is open side by side: each may take its time, and an editor does
// not wait for ever.
func TestTheEndClosesSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all sync.WaitGroup
		all.Add(3)
		c := serve(t, nothing, func(talk *Talk, _ *Line) {
			talk.Close = func() { all.Done(); all.Wait() }
		})
		c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
		for i := range 3 {
			c.send(`{"jsonrpc":"2.0","id":"n%d","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`, i)
			c.until(fmt.Sprintf(`"id":"n%d"`, i))
		}
		c.in.Close()
		if err := <-c.ends; err != nil {
			t.Error(err)
		}
	})
}

// A page behind the last one is empty, however far behind it is.
func TestPageBehindTheLast(t *testing.T) {
	c := serve(t, nothing)
	c.begin()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"9223372036854775807"}}`)
	if line := c.until(`"id":1,`); !strings.HasSuffix(line, `"result":{"sessions":[]}}`) {
		t.Error(line)
	}
}

// A question that belongs to no prompt, dismissed while one is worked on, does not stop it.
func TestDismissedBesideThePrompt(t *testing.T) {
	ask, answered, goOn := make(chan struct{}), make(chan struct{}), make(chan struct{})
	first := true
	c := serve(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		if first {
			first = false
			go func() {
				<-ask
				if a, err := l.Ask(context.WithoutCancel(ctx), permission.Request{Call: tools.Call{ID: "c", Name: "x"}}); err == nil || a.Allow {
					t.Errorf("%+v, %v", a, err)
				}
				close(answered)
			}()
			return nil
		}
		select {
		case <-goOn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.begin()
	const prompt = `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`
	c.send(prompt, 1)
	c.until(`"id":1,"result"`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s1","modeId":"plan"}}`)
	c.until(`"id":2,"result"`)
	close(ask)
	c.until("session/request_permission")
	c.send(prompt, 3)
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"cancelled"}}}`)
	<-answered
	close(goOn)
	if line := c.until(`"id":3,"result"`); !strings.Contains(line, "end_turn") {
		t.Error(line)
	}
}
