package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"forge/provider"
)

// expected is a recording's outcome without what describes the recording.
func expected(t testing.TB, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"_meta", "note", "network_chunk_sizes"} {
		delete(want, k)
	}
	return want
}

func normal(t testing.TB, src io.Reader) map[string]any {
	t.Helper()
	n := provider.Normalise(Decode(src, DecodeOptions{NewID: counter()}))
	var got map[string]any
	if err := json.Unmarshal(n.JSON(), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func counter() func() string {
	n := 0
	return func() string { n++; return "id" + strconv.Itoa(n) }
}

func recordings(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"wire", "synthetic"} {
		found, err := filepath.Glob(filepath.Join("testdata", dir, "*.sse"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 100 {
		t.Fatalf("only %d recordings", len(files))
	}
	return files
}

func differs(got, want map[string]any) string {
	var out []string
	for k, v := range want {
		if !reflect.DeepEqual(got[k], v) {
			g, _ := json.Marshal(got[k])
			w, _ := json.Marshal(v)
			out = append(out, k+": got "+string(g)+"\nwant "+string(w))
		}
	}
	for k, v := range got {
		if _, ok := want[k]; !ok {
			g, _ := json.Marshal(v)
			out = append(out, k+": unexpected "+string(g))
		}
	}
	return strings.Join(out, "\n")
}

func TestRecordings(t *testing.T) {
	for _, file := range recordings(t) {
		base := strings.TrimSuffix(file, ".sse")
		t.Run(filepath.Base(base), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := expected(t, base+".json")
			if d := differs(normal(t, bytes.NewReader(body)), want); d != "" {
				t.Fatal(d)
			}
			if d := differs(normal(t, iotest.OneByteReader(bytes.NewReader(body))), want); d != "" {
				t.Fatalf("byte by byte: %s", d)
			}
			// Every boundary of a short recording, a spread of a long one.
			step := max(1, len(body)/40)
			if len(body) < 1200 {
				step = 1
			}
			for i := 1; i < len(body); i += step {
				src := io.MultiReader(bytes.NewReader(body[:i]), bytes.NewReader(body[i:]))
				if d := differs(normal(t, src), want); d != "" {
					t.Fatalf("cut at %d: %s", i, d)
				}
			}
			sizes(t, base+".json", body, want)
		})
	}
}

// sizes feeds a recording in the pieces the network gave it, where they are known.
func sizes(t *testing.T, file string, body []byte, want map[string]any) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var meta struct {
		Sizes []int `json:"network_chunk_sizes"`
	}
	if err := json.Unmarshal(text, &meta); err != nil {
		t.Fatal(err)
	}
	if len(meta.Sizes) == 0 {
		return
	}
	var parts []io.Reader
	rest := body
	for _, n := range meta.Sizes {
		n = min(n, len(rest))
		parts = append(parts, bytes.NewReader(rest[:n]))
		rest = rest[n:]
	}
	parts = append(parts, bytes.NewReader(rest))
	if d := differs(normal(t, io.MultiReader(parts...)), want); d != "" {
		t.Fatalf("in its own pieces: %s", d)
	}
}
