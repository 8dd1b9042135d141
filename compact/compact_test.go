package compact

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"forge/provider"
)

// scripted answers each request with the next text and remembers the requests.
type scripted struct {
	answers []string
	stop    provider.StopReason
	err     error
	most    int  // tokens of a request above which it overflows; 0: none
	ctx     bool // it looks at its context
	endless bool // the answer comes again and again, for as long as somebody reads
	got     []provider.Request
}

func (s *scripted) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s.got = append(s.got, req)
		err := s.err
		if s.most > 0 && Count(req.Messages[0].PlainText()) > s.most {
			err = &provider.Error{Kind: provider.KindOverflow, Message: "prompt is too long"}
		}
		if s.ctx && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		text := s.answers[(len(s.got)-1)%len(s.answers)]
		for s.endless {
			if !yield(provider.TextDelta{Text: text}, nil) {
				return
			}
		}
		_ = yield(provider.Start{Origin: "test/m"}, nil) &&
			yield(provider.TextDelta{Text: text}, nil) &&
			yield(provider.Stop{Reason: s.stop, Usage: provider.Usage{Input: 100, Output: 10, Reported: true}}, nil)
	}
}

func use(id string) provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: id, Name: "read_file", Input: `{"path":"x.go"}`}}}
}

func result(id, text string) provider.Message {
	return provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: text}}}}}
}

func says(text string) provider.Message {
	return provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: text}}}
}

func words(n int) string { return strings.Repeat("word ", n) }

// work is a session of n exchanges with a call each, about 2,000 tokens apiece.
func work(n int) []provider.Message {
	var ms []provider.Message
	for i := range n {
		id := fmt.Sprint(i)
		ms = append(ms, provider.UserText("request number "+id), use(id), result(id, words(2000)), says("answer "+id))
	}
	return ms
}

func TestCountKinds(t *testing.T) {
	// Every common word is one token, and three digits are one, in each vocabulary of
	// the day.
	for _, c := range []struct {
		text string
		want int
		off  float64
	}{
		{"the quick brown fox jumps over the lazy dog", 9, .15},
		{"hello world, hello again", 5, .2},
		{"12345678901234567890", 7, .35},
		{"getUserByNameOrDefault", 5, .4},
		{words(1000), 1000, .15},
	} {
		got := Count(c.text)
		if d := float64(got)/float64(c.want) - 1; d > c.off || d < -c.off {
			t.Errorf("%q: %d tokens, want %d ±%.0f%%", c.text[:min(30, len(c.text))], got, c.want, 100*c.off)
		}
	}
	if Count("") != 0 {
		t.Error("nothing has tokens")
	}
	if zh, en := Count(strings.Repeat("字", 1000)), len(strings.Repeat("字", 1000))/4; zh < 650 || zh > 1000 || en < 700 {
		t.Errorf("1000 Chinese characters: %d tokens", zh)
	}
}

func TestEstimateTrustsTheServer(t *testing.T) {
	ms := work(3)
	ms[11].Usage = provider.Usage{Input: 9000, Output: 50, Reported: true}
	if got := New(Options{}).Estimate(ms); got != 9050 {
		t.Errorf("estimate %d, want what was reported: 9050", got)
	}
	more := append(ms, provider.UserText(words(1000)))
	// The server counts 9050 where forge counts about 6600, so 1000 words weigh more.
	if got := New(Options{}).Estimate(more) - 9050; got < 1200 || got > 1700 {
		t.Errorf("1000 more words count %d, want them scaled by about 1.35", got)
	}
	ms[11].Usage.Context = 4000 // the sum over server-side rounds is not the context
	if got := New(Options{}).Estimate(ms); got != 4050 {
		t.Errorf("estimate %d, want 4050", got)
	}
}

