package demo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"forge/provider"
)

var someTools = []provider.ToolSpec{{Name: "grep", Description: "find"}, {Name: "read_file"}}

func ask(t *testing.T, p provider.Provider, ms ...provider.Message) (provider.Message, error) {
	t.Helper()
	return provider.Collect(p.Stream(t.Context(), provider.Request{Model: ModelID, Messages: ms, Tools: someTools}), nil)
}

func answer(m provider.Message, results ...provider.ToolResult) provider.Message {
	out := provider.Message{Role: provider.User}
	for i, u := range m.ToolUses() {
		r := results[i]
		r.ID = u.ID
		out.Blocks = append(out.Blocks, r)
	}
	return out
}

func said(s string) provider.ToolResult {
	return provider.ToolResult{Content: []provider.Block{provider.Text{Text: s}}}
}

func TestPlayTurns(t *testing.T) {
	p := New(mustParse(t, `
expect user find
expect tool grep
think Let me look.
text I'll look.
text Twice.
call grep {"pattern": "a  b"}
call read_file {"path":"x"}
end
expect result[grep] /x:\d+/
expect not failed[grep]
expect failed[read_file]
when refused
text refused
when failed
text It failed.
otherwise
text fine
end
closing over
`), Options{})
	user := provider.UserText("please find it")
	m, err := ask(t, p, user)
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.Block{
		provider.Thinking{Text: "Let me look."}, provider.Text{Text: "I'll look.\nTwice."},
		provider.ToolUse{Name: "grep", Input: `{"pattern": "a  b"}`}, provider.ToolUse{Name: "read_file", Input: `{"path":"x"}`},
	}
	ids := map[string]bool{}
	for i, b := range m.Blocks {
		if u, ok := b.(provider.ToolUse); ok {
			ids[u.ID] = true
			u.ID, u.WireID = "", ""
			b = u
		}
		if i >= len(want) || b != want[i] {
			t.Errorf("block %d: %#v", i, b)
		}
	}
	if len(ids) != 2 || m.Stop != provider.StopToolUse || m.Origin != "demo/demo" || len(m.Blocks) != 4 {
		t.Errorf("%+v", m)
	}
	failed := said("no such file")
	failed.IsError = true
	m2, err := ask(t, p, user, m, answer(m, said("x:12"), failed))
	if err != nil || m2.PlainText() != "It failed." || m2.Stop != provider.StopEnd {
		t.Errorf("%+v %v", m2, err)
	}
	if m2.Usage.CacheRead != m.Usage.Input || m2.Usage.Input <= m.Usage.Input || m2.Usage.Input != m2.Usage.CacheRead+m2.Usage.CacheWrite {
		t.Errorf("usage %+v after %+v", m2.Usage, m.Usage)
	}
	m3, err := ask(t, p, user, m, answer(m, said("x:12"), failed), m2, provider.UserText("and now?"))
	if err != nil || m3.PlainText() != "over" {
		t.Errorf("%+v %v", m3, err)
	}
}

func TestFailedExpectIsClear(t *testing.T) {
	p := New(mustParse(t, "expect user find\ntext x\nend\nexpect result[grep] apples\ntext y\nend"), Options{})
	_, err := ask(t, p, provider.UserText("hello"))
	var e *provider.Error
	if !errors.As(err, &e) || e.Temporary() || e.Message != `script line 1 expects user find: the user said "hello"` {
		t.Fatalf("%v", err)
	}
	use := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "1", Name: "grep", Input: "{}"}}}
	_, err = ask(t, p, provider.UserText("find"), use, answer(use, said("pears")))
	if !errors.As(err, &e) || e.Message != `script line 4 expects result[grep] apples: the last such result is "pears"` {
		t.Errorf("%v", err)
	}
}

// A turn that has words for no such conversation says where it stands.
func TestTurnWithoutWordsIsClear(t *testing.T) {
	p := New(mustParse(t, "# one\nwhen user find\ntext found\nwhen user lose\ntext lost\nend"), Options{})
	_, err := ask(t, p, provider.UserText("hello"))
	var e *provider.Error
	if !errors.As(err, &e) || e.Temporary() || e.Message != "script line 2: no when of this turn holds, and it has no otherwise" {
		t.Fatalf("%v", err)
	}
	if _, err := ask(t, p, provider.UserText("lose it")); err != nil {
		t.Error(err)
	}
}

