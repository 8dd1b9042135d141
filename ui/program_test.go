package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
)

// session is a run with everything in it: reasoning, text, two reads at once, a
// question with a diff, a command, an answer.
func session(feed *Feed, allowed *permission.Answer) func(context.Context, agent.Prompt, agent.Sink) error {
	return func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
		sink(agent.TurnStart{Turn: 1})
		sink(agent.Waiting{For: string(provider.WaitFirstByte)})
		if err := pause(ctx, 2*time.Second); err != nil {
			return err
		}
		for _, w := range strings.SplitAfter("The loop looks off by one. I will read both files first.", " ") {
			sink(agent.ThinkingDelta{Block: 0, Text: w})
			if err := pause(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
		sink(agent.TextDelta{Block: 1, Text: "I will look at **both** files."})
		for i, path := range []string{"sum.go", "sum_test.go"} {
			sink(agent.ToolInput{Block: 2 + i, ID: path, Name: "read_file", JSON: `{"path":"` + path + `"}`})
		}
		sink(agent.TurnEnd{Stop: provider.StopToolUse, Usage: provider.Usage{Input: 4000, Output: 90, CacheRead: 3000}, Cost: 0.002, CostKnown: true, Used: 4090, Window: 100_000})
		for _, path := range []string{"sum.go", "sum_test.go"} {
			sink(agent.ToolStart{ID: path, Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read " + path}})
			sink(agent.ToolRunning{ID: path})
		}
		if err := pause(ctx, time.Second); err != nil {
			return err
		}
		for _, path := range []string{"sum.go", "sum_test.go"} {
			sink(agent.ToolEnd{ID: path, Name: "read_file", Result: tools.Result{Text: "1 package sum", Display: "12 lines"}, Took: time.Second})
		}
		sink(agent.TurnStart{Turn: 2})
		sink(agent.ToolInput{Block: 4, ID: "e", Name: "edit_file", JSON: `{"path":"sum.go"}`})
		sink(agent.TurnEnd{Stop: provider.StopToolUse, Usage: provider.Usage{Input: 4400, Output: 60, CacheRead: 4000}, Cost: 0.001, CostKnown: true, Used: 4460, Window: 100_000})
		before, after := "package sum\n\nfunc Sum(xs []int) int {\n\tn := 0\n\tfor i := 1; i < len(xs); i++ {\n\t\tn += xs[i]\n\t}\n\treturn n\n}\n", ""
		after = strings.Replace(before, "i := 1", "i := 0", 1)
		change := tools.Change{Path: "sum.go", Op: tools.Modify, Before: []byte(before), After: []byte(after)}
		effect := tools.Effect{Kind: tools.Write, Title: "edit sum.go", Changes: []tools.Change{change}}
		sink(agent.ToolStart{ID: "e", Name: "edit_file", Effect: effect})
		a, err := feed.Ask(ctx, permission.Request{ID: "e", Call: tools.Call{ID: "e", Name: "edit_file"}, Effect: effect, Level: permission.Medium})
		*allowed = a
		if err != nil {
			return err
		}
		if !a.Allow {
			sink(agent.ToolEnd{ID: "e", Result: tools.Result{Text: "not run: " + a.Reason, IsError: true, Refused: true}})
		} else {
			sink(agent.ToolRunning{ID: "e"})
			sink(agent.ToolEnd{ID: "e", Result: tools.Result{Text: "edited sum.go"}, Changes: effect.Changes, Took: 20 * time.Millisecond})
		}
		sink(agent.TurnStart{Turn: 3})
		sink(agent.TextDelta{Block: 5, Text: "Fixed. The loop began at **1**:\n\n- `sum.go`: begins at 0\n- the tests pass\n"})
		sink(agent.TurnEnd{Stop: provider.StopEnd, Usage: provider.Usage{Input: 4500, Output: 50, CacheRead: 4400}, Cost: 0.001, CostKnown: true, Used: 4550, Window: 100_000})
		return nil
	}
}

// rounded says of a call that took a second so, whichever tick of the screen's clock
// its end fell on.
func rounded(text string) string { return strings.ReplaceAll(text, "· 0.9 s", "· 1 s") }

func TestWholeSession(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 10}} {
		name := fmt.Sprintf("%dx%d", size[0], size[1])
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := &fakeAgent{}
				o := testOptions(a)
				var allowed permission.Answer
				a.script = session(o.Feed, &allowed)
				s := start(t, o, size[0], size[1])
				golden(t, "start-"+name, s.text())
				s.send("find the bug\r")
				s.see("thinking")
				golden(t, "thinking-"+name, s.text())
				s.see("running 2 calls")
				time.Sleep(505 * time.Millisecond) // between two frames of the spinner
				golden(t, "calls-"+name, s.text())
				s.see("deny")
				time.Sleep(1500 * time.Millisecond)
				golden(t, "ask-"+name, rounded(s.text()))
				if strings.Contains(s.text(), "read on") { // the frame is too small for all of it
					s.send("W")
				} else {
					s.send("y")
				}
				s.see("the tests pass")
				time.Sleep(time.Second)
				golden(t, "done-"+name, rounded(s.text()))
				if !allowed.Allow || allowed.Scope != permission.ScopeOnce {
					t.Errorf("answer %+v", allowed)
				}
				s.send("\x04")
				if err := s.wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestInterruptKeepsTheDraft(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "working"})
			return pause(ctx, time.Hour)
		}}
		s := start(t, testOptions(a), 80, 24)
		s.send("go\r")
		s.see("working")
		s.send("my draft")
		s.send("\x1b")
		s.see("interrupted")
		s.see("my draft")
		if a.said() != "go" {
			t.Errorf("sent %q", a.said())
		}
		s.send("\x03") // clears
		s.gone("my draft")
		s.send("\x03") // leaves
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestQueueAndSteer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next := make(chan struct{})
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			select {
			case <-next:
			case <-ctx.Done():
				return ctx.Err()
			}
			a.mu.Lock()
			steered := a.steered
			a.steered = nil
			a.mu.Unlock()
			for _, w := range steered {
				sink(agent.UserMessage{Text: w, Steer: true})
			}
			sink(agent.TextDelta{Text: "answered " + p.Text})
			return nil
		}
		s := start(t, testOptions(a), 80, 24)
		s.send("first\r")
		s.send("second\r")
		s.send("third\r")
		s.see("2 queued")
		s.send("\x1b[A") // up: the last one comes back
		s.see("1 queued")
		s.see("› third")
		s.send("\x13") // ctrl+s: second and third go into the run
		s.see("at the next step")
		next <- struct{}{}
		s.see("answered first")
		s.gone("at the next step")
		s.send("fourth\r")
		close(next)
		s.see("answered fourth")
		if a.said() != "first|fourth" || a.most != 1 {
			t.Errorf("sent %q, %d at once", a.said(), a.most)
		}
		has(t, s.text(), "second", "third")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Words that a run does not take do not wait for it any more: they are in the prompt again.
