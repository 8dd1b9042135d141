package acp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
)

// built is a house that keeps its conversations, in a bubble that ends only when nothing
// of it is left.
type built struct {
	*House
	t    *testing.T
	all  sync.WaitGroup // clients it speaks with
	stop atomic.Int32   // how often it was to be stopped
}

func build(t *testing.T, run func(ctx context.Context, l *Line, w Words, sink agent.Sink) error, with ...func(*Talk, *Line)) *built {
	t.Helper()
	b := &built{t: t}
	b.House = NewHouse(host(run, with...), Kept{About: func() map[string]any { return map[string]any{"address": "here"} }, Stop: func() { b.stop.Add(1) }})
	return b
}

// over closes the house and waits for its clients.
func (b *built) over() {
	b.Close()
	b.all.Wait()
}

// mute is a client that reads nothing.
func (b *built) mute() net.Conn {
	mine, theirs := net.Pipe()
	b.all.Go(func() { _ = b.Client(theirs) })
	return mine
}

// comes is a client that has said initialize.
func (b *built) comes() *client {
	b.t.Helper()
	mine := b.mute()
	c := &client{t: b.t, in: mine, out: make(chan string, 10_000)}
	go c.hears(mine)
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
	c.until(`"id":"i"`)
	return c
}

// goes ends a client and waits until the house knows.
func (c *client) goes() {
	c.in.Close()
	synctest.Wait()
}

func (c *client) opens() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.until(`"id":"n"`, `"sessionId":"s1"`)
	c.until(`session_info_update`)
}

func (c *client) loads() {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"l","method":"session/load","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}}`)
}

