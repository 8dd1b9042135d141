package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/openai"
)

// These tests talk with a model server that is not ours (npm @copilotkit/aimock)
// on the answers of .ci/aimock.json. .ci/run starts it and says where it is; each
// run of them needs a server of its own, because some answers are given once.

// aimock returns the base URL for a wire.
func aimock(t *testing.T, wire string) string {
	t.Helper()
	url := os.Getenv("FORGE_AIMOCK_" + strings.ToUpper(wire))
	if url == "" {
		t.Skip("no independent model server: .ci/run starts one")
	}
	return url
}

// heardEvents is what a stream said.
type heardEvents struct {
	message provider.Message
	err     error
	retries []provider.Retry
	deltas  int
}

func ask(t *testing.T, wire, prompt string) heardEvents {
	t.Helper()
	url := aimock(t, wire)
	var p provider.Provider = openai.New(openai.Options{Name: "openai", BaseURL: url, Key: "k"})
	model := "gpt-5.2"
	if wire == "anthropic" {
		p, model = anthropic.New(anthropic.Options{BaseURL: url, Key: "k"}), "claude-sonnet-5"
	}
	req := provider.Request{
		Model: model, System: "You are tested.", Messages: []provider.Message{provider.UserText(wire + ": " + prompt)}, Effort: provider.EffortLow,
		Tools: []provider.ToolSpec{
			{Name: "read_file", Description: "Read.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
			{Name: "grep", Description: "Search.", Schema: json.RawMessage(`{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}`)},
		},
	}
	var h heardEvents
	h.message, h.err = provider.Collect(provider.WithRetry(p, 3).Stream(t.Context(), req), func(ev provider.Event) {
		switch e := ev.(type) {
		case provider.Retry:
			h.retries = append(h.retries, e)
		case provider.TextDelta:
			h.deltas++
		}
	})
	return h
}

func (h heardEvents) thinking() string {
	var s strings.Builder
	for _, b := range h.message.Blocks {
		if th, ok := b.(provider.Thinking); ok {
			s.WriteString(th.Text)
		}
	}
	return s.String()
}

func kindOf(err error) provider.Kind {
	var pe *provider.Error
	errors.As(err, &pe)
	if pe == nil {
		return ""
	}
	return pe.Kind
}

func TestAimock(t *testing.T) {
	for _, wire := range []string{"openai", "anthropic"} {
		t.Run(wire, func(t *testing.T) {
			t.Run("text and usage", func(t *testing.T) {
				h := ask(t, wire, "hello")
				u := h.message.Usage
				if h.err != nil || h.message.PlainText() != "Hello, – 世界!" || h.message.Stop != provider.StopEnd || u.Input != 11 || u.Output != 7 || !u.Reported {
					t.Errorf("%v %+v", h.err, h.message)
				}
			})
			t.Run("thinking", func(t *testing.T) {
				if h := ask(t, wire, "think"); h.err != nil || h.thinking() != "Six times seven." || h.message.PlainText() != "42" {
					t.Errorf("%v %+v", h.err, h.message)
				}
			})
			t.Run("calls side by side", func(t *testing.T) {
				h := ask(t, wire, "two calls")
				uses := h.message.ToolUses()
				if h.err != nil || h.message.Stop != provider.StopToolUse || h.message.PlainText() != "Both at once." || len(uses) != 2 {
					t.Fatalf("%v %+v", h.err, h.message)
				}
				if uses[0].Name != "read_file" || gjson.Get(uses[0].Input, "path").String() != "a.txt" ||
					uses[1].Name != "grep" || gjson.Get(uses[1].Input, "pattern").String() != `x "y"` || uses[0].ID == uses[1].ID || uses[0].WireID == "" {
					t.Errorf("%+v", uses)
				}
			})
			t.Run("a limit says how long to wait", func(t *testing.T) {
				h := ask(t, wire, "limit")
				if h.err != nil || h.message.PlainText() != "after the wait" || len(h.retries) != 1 {
					t.Fatalf("%v %+v %+v", h.err, h.message, h.retries)
				}
				if r := h.retries[0]; kindOf(r.Err) != provider.KindRate || r.After < time.Second {
					t.Errorf("%+v", r)
				}
			})
			t.Run("an overload passes", func(t *testing.T) {
				h := ask(t, wire, "overload")
				if h.err != nil || h.message.PlainText() != "after the load" || len(h.retries) != 1 || kindOf(h.retries[0].Err) != provider.KindServer {
					t.Errorf("%v %+v %+v", h.err, h.message, h.retries)
				}
			})
			t.Run("an overflow does not", func(t *testing.T) {
				h := ask(t, wire, "overflow")
				var pe *provider.Error
				want := map[string]int{"openai": 128000, "anthropic": 200000}[wire]
				if !errors.As(h.err, &pe) || pe.Kind != provider.KindOverflow || pe.Window != want || len(h.retries) > 0 {
					t.Errorf("%+v %+v", h.err, h.retries)
				}
			})
			t.Run("a cut reply is no answer", func(t *testing.T) {
				h := ask(t, wire, "cut")
				if h.err != nil || h.message.PlainText() != "whole" || len(h.retries) != 1 || kindOf(h.retries[0].Err) != provider.KindNetwork {
					t.Errorf("%v %+v %+v", h.err, h.message, h.retries)
				}
			})
			t.Run("an answer that ran into its limit", func(t *testing.T) {
				if h := ask(t, wire, "full"); h.err != nil || h.message.Stop != provider.StopMaxTokens || h.message.PlainText() != "half an answ" {
					t.Errorf("%v %+v", h.err, h.message)
				}
			})
			t.Run("word by word", func(t *testing.T) {
				if h := ask(t, wire, "slow"); h.err != nil || h.deltas < 3 || h.message.PlainText() != "word by word, and still one text" {
					t.Errorf("%v %d deltas, %+v", h.err, h.deltas, h.message)
				}
			})
			t.Run("the whole program", func(t *testing.T) { wholeRun(t, wire) })
		})
	}
}

// wholeRun lets forge fix a file, and looks at what it had sent.
func wholeRun(t *testing.T, wire string) {
	url := aimock(t, wire)
	p := newProgram(t, strings.ToUpper(wire)+"_API_KEY=k", strings.ToUpper(wire)+"_BASE_URL="+url)
	p.write(t, "a.txt", "teh file\n")
	model := map[string]string{"openai": "openai/gpt-5.2", "anthropic": "anthropic/claude-sonnet-5"}[wire]
	out, errOut, code := p.run(t, "-p", wire+": fix it", "-m", model, "--mode", "auto", "--json")
	if code != 0 || gjson.Get(out, "text").String() != "The typo is gone." || gjson.Get(out, "turns").Int() != 4 || errOut != "" {
		t.Fatalf("exit %d\n%s\n%s", code, out, errOut)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "a.txt")); err != nil || string(b) != "the file\n" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	root := strings.TrimSuffix(url, "/v1")
	resp, err := http.Get(root + "/__aimock/journal")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	journal, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	// The server reads each wire into one form: of the last request, all four
	// results, each the answer to a call.
	var last gjson.Result
	for _, entry := range gjson.ParseBytes(journal).Array() {
		if strings.Contains(entry.Get("body.messages").Raw, wire+": fix it") {
			last = entry.Get("body.messages")
		}
	}
	results := 0
	for _, m := range last.Array() {
		if m.Get("role").String() == "tool" && m.Get("tool_call_id").String() != "" {
			results++
		}
	}
	if results != 4 || !strings.Contains(last.Raw, "the file") {
		t.Errorf("%d results in %s", results, last.Raw)
	}
}