func TestLimit(t *testing.T) {
	for _, c := range []struct{ window, budget, limit int }{
		{0, 0, 0}, {200_000, 0, 180_000}, {32_000, 0, 25_600}, {200_000, 50_000, 50_000}, {32_000, 50_000, 25_600}, {0, 50_000, 50_000},
	} {
		got := New(Options{Model: provider.Model{Window: c.window}, Budget: c.budget}).Limit()
		if got != c.limit {
			t.Errorf("window %d, budget %d: limit %d, want %d", c.window, c.budget, got, c.limit)
		}
	}
	if New(Options{}).Due(work(1000), 0) {
		t.Error("an unknown window needs shortening")
	}
	if got := New(Options{Model: provider.Model{Window: 100_000}, At: 60}).Limit(); got != 60_000 {
		t.Errorf("at 60 percent of 100,000: %d", got)
	}
	if New(Options{Budget: 1, Off: true}).Due(work(6), 0) {
		t.Error("it is off, and shortens")
	}
	c := New(Options{Budget: 10_000})
	if c.Due(work(3), 0) || !c.Due(work(6), 0) || c.Due(work(6), 100_000) {
		t.Error("the budget does not decide")
	}
	if c.Overhead = 5000; !c.Due(work(3), 0) {
		t.Error("the overhead is not counted")
	}
}

// Wherever a random history is cut, no result is parted from its call, and the
// newest message stays.
func TestCutIsSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var ms []provider.Message
		for i := range r.IntN(12) {
			ms = append(ms, provider.UserText(words(1+r.IntN(50))))
			for j := range r.IntN(4) {
				id := fmt.Sprintf("%d-%d", i, j)
				ms = append(ms, use(id), result(id, words(r.IntN(400))))
				if r.IntN(4) == 0 {
					ms = append(ms, provider.UserText("steer"))
				}
			}
			if r.IntN(3) > 0 {
				ms = append(ms, says("paused"), says(words(1+r.IntN(60))))
			}
		}
		keep := 1 + r.IntN(2000)
		at := cutAt(ms, keep)
		if at == 0 {
			if len(ms) > 4 {
				t.Fatalf("%d messages cannot be cut", len(ms))
			}
			continue
		}
		if at >= len(ms) || hasResult(ms[at]) || ms[at].Role == provider.Assistant && ms[at-1].Role == provider.Assistant {
			t.Fatalf("cut at %d of %d", at, len(ms))
		}
		if weigh(ms[at:]) > keep {
			for i := at + 1; i < len(ms); i++ {
				if safe(ms, i) {
					t.Fatalf("kept %d tokens of %d allowed, though a cut at %d was possible", weigh(ms[at:]), keep, i)
				}
			}
		}
	}
}

// note is a checkpoint with every heading.
func note(words string) string {
	var b strings.Builder
	for _, h := range headings {
		fmt.Fprintf(&b, "## %s\n%s\n", h, words)
	}
	return strings.TrimSpace(b.String())
}

// after gives the history as it is after a cut, as the agent's session makes it.
func after(ms []provider.Message, c Cut) []provider.Message {
	ms = apply(ms, c.Trim)
	if c.From == 0 {
		return ms
	}
	return append([]provider.Message{provider.UserText("It was shortened.\n\n" + summaryIn + c.Summary + summaryTo)}, ms[c.From:]...)
}