func TestWordsARunDoesNotTake(t *testing.T) {
	bubble(t, func(t *testing.T) {
		next := make(chan struct{})
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			<-next
			for _, w := range a.Unsent() {
				sink(agent.Notice{Text: "not sent: no"})
				sink(agent.NotSent{Text: w})
			}
			<-next
			return nil
		}
		s := start(t, testOptions(a), 80, 24)
		s.send("first\r")
		s.send("forbidden\x13")
		s.see("at the next step")
		next <- struct{}{}
		s.see("not sent: no")
		s.see("› forbidden")
		s.gone("at the next step")
		close(next)
		s.see("? for keys")
		s.see("› forbidden")
		if a.said() != "first" {
			t.Errorf("sent %q", a.said())
		}
		s.send("\x15\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestInterruptGivesTheQueueBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			return pause(ctx, time.Hour)
		}}
		s := start(t, testOptions(a), 80, 24)
		s.send("first\r")
		s.send("later\r")
		s.send("draft")
		s.send("\x1b")
		s.see("› later")
		s.see("draft")
		if a.said() != "first" {
			t.Errorf("sent %q", a.said())
		}
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What is sent behind the interruption is sent once the run has stopped; what waited
// before it goes back.
func TestSentWhileTheRunStops(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			if p.Text != "first" {
				return nil
			}
			<-ctx.Done()
			time.Sleep(3 * time.Second) // a tool that takes its time to end
			return ctx.Err()
		}}
		s := start(t, testOptions(a), 80, 24)
		s.send("first\r")
		s.send("later\r")
		s.send("\x1b[27u")
		s.send("instead\r")
		s.see("› later")
		s.see("› instead")
		if got := a.said(); got != "first|instead" {
			t.Errorf("sent %q", got)
		}
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestLeaveAtBadMoments(t *testing.T) {
	for name, quit := range map[string]string{"ctrl+c twice": "\x03\x03", "exit": "/exit\r"} {
		for at, wait := range map[string]time.Duration{"connecting": 0, "first byte": time.Second, "thinking": 2500 * time.Millisecond, "running": 4 * time.Second, "asking": 8 * time.Second} {
			t.Run(name+" while "+at, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					a := &fakeAgent{}
					o := testOptions(a)
					var allowed permission.Answer
					a.script = session(o.Feed, &allowed)
					draft := ""
					o.SaveDraft = func(s string) { draft = s }
					s := start(t, o, 80, 24)
					s.send("go\r")
					s.send("unsent words")
					time.Sleep(wait)
					if quit[0] == '/' {
						if at == "asking" {
							s.send("\x1b")
						}
						s.send("\x15") // the line goes, or it would be no command
					}
					s.send(quit)
					if err := s.wait(); err != nil {
						t.Error(err)
					}
					if a.running != 0 {
						t.Error("the run was left behind")
					}
					if allowed.Allow {
						t.Error("leaving allowed a call")
					}
					if quit[0] != '/' && draft != "unsent words" {
						t.Errorf("draft %q", draft)
					}
				})
			})
		}
	}
}

func TestContextEndsTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error { return pause(ctx, time.Hour) }}
		s := start(t, testOptions(a), 80, 24)
		s.send("go\r")
		s.stop()
		if err := s.wait(); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if a.running != 0 {
			t.Error("the run was left behind")
		}
	})
}

func TestCrashOfARunIsAnError(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { panic("boom") }}
		s := start(t, testOptions(a), 80, 24)
		s.send("go\r")
		s.see("crashed here: boom")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestAQuestionTakesNoTypedKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := testOptions(a)
		ask := make(chan struct{})
		answered := false
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			<-ask
			answer, err := o.Feed.Ask(ctx, permission.Request{Call: tools.Call{Name: "run_bash"}, Effect: tools.Effect{Kind: tools.Exec, Title: "run rm -r build", Command: "rm -r build"}, Level: permission.High})
			answered = answer.Allow
			return err
		}
		s := start(t, o, 80, 24)
		s.send("go\r")
		s.send("wh")
		ask <- struct{}{}
		time.Sleep(50 * time.Millisecond)
		s.send("y") // meant for the word being typed
		s.see("› why")
		s.see("rm -r build")
		if answered {
			t.Fatal("a key of the draft allowed a command")
		}
		time.Sleep(time.Second)
		s.send("n")
		s.gone("rm -r build")
		s.see("› why")
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestIdleScreenDrawsNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, testOptions(&fakeAgent{}), 80, 24)
		time.Sleep(time.Second)
		s.mu.Lock()
		before := s.raw.Len()
		s.mu.Unlock()
		time.Sleep(time.Minute)
		s.mu.Lock()
		after := s.raw.Len()
		s.mu.Unlock()
		if after != before {
			t.Errorf("%d bytes were written while nothing happened", after-before)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestReplayShowsTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		for i := range 50 {
			a.history = append(a.history, agent.UserMessage{Text: fmt.Sprintf("question %d", i)}, agent.TurnStart{Turn: 1},
				agent.ThinkingDelta{Block: 0, Text: "hm"}, agent.TextDelta{Block: 1, Text: fmt.Sprintf("answer %d", i)}, agent.TurnEnd{})
		}
		o := testOptions(a)
		o.Restore = func() error { return nil }
		s := start(t, o, 80, 24)
		s.see("answer 49")
		s.send("\x1b[1;5H") // ctrl+home
		s.see("question 0")
		s.send("\x1b[1;5F") // ctrl+end
		s.see("answer 49")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// turns is a stored conversation of prompts and answers from one number to another.
func turns(from, to int) (es []agent.Event) {
	for i := from; i < to; i++ {
		es = append(es, agent.UserMessage{Text: fmt.Sprintf("question %d", i)}, agent.TurnStart{Turn: 1},
			agent.TextDelta{Text: fmt.Sprintf("answer %d", i)}, agent.TurnEnd{}, agent.RunEnd{})
	}
	return es
}

// TestRestoreShowsTheEndFirst: the end of a long conversation is there before it
// is open, a prompt waits for the whole, and the window stays where it is when
// the rest comes.
func TestRestoreShowsTheEndFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TextDelta{Text: "the new answer"})
			return nil
		}
		o := testOptions(a)
		open := make(chan struct{})
		o.Peek = func(sink agent.Sink) {
			for _, e := range turns(80, 100) {
				sink(e)
			}
		}
		o.Restore = func() error {
			<-open
			a.history = turns(0, 100)
			return nil
		}
		s := start(t, o, 80, 24)
		o.Feed.Notice("a server came")
		s.see("answer 99")
		s.send("\x1b[5~") // page up
		s.gone("answer 99")
		s.see("answer 94")
		before := s.text()
		s.send("go on")
		s.send("\x1b[1;3H") // as far up as there is something yet
		s.see("question 80")
		s.send("\x1b[6~\x1b[6~\x1b[6~")
		s.gone("question 80")
		there := firstRow(s.text())
		close(open)
		time.Sleep(time.Second)
		if now := firstRow(s.text()); now != there {
			t.Errorf("the window moved from %q to %q\nwas\n%s", there, now, before)
		}
		s.send("\x1b[1;3H")
		s.see("question 0")
		s.send("\r")
		s.see("the new answer")
		s.see("a server came")
		if strings.Count(s.text(), "answer 99") != 1 {
			t.Errorf("the end is not shown once:\n%s", s.text())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func firstRow(text string) string { row, _, _ := strings.Cut(text, "\n"); return row }

// TestRestoreComesBeforeTheRun: a prompt sent at once is answered by an agent that
// knows what was said before, and is shown after it.
func TestRestoreComesBeforeTheRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		knew := 0
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			knew = len(a.history)
			sink(agent.TextDelta{Text: "done"})
			return nil
		}
		o := testOptions(a)
		o.Prompt = "go on"
		o.Restore = func() error {
			time.Sleep(3 * time.Second)
			a.history = turns(0, 3)
			return nil
		}
		s := start(t, o, 80, 24)
		s.see("done")
		if knew == 0 {
			t.Error("the run began before the conversation was open")
		}
		if text := s.text(); strings.Index(text, "answer 2") > strings.Index(text, "go on") || !strings.Contains(text, "answer 2") {
			t.Errorf("not in order:\n%s", text)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestRestoreFails: a conversation that cannot be opened is told about, and work
// goes on in a new one; one that comes too late shows nothing.
func TestRestoreFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TextDelta{Text: "done"})
			return nil
		}}
		o := testOptions(a)
		o.Restore = func() error { return errors.New("read session: input/output error") }
		s := start(t, o, 80, 24)
		s.see("open the conversation: read session: input/output error")
		s.send("go\r")
		s.see("done")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
	bubble(t, func(t *testing.T) {
		m := newModel(t.Context(), testOptions(&fakeAgent{}))
		m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
		late := retold(func(sink agent.Sink) {
			for _, e := range turns(0, 2) {
				sink(e)
			}
		})
		m.Update(opened{fresh: true, before: 1})
		m.Update(batch{late})
		if text := shot(m); strings.Contains(text, "answer") {
			t.Errorf("the conversation before is shown:\n%s", text)
		}
	})
}