func (c *client) prompts(id int) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"do it"}]}}`, id)
}

// in runs a test in a bubble of its own.
func in(t *testing.T, test func(t *testing.T)) { synctest.Test(t, test) }

// Who sent a prompt may go away: it is worked on, and whoever loads the conversation is told
// what there was before it, what has happened since, and the rest as it happens.
func TestWorkGoesOnWithoutTheClient(t *testing.T) {
	in(t, func(t *testing.T) {
		goOn := make(chan struct{})
		var told atomic.Int32
		b := build(t, func(ctx context.Context, _ *Line, _ Words, sink agent.Sink) error {
			told.Add(1)
			sink(agent.UserMessage{Text: "do it"})
			sink(agent.TextDelta{Text: "one "})
			sink(agent.ToolInput{ID: "c", Name: "run_bash"})
			<-goOn
			sink(agent.ToolStart{ID: "c", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "make"}})
			for i := range 1000 {
				sink(agent.ToolOutput{ID: "c", Text: fmt.Sprintf("line %d\n", i)})
			}
			<-goOn
			sink(agent.ToolEnd{ID: "c", Name: "run_bash", Result: tools.Result{Text: "made"}})
			sink(agent.TextDelta{Block: 1, Text: "two"})
			<-goOn
			if ctx.Err() != nil {
				t.Error("it was cancelled")
			}
			return nil
		}, func(talk *Talk, _ *Line) {
			talk.Told = func() int { return int(told.Load()) + 7 }
			talk.Replay = func(n int, sink agent.Sink) {
				sink(agent.UserMessage{Text: fmt.Sprintf("%d records", n)})
				sink(agent.ToolInput{ID: "c", Name: "read_file"})
				sink(agent.ToolEnd{ID: "c", Name: "read_file"})
			}
		})
		a := b.comes()
		a.opens()
		a.prompts(1)
		a.until(`"one "`)
		a.goes()
		goOn <- struct{}{}
		synctest.Wait()
		c := b.comes()
		c.loads()
		c.until("user_message_chunk", "7 records")
		c.until(`"sessionUpdate":"tool_call"`, `"toolCallId":"past-c"`)
		c.until("user_message_chunk", "do it")
		c.until(`"one "`)
		c.until(`"sessionUpdate":"tool_call"`, `"toolCallId":"c"`)
		c.until(`"state":"running"`)
		c.until(`"id":"l","result"`)
		goOn <- struct{}{}
		c.until("tool_call_update", `"toolCallId":"c"`, "completed", "made")
		goOn <- struct{}{}
		c.until(`"two"`)
		c.until(`"state":"idle","stopReason":"end_turn"`)
		// Now all of it is in the records.
		d := b.comes()
		d.loads()
		d.until("8 records")
		for line := d.read(); !strings.Contains(line, `"id":"l","result"`); line = d.read() {
			if strings.Contains(line, "two") || strings.Contains(line, "do it") {
				t.Errorf("told twice: %s", line)
			}
		}
		b.over()
	})
}

// A run that ends while somebody is being told what there was is told to the end, once.
func TestARunEndsWhileItIsToldAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		goOn, telling, tell := make(chan struct{}), make(chan struct{}, 2), make(chan struct{})
		b := build(t, func(_ context.Context, _ *Line, _ Words, sink agent.Sink) error {
			<-goOn
			sink(agent.TextDelta{Text: "the end"})
			return nil
		}, func(talk *Talk, _ *Line) {
			talk.Told = func() int { return 3 }
			talk.Replay = func(_ int, sink agent.Sink) {
				sink(agent.UserMessage{Text: "before"})
				telling <- struct{}{}
				<-tell
			}
		})
		a := b.comes()
		a.opens()
		a.prompts(1)
		c := b.comes()
		c.loads()
		<-telling
		goOn <- struct{}{}
		a.until(`"id":1,"result"`)
		a.prompts(2) // and the next one begins
		goOn <- struct{}{}
		a.until(`"id":2,"result"`)
		synctest.Wait()
		tell <- struct{}{}
		c.until("before")
		n := 0
		for line := c.read(); !strings.Contains(line, `"id":"l","result"`); line = c.read() {
			n += strings.Count(line, "the end")
		}
		if n != 2 {
			t.Errorf("it is told %d times", n)
		}
		b.over()
	})
}

func asks(answers chan<- string) func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
	return func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		a, err := l.Ask(ctx, permission.Request{Call: tools.Call{ID: "c", Name: "run_bash"}, Effect: tools.Effect{Kind: tools.Exec, Command: "make"}})
		answers <- fmt.Sprint(a.Allow, err)
		return err
	}
}

func asked(t *testing.T, line string) int {
	t.Helper()
	var m struct{ ID int }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatal(err)
	}
	return m.ID
}

// A question that nobody is there to answer waits, for days if need be, and is put to
// whoever comes; nothing answers it by itself.
func TestAQuestionWaitsForSomebody(t *testing.T) {
	in(t, func(t *testing.T) {
		answers := make(chan string, 1)
		b := build(t, asks(answers))
		a := b.comes()
		a.opens()
		a.prompts(1)
		a.until("session/request_permission")
		a.goes()
		time.Sleep(72 * time.Hour)
		synctest.Wait()
		select {
		case got := <-answers:
			t.Fatalf("it was answered by itself: %s", got)
		default:
		}
		for range 3 { // who comes and goes answers nothing
			c := b.comes()
			c.loads()
			c.until("session/request_permission", "make")
			c.goes()
		}
		c := b.comes()
		c.loads()
		c.until(`"state":"waiting"`)
		line := c.until("session/request_permission", "make")
		c.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`, asked(t, line))
		if got := <-answers; got != "true <nil>" {
			t.Errorf("the answer is %s", got)
		}
		c.until(`"state":"idle"`)
		b.over()
	})
}

