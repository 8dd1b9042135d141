package openai

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"forge/provider"
)

// The yardstick: what a plain client does, a line reader and encoding/json into
// structs, without any of the quirks.
type plainChunk struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	Model   string `json:"model"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Role      string  `json:"role"`
			Content   *string `json:"content"`
			Reasoning *string `json:"reasoning_content"`
			ToolCalls []struct {
				Index    int    `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
}

func plainDecode(r io.Reader, each func(string)) error {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			data = bytes.TrimSpace(data)
			if string(data) == "[DONE]" {
				return nil
			}
			var c plainChunk
			if err := json.Unmarshal(data, &c); err != nil {
				return err
			}
			for _, ch := range c.Choices {
				if ch.Delta.Content != nil {
					each(*ch.Delta.Content)
				}
			}
		}
		if err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
	}
}

// stream reads as n chunks of a usual size, then a finish; nothing of it is kept.
type stream struct {
	n, sent int
	rest    []byte
}

const chunkHead = `data: {"id":"chatcmpl-8ElDxJj6u7IUDEwQIrwFbveM","object":"chat.completion.chunk","created":1787150315,"model":"deepseek-v4-flash","system_fingerprint":"fp_c82faf3ca0","choices":[{"index":0,"delta":{"content":"`

func (s *stream) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		switch {
		case s.sent < s.n:
			s.rest = append(s.rest, chunkHead...)
			s.rest = append(s.rest, " word"...)
			s.rest = strconv.AppendInt(s.rest, int64(s.sent%100), 10)
			s.rest = append(s.rest, `"},"logprobs":null,"finish_reason":null}]}`+"\n\n"...)
		case s.sent == s.n:
			s.rest = append(s.rest, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`+"\n\ndata: [DONE]\n\n"...)
		default:
			return 0, io.EOF
		}
		s.sent++
	}
	n := copy(p, s.rest)
	s.rest = s.rest[:copy(s.rest, s.rest[n:])]
	return n, nil
}

func chunks(n int) []byte {
	body, _ := io.ReadAll(&stream{n: n})
	return body
}

const benchEvents = 200_000

func BenchmarkDecode200k(b *testing.B) {
	body := chunks(benchEvents)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for ev, err := range Decode(bytes.NewReader(body), DecodeOptions{}) {
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

func BenchmarkPlainJSON200k(b *testing.B) {
	body := chunks(benchEvents)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		if err := plainDecode(bytes.NewReader(body), func(s string) { n += len(s) }); err != nil || n == 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode16MBLine(b *testing.B) {
	body := []byte(chunkHead + strings.Repeat("lorem ipsum ", 16<<20/12) + `"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		n := 0
		for ev, err := range Decode(bytes.NewReader(body), DecodeOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
			if t, ok := ev.(provider.TextDelta); ok {
				n += len(t.Text)
			}
		}
		if n < 16<<20-12 {
			b.Fatal(n)
		}
	}
}

// What is live does not grow with the stream.
func TestFlatMemory(t *testing.T) {
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var early, late uint64
	n := 0
	for _, err := range Decode(&stream{n: benchEvents}, DecodeOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		switch n {
		case 20_000:
			early = live()
		case benchEvents:
			late = live()
		}
	}
	if n < benchEvents {
		t.Fatalf("%d events", n)
	}
	if late > early+1<<20 {
		t.Errorf("live memory went from %d to %d bytes", early, late)
	}
}

// mixed is the worse case: no two frames alike around the text, escapes in half
// of them, every tenth a piece of arguments.
func mixed(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		delta := `{"content":" word` + strconv.Itoa(i%100) + `"}`
		switch {
		case i%10 == 9:
			delta = `{"tool_calls":[{"index":0,"id":"","function":{"arguments":" word"}}]}`
		case i%2 == 1:
			delta = `{"content":"a \"word\"\n\tb\u00e9"}`
		}
		b.WriteString(`data: {"id":"chatcmpl-8ElDxJj6u7IUDEwQIrwFbveM","object":"chat.completion.chunk","created":1787150315,"model":"gpt-5","service_tier":"default","system_fingerprint":null,"choices":[{"index":0,"delta":` +
			delta + `,"finish_reason":null}],"usage":null,"obfuscation":"` + strings.Repeat("x", i%17) + strconv.Itoa(i) + `"}` + "\n\n")
	}
	b.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	return b.Bytes()
}

func BenchmarkDecodeMixed(b *testing.B) {
	body := mixed(20_000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Decode(bytes.NewReader(body), DecodeOptions{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkPlainJSONMixed(b *testing.B) {
	body := mixed(20_000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := plainDecode(bytes.NewReader(body), func(string) {}); err != nil {
			b.Fatal(err)
		}
	}
}
