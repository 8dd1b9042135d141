package anthropic

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"forge/provider"
)

// longStream is a reply of n small text deltas, as a fast model sends them.
func longStream(n int) []byte {
	var b bytes.Buffer
	event := func(name, data string) { fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data) }
	event("message_start", begin)
	event("content_block_start", start(0, `{"type":"text","text":""}`))
	for i := range n {
		event("content_block_delta", delta(0, "text_delta", "text", []string{" word", "\n", "a \"quoted\" one", " é"}[i%4])+"       ")
	}
	event("content_block_stop", stop(0))
	event("message_delta", ended)
	event("message_stop", over)
	return b.Bytes()
}

const benchEvents = 200_000

// BenchmarkDecode is this package, BenchmarkStandard the decoder of the standard
// library's parts that everybody writes first: bufio.Scanner and encoding/json
// into structs. The first must cost at most 0.4 of the second:
//
//	go test -bench 'Decode|Standard' -benchmem ./provider/anthropic
func BenchmarkDecode(b *testing.B) {
	body := longStream(benchEvents)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for ev, err := range Decode(bytes.NewReader(body), "anthropic/m") {
			if err != nil {
				b.Fatal(err)
			}
			if t, ok := ev.(provider.TextDelta); ok {
				n += len(t.Text)
			}
		}
		if n == 0 {
			b.Fatal("no text")
		}
	}
}

func BenchmarkStandard(b *testing.B) {
	body := longStream(benchEvents)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		sc := bufio.NewScanner(bytes.NewReader(body))
		for sc.Scan() {
			data, ok := bytes.CutPrefix(sc.Bytes(), []byte("data:"))
			if !ok {
				continue
			}
			var ev struct {
				Type         string
				Index        int
				Delta        struct{ Type, Text, Thinking, PartialJSON, Signature, StopReason string }
				ContentBlock struct{ Type, ID, Name, Text string } `json:"content_block"`
			}
			if err := json.Unmarshal(data, &ev); err != nil {
				b.Fatal(err)
			}
			n += len(ev.Delta.Text)
		}
		if n == 0 {
			b.Fatal("no text")
		}
	}
}

// The memory of a decoder does not grow with the stream.
func TestMemoryIsFlat(t *testing.T) {
	body := longStream(benchEvents)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, worst := 0, uint64(0)
	for _, err := range Decode(bytes.NewReader(body), "anthropic/m") {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%50_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			worst = max(worst, after.HeapAlloc)
		}
	}
	if n < benchEvents {
		t.Fatalf("%d events", n)
	}
	if worst > before.HeapAlloc+4<<20 {
		t.Errorf("heap grew by %d KB over %d events", (worst-before.HeapAlloc)>>10, n)
	}
}

// A line of 16 MB is an event like any other.
func TestHugeLine(t *testing.T) {
	big := strings.Repeat("x", 16<<20)
	m, err := provider.Collect(Decode(strings.NewReader(stream(begin, start(0, `{"type":"web_search_tool_result","content":"`+big+`"}`), stop(0), ended, over)), ""), nil)
	if err != nil || len(m.Blocks) != 1 || len(m.Blocks[0].(provider.Opaque).JSON) < 16<<20 {
		t.Errorf("%d blocks, %v", len(m.Blocks), err)
	}
}

// What the quick way takes it reads as the slow one does: the same stream with its
// keys in another order, which only the slow one knows, gives the same events.
func TestQuickIsTheSame(t *testing.T) {
	for _, words := range []string{"plain", "é😀", "", "a \"b\"", "tab\t", "}", "  }}", "\u00e9"} {
		for _, c := range []struct{ block, typ, key string }{
			{`{"type":"text"}`, "text_delta", "text"}, {`{"type":"thinking"}`, "thinking_delta", "thinking"},
			{`{"type":"tool_use","id":"a","name":"n"}`, "input_json_delta", "partial_json"}, {`{"type":"new"}`, "text_delta", "text"},
			{`{"type":"text"}`, "thinking_delta", "thinking"},
		} {
			quick := delta(0, c.typ, c.key, words)
			slow := fmt.Sprintf(`{"delta":{%q:%s,"type":%q},"index":0,"type":"content_block_delta"}`, c.key, quote(words), c.typ)
			var got [2]string
			for i, line := range []string{quick, slow} {
				got[i] = sketch(stream(begin, start(0, c.block), line, line[:len(line)-1]+"   }", ended, over))
			}
			if got[0] != got[1] {
				t.Errorf("%s %q:\n%s\n%s", c.typ, words, got[0], got[1])
			}
		}
	}
	d := &decoder{yield: func(provider.Event, error) bool { return true }, blocks: []*block{{kind: text, index: -1}}}
	for line, want := range map[string]bool{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`:         true,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}    }`:     true,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}`:          false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}}`:        false,
		`{"type":"content_block_delta","index":00,"delta":{"type":"text_delta","text":"a"}}`:        false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","x":"b"}}`: false,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}`:         false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n"}}`:       true,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a`:            false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\u00e9"}}`:    false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\x"}}`:        false,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\`:           false,
	} {
		if got := d.quick([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}
