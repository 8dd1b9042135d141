package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/agent"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/openai"
	"forge/tools"
	"forge/tools/permission"
)

// answerer is a model at a server, as the test switches between them.
type answerer struct {
	wire, name, base, model string
	effort                  provider.Effort
	blind                   bool
}

var answerers = []answerer{
	{wire: "anthropic", base: "https://api.anthropic.com", model: "claude-opus-4-8", effort: provider.EffortHigh},
	{wire: "anthropic", base: "https://api.anthropic.com", model: "claude-fable-5-1", effort: provider.EffortMedium},
	{wire: "anthropic", base: "https://api.anthropic.com", model: "claude-sonnet-4-5", effort: provider.EffortNone},
	{wire: "anthropic", base: "https://api.deepseek.com/anthropic", model: "deepseek-v4", effort: provider.EffortHigh},
	{wire: "openai", name: "openai", base: "https://api.openai.com/v1", model: "gpt-5.2"},
	{wire: "openai", name: "deepseek", base: "https://api.deepseek.com", model: "deepseek-reasoner", effort: provider.EffortHigh, blind: true},
	{wire: "openai", name: "moonshot", base: "https://api.moonshot.ai/v1", model: "kimi-k2-thinking", effort: provider.EffortHigh},
	{wire: "openai", name: "mistral", base: "https://api.mistral.ai/v1", model: "magistral-medium", effort: provider.EffortHigh},
	{wire: "openai", name: "openrouter", base: "https://openrouter.ai/api/v1", model: "anthropic/claude-opus-4.8", effort: provider.EffortHigh},
	{wire: "openai", name: "gemini", base: "https://generativelanguage.googleapis.com/v1beta/openai", model: "gemini-3-pro", effort: provider.EffortLow},
}

// servers plays all of them: it holds every request against the rules for which one
// of them refuses it, and answers with something at random.
type playedServers struct {
	r       *rand.Rand
	mu      sync.Mutex
	n       int // replies so far
	calls   int
	signed  map[string]string // signature → the thinking it was given for
	broken  []string
	reply   func() // as a reply begins: a switch amid the run, an interruption
	cutNext bool   // the next reply never ends
	cut     func()
}

func (s *playedServers) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := answerer{}
	for _, a := range answerers {
		if strings.HasPrefix(r.URL.String(), a.base+"/") && a.model == gjson.GetBytes(body, "model").String() {
			at = a
		}
	}
	why := "no server at " + r.URL.String()
	switch at.wire {
	case "anthropic":
		why = s.messagesBroken(body, at)
	case "openai":
		why = s.chatBroken(body, at)
	}
	if why != "" {
		s.broken = append(s.broken, why+"\n"+string(body))
		return nil, errors.New("broken: " + why)
	}
	s.n++
	s.reply()
	text := s.messages(at)
	if at.wire == "openai" {
		text = s.chat(at)
	}
	var reader io.Reader = strings.NewReader(text)
	if s.cutNext {
		s.cutNext = false
		end := text[:len(text)*2/3]
		end = end[:strings.LastIndex(end, "\n\n")+2]
		reader = io.MultiReader(strings.NewReader(end), &silent{ctx: r.Context(), then: s.cut})
	}
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(reader), Request: r}, nil
}

// silent is a server that says nothing any more, until it is left.
type silent struct {
	ctx  context.Context
	then func()
}

