package linear

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
)

// talk is a face on pipes, in a bubble: its clock is the bubble's.
type talk struct {
	t    *testing.T
	mu   sync.Mutex
	out  bytes.Buffer
	feed chan any
	in   *io.PipeWriter
	ints chan os.Signal
	done chan error
	runs []string
	run  func(ctx context.Context, text string, sink agent.Sink) error
}

func (k *talk) Write(b []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.Write(b)
}

func (k *talk) text() string {
	synctest.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.out.String()
}

// since returns what was said since the last call.
func (k *talk) since() string {
	text := k.text()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.out.Reset()
	return text
}

func (k *talk) write(line string) {
	time.Sleep(time.Second) // nobody types sooner
	io.WriteString(k.in, line+"\n")
	synctest.Wait()
}

func (k *talk) tell(vs ...any) {
	for _, v := range vs {
		k.feed <- v
	}
	synctest.Wait()
}

func (k *talk) want(text string, parts ...string) {
	k.t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			k.t.Errorf("%q was not said in\n%s", p, text)
		}
	}
}

// sent is what was handed to the agent so far.
func (k *talk) sent() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.runs)
}

func chat(t *testing.T, opt Options, f func(k *talk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in, w := io.Pipe()
		k := &talk{t: t, feed: make(chan any, 64), in: w, ints: make(chan os.Signal, 1), done: make(chan error, 1)}
		ctx, cancel := context.WithCancel(context.Background())
		opt.In, opt.Out, opt.Interrupts = in, k, k.ints
		opt.Send = func(v any) { k.feed <- v }
		opt.Emit = func(e agent.Event) { k.feed <- e }
		opt.Next = func() []any {
			select {
			case v := <-k.feed:
				return []any{v}
			case <-ctx.Done():
				return nil
			}
		}
		opt.Prompt = func(ctx context.Context, text string, sink agent.Sink) error {
			k.mu.Lock()
			k.runs = append(k.runs, text)
			k.mu.Unlock()
			if k.run == nil {
				return nil
			}
			return k.run(ctx, text, sink)
		}
		go func() { k.done <- Run(ctx, opt) }()
		f(k)
		cancel()
		w.Close()
		synctest.Wait()
		select {
		case <-k.done:
		default:
			t.Error("it did not end")
		}
		if text := k.text(); strings.ContainsAny(text, "\x1b\x07\b") {
			t.Errorf("a control was written: %q", text)
		}
	})
}

func TestEventsOnce(t *testing.T) {
	chat(t, Options{Hello: []string{"forge 1"}}, func(k *talk) {
		k.run = func(_ context.Context, _ string, sink agent.Sink) error {
			sink(agent.UserMessage{Text: "hi"})
			sink(agent.TurnStart{Turn: 1})
			sink(agent.ThinkingDelta{Text: "a"})
			sink(agent.ThinkingDelta{Text: "b"})
			for _, s := range []string{"Hel", "lo *you*.\n\nSec", "ond \x1b[31mred\x1b[0m line"} {
				sink(agent.TextDelta{Text: s})
			}
			sink(agent.ToolInput{ID: "1", Name: "read", JSON: "{"})
			sink(agent.ToolStart{ID: "1", Name: "read_file", Effect: tools.Effect{Title: "read go.mod"}})
			sink(agent.ToolRunning{ID: "1"})
			sink(agent.ToolEnd{ID: "1", Name: "read_file", Result: tools.Result{Text: "module x", Display: "1 line"}})
			sink(agent.ToolStart{ID: "2", Name: "run_bash", Effect: tools.Effect{Title: "run false"}})
			sink(agent.ToolEnd{ID: "2", Name: "run_bash", Result: tools.Result{Text: "a\nb\nc\nd\ne\nf\ng\nh\ni" + tools.Arrived(`{"command":"false"}`), IsError: true}}) // the model is told more
			sink(agent.Retrying{Err: errors.New("broken pipe"), After: 2 * time.Second, Attempt: 1, Attempts: 5})
			sink(agent.TurnEnd{Stop: provider.StopMaxTokens})
			sink(agent.RunEnd{})
			return nil
		}
		k.write("hi")
		want := `forge 1
prompt: thinking
answer:
Hello *you*.

Second red line
tool started: read go.mod
tool done: read go.mod; 1 line
tool started: run false
tool failed: run false
output, the last 6 of 9 lines; /output says all:
d
e
f
g
h
i
error: broken pipe; trying again in 2s, 1 of 5, and this answer begins anew
the answer was cut at the output limit
done, 0 seconds
prompt: `
		// The line a person ends with enter is the terminal's.
		if got := k.since(); got != want {
			t.Errorf("said:\n%s\nwant:\n%s", got, want)
		}
		k.write("/output 2")
		k.want(k.since(), "output of read go.mod:\nmodule x\nend of output\n")
		k.write("/output 9")
		k.want(k.since(), "there is no such output; 2 are kept")
	})
}

