package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

type want struct{ Event, Data string }

// read returns the events of r in order, those of a field named error apart.
func read(t testing.TB, src io.Reader) (events, stray []want, err error) {
	t.Helper()
	r := NewReader(src)
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return events, stray, nil
		}
		if err != nil {
			return events, stray, err
		}
		w := want{ev.Name, string(ev.Data)}
		if ev.Stray {
			stray = append(stray, w)
		} else {
			events = append(events, w)
		}
	}
}

func same(a, b []want) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestFraming(t *testing.T) {
	files, err := filepath.Glob("testdata/*.sse")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		t.Run(name, func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(strings.TrimSuffix(file, ".sse") + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var expected struct{ Events []want }
			if err := json.Unmarshal(text, &expected); err != nil {
				t.Fatal(err)
			}
			check := func(how string, src io.Reader) {
				got, stray, err := read(t, src)
				if err != nil || !same(got, expected.Events) {
					t.Fatalf("%s: got %.300q, %v; want %.300q", how, got, err, expected.Events)
				}
				if n := len(stray); (n == 1) != (name == "error-field") || n > 1 {
					t.Fatalf("%s: %d events of a field named error", how, n)
				}
			}
			check("whole", bytes.NewReader(body))
			check("byte by byte", iotest.OneByteReader(bytes.NewReader(body)))
			check("end with the data", iotest.DataErrReader(bytes.NewReader(body)))
			step := max(1, len(body)/2000)
			for i := 0; i <= len(body); i += step {
				check("split", io.MultiReader(bytes.NewReader(body[:i]), bytes.NewReader(body[i:])))
			}
		})
	}
}

func TestStrayError(t *testing.T) {
	_, stray, err := read(t, strings.NewReader("data: 1\n\nerror: {\"error\":{\"message\":\"boom\"}}\n\n"))
	if err != nil || !same(stray, []want{{"error", `{"error":{"message":"boom"}}`}}) {
		t.Errorf("got %q, %v", stray, err)
	}
}

func TestPlain(t *testing.T) {
	for in, plain := range map[string]bool{
		"<!DOCTYPE html>\n<p>x</p>\n": true, "{\"a\":1}\n{\"a\":2}\n": true, "\xEF\xBB\xBF [1]": true,
		"data: 1\n\n": false, "\n\n: ka\n\ndata: 1\n\n": false, "": false, "\n\n": false,
	} {
		r := NewReader(iotest.OneByteReader(strings.NewReader(in)))
		if got := r.Plain(); got != plain {
			t.Errorf("%q: plain %v", in, got)
		}
		if !plain {
			continue
		}
		rest, err := r.Rest()
		if err != nil || string(rest) != strings.TrimPrefix(in, "\xEF\xBB\xBF") {
			t.Errorf("%q: rest %q, %v", in, rest, err)
		}
		if string(r.Head()) != in {
			t.Errorf("head %q", r.Head())
		}
	}
	// Looking costs nothing of the stream.
	r := NewReader(strings.NewReader("\n\ndata: 1\n\n"))
	r.Plain()
	if ev, err := r.Next(); err != nil || string(ev.Data) != "1" {
		t.Errorf("after Plain: %q, %v", ev.Data, err)
	}
}

func TestHeadIsBounded(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("x", 3*HeadLen)))
	if _, err := r.Next(); err != io.EOF {
		t.Fatal(err)
	}
	if len(r.Head()) != HeadLen {
		t.Errorf("head %d", len(r.Head()))
	}
}

func TestReadErrorCutsTheEvent(t *testing.T) {
	boom := errors.New("boom")
	src := io.MultiReader(strings.NewReader("data: 1\n\ndata: {\"half"), iotest.ErrReader(boom))
	got, _, err := read(t, src)
	if !errors.Is(err, boom) || !same(got, []want{{"message", "1"}}) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSilentReader(t *testing.T) {
	if _, err := NewReader(silent{}).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestSixteenMegabyteLine(t *testing.T) {
	big := strings.Repeat("x", 16<<20)
	r := NewReader(strings.NewReader("event: big\ndata: " + big + "\n\ndata: 2\n\n" + strings.Repeat("data: 3\n\n", 20000)))
	ev, err := r.Next()
	if err != nil || ev.Name != "big" || string(ev.Data) != big {
		t.Fatalf("got %d bytes, %v", len(ev.Data), err)
	}
	for {
		if _, err := r.Next(); err != nil {
			break
		}
	}
	if len(r.buf) > keepBuf {
		t.Errorf("the buffer stays at %d bytes", len(r.buf))
	}
}

func TestTooLong(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("data: "), repeat("x"))
	if _, err := NewReader(endless).Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("one line: %v", err)
	}
	if _, err := NewReader(repeat("data: " + strings.Repeat("x", 4000) + "\n")).Next(); !errors.Is(err, ErrTooLong) {
		t.Errorf("many lines: %v", err)
	}
}

// repeat reads as its text for ever.
type repeat string

func (s repeat) Read(p []byte) (int, error) {
	n := 0
	for n+len(s) <= len(p) {
		n += copy(p[n:], s)
	}
	if n == 0 {
		n = copy(p, s[:min(len(p), 1)]) // only the last bytes of a buffer; s[0] alone changes no line's end
	}
	return n, nil
}

func TestNoAllocationPerEvent(t *testing.T) {
	src := &cycle{text: []byte("event: content_block_delta\ndata: {\"a\":1}\n\n: ka\n\ndata: a\ndata: b\n\nevent: ping\ndata: {}\r\n\r\n")}
	r := NewReader(src)
	next := func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for range 5000 {
		next()
	}
	if n := testing.AllocsPerRun(5000, next); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// cycle reads its text over and over.
type cycle struct {
	text []byte
	at   int
}

func (c *cycle) Read(p []byte) (int, error) {
	n := copy(p, c.text[c.at:])
	c.at = (c.at + n) % len(c.text)
	return n, nil
}

// Memory stays flat over 200,000 events.
func TestFlatMemory(t *testing.T) {
	line := []byte("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n")
	r := NewReader(io.LimitReader(&cycle{text: line}, int64(len(line))*200_000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for {
		if _, err := r.Next(); err != nil {
			break
		}
		n++
	}
	runtime.ReadMemStats(&after)
	if n != 200_000 {
		t.Fatalf("%d events", n)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("allocated %d bytes", grown)
	}
}

// However a stream is cut, the events are the same, and nothing panics.
func FuzzReader(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.sse")
	for _, file := range files {
		if body, err := os.ReadFile(file); err == nil && len(body) < 4096 {
			f.Add(body, 3)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		whole, strayWhole, err := read(t, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		one, strayOne, err := read(t, iotest.OneByteReader(bytes.NewReader(body)))
		if err != nil || !same(whole, one) || !same(strayWhole, strayOne) {
			t.Fatalf("byte by byte %q, whole %q, %v", one, whole, err)
		}
		if at >= 0 && at <= len(body) {
			cut, _, err := read(t, io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:])))
			if err != nil || !same(whole, cut) {
				t.Fatalf("cut at %d %q, whole %q, %v", at, cut, whole, err)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	line := []byte("data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n")
	r := NewReader(&cycle{text: line})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