func TestConditions(t *testing.T) {
	v := conversation{user: "find the bug", system: "You are forge", tools: []string{"grep"}, results: []result{
		{tool: "run_bash", text: "ok all"}, {tool: "edit_file", text: "not run: the user declined", failed: true, refused: true}}}
	for cond, want := range map[string]bool{
		"user bug": true, "user /b.g$/": true, "not user bug": false, "user BUG": false,
		"result all": true, "result[run_bash] ok": true, "result[edit_file] ok": false, "result[none] ok": false, "not result[none] ok": true,
		"failed": true, "failed[run_bash]": false, "refused": true, "refused[edit_file]": true, "prompt": false, "not prompt": true,
		"tool grep": true, "tool glob": false, "system forge": true,
	} {
		c, err := parseCondition(directive{name: "when", rest: cond})
		if err != nil {
			t.Fatal(err)
		}
		if got, found := c.holds(v); got != want || found == "" {
			t.Errorf("%s: %v (%s)", cond, got, found)
		}
		if c.String() != cond {
			t.Errorf("%q prints as %q", cond, c)
		}
	}
}

func TestErrorsOccurAsOftenAsTheySay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustParse(t, "text half an ans\nerror server 529 times=2 after=1s Overloaded\ntext wer\nend")
		var retries []provider.Retry
		m, err := provider.Collect(provider.WithRetry(New(s, Options{}), 0).Stream(t.Context(), provider.Request{Messages: []provider.Message{provider.UserText("x")}}), func(e provider.Event) {
			if r, ok := e.(provider.Retry); ok {
				retries = append(retries, r)
			}
		})
		if err != nil || m.PlainText() != "half an ans\nwer" || len(retries) != 2 {
			t.Fatalf("%+v %v after %d retries", m, err, len(retries))
		}
		// Another conversation meets its own failures.
		p := New(mustParse(t, "error auth key refused\ntext in\nend"), Options{})
		for _, who := range []string{"a", "b"} {
			if _, err := ask(t, p, provider.UserText(who)); err == nil {
				t.Error("no failure for " + who)
			}
			if m, err := ask(t, p, provider.UserText(who)); err != nil || m.PlainText() != "in" {
				t.Errorf("%+v %v", m, err)
			}
		}
	})
}

func TestPaceAndPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustParse(t, "pace 5\ntext one two three four five\npause 3s\ntext six\nend")
		took := func(o Options) time.Duration {
			began := time.Now()
			if _, err := ask(t, New(s, o), provider.UserText("x")); err != nil {
				t.Fatal(err)
			}
			return time.Since(began)
		}
		if d := took(Options{}); d != 0 {
			t.Errorf("at once took %s", d)
		}
		// Six words and a line break that stands alone, at 10 and 5 a second.
		if d := took(Options{Pace: 10}); d != 3*time.Second+600*time.Millisecond && d != 3*time.Second+700*time.Millisecond {
			t.Errorf("took %s", d)
		}
		if d, e := took(Options{Pace: -1}), took(Options{Pace: 5}); d != e {
			t.Errorf("own pace took %s, 5 words a second %s", d, e)
		}
	})
}

func TestCancelEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := mustParse(t, "text a\npause forever\nend")
		var got []provider.Event
		time.AfterFunc(time.Minute, cancel)
		began := time.Now()
		m, err := provider.Collect(New(s, Options{}).Stream(ctx, provider.Request{}), func(e provider.Event) { got = append(got, e) })
		if !errors.Is(err, context.Canceled) || time.Since(began) != time.Minute || m.PlainText() != "a" {
			t.Errorf("%+v %v after %s", m, err, time.Since(began))
		}
	})
}

func TestRequestsWithoutTools(t *testing.T) {
	req := provider.Request{Messages: []provider.Message{provider.UserText("sum up")}}
	text := func(script string) string {
		m, err := provider.Collect(New(mustParse(t, script), Options{}).Stream(t.Context(), req), nil)
		if err != nil || len(m.ToolUses()) > 0 {
			t.Errorf("%+v %v", m, err)
		}
		return m.PlainText()
	}
	if got := text("call grep {}\nend"); got != defaultAside {
		t.Errorf("%q", got)
	}
	if got := text("call grep {}\nend\naside\ntext A summary.\nend"); got != "A summary." {
		t.Errorf("%q", got)
	}
	if got := text("text plain\nend"); got != "plain" {
		t.Errorf("%q", got)
	}
}