func put(k *talk, r permission.Request) chan permission.Answer {
	got := make(chan permission.Answer, 1)
	k.tell(&Permission{Request: r, Reply: func(a permission.Answer) { got <- a }})
	return got
}

func answered(got chan permission.Answer) (permission.Answer, bool) {
	synctest.Wait()
	select {
	case a := <-got:
		return a, true
	default:
		return permission.Answer{}, false
	}
}

var command = permission.Request{Level: permission.Medium, Effect: tools.Effect{Kind: tools.Exec, Title: "run ls", Command: "ls -la"}, Cwd: "/w", Sandbox: "landlock"}

// Nothing allows by accident: no empty line, no other word, no sentence that begins
// with yes, no line that was typed ahead.
func TestPermissionIsNotGivenByAccident(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		got := put(k, command)
		k.want(k.since(), "question, medium risk: may this run? run ls", "ls -la", "in /w", "sandbox landlock", "answer y to allow once", "your answer: ")
		io.WriteString(k.in, "y\n") // at once: it was begun before
		if _, ok := answered(got); ok {
			t.Fatal("a line typed ahead allowed it")
		}
		k.want(k.since(), "is no answer")
		for _, line := range []string{"", " ", "yes please", "ja", "Y es", "1", "s", "rule", "only 1", "/exit", "y; rm -rf /"} {
			k.write(line)
			if _, ok := answered(got); ok {
				t.Fatalf("%q was an answer", line)
			}
		}
		k.write("YES")
		if a, ok := answered(got); !ok || !a.Allow || a.Scope != permission.ScopeOnce {
			t.Errorf("%+v %v\n%s", a, ok, k.text())
		}
	})
}

func TestPermissionWords(t *testing.T) {
	r := command
	r.Grants, r.Rules, r.StoredIn = []permission.Grant{{Text: "run ls …"}}, []string{"run_bash(ls)"}, "~/forge.json"
	for line, want := range map[string]permission.Answer{
		"n":                  {},
		"no, use rg instead": {Reason: "use rg instead"},
		"拒绝：用 rg":            {Reason: "用 rg"},
		"s":                  {Allow: true, Scope: permission.ScopeSession},
		"rule":               {Allow: true, Scope: permission.ScopeRule},
		"是":                  {Allow: true, Scope: permission.ScopeOnce},
		"stop":               {},
	} {
		chat(t, Options{}, func(k *talk) {
			k.run = func(ctx context.Context, _ string, _ agent.Sink) error { <-ctx.Done(); return ctx.Err() }
			k.write("work")
			got := put(k, r)
			k.want(k.since(), "or s to allow for this session: run ls …", "stored in ~/forge.json: run_bash(ls)")
			k.write(line)
			a, ok := answered(got)
			if !ok || a.Allow != want.Allow || a.Scope != want.Scope || a.Reason != want.Reason {
				t.Errorf("%q: %+v, %v", line, a, ok)
			}
			if stopped := strings.Contains(k.text(), "stopping"); stopped != (line == "stop") {
				t.Errorf("%q: stopped %v", line, stopped)
			}
		})
	}
}

// What is longer than a page is allowed only when all of it was said; what hides in it
// is said by name.
func TestPermissionIsSaidWhole(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		r := command
		r.Effect.Command = strings.Repeat("echo x\n", 2*page) + "rm -rf \u202e/tmp"
		got := put(k, r)
		k.want(k.since(), "101 lines more", "holds characters that hide")
		k.write("y")
		if _, ok := answered(got); ok {
			t.Fatal("allowed before its end was said")
		}
		k.write("")
		k.write("")
		text := k.since()
		k.want(text, "rm -rf <", "answer y to allow once")
		if strings.Contains(text, "\u202e") {
			t.Error("the character itself was written")
		}
		k.write("y")
		if a, ok := answered(got); !ok || !a.Allow {
			t.Errorf("%+v %v", a, ok)
		}
	})
}

