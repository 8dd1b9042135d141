package provider

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestMessageRoundTrip: any message comes back as it was, byte for byte, through
// one line of JSON, whatever encoder stands around it.
func TestMessageRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		m := randomMessage(r)
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.ContainsAny(data, "\n\r") {
			t.Fatalf("more than one line: %q", data)
		}
		var back Message
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatalf("%d: %v\n%s", i, err, data)
		}
		if !reflect.DeepEqual(m, back) {
			t.Fatalf("%d:\n%#v\n%#v\n%s", i, m, back, data)
		}
	}
}

func randomMessage(r *rand.Rand) Message {
	m := Message{Role: []Role{System, User, Assistant}[r.IntN(3)], Origin: randomString(r), Stop: []StopReason{StopNone, StopEnd, StopAborted}[r.IntN(3)]}
	if r.IntN(2) == 0 {
		m.Usage = Usage{Input: r.IntN(9), Output: r.IntN(9), CacheRead: 1, Cost: r.Float64(), Reported: true}
	}
	m.Blocks = randomBlocks(r, 5, true)
	return m
}

func randomBlocks(r *rand.Rand, n int, nest bool) []Block {
	var out []Block
	for range r.IntN(n) {
		switch k := r.IntN(7); {
		case k == 0:
			out = append(out, Text{randomString(r)})
		case k == 1:
			out = append(out, Thinking{randomString(r), randomString(r), randomString(r), randomString(r)})
		case k == 2:
			out = append(out, ToolUse{randomString(r), randomString(r), randomString(r), randomString(r), randomString(r)})
		case k == 3 && nest:
			out = append(out, ToolResult{ID: randomString(r), Content: randomBlocks(r, 3, false), IsError: r.IntN(2) == 0})
		case k == 4:
			out = append(out, Image{randomString(r), randomString(r)})
		case k == 5:
			out = append(out, Opaque{randomString(r), randomString(r)})
		case k == 6:
			out = append(out, Opaque{unknownOrigin, `{"type":"hologram","depth":[1,2.50,"ü"]}`})
		}
	}
	return out
}

func randomString(r *rand.Rand) string {
	pieces := []string{"", "a", "<b>&", "\"\\", "\n\r\t\x00\x7f", "漢字", "\xff\xfe", "\xe2\x82", "\u2028", "😀", "\ufffd", `{"path":"x", "n":1.0}`}
	var s strings.Builder
	for range r.IntN(4) {
		s.WriteString(pieces[r.IntN(len(pieces))])
	}
	return s.String()
}

// TestMessageStoredForm pins the form on disk: old session files must stay readable.
func TestMessageStoredForm(t *testing.T) {
	m := Message{Role: Assistant, Origin: "openai/gpt", Stop: StopToolUse, Usage: Usage{Input: 3, Output: 2, Reported: true}, Blocks: []Block{
		Thinking{Text: "hm", Signature: "s=", Field: "reasoning_content"}, Text{"<ok>"},
		ToolUse{ID: "c1", WireID: "call_1", Name: "grep", Input: `{"pattern": "a" }`},
		Opaque{Origin: "anthropic/x", JSON: `{"type":"y" }`},
	}}
	data, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"role":"assistant","origin":"openai/gpt","stop":"tool_use","usage":{"input":3,"output":2,"reported":true},"blocks":[` +
		`{"type":"thinking","text":"hm","signature":"s=","field":"reasoning_content"},{"type":"text","text":"<ok>"},` +
		`{"type":"tool_use","id":"c1","wire_id":"call_1","name":"grep","input":"{\"pattern\": \"a\" }"},` +
		`{"type":"opaque","origin":"anthropic/x","json":"{\"type\":\"y\" }"}]}`
	if string(data) != want {
		t.Errorf("got  %s\nwant %s", data, want)
	}
	empty, _ := UserText("").MarshalJSON()
	if string(empty) != `{"role":"user","blocks":[{"type":"text"}]}` {
		t.Errorf("%s", empty)
	}
}

func TestMessageUnknownBlock(t *testing.T) {
	in := `{"role":"user","blocks":[{"type":"hologram","z":1,"a":{"b":[true]}},{"type":"tool_result","id":"x","content":[{"type":"smell","of":"tar"}]}],"later":1}`
	var m Message
	if err := json.Unmarshal([]byte(in), &m); err != nil {
		t.Fatal(err)
	}
	out, _ := m.MarshalJSON()
	if want := strings.Replace(in, `,"later":1`, "", 1); string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
	for _, bad := range []string{`{}`, `{"role":"robot","blocks":[]}`, `{"role":"user","blocks":[1]}`, `[]`, `{"role":"user","blocks":[{"type":"text","text":5}]}`} {
		if err := json.Unmarshal([]byte(bad), &m); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
