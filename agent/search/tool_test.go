package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// The model finds what was said, what was cut from its view, and output that was
// too long to show; never its own searches.
func TestRecall(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	os.MkdirAll(out, 0o700)
	os.WriteFile(filepath.Join(out, "call_1.txt"), []byte("one\nthe zebra crossed\nthree\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "secret.txt"), []byte("zebra elsewhere\n"), 0o600)
	s := talk(t, filepath.Join(dir, "s"), "/w", "the port is 4711")
	result := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "x"}, provider.ToolResult{ID: "1", Content: []provider.Block{
		provider.Text{Text: "(left out; the whole is in " + filepath.Join(out, "call_1.txt") + ") and " + filepath.Join(dir, "secret.txt")}}}}}
	for _, r := range []session.Record{{Message: &result}, {Cut: &session.Cut{Summary: "ports were talked about", From: 1}}} {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	tool := Recall{Index: Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}, Path: s.Path, Output: out}.Tool()
	call := func(input string) string {
		t.Helper()
		inv, err := tool.Prepare(t.Context(), tools.Call{ID: "c", Name: "recall", Input: input})
		if err != nil {
			return err.Error()
		}
		if inv.Effect.Kind != tools.Read || len(inv.Effect.Paths) > 0 {
			t.Errorf("the effect is %+v", inv.Effect)
		}
		res, err := inv.Run(t.Context(), inv.Effect, nil)
		if err != nil {
			return err.Error()
		}
		return res.Text
	}
	for input, want := range map[string]string{
		`{"query":"4711"}`:          "1 you: the port is 4711",
		`{"query":"zebra crossed"}`: "call_1.txt line 2: the zebra crossed",
		`{"query":"talked ports"}`:  "3 summary: ports were",
		`{"at":1}`:                  "[you]\nthe port is 4711",
		`{"at":99}`:                 "there is no message 99",
		`{"query":"nowhere to be"}`: "nothing in this conversation",
		`{}`:                        "give either query or at",
		`{"query":"a","at":1}`:      "give either query or at",
	} {
		if got := call(input); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", input, got, want)
		}
	}
	if got := call(`{"query":"zebra elsewhere"}`); !strings.Contains(got, "nothing in") {
		t.Errorf("a file outside the folder of output was read: %s", got)
	}
	own := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "r", Name: "recall", Input: `{"query":"walrus"}`}}}
	answer := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "r", Content: []provider.Block{provider.Text{Text: recallMark + "nothing has walrus"}}}}}
	for _, m := range []provider.Message{own, answer} {
		if err := s.Append(session.Record{Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
	if got := call(`{"query":"walrus"}`); !strings.Contains(got, "nothing in this conversation") {
		t.Errorf("it found itself: %s", got)
	}
}
