package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"forge/provider"
)

// streams returns the recorded streams by name.
func streams(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/streams/*.sse")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d streams, %v", len(paths), err)
	}
	return paths
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// normal decodes r and returns what it adds up to as a generic value.
func normal(t testing.TB, r io.Reader) map[string]any {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(provider.Normalise(Decode(r, "anthropic/m")).JSON(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// sameReply compares a normalised reply with an expected file. Arguments that
// came in pieces are compared as bytes; where the file's own spacing differs
// (input that came whole was written anew) as values.
func sameReply(t *testing.T, got map[string]any, want []byte) {
	t.Helper()
	var w map[string]any
	if err := json.Unmarshal(want, &w); err != nil {
		t.Fatal(err)
	}
	for key, wv := range w {
		if strings.HasPrefix(key, "_") || key == "note" {
			continue
		}
		gv := got[key]
		if key == "tool_calls" || key == "server_tools" {
			respace(gv, wv)
		}
		if !reflect.DeepEqual(gv, wv) {
			g, _ := json.Marshal(gv)
			x, _ := json.Marshal(wv)
			t.Errorf("%s:\n got %s\nwant %s", key, g, x)
		}
	}
	for key, v := range got {
		if _, ok := w[key]; !ok {
			t.Errorf("%s: got %v, want none", key, v)
		}
	}
}

// respace makes equal JSON in arguments equal text.
func respace(got, want any) {
	g, _ := got.([]any)
	w, _ := want.([]any)
	for i := range min(len(g), len(w)) {
		gm, wm := g[i].(map[string]any), w[i].(map[string]any)
		for _, key := range []string{"arguments", "input"} {
			var a, b any
			gs, _ := gm[key].(string)
			ws, _ := wm[key].(string)
			if json.Unmarshal([]byte(gs), &a) == nil && json.Unmarshal([]byte(ws), &b) == nil && reflect.DeepEqual(a, b) {
				gm[key] = wm[key]
			}
		}
	}
}

func TestRecordedStreams(t *testing.T) {
	for _, path := range streams(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".sse"), func(t *testing.T) {
			body := read(t, path)
			want := read(t, strings.TrimSuffix(path, ".sse")+".json")
			sameReply(t, normal(t, bytes.NewReader(body)), want)
			if len(body) < 30_000 {
				sameReply(t, normal(t, iotest.OneByteReader(bytes.NewReader(body))), want)
			}
		})
	}
}

// events collects what Decode yields; call ids, which are new each time, become
// their wire ids.
func events(r io.Reader) ([]provider.Event, error) {
	return drain(Decode(r, "anthropic/m"))
}

func drain(s iter.Seq2[provider.Event, error]) ([]provider.Event, error) {
	var evs []provider.Event
	for ev, err := range s {
		if err != nil {
			return evs, err
		}
		if u, ok := ev.(provider.ToolUseStart); ok {
			u.ID = u.WireID
			ev = u
		}
		evs = append(evs, ev)
	}
	return evs, nil
}

// A stream cut at any byte into two reads says the same.
func TestSplitAtEveryByte(t *testing.T) {
	for _, name := range []string{"anthropic-haiku45-thinking-tool-noargs", "minimax-anthropic-endpoint", "anthropic-unknown-types"} {
		body := read(t, "testdata/streams/"+name+".sse")
		want, err := events(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := range body {
			got, err := events(io.MultiReader(bytes.NewReader(body[:i]), bytes.NewReader(body[i:])))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%s cut at %d: %v, %v", name, i, got, err)
			}
		}
	}
}

// A stream that ends at any byte before its stop reason is a failure, never a
// short answer.
func TestCutStreamFails(t *testing.T) {
	body := read(t, "testdata/streams/anthropic-sonnet4-thinking-tool.sse")
	stop := bytes.Index(body, []byte(`"stop_reason":"tool_use"`))
	if stop < 0 {
		t.Fatal("no stop reason in the recording")
	}
	for i := range stop {
		_, err := events(bytes.NewReader(body[:i]))
		var e *provider.Error
		if !errors.As(err, &e) || !e.Temporary() && e.Code != "not_events" {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	if _, err := events(bytes.NewReader(bytes.TrimRight(body[:bytes.LastIndex(body, []byte("event: message_stop"))], "\n"))); err != nil {
		t.Errorf("all said, only message_stop missing: %v", err)
	}
}