// A prompt that is sent while a new conversation is being opened began when it was
// sent, whenever the new one comes.
func TestPromptWhileANewConversationOpens(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "working"})
			return pause(ctx, time.Hour)
		}}
		o := testOptions(a)
		open := make(chan struct{})
		o.New = func() error { <-open; return nil }
		s := start(t, o, 80, 24)
		s.send("/new\r")
		s.send("go\r")
		close(open)
		s.see("working")
		time.Sleep(2 * time.Second)
		s.send("\x1b")
		s.see("interrupted after 2")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestCompactAndNew(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{compact: func(ctx context.Context, sink agent.Sink) error {
			sink(agent.Compacting{Reason: agent.AskedFor})
			sink(agent.Compacted{Before: 92_000, After: 14_000, Summary: "the story so far"})
			return nil
		}}
		o := testOptions(a)
		o.New = func() error { return nil }
		s := start(t, o, 80, 24)
		s.send("/compact the plan\r")
		s.see("compacted 92.0k to 14.0k tokens")
		if a.said() != "compact the plan" {
			t.Errorf("said %q", a.said())
		}
		s.send("/new\r")
		s.gone("compacted")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A person who asks for a shortening that would gain nothing is told so, and no more: it
// is no failure, and what waits behind it is sent. Where forge shortens by itself it is one.
func TestCompactWithoutGainIsNoFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reason := agent.AskedFor
		short := func(ctx context.Context, sink agent.Sink) error {
			sink(agent.Compacting{Reason: reason})
			sink(agent.Compacted{Before: 2000, Err: agent.ErrNoGain})
			return agent.ErrNoGain
		}
		a := &fakeAgent{compact: short}
		s := start(t, testOptions(a), 80, 24)
		s.send("/compact\r")
		s.see("not compacted: there is too little that could be left out")
		s.gone("failed")
		s.gone("✗")
		reason = "the window is nearly full"
		a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error { return short(ctx, sink) }
		s.send("go\r")
		s.see("compaction failed: there is too little")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestCtrlCLeavesAnyQuestion(t *testing.T) {
	for name, keys := range map[string]string{"asked": "", "writing a reason": "\tbecause"} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				a := &fakeAgent{}
				o := testOptions(a)
				a.script = func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
					_, err := o.Feed.Ask(ctx, permission.Request{Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}})
					return err
				}
				s := start(t, o, 80, 24)
				s.send("go\r")
				s.see("run this command")
				time.Sleep(time.Second)
				if keys != "" {
					s.send(keys)
				}
				s.send("\x03")
				s.see("interrupted")
				s.gone("run make")
				s.send("\x03") // the second press; a third would find nobody to read it
				if err := s.wait(); err != nil {
					t.Error(err)
				}
			})
		})
	}
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Model = provider.Model{}
		o.FirstRun = &FirstRun{Keys: []KeyChoice{{Name: "DeepSeek"}}}
		s := start(t, o, 80, 24)
		s.see("Which model")
		s.send("\r")
		s.see("Paste your key")
		s.send("half a key\x03") // back to the choice
		s.see("Which model")
		s.send("\x03")
		s.gone("Which model")
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
