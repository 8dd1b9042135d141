package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/linear"
)

func TestFeedMergesAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		var sent strings.Builder
		go func() {
			for i := range 20_000 {
				if i%20 == 0 {
					time.Sleep(time.Millisecond)
				}
				piece := fmt.Sprintf("%d ", i)
				sent.WriteString(piece)
				f.Emit(agent.TextDelta{Block: 1, Text: piece})
			}
			f.Emit(agent.RunEnd{})
		}()
		start := time.Now()
		var got strings.Builder
		batches, values := 0, 0
		for end := false; !end; batches++ {
			for _, v := range f.Next().(batch) {
				values++
				switch v := v.(type) {
				case agent.TextDelta:
					got.WriteString(v.Text)
				case agent.RunEnd:
					end = true
				}
			}
		}
		if got.String() != sent.String() {
			t.Fatalf("got %d bytes of %d, or in another order", got.Len(), sent.Len())
		}
		if most := int(time.Since(start)/frame) + 3; batches > most {
			t.Errorf("%d batches in %v, want at most %d", batches, time.Since(start), most)
		}
		if values > batches+1 {
			t.Errorf("%d values in %d batches: neighbours were not merged", values, batches)
		}
	})
}

func TestFeedFirstAtOnceThenFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		time.Sleep(time.Second)
		start := time.Now()
		f.Emit(agent.TextDelta{Text: "a"})
		f.Next()
		if d := time.Since(start); d != 0 {
			t.Errorf("the first delta waited %v", d)
		}
		f.Emit(agent.TextDelta{Text: "b"})
		f.Next()
		if d := time.Since(start); d != frame {
			t.Errorf("the second batch came after %v, want %v", d, frame)
		}
	})
}

func TestFeedFirstDeltaBehindOtherEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		start := time.Now()
		f.Emit(agent.TurnStart{Turn: 1})
		f.Next()
		go func() {
			time.Sleep(time.Millisecond)
			f.Emit(agent.Waiting{})
			time.Sleep(time.Millisecond)
			f.Emit(agent.TextDelta{Text: "a"})
		}()
		if b := f.Next().(batch); len(b) != 2 || time.Since(start) != 2*time.Millisecond {
			t.Errorf("%v after %v", b, time.Since(start))
		}
	})
}

func TestFeedKeepsOrderAndBlocksApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		in := []any{
			agent.TextDelta{Block: 0, Text: "a"}, agent.TextDelta{Block: 0, Text: "b"},
			agent.TextDelta{Block: 1, Text: "c"},
			agent.ThinkingDelta{Block: 1, Text: "t"}, agent.ThinkingDelta{Block: 1, Text: "u"},
			agent.ToolInput{Block: 2, ID: "x", Name: "n", JSON: "{"}, agent.ToolInput{Block: 2, JSON: "}"},
			agent.ToolInput{Block: 3, ID: "y", Name: "n", JSON: "1"},
			agent.ToolOutput{ID: "x", Text: "1"}, agent.ToolOutput{ID: "y", Text: "2"}, agent.ToolOutput{ID: "y", Text: "3"},
			agent.Nested{ID: "x", Event: agent.TextDelta{Text: "n"}}, agent.Nested{ID: "x", Event: agent.TextDelta{Text: "m"}},
			agent.Nested{ID: "z", Event: agent.TextDelta{Text: "o"}},
		}
		for _, e := range in {
			f.Emit(e.(agent.Event))
		}
		f.Notice("hello")
		want := batch{
			agent.TextDelta{Block: 0, Text: "ab"}, agent.TextDelta{Block: 1, Text: "c"},
			agent.ThinkingDelta{Block: 1, Text: "tu"},
			agent.ToolInput{Block: 2, ID: "x", Name: "n", JSON: "{}"},
			agent.ToolInput{Block: 3, ID: "y", Name: "n", JSON: "1"},
			agent.ToolOutput{ID: "x", Text: "1"}, agent.ToolOutput{ID: "y", Text: "23"},
			agent.Nested{ID: "x", Event: agent.TextDelta{Text: "nm"}},
			agent.Nested{ID: "z", Event: agent.TextDelta{Text: "o"}},
			notice{"hello"},
		}
		got := f.Next().(batch)
		if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
			t.Errorf("got  %#v\nwant %#v", got, want)
		}
	})
}

func TestFeedBlocksARunThatIsAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		sent := 0
		go func() {
			for range feedSlots + 10 {
				f.Emit(agent.Notice{Text: "x"})
				sent++
			}
		}()
		synctest.Wait()
		if sent != feedSlots {
			t.Fatalf("%d went in without a reader, want %d", sent, feedSlots)
		}
		n := 0
		for n < feedSlots+10 {
			n += len(f.Next().(batch))
		}
		synctest.Wait()
		if sent != feedSlots+10 {
			t.Fatalf("sent %d", sent)
		}
	})
}

func TestFeedAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		go func() {
			q := f.Next().(batch)[0].(*ask)
			q.answer <- permission.Answer{Allow: true, Reason: q.request.ID}
		}()
		a, err := f.Ask(t.Context(), permission.Request{ID: "7"})
		if err != nil || !a.Allow || a.Reason != "7" {
			t.Fatal(a, err)
		}
		go func() {
			q := f.Next().(batch)[0].(*ask)
			q.reply <- tools.Reply{Choice: q.question.ID}
		}()
		r, err := f.Questions().Ask(t.Context(), tools.Question{ID: "8"})
		if err != nil || r.Choice != "8" {
			t.Fatal(r, err)
		}
	})
}

// What is to be done with an answer is done before the run goes on with it: one that is to
// stop takes no step more.
func TestFeedAskThatStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, stop := range map[string]func(q *ask, cancel func()){
			"on the screen": func(q *ask, cancel func()) {
				o := testOptions(&fakeAgent{})
				m := newModel(t.Context(), o)
				m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
				m.job = &job{cancel: cancel}
				workNow(m, m.ask(q))
				time.Sleep(dialog.Quiet + time.Second)
				m.key(keyMsg("esc"))
				if !m.job.stopping {
					t.Error("the screen does not know that the run is to end")
				}
			},
			"in lines": func(q *ask, cancel func()) {
				l := &lines{}
				p := l.question(q).(*linear.Permission)
				p.First(cancel)
				p.Reply(permission.Answer{})
			},
		} {
			f := NewFeed()
			ctx, cancel := context.WithCancel(t.Context())
			go func() { stop(f.Next().(batch)[0].(*ask), cancel) }()
			a, err := f.Ask(ctx, permission.Request{ID: "7", Effect: tools.Effect{Kind: tools.Exec, Command: "make"}})
			if err != nil || a.Allow {
				t.Error(name, a, err)
			}
			if ctx.Err() == nil {
				t.Errorf("%s: the run goes on with the answer", name)
			}
		}
	})
}

// In lines, too, a question that was answered is gone, with all it was about: taking it back
// afterwards tells of nothing.
func TestLinesForgetWhatWasAnswered(t *testing.T) {
	f := NewFeed()
	l := &lines{o: Options{Feed: f}}
	asked := &ask{question: &tools.Question{}, reply: make(chan tools.Reply, 1)}
	wanted := &ask{request: &permission.Request{}, answer: make(chan permission.Answer, 1)}
	l.question(asked).(*linear.Asked).Reply(tools.Reply{})
	l.question(wanted).(*linear.Permission).Reply(permission.Answer{})
	for range l.asks.Range {
		t.Error("it is kept")
	}
	f.send(withdrawn{wanted})
	if out := l.next(); len(out) > 0 {
		t.Errorf("said %v", out)
	}
	l.question(wanted)
	f.send(withdrawn{wanted})
	if out := l.next(); len(out) != 1 {
		t.Errorf("said %v of one that is open", out)
	}
}

func TestFeedAskCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		go func() { _, err = f.Ask(ctx, permission.Request{}) }()
		q := f.Next().(batch)[0].(*ask)
		cancel()
		w := f.Next().(batch)[0].(withdrawn)
		synctest.Wait()
		if !errors.Is(err, context.Canceled) || w.ask != q {
			t.Fatal(err, w)
		}
	})
}

func TestFeedClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFeed()
		var err error
		go func() { _, err = f.Ask(t.Context(), permission.Request{}) }()
		synctest.Wait()
		f.Emit(agent.Notice{Text: "last"})
		f.Close()
		f.Close()
		synctest.Wait()
		if !errors.Is(err, errClosed) {
			t.Fatal("open question:", err)
		}
		for range 2 * feedSlots {
			f.Emit(agent.Notice{Text: "after"}) // must neither block nor panic
		}
		if _, err := f.Ask(t.Context(), permission.Request{}); !errors.Is(err, errClosed) {
			t.Fatal("question after close:", err)
		}
		if b, ok := f.Next().(batch); ok && b[len(b)-1] != (agent.Notice{Text: "last"}) {
			t.Fatalf("%#v", b)
		}
		if m := f.Next(); m != nil {
			t.Fatalf("a closed feed went on: %#v", m)
		}
	})
}