func TestWhatGoesAndMoves(t *testing.T) {
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: "tidy", Changes: []tools.Change{
		{Path: "lib/b", From: "a", Op: tools.Move},
		{Path: "e", From: "d", Op: tools.Move, Thing: tools.Folder, Files: 3},
		{Path: "dir", Op: tools.Delete, Thing: tools.Folder, Files: 2, Size: 20, Before: []byte("x\ny\n")},
		{Path: "l", Op: tools.Delete, Thing: tools.Link, Before: []byte("→ there\n")},
		{Path: "p.png", Op: tools.Delete, Thing: tools.Binary, Size: 1200},
	}}}
	chat(t, Options{}, func(k *talk) {
		got := put(k, r)
		k.want(k.since(), "file a is moved to lib/b", "change 1: all of it", "folder d is moved to e, files in it: 3", "folder dir is deleted, files in it: 2, bytes: 20",
			"removed: x", "link l is deleted", "file p.png is deleted; what it holds is not shown, bytes: 1200", "change 5: all of it")
		k.write("only 1, 3")
		if a, ok := answered(got); !ok || !a.Allow || len(a.Changes) != 2 || a.Changes[0].From != "a" || a.Changes[1].Path != "dir" {
			t.Errorf("%v %+v", ok, a)
		}
	})
}

func TestChanges(t *testing.T) {
	before := "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\nb\n"
	after := "A\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\tB\n"
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: "edit f", Changes: []tools.Change{
		{Path: "f", Op: tools.Modify, Before: []byte(before), After: []byte(after)},
		{Path: "new", Op: tools.Create, After: []byte("x\n"), Mode: 0o755},
		{Path: "old", Op: tools.Delete, Before: []byte("y\n")},
	}}}
	chat(t, Options{}, func(k *talk) {
		got := put(k, r)
		k.want(k.since(), "file f is edited", "change 1, from line 1:", "removed: a", "added: A", "as it is: 1", "change 2,", "added: \tB",
			"new file new, mode 0755", "file old is deleted", "or only and numbers")
		k.write("only 9")
		k.want(k.since(), "there are changes 1 to 4")
		k.write("only 2, 3")
		a, ok := answered(got)
		if !ok || !a.Allow || len(a.Changes) != 2 || string(a.Changes[0].After) != strings.Replace(before, "b\n", "\tB\n", 1) || string(a.Changes[1].After) != "x\n" {
			t.Errorf("%v %+v", ok, a)
		}
		got = put(k, r)
		k.write("only 1 2 3 4")
		if a, ok := answered(got); !ok || !a.Allow || a.Changes != nil {
			t.Errorf("all of them is what was proposed: %+v", a)
		}
		r.Effect.Changes[0].Conflicts = 1
		got = put(k, r)
		for _, line := range []string{"y", "only 2"} {
			k.write(line)
			if _, ok := answered(got); ok {
				t.Error("two versions of a line were written")
			}
		}
		k.write("n")
	})
}

// The wait for an answer is no work of the call's.
func TestTimeOfACall(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		k.run = func(ctx context.Context, _ string, _ agent.Sink) error { <-ctx.Done(); return nil }
		k.write("go")
		k.tell(agent.ToolStart{ID: "1", Effect: tools.Effect{Title: "edit f"}})
		got := put(k, command)
		k.write("y")
		<-got
		k.tell(agent.ToolStart{ID: "2", Effect: tools.Effect{Title: "run x"}})
		k.tell(agent.ToolRunning{ID: "1"}, agent.ToolRunning{ID: "2"}, agent.ToolEnd{ID: "1", Took: time.Minute})
		time.Sleep(3 * time.Second)
		k.tell(agent.ToolEnd{ID: "2", Took: 3 * time.Second})
		k.want(k.since(), "tool done: edit f\n", "tool done: run x; 3 seconds\n")
	})
}

// What was answered is said as it was, in every language.
func TestAnswersAreSaidAsTheyWere(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	chat(t, Options{}, func(k *talk) {
		k.run = func(ctx context.Context, _ string, _ agent.Sink) error { <-ctx.Done(); return nil }
		k.write("go")
		k.tell(agent.ToolStart{ID: "1", Effect: tools.Effect{Title: "ask: x"}}, agent.ToolEnd{ID: "1", Result: tools.Result{Text: "x", Display: "killed, 1 file", Own: true}})
		k.want(k.since(), "killed, 1 file\n")
	})
}

func TestQuestionsInTurn(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		first := &Permission{Request: command, Reply: func(permission.Answer) { t.Error("the withdrawn one was answered") }}
		k.tell(first)
		second := put(k, permission.Request{Effect: tools.Effect{Title: "fetch y"}})
		if text := k.since(); strings.Contains(text, "fetch y") {
			t.Errorf("two at once:\n%s", text)
		}
		k.tell(Withdrawn{first})
		k.want(k.since(), "the question is withdrawn", "fetch y")
		k.write("y")
		if a, ok := answered(second); !ok || !a.Allow {
			t.Error("the second was not answered")
		}
	})
}

