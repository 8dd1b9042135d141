package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"forge/provider"
)

// longHistory is n messages of work: prompts, calls, results of 4 KB, answers.
func longHistory(n int, origin string) []provider.Message {
	code := strings.Repeat("\tif err := run(ctx, \"x\"); err != nil {\n\t\treturn err\n\t}\n", 60)
	ms := make([]provider.Message, 0, n)
	for i := 0; len(ms) < n; i++ {
		id := fmt.Sprintf("call_%05d", i)
		ms = append(ms, provider.UserText("please look at this"),
			provider.Message{Role: provider.Assistant, Origin: origin, Stop: provider.StopToolUse, Blocks: []provider.Block{
				provider.Text{Text: "I will read it."}, provider.ToolUse{ID: id, WireID: id, Name: "read_file", Input: `{"path":"a.go"}`}}},
			provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: code}}}}},
			provider.Message{Role: provider.Assistant, Origin: origin, Stop: provider.StopEnd, Blocks: []provider.Block{provider.Text{Text: strings.Repeat("It does what it says. ", 20)}}})
	}
	return ms[:n]
}

// BenchmarkRequestBuild1000 makes the body of a request with a history of 1,000
// messages, 1.2 MB. Goal: 10 ms at most, on the goroutine of the run.
func BenchmarkRequestBuild1000(b *testing.B) {
	w := New(Options{}).(*endpoint)
	req := provider.Request{Model: "claude-sonnet-5", System: "be brief", Messages: longHistory(1000, Origin("claude-sonnet-5"))}
	b.ReportAllocs()
	for b.Loop() {
		body, err := w.encoder(req).encode()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(body)))
	}
}