// Where several look at a conversation all of them are asked, and the first answer counts;
// one that comes behind it changes nothing. One that cannot ask does not answer for others.
func TestTheFirstAnswerCounts(t *testing.T) {
	in(t, func(t *testing.T) {
		answers := make(chan string, 1)
		b := build(t, asks(answers))
		x, y, z := b.comes(), b.comes(), b.comes()
		x.opens()
		y.loads()
		y.until(`"id":"l","result"`)
		z.loads()
		z.until(`"id":"l","result"`)
		for round, first := range []string{"allow-once", "deny"} {
			x.prompts(round)
			ask := []int{asked(t, x.until("session/request_permission")), asked(t, y.until("session/request_permission")), asked(t, z.until("session/request_permission"))}
			z.send(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no such method"}}`, ask[2])
			synctest.Wait()
			y.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, ask[1], first)
			if got, want := <-answers, fmt.Sprint(first == "allow-once", " <nil>"); got != want {
				t.Errorf("the answer is %s, want %s", got, want)
			}
			x.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":%q}}}`, ask[0], "allow-once")
			x.until(fmt.Sprintf(`"id":%d,"result"`, round))
		}
		// Where nobody can ask, it is as ever: nothing is allowed.
		x.prompts(5)
		for _, c := range []*client{x, y, z} {
			c.send(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no such method"}}`, asked(t, c.until("session/request_permission")))
		}
		if got := <-answers; !strings.HasPrefix(got, "false the editor cannot ask") {
			t.Errorf("the answer is %s", got)
		}
		b.over()
	})
}

// All who look at a conversation see what one of them asks, once each, and any of them can
// stop it.
func TestSeveralLookAtOne(t *testing.T) {
	in(t, func(t *testing.T) {
		b := build(t, func(ctx context.Context, _ *Line, _ Words, sink agent.Sink) error {
			sink(agent.UserMessage{Text: "do it"})
			sink(agent.TextDelta{Text: "I begin"})
			<-ctx.Done()
			return ctx.Err()
		})
		x, y := b.comes(), b.comes()
		x.opens()
		y.send(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
		y.until(`"id":"p","error":{"code":-32002`) // it does not look at it yet
		y.send(`{"jsonrpc":"2.0","id":"l","method":"session/resume","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}}`)
		y.until(`"id":"l","result"`)
		x.prompts(1)
		y.until("user_message_chunk", "do it")
		y.until("I begin")
		y.send(`{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s1","modeId":"plan"}}`)
		for line := x.read(); !strings.Contains(line, `"currentModeId":"plan"`); line = x.read() {
			if strings.Contains(line, "user_message_chunk") {
				t.Errorf("who sent it is told what was sent: %s", line)
			}
		}
		y.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}`)
		x.until(`"id":1,"result":{"stopReason":"cancelled"}`)
		y.until(`"state":"idle","stopReason":"cancelled"`)
		b.over()
	})
}

// A conversation is closed for the last who looks at it; one that was left is closed in a
// while, unless something goes on in it.
func TestClosing(t *testing.T) {
	in(t, func(t *testing.T) {
		var closed, busy atomic.Int32
		b := build(t, nothing, func(talk *Talk, _ *Line) {
			talk.Empty = func() bool { return false }
			talk.Busy = func() bool { return busy.Load() > 0 }
			talk.Close = func() { closed.Add(1) }
		})
		x, y := b.comes(), b.comes()
		x.opens()
		y.loads()
		y.until(`"id":"l","result"`)
		const closing = `{"jsonrpc":"2.0","id":"c","method":"session/close","params":{"sessionId":"s1"}}`
		x.send(closing)
		x.until(`"id":"c","result"`)
		x.send(`{"jsonrpc":"2.0","id":"d","method":"session/delete","params":{"sessionId":"s1"}}`)
		x.until(`"id":"d","error"`)
		if closed.Load() != 0 {
			t.Error("it was closed under somebody who looks")
		}
		busy.Store(1)
		y.goes()
		time.Sleep(time.Hour)
		if synctest.Wait(); closed.Load() != 0 {
			t.Error("it was closed though something goes on")
		}
		busy.Store(0)
		x.loads()
		x.until(`"id":"l","result"`)
		time.Sleep(time.Hour)
		x.goes()
		time.Sleep(linger - time.Second)
		if synctest.Wait(); closed.Load() != 0 {
			t.Error("it was closed at once")
		}
		time.Sleep(2 * time.Second)
		if synctest.Wait(); closed.Load() != 1 {
			t.Errorf("it was closed %d times", closed.Load())
		}
		b.over()
	})
}

// A client that reads nothing holds nobody: it is cut off, and the others see everything.
func TestAClientThatReadsNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		const lines = 18
		long := strings.Repeat("x", 1<<20)
		b := build(t, func(_ context.Context, _ *Line, _ Words, sink agent.Sink) error {
			for i := range lines {
				sink(agent.ToolEnd{ID: "c", Name: "see", Result: tools.Result{Text: fmt.Sprintf("<%d>", i), Images: []tools.Image{{MIME: "image/png", Data: long}}}})
			}
			return nil
		})
		x := b.comes()
		x.opens()
		y := b.mute()
		go func() {
			_, _ = fmt.Fprintln(y, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
			_, _ = fmt.Fprintln(y, `{"jsonrpc":"2.0","id":"l","method":"session/resume","params":{"sessionId":"s1","cwd":"/w","mcpServers":[]}}`)
		}()
		synctest.Wait()
		x.prompts(1)
		for i := range lines {
			x.until(fmt.Sprintf("<%d>", i))
		}
		x.until(`"id":1,"result":{"stopReason":"end_turn"}`)
		synctest.Wait()
		if n := b.looking(); n != 1 {
			t.Errorf("%d clients are connected", n)
		}
		y.Close()
		b.over()
	})
}

func (b *built) looking() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.clients)
}

// Whoever comes and vanishes, however far it came, leaves nothing behind: the bubble does not
// end while a goroutine of it is left.
func TestManyVanish(t *testing.T) {
	in(t, func(t *testing.T) {
		var open atomic.Int32
		b := build(t, func(ctx context.Context, _ *Line, _ Words, _ agent.Sink) error { <-ctx.Done(); return ctx.Err() }, func(talk *Talk, _ *Line) {
			open.Add(1)
			talk.Close = func() { open.Add(-1) }
		})
		for i := range 200 {
			switch c := b.mute(); i % 4 {
			case 0:
				c.Close()
			case 1:
				_, _ = fmt.Fprint(c, `{"jsonrpc":"2.0","id":1,"met`)
				c.Close()
			case 2:
				_, _ = fmt.Fprintln(c, `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
				c.Close()
			case 3:
				v := &client{t: t, in: c, out: make(chan string, 100)}
				go v.hears(c)
				v.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1}}`)
				v.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
				c.Close()
			}
		}
		time.Sleep(2 * lastWords) // those that were being opened are given up
		synctest.Wait()
		if n, m := b.looking(), open.Load(); n != 0 || m != 0 {
			t.Errorf("%d clients and %d conversations are left", n, m)
		}
		b.over()
	})
}

