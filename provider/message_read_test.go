package provider

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// plainRead reads the stored form the long way, by encoding/json's own rules.
func plainRead(data []byte) (Message, error) {
	var s struct {
		Role   Role
		Origin exact
		Stop   StopReason
		Usage  *Usage
		Blocks []json.RawMessage
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return Message{}, err
	}
	if s.Role != System && s.Role != User && s.Role != Assistant {
		return Message{}, fmt.Errorf("role %q", s.Role)
	}
	m := Message{Role: s.Role, Origin: string(s.Origin), Stop: s.Stop}
	if s.Usage != nil {
		m.Usage = *s.Usage
	}
	var err error
	m.Blocks, err = plainBlocks(s.Blocks)
	return m, err
}

func plainBlocks(raws []json.RawMessage) (out []Block, err error) {
	for _, raw := range raws {
		var b struct {
			Type                                                                     string
			ID, Name, Text, Signature, Field, Input, Extra, MIME, Data, Origin, JSON exact
			WireID                                                                   exact `json:"wire_id"`
			IsError                                                                  bool  `json:"is_error"`
			Content                                                                  []json.RawMessage
		}
		var kind struct{ Type string }
		if err := json.Unmarshal(raw, &kind); err != nil {
			return nil, err
		}
		switch kind.Type {
		case "text", "thinking", "tool_use", "tool_result", "image", "opaque":
			if err := json.Unmarshal(raw, &b); err != nil {
				return nil, err
			}
		}
		switch kind.Type {
		case "text":
			out = append(out, Text{string(b.Text)})
		case "thinking":
			out = append(out, Thinking{string(b.Text), string(b.Signature), string(b.Field), string(b.Extra)})
		case "tool_use":
			out = append(out, ToolUse{ID: string(b.ID), WireID: string(b.WireID), Name: string(b.Name), Input: string(b.Input), Extra: string(b.Extra)})
		case "tool_result":
			r := ToolResult{ID: string(b.ID), IsError: b.IsError}
			if r.Content, err = plainBlocks(b.Content); err != nil {
				return nil, err
			}
			out = append(out, r)
		case "image":
			out = append(out, Image{MIME: string(b.MIME), Data: string(b.Data)})
		case "opaque":
			out = append(out, Opaque{Origin: string(b.Origin), JSON: string(b.JSON)})
		default:
			out = append(out, Opaque{Origin: unknownOrigin, JSON: string(raw)})
		}
	}
	return out, nil
}

// TestMessageReadAsPlainly: the walk over the bytes reads what encoding/json
// reads, and refuses what it refuses, also where a line was damaged.
func TestMessageReadAsPlainly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	read, refused := 0, 0
	for i := range 3000 {
		data, err := json.Marshal(randomMessage(r))
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 1: // another encoder's blanks and escapes
			data = []byte(strings.NewReplacer(`":`, `" : `, "漢", `\u6f22`, "😀", `\ud83d\ude00`, "<", `\u003c`).Replace(string(data)))
		case 2:
			at := r.IntN(len(data))
			data[at] = []byte(`"{}[]:,x1\`)[r.IntN(10)]
		}
		want, wantErr := plainRead(data)
		var got Message
		gotErr := json.Unmarshal(data, &got)
		if (gotErr == nil) != (wantErr == nil) {
			t.Fatalf("%d: error %v, want %v\n%s", i, gotErr, wantErr, data)
		}
		if gotErr != nil {
			refused++
			continue
		}
		read++
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d:\ngot  %#v\nwant %#v\n%s", i, got, want, data)
		}
	}
	if read < 1500 || refused < 100 {
		t.Errorf("%d read, %d refused: the test tests little", read, refused)
	}
}

// TestMessageUnmarshalDirect: bytes that no decoder has looked at are looked at.
func TestMessageUnmarshalDirect(t *testing.T) {
	for _, bad := range []string{"", "{", `{"role":"user","blocks":[`, `{"role":"user","blocks":[{"type":"text","text":"a]}`} {
		m := UserText("kept")
		if err := m.UnmarshalJSON([]byte(bad)); err == nil || m.PlainText() != "kept" {
			t.Errorf("%q: %v, %v", bad, err, m)
		}
	}
}

// BenchmarkMessageRead is what opening a session costs. One walk is to be at
// least three times as fast as nested unmarshalers.
func BenchmarkMessageRead(b *testing.B) {
	text := strings.Repeat("\tif err := run(ctx, \"x\"); err != nil {\n\t\treturn err\n\t}\n", 120)
	data, err := json.Marshal(Message{Role: User, Blocks: []Block{ToolResult{ID: "call_1", Content: []Block{Text{text}}}}})
	if err != nil {
		b.Fatal(err)
	}
	run := func(name string, read func([]byte) error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("walk", func(d []byte) error { var m Message; return m.UnmarshalJSON(d) })
	run("plain", func(d []byte) error { _, err := plainRead(d); return err })
}