func TestForm(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		got := make(chan tools.Reply, 1)
		k.tell(&Asked{Question: tools.Question{Title: "Where?", Source: "server x",
			Choices: []tools.Choice{{ID: "ok", Label: "send", Key: "y"}, {ID: "no", Label: "decline", Key: "n"}},
			Fields: []tools.Field{{Name: "city", Label: "City", Required: true},
				{Name: "kind", Label: "Kind", Options: []tools.Option{{Value: "a", Label: "Apple"}, {Value: "b"}}, Many: true},
				{Name: "key", Secret: true, Check: func(v string) error {
					if v == "bad" {
						return errors.New("too weak")
					}
					return nil
				}}}}, Reply: func(r tools.Reply) { got <- r }})
		k.want(k.since(), "question: Where?", "from server x", "answer y: send; n: decline")
		for _, line := range []string{"perhaps", "y", "", "Köln", "3", "1 2", "bad", "good"} {
			k.write(line)
		}
		k.want(k.since(), "none of the answers", "field 1 of 3: City", "cannot be empty", "1: Apple", "there are 1 to 2", "can be seen", "too weak", "answered")
		r := <-got
		if r.Choice != "ok" || r.Values["city"] != "Köln" || r.Values["kind"] != "a\nb" || r.Values["key"] != "good" {
			t.Errorf("%+v", r)
		}
		k.tell(&Asked{Question: tools.Question{Title: "Go on?", Choices: []tools.Choice{{ID: "on", Label: "go on"}, {ID: "off", Label: "stop"}}},
			Reply: func(r tools.Reply) { got <- r }})
		k.write("2")
		if r := <-got; r.Choice != "off" {
			t.Errorf("%+v", r)
		}
		k.tell(&Asked{Question: tools.Question{Title: "Again?", Choices: []tools.Choice{{ID: "on", Label: "go on"}}}, Reply: func(r tools.Reply) { got <- r }})
		k.write("close")
		if r := <-got; r.Choice != "" {
			t.Errorf("%+v", r)
		}
	})
}

// A secret that is pasted with line ends in it is one, and no part of it a prompt or the
// answer to another question, also where its own is gone meanwhile.
func TestPastedSecret(t *testing.T) {
	var hidden []bool
	chat(t, Options{Hide: func(on bool) { hidden = append(hidden, on) }}, func(k *talk) {
		got := make(chan tools.Reply, 1)
		ask := func() *Asked {
			a := &Asked{Question: tools.Question{Title: "Key?", Fields: []tools.Field{{Name: "key", Secret: true}, {Name: "name"}}}, Reply: func(r tools.Reply) { got <- r }}
			k.tell(a)
			time.Sleep(time.Second)
			return a
		}
		ask()
		io.WriteString(k.in, "sk-one\r\n two \nthree\n")
		k.write("me")
		if r := <-got; r.Values["key"] != "sk-onetwothree" || r.Values["name"] != "me" {
			t.Errorf("%+v", r)
		}
		io.WriteString(k.in, "hello\n")
		a := ask()
		io.WriteString(k.in, "sk-four\n")
		synctest.Wait()
		k.tell(Withdrawn{a})
		time.Sleep(time.Second)
		ask()
		io.WriteString(k.in, "sk-five\n")
		synctest.Wait()
		k.ints <- os.Interrupt
		time.Sleep(time.Second)
		if r := <-got; r.Choice != "" {
			t.Errorf("%+v", r)
		}
		if sent := k.sent(); !slices.Equal(sent, []string{"hello"}) || strings.Contains(k.text(), "sk-") {
			t.Errorf("sent %q, said %s", sent, k.text())
		}
		if want := []bool{true, false, true, false, true, false}; !slices.Equal(hidden, want) {
			t.Errorf("hidden %v", hidden)
		}
	})
}

