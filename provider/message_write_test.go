package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// plainMessage and plainBlock say the stored form in encoding/json's own terms.
type plainMessage struct {
	Role   Role         `json:"role"`
	Origin plainExact   `json:"origin,omitempty"`
	Stop   StopReason   `json:"stop,omitempty"`
	Usage  *Usage       `json:"usage,omitempty"`
	Blocks []plainBlock `json:"blocks"`
}

type plainBlock struct {
	Type      string       `json:"type"`
	ID        plainExact   `json:"id,omitempty"`
	WireID    plainExact   `json:"wire_id,omitempty"`
	Name      plainExact   `json:"name,omitempty"`
	Text      plainExact   `json:"text,omitempty"`
	Signature plainExact   `json:"signature,omitempty"`
	Field     plainExact   `json:"field,omitempty"`
	Input     plainExact   `json:"input,omitempty"`
	Extra     plainExact   `json:"extra,omitempty"`
	Content   []plainBlock `json:"content,omitempty"`
	IsError   bool         `json:"is_error,omitempty"`
	MIME      plainExact   `json:"mime,omitempty"`
	Data      plainExact   `json:"data,omitempty"`
	Origin    plainExact   `json:"origin,omitempty"`
	JSON      plainExact   `json:"json,omitempty"`

	raw json.RawMessage
}

func (b plainBlock) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type bare plainBlock
	return plainJSON(bare(b))
}

type plainExact string

func (s plainExact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return plainJSON(string(s))
	}
	return json.Marshal(map[string][]byte{"b64": []byte(s)})
}

// plainWrite writes the stored form the long way.
func plainWrite(m Message) ([]byte, error) {
	out := plainMessage{Role: m.Role, Origin: plainExact(m.Origin), Stop: m.Stop, Blocks: plainlyBlocks(m.Blocks)}
	if out.Blocks == nil {
		out.Blocks = []plainBlock{}
	}
	if m.Usage != (Usage{}) {
		out.Usage = &m.Usage
	}
	return plainJSON(out)
}

func plainlyBlocks(bs []Block) (out []plainBlock) {
	x := func(s string) plainExact { return plainExact(s) }
	for _, b := range bs {
		var p plainBlock
		switch b := b.(type) {
		case Text:
			p = plainBlock{Type: "text", Text: x(b.Text)}
		case Thinking:
			p = plainBlock{Type: "thinking", Text: x(b.Text), Signature: x(b.Signature), Field: x(b.Field), Extra: x(b.Extra)}
		case ToolUse:
			p = plainBlock{Type: "tool_use", ID: x(b.ID), WireID: x(b.WireID), Name: x(b.Name), Input: x(b.Input), Extra: x(b.Extra)}
		case ToolResult:
			p = plainBlock{Type: "tool_result", ID: x(b.ID), Content: plainlyBlocks(b.Content), IsError: b.IsError}
		case Image:
			p = plainBlock{Type: "image", MIME: x(b.MIME), Data: x(b.Data)}
		case Opaque:
			if p = (plainBlock{Type: "opaque", Origin: x(b.Origin), JSON: x(b.JSON)}); b.Origin == unknownOrigin && strings.HasPrefix(b.JSON, "{") && json.Valid([]byte(b.JSON)) {
				p = plainBlock{raw: json.RawMessage(b.JSON)}
			}
		}
		out = append(out, p)
	}
	return out
}

// TestMessageWrittenAsPlainly: the walk writes, byte for byte, what encoding/json
// writes, alone and inside something else, whatever that one does about HTML.
func TestMessageWrittenAsPlainly(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i := range 4000 {
		m := randomMessage(r)
		if i%5 == 0 {
			m.Role, m.Stop = Role(randomString(r)), StopReason(randomString(r))
			m.Usage.Cost = []float64{1e-7, 1e21, 0.1, -3, 12345.678}[i/5%5]
			m.Blocks = append(m.Blocks, Opaque{unknownOrigin, "{\"type\": \"new\",\n\t\"a\" : [ \"<\u2028\", 1.50e1 ] }"}, Opaque{unknownOrigin, `{"cut":`})
		}
		want, err := plainWrite(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.AppendJSON([]byte("before"))
		if err != nil || string(got) != "before"+string(want) {
			t.Fatalf("%d: %v\ngot  %s\nwant %s", i, err, got, want)
		}
		got, err = json.Marshal([]Message{m})
		if err != nil {
			t.Fatal(err)
		}
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, want)
		if string(got) != "["+escaped.String()+"]" {
			t.Fatalf("%d:\ngot  %s\nwant %s", i, got, escaped.Bytes())
		}
	}
	var all strings.Builder
	for c := rune(0); c < 0x3000; c++ {
		fmt.Fprintf(&all, "%c", c)
	}
	for i := range 256 {
		all.WriteByte(byte(i))
	}
	want, err := plainJSON(all.String())
	if got := appendJSONString(nil, all.String()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\ngot  %q\nwant %q", err, got, want)
	}
}

// TestMessageWithoutAForm: what has no stored form fails.
func TestMessageWithoutAForm(t *testing.T) {
	inf := 1e308
	for _, m := range []Message{
		{Role: User, Usage: Usage{Cost: inf * 10}},
		{Role: User, Blocks: []Block{nil}},
		{Role: User, Blocks: []Block{ToolResult{Content: []Block{nil}}}},
	} {
		if got, err := m.AppendJSON(nil); err == nil {
			t.Errorf("%v: %s", m, got)
		}
	}
}

// BenchmarkMessageWrite is what saving a message of 4 KB costs beside the disk. One
// walk is to be at least five times as fast as nested marshalers.
func BenchmarkMessageWrite(b *testing.B) {
	m := UserText(strings.Repeat("\tif err := run(ctx, \"x\"); err != nil {\n\t\treturn err\n\t}\n", 75))
	run := func(name string, write func() ([]byte, error)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out, err := write()
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(out)))
			}
		})
	}
	run("walk", func() ([]byte, error) { return m.AppendJSON(nil) })
	run("nested", func() ([]byte, error) { return plainWrite(m) })
}
