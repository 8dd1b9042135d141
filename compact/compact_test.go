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
	got     []provider.Request
}

func (s *scripted) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		s.got = append(s.got, req)
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		text := s.answers[(len(s.got)-1)%len(s.answers)]
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
	if New(Options{}).Needed(work(1000)) {
		t.Error("an unknown window needs shortening")
	}
	c := New(Options{Budget: 10_000})
	if c.Needed(work(3)) || !c.Needed(work(6)) {
		t.Error("the budget does not decide")
	}
	if c.Overhead = 5000; !c.Needed(work(3)) {
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

func TestCompact(t *testing.T) {
	p := &scripted{answers: []string{" ## Goal\nfix it \n"}}
	c := New(Options{Provider: p, Model: provider.Model{ID: "m", Window: 20_000}, Keep: 5000})
	ms := work(8)
	cut, err := c.Compact(t.Context(), ms, "the parser")
	if err != nil {
		t.Fatal(err)
	}
	if cut.Summary != "## Goal\nfix it" || cut.From != 24 {
		t.Errorf("cut %+v", cut)
	}
	if cut.Before < 16_000 || cut.After > 6000 || cut.Usage.Input == 0 {
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
}

func TestLongTranscriptIsReadInParts(t *testing.T) {
	p := &scripted{answers: []string{"note 1", "note 2", "note 3", "note 4", "note 5", "note 6", "note 7", "note 8", "note 9"}}
	c := New(Options{Provider: p, Model: provider.Model{Window: 4000}, Keep: 100})
	cut, err := c.Compact(t.Context(), work(12), "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.got) < 2 || !strings.HasPrefix(cut.Summary, fmt.Sprint("note ", len(p.got), "\n")) || cut.Usage.Input != 100*len(p.got) {
		t.Fatalf("%d requests, cut %+v", len(p.got), cut)
	}
	for i, req := range p.got {
		text := req.Messages[0].PlainText()
		if i > 0 && !strings.Contains(text, fmt.Sprintf("<note>\nnote %d\n</note>", i)) {
			t.Errorf("part %d lacks the note so far", i)
		}
		if Count(text) > 2600 {
			t.Errorf("part %d has %d tokens", i, Count(text))
		}
	}
}

func TestGoalIsCarriedOver(t *testing.T) {
	p := &scripted{answers: []string{"a summary"}}
	c := New(Options{Provider: p, Budget: 4000, Keep: 1000})
	ms := []provider.Message{provider.UserText("make the parser\nrobust")}
	for i := range 5 {
		ms = append(ms, use(fmt.Sprint(i)), result(fmt.Sprint(i), words(1500)))
	}
	cut, err := c.Compact(t.Context(), ms, "")
	if err != nil {
		t.Fatal(err)
	}
	want := goalMark + "\nmake the parser\nrobust"
	if !strings.HasSuffix(cut.Summary, want) {
		t.Fatalf("summary %q", cut.Summary)
	}
	// A second cut in the same run finds it in the first one's message.
	again := append([]provider.Message{provider.UserText("<summary>\n" + cut.Summary + "\n</summary>")}, ms[cut.From:]...)
	for i := range 4 {
		again = append(again, use(fmt.Sprint("x", i)), result(fmt.Sprint("x", i), words(1500)))
	}
	if cut, err = c.Compact(t.Context(), again, ""); err != nil || !strings.HasSuffix(cut.Summary, want) {
		t.Errorf("second summary %q, %v", cut.Summary, err)
	}
}

func TestNoGain(t *testing.T) {
	p := &scripted{answers: []string{words(9000)}}
	c := New(Options{Provider: p, Budget: 8000})
	for _, ms := range [][]provider.Message{nil, {provider.UserText("hi")}} {
		if _, err := c.Compact(t.Context(), ms, ""); !errors.Is(err, ErrNothing) {
			t.Errorf("%d messages: %v", len(ms), err)
		}
	}
	// All the weight is in the newest exchange, which stays.
	if _, err := c.Compact(t.Context(), []provider.Message{provider.UserText("hi"), use("1"), result("1", words(9000))}, ""); !errors.Is(err, ErrNoGain) {
		t.Errorf("a heavy tail: %v", err)
	}
	if len(p.got) != 0 {
		t.Error("a model was asked in vain")
	}
	if _, err := c.Compact(t.Context(), work(4), ""); !errors.Is(err, ErrNoGain) {
		t.Errorf("a summary longer than what it replaces: %v", err)
	}
}

func TestFailingSummary(t *testing.T) {
	broken := errors.New("broken")
	for _, p := range []*scripted{{err: broken}, {answers: []string{" \n"}}, {answers: []string{"no"}, stop: provider.StopRefusal}} {
		cut, err := New(Options{Provider: p, Budget: 8000}).Compact(t.Context(), work(8), "")
		if err == nil || cut.Summary != "" {
			t.Errorf("%+v: cut %+v, %v", p, cut, err)
		}
		if p.err != nil && !errors.Is(err, broken) {
			t.Errorf("the cause is lost: %v", err)
		}
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