// Lines during a run wait for its end; after an interruption they are not sent.
func TestQueue(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		k.run = func(ctx context.Context, text string, _ agent.Sink) error {
			if text == "long" {
				<-ctx.Done()
				return ctx.Err()
			}
			select {
			case <-time.After(10 * time.Second):
			case <-ctx.Done():
			}
			return nil
		}
		k.write("one")
		k.write(`two \`)
		k.write("lines")
		time.Sleep(time.Minute)
		if got := strings.Join(k.sent(), "|"); got != "one|two \nlines" {
			t.Errorf("sent %q", got)
		}
		k.write("long")
		k.write("never")
		k.ints <- os.Interrupt
		synctest.Wait()
		k.want(k.since(), "queued for after this", "stopping", "stopped", "not sent: never")
		k.ints <- os.Interrupt
		synctest.Wait()
		k.want(k.since(), "ctrl+c again leaves")
		if n := len(k.sent()); n != 3 {
			t.Errorf("%d runs", n)
		}
		k.ints <- os.Interrupt
		synctest.Wait()
		if err := <-k.done; err != nil {
			t.Error(err)
		}
		k.done <- nil
	})
}

// What only looks is answered during a run; any other command waits for its end.
func TestBesideARun(t *testing.T) {
	says := func(line string, err error) func(context.Context, string, func(string)) (*Choice, error) {
		return func(_ context.Context, arg string, say func(string)) (*Choice, error) {
			say(line + arg)
			return nil, err
		}
	}
	opt := Options{Commands: []Command{{Name: "look", Beside: true, Run: says("looked at ", nil)}, {Name: "fail", Beside: true, Run: says("tried ", errors.New("nothing there"))},
		{Name: "change", Run: says("changed ", nil)}}}
	chat(t, opt, func(k *talk) {
		over := make(chan bool)
		k.run = func(context.Context, string, agent.Sink) error { <-over; return nil }
		k.write("go")
		k.since()
		k.write("/look it")
		k.want(k.since(), "looked at it")
		k.write("/fail it")
		k.want(k.since(), "tried it", "error: nothing there")
		k.write("/help")
		k.want(k.since(), "/look: ")
		k.write("/change it")
		if text := k.since(); !strings.Contains(text, "queued for after this, 1 waiting") || strings.Contains(text, "changed") {
			t.Errorf("%s", text)
		}
		over <- true
		time.Sleep(time.Second)
		k.want(k.since(), "sending what was queued", "changed it")
		k.write("/look again")
		k.want(k.since(), "looked at again")
	})
}

// ctrl+c at a question denies it and stops the run.
func TestInterruptAtAQuestion(t *testing.T) {
	chat(t, Options{}, func(k *talk) {
		k.run = func(ctx context.Context, _ string, _ agent.Sink) error { <-ctx.Done(); return ctx.Err() }
		k.write("go")
		got := put(k, command)
		k.ints <- os.Interrupt
		if a, ok := answered(got); !ok || a.Allow {
			t.Errorf("%+v %v", a, ok)
		}
		k.want(k.since(), "stopping")
	})
}

func TestCommands(t *testing.T) {
	picked := ""
	opt := Options{Commands: []Command{
		{Name: "pick", About: "choose", Run: func(_ context.Context, arg string, say func(string)) (*Choice, error) {
			say("asked for " + arg)
			return &Choice{Title: "Which?", Entries: []string{"a", "b\x1b[2J"}, Pick: func(_ context.Context, i int, say func(string)) error {
				picked = []string{"a", "b"}[i]
				say("took it")
				return nil
			}}, nil
		}},
		{Name: "break", About: "crash", Run: func(context.Context, string, func(string)) (*Choice, error) { panic("boom") }},
	}}
	chat(t, opt, func(k *talk) {
		k.write("/pick x")
		k.want(k.since(), "asked for x", "Which?\n1: a\n2: b\nanswer with a number")
		k.write("7")
		k.write("2")
		k.want(k.since(), "there are 1 to 2", "took it")
		if picked != "b" {
			t.Errorf("picked %q", picked)
		}
		k.write("/pick")
		k.write("")
		k.want(k.since(), "nothing was chosen")
		k.write("/break")
		k.want(k.since(), "forge crashed here: boom")
		k.write("/nonsense")
		k.want(k.since(), "no command /nonsense here")
		k.write("/help")
		k.want(k.since(), "/pick: choose", "ctrl+d")
		k.write("/usr/bin/env is a path")
		if strings.Join(k.sent(), "|") != "/usr/bin/env is a path" {
			t.Errorf("sent %q", k.runs)
		}
		k.write("/exit")
		if err := <-k.done; err != nil {
			t.Error(err)
		}
		k.done <- nil
	})
}

// The time is said before the prompt where it is asked for, and before no answer.
func TestClock(t *testing.T) {
	chat(t, Options{Clock: func() string { return "14:05" }}, func(k *talk) {
		k.want(k.since(), "14:05 prompt: ")
		k.write(`two \`)
		if got := k.since(); strings.Contains(got, "14:05") {
			t.Errorf("before the rest of a prompt: %q", got)
		}
	})
	chat(t, Options{Clock: func() string { return "" }}, func(k *talk) {
		k.want(k.since(), "prompt: ")
		if got := k.text(); strings.Contains(got, " prompt: ") {
			t.Errorf("a blank stands for no time: %q", got)
		}
	})
}
