package anthropic

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// anyHistory is a history that breaks every promise: roles and blocks at random.
func anyHistory(r *rand.Rand) []provider.Message {
	words := []string{"", " ", "a", "b \n", "ü\x00\"\\", "\xff"}
	word := func() string { return words[r.IntN(len(words))] }
	id := func() string { return fmt.Sprint("c:", r.IntN(4)) }
	var out []provider.Message
	for range r.IntN(9) {
		m := provider.Message{
			Role:   []provider.Role{provider.System, provider.User, provider.Assistant}[r.IntN(3)],
			Origin: Origin([]string{opus, "other", "deepseek-v4", "claude-fable-5-1"}[r.IntN(4)]),
			Stop:   []provider.StopReason{provider.StopEnd, provider.StopPause}[r.IntN(2)],
		}
		for range r.IntN(5) {
			m.Blocks = append(m.Blocks, []provider.Block{
				provider.Text{Text: word()}, provider.Thinking{Text: word(), Signature: word()},
				provider.ToolUse{ID: id(), WireID: id(), Name: "n", Input: []string{"", `{"a":1}`, `{"a`, "\xff"}[r.IntN(4)]},
				provider.ToolResult{ID: id(), IsError: r.IntN(2) == 0, Content: []provider.Block{provider.Text{Text: word()}}},
				provider.Image{MIME: "image/png", Data: "QQ=="},
				provider.Opaque{Origin: m.Origin, JSON: `{"type":"server_tool_use","id":"s"}`},
				provider.Opaque{Origin: m.Origin, JSON: `{"type":"text_citations","citations":[{"a":1}]}`},
				provider.Opaque{Origin: m.Origin, JSON: `{"type":"redacted_thinking","data":"d"}`},
			}[r.IntN(8)])
		}
		out = append(out, m)
	}
	return out
}

// TestAnyHistoryBecomesValid: whatever happened to a history, the body keeps the
// rules for which servers refuse a whole request.
func TestAnyHistoryBecomesValid(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		req := provider.Request{
			Model: []string{opus, "claude-fable-5-1", "deepseek-v4"}[r.IntN(3)], System: "s",
			Effort: provider.Efforts()[r.IntN(7)], Messages: anyHistory(r),
		}
		b, err := New(Options{}).(*endpoint).encoder(req).encode()
		if err != nil {
			continue // nothing left to send
		}
		if why := broken(b); why != "" {
			t.Fatalf("seed %d: %s\n%+v\n%s", seed, why, req.Messages, b)
		}
	}
}

// broken names the rule that a body breaks.
func broken(body []byte) string {
	if !json.Valid(body) || !utf8.Valid(body) {
		return "not JSON"
	}
	if n := strings.Count(string(body), `"cache_control":`); n > 4 {
		return fmt.Sprint(n, " cache marks")
	}
	msgs := gjson.GetBytes(body, "messages").Array()
	ids := map[string]bool{}
	var open []string // calls that the next message must answer
	last := ""
	for i, m := range msgs {
		role := m.Get("role").String()
		if role == last || i == 0 && role != "user" || role == "system" && last != "user" {
			return fmt.Sprint("message ", i, " is by ", role, " behind ", last)
		}
		last = role
		content := m.Get("content").Array()
		if len(content) == 0 {
			return "an empty message"
		}
		results := 0
		for j, b := range content {
			switch b.Get("type").String() {
			case "text":
				if s := b.Get("text").String(); s == "" || role == "user" && strings.TrimSpace(s) == "" {
					if !strings.Contains(m.Get("content").Raw, "thinking") {
						return "empty text"
					}
				}
			case "tool_use":
				id := b.Get("id").String()
				if ids[id] || !goodID.Get().MatchString(id) || !b.Get("input").IsObject() || role != "assistant" {
					return "a bad call " + b.Raw
				}
				ids[id] = true
			case "tool_result":
				if j != results || role != "user" || len(open) == 0 {
					return "a result out of place " + b.Raw
				}
				results++
				found := false
				for k, id := range open {
					if id == b.Get("tool_use_id").String() {
						open, found = append(open[:k:k], open[k+1:]...), true
						break
					}
				}
				if !found || b.Get("content").String() == "" {
					return "a result of nothing " + b.Raw
				}
			case "thinking", "redacted_thinking":
				if b.Get("cache_control").Exists() || role != "assistant" {
					return "thinking out of place"
				}
			case "image":
				if role != "user" {
					return "an image by " + role
				}
			case "server_tool_use":
			default:
				return "a block of type " + b.Get("type").String()
			}
		}
		if len(open) > 0 {
			return fmt.Sprint("calls without results: ", open)
		}
		if role == "assistant" {
			for _, u := range content {
				if u.Get("type").String() == "tool_use" {
					open = append(open, u.Get("id").String())
				}
			}
		}
	}
	if len(open) > 0 {
		return fmt.Sprint("calls without results at the end: ", open)
	}
	return ""
}

func TestQuote(t *testing.T) {
	for _, s := range []string{"", "a", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "<&>", "ü\u2028😀", "\xff\xc3", "\ufffd", strings.Repeat("x\n", 1000)} {
		var back string
		if err := json.Unmarshal([]byte(quote(s)), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && s != "\xff\xc3" {
			t.Errorf("%q: %q %v", s, back, err)
		}
	}
	if got := quote("\xff\xc3"); got != "\"\ufffd\ufffd\"" {
		t.Errorf("got %q", got)
	}
}