func (s *silent) Read([]byte) (int, error) {
	s.then()
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

// callID is one as that server makes them; some make the same ones again and again.
func (s *playedServers) callID(at answerer, place int) string {
	s.calls++
	switch {
	case at.name == "moonshot":
		return fmt.Sprintf("functions.echo:%d", place)
	case at.name == "mistral":
		return fmt.Sprintf("Ab%07d", s.calls)
	case at.name == "gemini":
		return ""
	case at.wire == "openai":
		return fmt.Sprintf("call_%s", strings.Repeat("x", 30)+fmt.Sprint(s.calls))
	}
	return fmt.Sprintf("toolu_%d", s.calls%7)
}

type call struct{ id, name, args string }

// plan is what the next reply holds.
func (s *playedServers) plan(at answerer) (think, text string, calls []call, stop string) {
	if s.r.IntN(3) > 0 {
		think = fmt.Sprintf("thought@%s@%d", at.model, s.n)
	}
	text = []string{"", " ", "words and more words", "第二个答案", "\n\n"}[s.r.IntN(5)]
	stop = "tool"
	switch s.r.IntN(6) {
	case 0:
		text, stop = "the end", "end"
		return
	case 1:
		text, stop = "cut of", "max"
		return
	}
	for i := range 1 + s.r.IntN(3) {
		name := []string{"echo", "picture", "fail"}[s.r.IntN(3)]
		args := []string{`{}`, `{"text":"a"}`, `{"text":"ü\u0000"}`, `{"text":`}[s.r.IntN(4)]
		calls = append(calls, call{s.callID(at, i), name, args})
	}
	return
}

func jsonText(v any) string { b, _ := json.Marshal(v); return string(b) }

type obj = map[string]any

func (s *playedServers) messages(at answerer) string {
	think, text, calls, stop := s.plan(at)
	var b strings.Builder
	event := func(v obj) { fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", v["type"], jsonText(v)) }
	event(obj{"type": "message_start", "message": obj{"id": "m", "model": at.model, "usage": obj{"input_tokens": 9}}})
	i := 0
	block := func(start obj, deltas ...obj) {
		event(obj{"type": "content_block_start", "index": i, "content_block": start})
		for _, d := range deltas {
			event(obj{"type": "content_block_delta", "index": i, "delta": d})
		}
		event(obj{"type": "content_block_stop", "index": i})
		i++
	}
	if think != "" && at.effort != provider.EffortNone {
		signature := "sig+/=" + think
		s.signed[signature] = think
		block(obj{"type": "thinking", "thinking": "", "signature": ""}, obj{"type": "thinking_delta", "thinking": think}, obj{"type": "signature_delta", "signature": signature})
		if s.r.IntN(4) == 0 && strings.HasPrefix(at.model, "claude") {
			block(obj{"type": "redacted_thinking", "data": "hidden+" + think})
		}
	}
	if text != "" {
		block(obj{"type": "text", "text": ""}, obj{"type": "text_delta", "text": text})
	}
	for _, c := range calls {
		block(obj{"type": "tool_use", "id": c.id, "name": c.name, "input": obj{}}, obj{"type": "input_json_delta", "partial_json": c.args})
	}
	event(obj{"type": "message_delta", "delta": obj{"stop_reason": map[string]string{"tool": "tool_use", "end": "end_turn", "max": "max_tokens"}[stop]}, "usage": obj{"output_tokens": 5}})
	event(obj{"type": "message_stop"})
	return b.String()
}

func (s *playedServers) chat(at answerer) string {
	think, text, calls, stop := s.plan(at)
	var b strings.Builder
	delta := func(d obj, finish any) {
		fmt.Fprintf(&b, "data: %s\n\n", jsonText(obj{"model": at.model, "choices": []obj{{"index": 0, "delta": d, "finish_reason": finish}}}))
	}
	delta(obj{"role": "assistant", "content": ""}, nil)
	if think != "" {
		switch at.name {
		case "openai", "gemini":
		case "mistral":
			delta(obj{"content": []obj{{"type": "thinking", "thinking": []obj{{"type": "text", "text": think}}}}}, nil)
		case "openrouter":
			delta(obj{"reasoning": think, "reasoning_details": []obj{{"type": "reasoning.text", "text": think, "index": 0, "format": "anthropic-claude-v1", "signature": "sig+/=" + think}}}, nil)
		default:
			delta(obj{"reasoning_content": think}, nil)
		}
	}
	if text != "" {
		delta(obj{"content": text}, nil)
	}
	for i, c := range calls {
		tc := obj{"index": i, "type": "function", "function": obj{"name": c.name, "arguments": c.args}}
		if c.id != "" {
			tc["id"] = c.id
		}
		if at.name == "gemini" {
			tc["id"] = fmt.Sprintf("function-call-%d", s.calls+i)
			tc["extra_content"] = obj{"google": obj{"thought_signature": fmt.Sprintf("sig+/=thought@%s@%d", at.model, s.n)}}
		}
		delta(obj{"tool_calls": []obj{tc}}, nil)
	}
	delta(obj{}, map[string]string{"tool": "tool_calls", "end": "stop", "max": "length"}[stop])
	b.WriteString("data: [DONE]\n\n")
	return b.String()
}

// thoughts are marks of reasoning: whose it is, and which.
var thoughts = regexp.MustCompile(`thought@([^@]+)@\d+`)

// foreign names reasoning of another model in a body; sent to this one, a signature
// is refused and words are taken for what somebody said.
func foreign(body []byte, model string) string {
	for _, m := range thoughts.FindAllStringSubmatch(string(body), -1) {
		if m[1] != model {
			return m[0] + " went to " + model
		}
	}
	return ""
}

var goodID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// messagesBroken is the rule of the messages wire that a body breaks.
func (s *playedServers) messagesBroken(body []byte, at answerer) string {
	if !json.Valid(body) || !utf8.Valid(body) {
		return "no JSON"
	}
	if why := foreign(body, at.model); why != "" {
		return why
	}
	ids, last := map[string]bool{}, ""
	var open []string
	for i, m := range gjson.GetBytes(body, "messages").Array() {
		role, content := m.Get("role").String(), m.Get("content").Array()
		if role != "user" && role != "assistant" || role == last || i == 0 && role != "user" {
			return fmt.Sprintf("message %d is by %q behind %q", i, role, last)
		}
		last = role
		if len(content) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		var mine []string
		kinds := ""
		for j, b := range content {
			kind := b.Get("type").String()
			kinds += kind + " "
			switch kind {
			case "text":
				if strings.TrimSpace(b.Get("text").String()) == "" && at.model != "claude-fable-5-1" {
					return fmt.Sprintf("message %d has an empty text", i)
				}
				if len(mine) > 0 {
					return fmt.Sprintf("message %d has words behind a call", i)
				}
			case "thinking":
				sig := b.Get("signature").String()
				if role != "assistant" || strings.HasPrefix(at.model, "claude") && (sig == "" || s.signed[sig] != b.Get("thinking").String()) {
					return fmt.Sprintf("message %d: thinking that nobody signed: %s", i, b.Raw)
				}
				if len(mine) > 0 {
					return fmt.Sprintf("message %d thinks behind a call", i)
				}
			case "redacted_thinking":
			case "tool_use":
				id := b.Get("id").String()
				if role != "assistant" || ids[id] || !goodID.MatchString(id) || !b.Get("input").IsObject() {
					return fmt.Sprintf("message %d: a bad call %s", i, b.Raw)
				}
				ids[id] = true
				mine = append(mine, id)
			case "tool_result":
				id := b.Get("tool_use_id").String()
				k := indexOf(open, id)
				if k < 0 || strings.ReplaceAll(kinds, "tool_result ", "") != "" {
					return fmt.Sprintf("message %d: a result out of place, %d: %s", i, j, kinds)
				}
				open = append(open[:k:k], open[k+1:]...)
				for _, c := range b.Get("content").Array() {
					if c.Get("type").String() == "text" && strings.TrimSpace(c.Get("text").String()) == "" {
						return fmt.Sprintf("message %d: an empty result", i)
					}
				}
			case "image":
				if role != "user" {
					return fmt.Sprintf("message %d: a picture by %s", i, role)
				}
			default:
				return fmt.Sprintf("message %d: a block of type %q", i, kind)
			}
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d leaves calls without results: %v", i, open)
		}
		open = mine
	}
	if len(open) > 0 || last != "user" {
		return fmt.Sprintf("it ends with %s, and with calls %v", last, open)
	}
	return ""
}

// chatBroken is the same for the chat completions wire.
func (s *playedServers) chatBroken(body []byte, at answerer) string {
	if !json.Valid(body) || !utf8.Valid(body) {
		return "no JSON"
	}
	if why := foreign(body, at.model); why != "" {
		return why
	}
	if at.blind && bytes.Contains(body, []byte(`"image_url"`)) {
		return "a picture for a model that cannot see"
	}
	ids, last := map[string]bool{}, ""
	var open []string
	for i, m := range gjson.GetBytes(body, "messages").Array() {
		role, content, calls := m.Get("role").String(), m.Get("content"), m.Get("tool_calls").Array()
		if role != "tool" && len(open) > 0 {
			return fmt.Sprintf("message %d leaves calls without results: %v", i, open)
		}
		words := content.String()
		if content.IsArray() {
			words = ""
			for _, p := range content.Array() {
				text := p.Get("text").String()
				if role != "assistant" || strings.Contains(at.model, "claude") { // another's own blanks go back as they came
					text = strings.TrimSpace(text)
				}
				if p.Get("type").String() == "text" && text == "" {
					return fmt.Sprintf("message %d has an empty part", i)
				}
				if p.Get("type").String() == "image_url" && role != "user" && !(role == "tool" && at.name == "openrouter") {
					return fmt.Sprintf("message %d: a picture by %s", i, role)
				}
				words += p.Raw
			}
		}
		switch role {
		case "system", "developer":
			if i > 0 {
				return fmt.Sprintf("message %d is by %s", i, role)
			}
		case "user":
			if last == "user" || strings.TrimSpace(words) == "" {
				return fmt.Sprintf("message %d is by user behind %s: %q", i, last, words)
			}
		case "assistant":
			if last == "assistant" || i == 0 {
				return fmt.Sprintf("message %d is by assistant behind %s", i, last)
			}
			if !content.Exists() || strings.TrimSpace(words) == "" && len(calls) == 0 {
				return fmt.Sprintf("message %d says nothing", i)
			}
			for _, c := range calls {
				id, args := c.Get("id").String(), c.Get("function.arguments")
				if id == "" || len(id) > 40 || ids[id] && at.name != "moonshot" || args.Type != gjson.String || !gjson.Valid(args.String()) || !gjson.Parse(args.String()).IsObject() {
					return fmt.Sprintf("message %d: a bad call %s", i, c.Raw)
				}
				if at.name == "mistral" && !regexp.MustCompile(`^[a-zA-Z0-9]{9}$`).MatchString(id) {
					return fmt.Sprintf("message %d: a call ID that Mistral refuses: %s", i, id)
				}
				ids[id] = true
				open = append(open, id)
			}
			reasoning := m.Get("reasoning_content").Exists() || m.Get("reasoning").Exists() || m.Get("reasoning_details").Exists()
			if reasoning && (at.name == "openai" || at.name == "mistral" || at.name == "gemini") {
				return fmt.Sprintf("message %d has reasoning, which %s refuses", i, at.name)
			}
			if !reasoning && len(calls) > 0 && (at.name == "moonshot" || at.name == "deepseek") {
				return fmt.Sprintf("message %d lacks the reasoning that %s insists on", i, at.name)
			}
			if at.name == "gemini" && len(calls) > 0 && calls[0].Get("extra_content.google.thought_signature").String() == "" {
				return fmt.Sprintf("message %d: a call without a signature", i)
			}
		case "tool":
			k := indexOf(open, m.Get("tool_call_id").String())
			if k < 0 || strings.TrimSpace(words) == "" {
				return fmt.Sprintf("message %d: a result out of place: %s", i, m.Raw)
			}
			open = append(open[:k:k], open[k+1:]...)
		default:
			return fmt.Sprintf("message %d is by %q", i, role)
		}
		last = role
	}
	if len(open) > 0 || last == "assistant" {
		return fmt.Sprintf("it ends with %s, and with calls %v", last, open)
	}
	return ""
}

func indexOf(list []string, s string) int {
	for i, x := range list {
		if x == s {
			return i
		}
	}
	return -1
}

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// A conversation stays one that every server takes, whichever model answers next:
// between runs and amid them, after calls side by side, signed thinking, pictures,
// answers that were cut off and runs that were interrupted.
func TestSwitchingModels(t *testing.T) {
	t.Parallel()
	seeds := uint64(150)
	if testing.Short() {
		seeds = 20
	}
	met, interrupted, amid := map[string]int{}, 0, 0
	for seed := range seeds {
		s := &playedServers{r: rand.New(rand.NewPCG(seed, 7)), signed: map[string]string{}}
		client := &http.Client{Transport: s}
		of := func(a answerer) (provider.Provider, provider.Model, provider.Effort) {
			m := provider.Model{Provider: a.name, ID: a.model, Reasoning: true, Images: !a.blind, Blind: a.blind, Window: 200_000}
			if a.wire == "anthropic" {
				return anthropic.New(anthropic.Options{BaseURL: a.base, Key: "k", Client: client}), m, a.effort
			}
			return openai.New(openai.Options{Name: a.name, BaseURL: a.base, Key: "k", Client: client}), m, a.effort
		}
		picture := &tools.Image{MIME: "image/png", Data: onePixel}
		registry, err := tools.NewRegistry(
			trivial("echo", tools.Result{Text: "said"}), trivial("picture", tools.Result{Text: "seen", Images: []tools.Image{*picture}}),
			trivial("fail", tools.Result{Text: "it broke", IsError: true}))
		if err != nil {
			t.Fatal(err)
		}
		a := agent.New(agent.Options{System: "You are tested.", MaxTurns: 6,
			Exec: &tools.Executor{Tools: registry, Guard: permission.New(permission.Options{Asker: permission.Refuse{}, Mode: permission.ModeYolo})}})
		next := func() answerer { return answerers[s.r.IntN(len(answerers))] }
		for range 6 {
			to := next()
			a.SetModel(of(to))
			ctx, cancel := context.WithCancel(t.Context())
			s.cut = cancel
			s.cutNext = false
			s.reply = func() {
				switch s.r.IntN(6) {
				case 0: // somebody chooses another model while this one answers
					to := next()
					amid++
					a.Soon(func() { a.SetModel(of(to)) })
				case 1:
					interrupted++
					s.cutNext = true
				}
			}
			p := agent.Prompt{Text: fmt.Sprint("prompt ", seed)}
			if s.r.IntN(3) == 0 {
				p.Images = []provider.Image{{MIME: "image/png", Data: onePixel}}
			}
			err := a.Run(ctx, p, func(e agent.Event) {
				if end, ok := e.(agent.TurnEnd); ok {
					met[string(end.Stop)]++
				}
			})
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) && !agent.Limited(err) && !errors.Is(err, agent.ErrEmpty) {
				t.Errorf("seed %d, %s: %v", seed, to.model, err)
			}
			if len(s.broken) > 0 {
				t.Fatalf("seed %d: %s", seed, s.broken[0])
			}
		}
	}
	if interrupted < 20 || amid < 20 || met["tool_use"] < 50 || met["max_tokens"] < 10 {
		t.Errorf("too little was tried: %d interruptions, %d switches amid a run, ends %v", interrupted, amid, met)
	}
}

// trivial is a tool that always returns the same.
func trivial(name string, r tools.Result) tools.Tool {
	type in struct {
		Text string `json:"text,omitempty"`
	}
	return tools.Func(name, "Does "+name+".", func(context.Context, tools.Call, in) (*tools.Invocation, error) {
		return &tools.Invocation{Effect: tools.Effect{Kind: tools.Internal, Title: name},
			Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) { return r, nil }}, nil
	})
}

// What is not known of a model is said in words: a question mark tells nobody what is asked.
func TestUnknownFiguresAreSaid(t *testing.T) {
	for want, m := range map[string]provider.Model{
		"window unknown · price unknown": {ID: "x"},
		"128k · price unknown":           {ID: "x", Window: 128_000},
		"8k · free":                      {ID: "x", Window: 8000, Price: provider.Price{Known: true}},
	} {
		if got := choice(m).Note; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