func TestCompact(t *testing.T) {
	p := &scripted{answers: []string{" " + note("fix it") + " \n"}}
	c := New(Options{Provider: p, Model: provider.Model{ID: "m", Window: 20_000}, Keep: 5000})
	ms := work(8)
	cut, err := c.Compact(t.Context(), ms, Request{Focus: "the parser"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(cut.Summary, note("fix it")+"\n\n"+keptMark) || cut.From < 20 || cut.Own != nil {
		t.Errorf("cut %+v", cut)
	}
	if cut.Before < 16_000 || cut.After > 7000 || cut.Usage.Input == 0 {
		t.Errorf("figures %+v", cut)
	}
	req := p.got[0]
	text := req.Messages[0].PlainText()
	if req.Model != "m" || len(req.Tools) != 0 || !strings.Contains(text, "keep above all: the parser") ||
		!strings.Contains(text, "[call read_file]\n{\"path\":\"x.go\"}") || strings.Contains(text, "answer 7") {
		t.Errorf("request %q", text)
	}
	if Count(text) > 10_000+500 {
		t.Errorf("a part of %d tokens goes to a window of 20,000", Count(text))
	}
	if !strings.Contains(cut.Summary, "<request>\nrequest number 0\n</request>") || !strings.Contains(cut.Summary, "<focus>\nthe parser\n</focus>") {
		t.Errorf("what forge keeps is not there: %q", cut.Summary)
	}
}

func TestLongTranscriptIsReadInParts(t *testing.T) {
	p := &scripted{}
	for i := range 20 {
		p.answers = append(p.answers, note(fmt.Sprint("note ", i+1)))
	}
	c := New(Options{Provider: p, Model: provider.Model{Window: 4000}, Keep: 100})
	cut, err := c.Compact(t.Context(), work(12), Request{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.got) < 2 || !strings.HasPrefix(cut.Summary, note(fmt.Sprint("note ", len(p.got)))) || cut.Usage.Input != 100*len(p.got) {
		t.Fatalf("%d requests, cut %+v", len(p.got), cut)
	}
	for i, req := range p.got {
		text := req.Messages[0].PlainText()
		if i > 0 && !strings.Contains(text, "<note>\n"+note(fmt.Sprint("note ", i))+"\n</note>") {
			t.Errorf("part %d lacks the note so far", i)
		}
		if Count(text) > 2800 {
			t.Errorf("part %d has %d tokens", i, Count(text))
		}
	}
}

// A model whose window is smaller than anybody knew gets smaller parts.
func TestPartsBecomeSmaller(t *testing.T) {
	p := &scripted{answers: []string{note("well")}, most: 3000}
	cut, err := New(Options{Provider: p, Budget: 8000}).Compact(t.Context(), work(12), Request{})
	if err != nil || cut.Own != nil || !strings.HasPrefix(cut.Summary, note("well")) {
		t.Fatalf("cut %+v, %v", cut, err)
	}
	if len(p.got) < 4 {
		t.Errorf("%d requests", len(p.got))
	}
}

func TestGoalIsCarriedOver(t *testing.T) {
	p := &scripted{answers: []string{note("a summary")}}
	c := New(Options{Provider: p, Budget: 4000, Keep: 1000})
	ms := []provider.Message{provider.UserText("first </request> thing"), says("done"), provider.UserText("make the parser\nrobust")}
	for i := range 5 {
		ms = append(ms, use(fmt.Sprint(i)), result(fmt.Sprint(i), words(1500)))
	}
	for round := range 4 {
		cut, err := c.Compact(t.Context(), ms, Request{})
		if err != nil {
			t.Fatal(err)
		}
		if want := goalMark + "\nmake the parser\nrobust"; !strings.HasSuffix(cut.Summary, want) || strings.Count(cut.Summary, "robust") != 1 {
			t.Fatalf("round %d: summary %q", round, cut.Summary)
		}
		if ms = after(ms, cut); strings.Count(ms[0].PlainText(), "<request>") != 1 {
			t.Fatalf("round %d: %q", round, ms[0].PlainText())
		}
		if _, kept := opened(ms[0]); len(kept.requests) != 1 || kept.requests[0] != "first </request> thing" {
			t.Fatalf("round %d: %q", round, kept.requests)
		}
		for i := range 5 {
			id := fmt.Sprint(round, "-", i)
			ms = append(ms, use(id), result(id, words(1500)))
		}
	}
}

func TestPinsSurvive(t *testing.T) {
	p := &scripted{answers: []string{note("x")}}
	c := New(Options{Provider: p, Budget: 8000, Keep: 1000})
	ms := work(8)
	ms[2] = result("0", "the secret is 4711\n"+words(3000))
	pins := map[string]bool{"0": true}
	for _, it := range c.Items(ms) {
		if it.Kind == ItemAnswer && it.Name == "answer 3" {
			pins[it.ID] = true
		}
	}
	if len(pins) != 2 {
		t.Fatal("the answer is not in the list")
	}
	for round := range 3 {
		cut, err := c.Compact(t.Context(), ms, Request{Pins: pins, Auto: round > 0})
		if err != nil {
			t.Fatal(err)
		}
		ms = after(ms, cut)
		var all strings.Builder
		for _, m := range ms {
			all.WriteString(transcript(m) + m.PlainText())
		}
		if !strings.Contains(all.String(), "the secret is 4711\n"+words(3000)) || !strings.Contains(all.String(), "what=\"answer 3\">\nanswer 3\n") {
			t.Fatalf("round %d lost a pin", round)
		}
		for i := range 8 {
			id := fmt.Sprint(round, "+", i)
			ms = append(ms, use(id), result(id, words(1500)))
		}
	}
}

// A note that lost a fact is sent back once, naming it; what is still missing then
// stands in forge's own part.
func TestLostFactsAreNamedOnce(t *testing.T) {
	facts := Facts{Mode: "edits", Goal: "all tests pass", Skills: []string{"pdf (/s/pdf/SKILL.md)"}, Todos: []string{"[>] teach the lexer heredocs", "[ ] write the changelog"},
		Files: []File{{"lex/heredoc.go", "create"}, {"lex/lexer.go", "edit"}}}
	good := note("lexer heredocs, changelog; heredoc.go, lexer.go")
	for _, c := range []struct {
		name    string
		answers []string
		asked   int
		begins  string
	}{
		{"all there", []string{good}, 1, good},
		{"mended", []string{note("teach the lexer heredocs in heredoc.go"), good}, 2, good},
		{"not mended", []string{note("words"), note("worse")}, 2, note("words")},
	} {
		p := &scripted{answers: c.answers}
		cut, err := New(Options{Provider: p, Budget: 8000}).Compact(t.Context(), work(8), Request{Facts: facts})
		if err != nil || len(p.got) != c.asked || !strings.HasPrefix(cut.Summary, c.begins) || cut.Own != nil {
			t.Errorf("%s: %d requests, %+v, %v", c.name, len(p.got), cut, err)
		}
		for _, want := range []string{"<standing-goal>\nall tests pass\n</standing-goal>\nMode: edits", "load one again before you go on with what it is for:\n- pdf (/s/pdf/SKILL.md)\n", "- [>] teach the lexer heredocs\n- [ ] write the changelog", "- lex/heredoc.go (create)\n- lex/lexer.go (edit)"} {
			if !strings.Contains(cut.Summary, want) {
				t.Errorf("%s: %q is not in %q", c.name, want, cut.Summary)
			}
		}
		if len(p.got) > 1 {
			if again := p.got[1].Messages[0].PlainText(); !strings.Contains(again, "- the open todo \"[ ] write the changelog\"\n") || !strings.Contains(again, "the changed file lex/lexer.go") {
				t.Errorf("%s: asked again with %q", c.name, again)
			}
		}
	}
}

// Whatever a model makes of the task, facts are kept and the history becomes
// smaller.
func TestModelThatCannotSummarise(t *testing.T) {
	facts := Facts{Todos: []string{"[ ] paint the shed"}, Files: []File{{"shed.go", "edit"}}}
	over := &provider.Error{Kind: provider.KindOverflow, Message: "prompt is too long"}
	for name, p := range map[string]*scripted{
		"empty":    {answers: []string{" \n"}},
		"refuses":  {answers: []string{"no"}, stop: provider.StopRefusal},
		"nonsense": {answers: []string{"banana banana"}},
		"overflow": {err: over},
		"invalid":  {err: &provider.Error{Kind: provider.KindInvalid, Message: "no"}},
		"no end":   {answers: []string{words(500)}, endless: true},
	} {
		ms := work(8)
		cut, err := New(Options{Provider: p, Budget: 8000}).Compact(t.Context(), ms, Request{Facts: facts})
		if err != nil || cut.Own == nil || cut.After > 7000 || cut.From == 0 {
			t.Fatalf("%s: cut %+v, %v", name, cut, err)
		}
		for _, want := range []string{"paint the shed", "shed.go (edit)", "request number 0", "read_file {\"path\":\"x.go\"}: ok", "answer "} {
			if !strings.Contains(cut.Summary, want) {
				t.Errorf("%s: %q is not in %q", name, want, cut.Summary)
			}
		}
		if len(p.got) > 12 {
			t.Errorf("%s: %d requests", name, len(p.got))
		}
		if p.endless && (cut.Usage.Output < 100_000 || cut.Usage.Input < 100) {
			t.Errorf("%s: counted %+v", name, cut.Usage)
		}
	}
}

// A note that was good is not lost to a later model that writes none.
func TestEarlierNoteOutlivesABadModel(t *testing.T) {
	good := &scripted{answers: []string{note("the bug is in frob.go:77")}}
	c := New(Options{Provider: good, Budget: 8000})
	ms := work(8)
	cut, err := c.Compact(t.Context(), ms, Request{})
	if err != nil {
		t.Fatal(err)
	}
	ms = append(after(ms, cut), work(8)[1:]...)
	c.SetModel(&scripted{answers: []string{"banana"}}, provider.Model{})
	if cut, err = c.Compact(t.Context(), ms, Request{}); err != nil || cut.Own == nil || !strings.Contains(cut.Summary, "the bug is in frob.go:77") {
		t.Errorf("cut %+v, %v", cut, err)
	}
}

// Old output goes first, without asking a model, if that makes room enough.
func TestOldOutputGoesFirst(t *testing.T) {
	p := &scripted{answers: []string{note("x")}}
	c := New(Options{Provider: p, Budget: 14_000, Keep: 3000})
	ms := work(8)
	kept := map[string]string{}
	cut, err := c.Compact(t.Context(), ms, Request{Auto: true, Whole: func(id, text string) string { kept[id] = text; return "/out/" + id }})
	if err != nil || len(p.got) != 0 || cut.From != 0 || len(cut.Trim) < 4 {
		t.Fatalf("%d requests, %+v, %v", len(p.got), cut, err)
	}
	small := after(ms, cut)
	if real := weigh(small); real > cut.After+cut.After/20 || cut.After > 10_500 {
		t.Errorf("%d tokens after, %d were announced", real, cut.After)
	}
	first := provider.Message{Blocks: small[2].Blocks[0].(provider.ToolResult).Content}.PlainText()
	if !strings.Contains(first, "; the whole is in /out/0]") || len(first) > 1100 || kept["0"] != words(2000) {
		t.Errorf("the first result is told as %q", first)
	}
	if last := small[len(small)-2].Blocks[0].(provider.ToolResult); provider.Message(provider.Message{Blocks: last.Content}).PlainText() != words(2000) {
		t.Error("the newest result was shortened")
	}
	// The next time there is nothing left to shorten: a checkpoint is made.
	small = append(small, work(4)...)
	if cut, err = c.Compact(t.Context(), small, Request{}); err != nil || cut.From == 0 {
		t.Errorf("%+v, %v", cut, err)
	}
}

func TestNoGain(t *testing.T) {
	p := &scripted{answers: []string{note(words(1500))}}
	c := New(Options{Provider: p, Budget: 8000})
	for _, ms := range [][]provider.Message{nil, {provider.UserText("hi")}} {
		if _, err := c.Compact(t.Context(), ms, Request{}); !errors.Is(err, ErrNothing) {
			t.Errorf("%d messages: %v", len(ms), err)
		}
	}
	// All the weight is in the newest result: its ends are kept.
	ms := []provider.Message{provider.UserText("hi"), use("1"), result("1", words(9000))}
	if cut, err := c.Compact(t.Context(), ms, Request{}); err != nil || len(cut.Trim) != 1 || cut.After > 6000 || weigh(after(ms, cut)) > 6000 {
		t.Errorf("a heavy result: %+v, %v", cut, err)
	}
}

func TestModelThatCannotBeAsked(t *testing.T) {
	broken := errors.New("broken")
	p := &scripted{err: broken}
	cut, err := New(Options{Provider: p, Budget: 8000}).Compact(t.Context(), work(8), Request{})
	if !errors.Is(err, broken) || cut.Summary != "" {
		t.Errorf("cut %+v, %v", cut, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Options{Provider: &scripted{answers: []string{"x"}, ctx: true}, Budget: 8000}).Compact(ctx, work(8), Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled one: %v", err)
	}
}

func BenchmarkCount(b *testing.B) {
	src, err := os.ReadFile("compact_test.go")
	if err != nil {
		b.Fatal(err)
	}
	text := string(src)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}
