package demo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/demo"
	"forge/provider/openai"
)

func parse(t *testing.T, script string) *demo.Script {
	t.Helper()
	s, err := demo.Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// faces are the three ways to one script.
func faces(t *testing.T, s *demo.Script) map[string]provider.Provider {
	t.Helper()
	srv := func() *httptest.Server {
		srv := httptest.NewServer(demo.Serve(s, demo.Options{}))
		t.Cleanup(srv.Close)
		return srv
	}
	o, a := srv(), srv() // each its own, since failures are counted
	return map[string]provider.Provider{
		"inside":    demo.New(s, demo.Options{}),
		"openai":    openai.New(openai.Options{BaseURL: o.URL + "/v1", Client: o.Client()}),
		"anthropic": anthropic.New(anthropic.Options{BaseURL: a.URL, Client: a.Client()}),
	}
}

// events plays a whole conversation and writes down what a reader could see:
// every event but those that differ by right (who speaks, ids, phases).
func events(t *testing.T, p provider.Provider, prompts []string, results map[string]provider.ToolResult) []string {
	t.Helper()
	var log []string
	var ms []provider.Message
	tools := []provider.ToolSpec{
		{Name: "grep", Description: "find <text> & more", Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"}},"required":["pattern"]}`)},
		{Name: "edit_file", Description: "change", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
	}
	for _, prompt := range prompts {
		ms = append(ms, provider.UserText(prompt))
		for range 8 {
			m, err := provider.Collect(p.Stream(t.Context(), provider.Request{Model: demo.ModelID, System: "You are forge.", Messages: ms, Tools: tools}), func(e provider.Event) {
				switch e := e.(type) {
				case provider.Start, provider.Phase, provider.Notice:
				case provider.ThinkingDelta:
					if e.Text != "" {
						log = append(log, fmt.Sprintf("think %d %q", e.Index, e.Text))
					}
				case provider.ToolUseStart:
					log = append(log, fmt.Sprintf("call %d %s", e.Index, e.Name))
				case provider.Stop: // what a server said before forge normalised it is the wire's own
					u := e.Usage
					u.Completion, u.Total = 0, 0
					log = append(log, fmt.Sprintf("stop %s %+v", e.Reason, u))
				default:
					log = append(log, fmt.Sprintf("%T %+v", e, e))
				}
			})
			if err != nil {
				var e *provider.Error
				if !errors.As(err, &e) {
					t.Fatalf("%v", err)
				}
				log = append(log, fmt.Sprintf("error %s %s", e.Kind, e.Message))
				break
			}
			ms = append(ms, m)
			uses := m.ToolUses()
			if len(uses) == 0 {
				break
			}
			answer := provider.Message{Role: provider.User}
			for _, u := range uses {
				r := results[u.Name]
				r.ID = u.ID
				answer.Blocks = append(answer.Blocks, r)
			}
			ms = append(ms, answer)
		}
	}
	return log
}

func text(s string) []provider.Block { return []provider.Block{provider.Text{Text: s}} }

// TestWiresAgree: a conversation over either wire gives the events and the token
// figures that it gives inside the program.
func TestWiresAgree(t *testing.T) {
	s := parse(t, `
think Let me   look.

  Twice, 漢字.
text I'll look at <both> & more.
call grep {"pattern": "a\"b<", "n": 1.50}
call edit_file
  {"path": "x",
   "edits": []}
end
expect failed[edit_file]
expect refused[edit_file]
expect not failed[grep]
expect result[grep] 3 matches
think again
text
  ## Done

  | a | b |
text one more line
end
text No more.
end max_tokens
text declined
end refusal
expect user never said
end
`)
	prompts := []string{"find it", "and now?", "again", "what?"}
	results := map[string]provider.ToolResult{
		"grep":      {Content: text("3 matches\n  a.go:1")},
		"edit_file": {Content: text("not run: the user declined"), IsError: true},
	}
	logs := map[string][]string{}
	for name, p := range faces(t, s) {
		logs[name] = events(t, p, prompts, results)
	}
	want := logs["inside"]
	if len(want) < 30 || !strings.HasPrefix(want[len(want)-1], "error invalid script line ") {
		t.Fatalf("inside: %d events\n%s", len(want), strings.Join(want, "\n"))
	}
	for name, got := range logs {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Errorf("%s differs at %d:\n got  %v\n want %v", name, i, at(got, i), at(want, i))
				break
			}
		}
	}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "nothing"
}

// TestBuiltinOverBothWires plays the demo itself.
func TestBuiltinOverBothWires(t *testing.T) {
	results := map[string]provider.ToolResult{}
	for name, words := range map[string]string{"grep": "stats.go:19", "read_file": "package main", "edit_file": "edited", "run_bash": "ok  \texample.com/laps\t0.01s"} {
		results[name] = provider.ToolResult{Content: text(words)}
	}
	logs := map[string][]string{}
	for name, p := range faces(t, demo.Builtin()) {
		logs[name] = events(t, p, []string{"find the bug", "thanks", "and?"}, results)
	}
	for name, got := range logs {
		if strings.Join(got, "\n") != strings.Join(logs["inside"], "\n") {
			t.Errorf("%s differs from the provider inside", name)
		}
	}
	if !strings.Contains(strings.Join(logs["openai"], " "), "whole demo") && !strings.Contains(strings.Join(logs["openai"], " "), "whole ") {
		t.Error("the closing is missing")
	}
}

// TestErrorsOverBothWires: a scripted failure has its kind, its words and its wait
// on every face, before the stream and inside it, and passes when it should.
func TestErrorsOverBothWires(t *testing.T) {
	for _, c := range []struct {
		script, message string
		kind            provider.Kind
		status          int
		after           time.Duration
	}{
		{"error auth the key is wrong\ntext in\nend", "the key is wrong", provider.KindAuth, 401, 0},
		{"error rate after=1500ms slow down\ntext in\nend", "slow down", provider.KindRate, 429, 1500 * time.Millisecond},
		{"error quota 429 no money\ntext in\nend", "no money", provider.KindQuota, 429, 0},
		{"error overflow it does not fit\ntext in\nend", "it does not fit", provider.KindOverflow, 400, 0},
		{"error invalid not like this\ntext in\nend", "not like this", provider.KindInvalid, 400, 0},
		{"error server 529 Overloaded\ntext in\nend", "Overloaded", provider.KindServer, 529, 0},
		{"error refused no\ntext in\nend", "no", provider.KindRefused, 400, 0},
		{"cut\ntext in\nend", "the connection broke", provider.KindNetwork, 0, 0},
		{"text half\nerror rate slow down\ntext in\nend", "slow down", provider.KindRate, -1, 0},
		{"text half\nerror quota no money\ntext in\nend", "no money", provider.KindQuota, -1, 0},
		{"text half\nerror overflow it does not fit\ntext in\nend", "it does not fit", provider.KindOverflow, -1, 0},
		{"text half\nerror server Overloaded\ntext in\nend", "Overloaded", provider.KindServer, -1, 0},
		{"text half\ncut\ntext in\nend", "", provider.KindNetwork, 0, 0},
	} {
		for name, p := range faces(t, parse(t, c.script)) {
			req := provider.Request{Model: demo.ModelID, Messages: []provider.Message{provider.UserText("x")}}
			_, err := provider.Collect(p.Stream(t.Context(), req), nil)
			var e *provider.Error
			if !errors.As(err, &e) || e.Kind != c.kind || !strings.Contains(e.Message, c.message) || e.After != c.after {
				t.Errorf("%q %s: %v (%+v)", c.script, name, err, e)
				continue
			}
			if c.status >= 0 && e.Status != c.status && name != "inside" {
				t.Errorf("%q %s: status %d, want %d", c.script, name, e.Status, c.status)
			}
			m, err := provider.Collect(p.Stream(t.Context(), req), nil)
			if err != nil || !strings.HasSuffix(m.PlainText(), "in") {
				t.Errorf("%q %s, second try: %+v %v", c.script, name, m, err)
			}
		}
	}
}

// TestWholeReplies: a client that does not stream gets the same answer as one body.
func TestWholeReplies(t *testing.T) {
	srv := httptest.NewServer(demo.Serve(parse(t, "think hm\ntext hello there\ncall grep {\"a\":1}\nend"), demo.Options{}))
	defer srv.Close()
	post := func(path, body string) (map[string]any, int) {
		resp, err := srv.Client().Post(srv.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var v map[string]any
		b, _ := io.ReadAll(resp.Body)
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%s: %v: %s", path, err, b)
		}
		return v, resp.StatusCode
	}
	tools := `"tools":[{"name":"grep","type":"function","function":{"name":"grep"}}]`
	v, status := post("/chat/completions", `{"model":"m","messages":[{"role":"user","content":"x"}],`+tools+`}`)
	msg := v["choices"].([]any)[0].(map[string]any)["message"].(map[string]any)
	if status != 200 || msg["content"] != "hello there" || msg["reasoning_content"] != "hm" || len(msg["tool_calls"].([]any)) != 1 || v["model"] != "m" {
		t.Errorf("%d %v", status, v)
	}
	v, status = post("/v1/messages", `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],`+tools+`}`)
	if status != 200 || len(v["content"].([]any)) != 3 || v["stop_reason"] != "tool_use" || v["content"].([]any)[2].(map[string]any)["input"].(map[string]any)["a"] != 1.0 {
		t.Errorf("%d %v", status, v)
	}
	for _, bad := range []string{"", "no json", "[1]"} {
		if v, status := post("/v1/chat/completions", bad); status != 400 || v["error"] == nil {
			t.Errorf("%q: %d %v", bad, status, v)
		}
	}
	resp, err := srv.Client().Get(srv.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || !strings.Contains(string(b), `"id":"demo"`) {
		t.Errorf("%d %s", resp.StatusCode, b)
	}
}

// A retry over HTTP sees the failure as often as the script says, then the answer.
func TestRetryAgainstTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := demo.Serve(parse(t, "error server 503 times=2 after=2s busy\ntext at last\nend"), demo.Options{})
		client := &http.Client{Transport: inProcess{h}}
		p := provider.WithRetry(openai.New(openai.Options{BaseURL: "http://demo/v1", Client: client}), 0)
		began := time.Now()
		m, err := provider.Collect(p.Stream(t.Context(), provider.Request{Model: "demo", Messages: []provider.Message{provider.UserText("x")}}), nil)
		if err != nil || m.PlainText() != "at last" {
			t.Fatalf("%+v %v", m, err)
		}
		if took := time.Since(began); took < 4*time.Second || took > 6*time.Second {
			t.Errorf("took %s, the server asked for twice 2s", took)
		}
	})
}

// inProcess calls a handler without a socket, so that a fake clock can run.
type inProcess struct{ h http.Handler }

func (i inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	i.h.ServeHTTP(rec, r)
	return rec.Result(), nil
}