func TestSplitWordsAddUp(t *testing.T) {
	for _, s := range []string{"", "a", " a  b\n\nc ", "漢字 ü\t", "\n"} {
		if got := strings.Join(splitWords(s), ""); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := splitWords("a b\n c"); !slices.Equal(got, []string{"a ", "b\n ", "c"}) {
		t.Errorf("%q", got)
	}
	if got := strings.Join(pieces(`{"a":"漢字漢字漢字漢字"}`), "|"); strings.ReplaceAll(got, "|", "") != `{"a":"漢字漢字漢字漢字"}` || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("%q", got)
	}
}

func TestUsageOverride(t *testing.T) {
	p := New(mustParse(t, "text a\nusage input=1000 output=50 cache_read=5000 cache_write=9 reasoning=7\nend"), Options{})
	m, err := ask(t, p, provider.UserText("x"))
	if want := (provider.Usage{Input: 1000, Output: 50, CacheRead: 1000, Reasoning: 7, Reported: true}); err != nil || m.Usage != want {
		t.Errorf("%+v %v, want %+v", m.Usage, err, want)
	}
}

// The turns of a sub-agent are its own: it is known by the beginning of its system
// prompt, and each of its conversations begins with the first of them.
func TestAgentsHaveTurnsOfTheirOwn(t *testing.T) {
	s, err := Parse(strings.NewReader("text main one\nend\nagent scout\ntext scout one\nend\nwhen task north\ntext seen north\notherwise\ntext seen south\nend\nagent\ntext main two\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Turns() != 2 {
		t.Errorf("%d turns of the person's own", s.Turns())
	}
	p := New(s, Options{})
	say := func(system string, ms ...provider.Message) string {
		m, err := provider.Collect(p.Stream(t.Context(), provider.Request{System: system, Messages: ms, Tools: []provider.ToolSpec{{Name: "x"}}}), nil)
		if err != nil {
			t.Fatal(err)
		}
		return m.PlainText()
	}
	north, south := provider.UserText("go north"), provider.UserText("go south")
	reply := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "r"}}}
	scout, other := `You are the sub-agent "scout" of forge`, `You are the sub-agent "nobody" of forge`
	for _, c := range []struct{ got, want string }{
		{say("You are forge", north), "main one"},
		{say("You are forge", north, reply, south), "main two"},
		{say(scout, north), "scout one"},
		{say(scout, north, reply, provider.UserText("more")), "seen north"},
		{say(scout, south, reply, provider.UserText("more")), "seen south"},
		{say(scout, south, reply, south, reply, south), "I have reported all I had to say."},
		{say(other, north), "I am the sub-agent nobody, and this script has no words for me."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A loop goes on from what it sees, not from where it stands.
func TestLoopFollowsWhatItReads(t *testing.T) {
	s, err := Parse(strings.NewReader("loop\nwhen result[read_file] /next: (\\S+)/\ncall read_file {\"path\":\"$1\"}\nwhen result[read_file] the end\nexpect seen fact one\ntext I saw $1 of it.\notherwise\ncall read_file {\"path\":\"a\\\\b\"}\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	p := New(s, Options{})
	turn := func(ms ...provider.Message) (provider.Message, error) {
		return provider.Collect(p.Stream(t.Context(), provider.Request{Messages: ms, Tools: []provider.ToolSpec{{Name: "read_file"}}}), nil)
	}
	result := func(text string) provider.Message {
		return provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "1", Content: []provider.Block{provider.Text{Text: text}}}}}
	}
	asked := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "1", Name: "read_file", Input: "{}"}}}
	m, err := turn(provider.UserText("go"))
	if err != nil || len(m.ToolUses()) != 1 || m.ToolUses()[0].Input != `{"path":"a\\b"}` {
		t.Fatalf("%+v, %v", m, err)
	}
	for range 3 {
		m, err = turn(provider.UserText("go"), asked, result("fact one, next: x\"y.txt"))
		if err != nil || m.ToolUses()[0].Input != `{"path":"x\"y.txt"}` {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	if m, err = turn(provider.UserText("a summary: fact one"), asked, result("the end")); err != nil || m.PlainText() != "I saw $1 of it." {
		t.Errorf("%q, %v", m.PlainText(), err)
	}
	if _, err = turn(provider.UserText("a summary"), asked, result("the end")); err == nil || !strings.Contains(err.Error(), "nowhere in the request") {
		t.Errorf("lost: %v", err)
	}
}