// There is an end to how many there may be.
func TestTooManyClients(t *testing.T) {
	in(t, func(t *testing.T) {
		b := build(t, nothing)
		for range mostClients {
			b.comes()
		}
		mine, theirs := net.Pipe()
		c := &client{t: t, in: mine, out: make(chan string, 10)}
		go c.hears(mine)
		if err := b.Client(theirs); !errors.Is(err, ErrFull) {
			t.Errorf("it is taken in with %v", err)
		}
		if line := c.read(); !strings.Contains(line, "too many clients") {
			t.Errorf("it is told %s", line)
		}
		b.over()
	})
}

// The end is told, cancels what runs and closes what is open.
func TestTheEndOfAHouse(t *testing.T) {
	in(t, func(t *testing.T) {
		var closed atomic.Int32
		answers := make(chan string, 1)
		b := build(t, asks(answers), func(talk *Talk, _ *Line) { talk.Close = func() { closed.Add(1) } })
		x := b.comes()
		x.opens()
		x.prompts(1)
		x.until("session/request_permission")
		x.send(`{"jsonrpc":"2.0","id":2,"method":"_forge/stop"}`)
		x.until(`"id":2,"result"`)
		if synctest.Wait(); b.stop.Load() != 1 {
			t.Error("nobody was told to stop it")
		}
		go b.Close()
		x.until("the server is ending")
		x.until(`"id":1,"result":{"stopReason":"cancelled"}`)
		if _, more := <-x.out; more {
			for range x.out { //nolint:revive // to the end
			}
		}
		if got := <-answers; !strings.HasPrefix(got, "false ") {
			t.Errorf("the question was answered %s", got)
		}
		b.over()
		if closed.Load() != 1 {
			t.Errorf("it was closed %d times", closed.Load())
		}
	})
}

