package anthropic

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"forge/provider"
)

// FuzzDecode: whatever a server sends, decoding ends, says Start before anything
// else and at most one Stop, fails at most once and last, and what it made of the
// reply can go back as a valid request.
func FuzzDecode(f *testing.F) {
	paths, _ := filepath.Glob("testdata/streams/*.sse")
	for _, p := range paths {
		if b, err := os.ReadFile(p); err == nil && len(b) < 8_000 {
			f.Add(b)
		}
	}
	f.Add([]byte(`{"content":[{"type":"text","text":"x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		started, stopped, failed := false, false, false
		m, _ := provider.Collect(func(yield func(provider.Event, error) bool) {
			for ev, err := range Decode(bytes.NewReader(body), Origin(opus)) {
				if failed {
					t.Fatal("an event or error after the error")
				}
				if stopped && err == nil {
					t.Fatalf("%T after Stop", ev)
				}
				failed = err != nil
				switch ev.(type) {
				case provider.Start:
					started = true
				case provider.Stop:
					stopped = true
				case provider.Retry, nil:
				default:
					if !started {
						t.Fatalf("%T before Start", ev)
					}
				}
				if !yield(ev, err) {
					return
				}
			}
		}, nil)
		if !stopped && !failed {
			t.Fatal("neither Stop nor an error")
		}
		b := encode(t, "", provider.Request{Model: opus, Messages: []provider.Message{provider.UserText("q"), m}})
		var v struct {
			Messages []struct{ Role string }
		}
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		for i, m := range v.Messages {
			if want := []string{"user", "assistant"}[i%2]; m.Role != want {
				t.Fatalf("message %d is by %s", i, m.Role)
			}
		}
	})
}