// A house says how it stands.
func TestStatus(t *testing.T) {
	in(t, func(t *testing.T) {
		answers := make(chan string, 1)
		b := build(t, asks(answers), func(talk *Talk, _ *Line) { talk.Title = func() string { return "A title\x1b[2J" } })
		x, y := b.comes(), b.comes()
		x.opens()
		x.prompts(1)
		line := x.until("session/request_permission")
		y.send(`{"jsonrpc":"2.0","id":1,"method":"_forge/status"}`)
		y.until(`"id":1,"result":{"address":"here","clients":1,"sessions":[{"sessionId":"s1","cwd":"/w","title":"A title","state":"waiting","clients":1}]}`)
		x.send(`{"jsonrpc":"2.0","id":%d,"result":{}}`, asked(t, line))
		<-answers
		x.until(`"id":1,"result"`)
		b.over()
		c := serve(t, nothing)
		c.begin()
		c.send(`{"jsonrpc":"2.0","id":1,"method":"_forge/stop"}`)
		c.until(`"id":1,"error":{"code":-32601`) // an editor's own forge is no server
		c.in.Close()
		<-c.ends
	})
}

// What wants words typed waits for a client that shows forms, and says so to others.
func TestAFormWaitsForForms(t *testing.T) {
	in(t, func(t *testing.T) {
		got := make(chan tools.Reply, 1)
		b := build(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
			r, err := l.Questions().Ask(ctx, colours)
			got <- r
			return err
		})
		forms := func() *client {
			mine := b.mute()
			c := &client{t: t, in: mine, out: make(chan string, 1000)}
			go c.hears(mine)
			c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}}`)
			c.until(`"id":"i"`)
			return c
		}
		x := forms()
		x.opens()
		x.prompts(1)
		x.until("elicitation/create")
		x.goes()
		y := b.comes()
		y.loads()
		y.until("a question waits here that this client cannot show")
		z := forms()
		z.loads()
		line := z.until("elicitation/create")
		z.send(`{"jsonrpc":"2.0","id":%d,"result":{"action":"accept","content":{"q1":"1"}}}`, asked(t, line))
		if r := <-got; r.Choice != "answered" || fmt.Sprint(r.Responses[0].Chosen) != "[1]" {
			t.Errorf("answered is %+v", r)
		}
		b.over()
	})
}

// Half lines, however many clients send them, take no more than there is room for; what ends
// is room again.
func TestHalfLines(t *testing.T) {
	var free room
	free.left.Store(10 << 20)
	mega := strings.Repeat("x", 3<<20)
	read := func(s string) (int, bool) {
		line, long, _ := readLine(bufio.NewReaderSize(strings.NewReader(s), 64<<10), &free)
		return len(line), long
	}
	for range 5 {
		if n, long := read(mega + "\n"); n != len(mega)+1 || long {
			t.Fatalf("%d bytes are read", n)
		}
		if n, long := read(strings.Repeat(mega, 4) + "\n"); n != 0 || !long {
			t.Fatalf("%d bytes are read though there is no room", n)
		}
	}
	if n := free.left.Load(); n != 10<<20 {
		t.Errorf("%d bytes are left", n)
	}
	for range 100 { // those that are short need none
		free.left.Store(0)
		if n, long := read(strings.Repeat("x", 1000) + "\n"); n != 1001 || long {
			t.Fatal(n, long)
		}
	}
}

// A client that loads the conversation again is asked again, and what it was asked before
// counts no more; nor does the answer of one that has taken leave.
func TestAnswersOfThoseWhoLeft(t *testing.T) {
	in(t, func(t *testing.T) {
		answers := make(chan string, 1)
		b := build(t, asks(answers))
		x, y := b.comes(), b.comes()
		x.opens()
		y.loads()
		y.until(`"id":"l","result"`)
		x.prompts(1)
		first, second := asked(t, x.until("session/request_permission")), asked(t, y.until("session/request_permission"))
		y.send(`{"jsonrpc":"2.0","id":"c","method":"session/close","params":{"sessionId":"s1"}}`)
		y.until(`"id":"c","result"`)
		y.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`, second)
		x.loads()
		again := asked(t, x.until("session/request_permission"))
		x.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`, first)
		synctest.Wait()
		select {
		case got := <-answers:
			t.Fatalf("it is answered %s", got)
		default:
		}
		x.send(`{"jsonrpc":"2.0","id":%d,"result":{"outcome":{"outcome":"selected","optionId":"deny"}}}`, again)
		if got := <-answers; got != "false <nil>" {
			t.Errorf("the answer is %s", got)
		}
		b.over()
	})
}
