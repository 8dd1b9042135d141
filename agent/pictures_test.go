package agent

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"forge/provider"
	"forge/provider/demo"
	"forge/tools"
)

// A model that is known not to see is told of pictures, and where they are.
func TestPicturesOfTheBlind(t *testing.T) {
	for _, blind := range []bool{false, true} {
		script, err := demo.Parse(strings.NewReader("call draw {}\nend\n\ntext Done.\nend\n"))
		if err != nil {
			t.Fatal(err)
		}
		reg, err := tools.NewRegistry(tools.Func("draw", "Draws.", func(context.Context, tools.Call, struct{}) (*tools.Invocation, error) {
			return &tools.Invocation{Effect: tools.Effect{Kind: tools.Read}, Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
				return tools.Result{Text: "drawn", Images: []tools.Image{{MIME: "image/png", Data: "iVBORw=="}}}, nil
			}}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		model := demo.Model()
		model.Images, model.Blind = !blind, blind
		a := New(Options{Provider: demo.New(script, demo.Options{Pace: -1}), Model: model, Exec: &tools.Executor{Tools: reg, Guard: anybody{}, Bound: tools.Bound{Dir: t.TempDir()}}})
		if err := a.Run(t.Context(), Prompt{Text: "Draw."}, nil); err != nil {
			t.Fatal(err)
		}
		var res provider.ToolResult
		for _, m := range a.History() {
			for _, b := range m.Blocks {
				if r, ok := b.(provider.ToolResult); ok {
					res = r
				}
			}
		}
		if !blind {
			if len(res.Content) != 2 || res.Content[1] != (provider.Image{MIME: "image/png", Data: "iVBORw=="}) {
				t.Errorf("one that sees got %+v", res.Content)
			}
			continue
		}
		text, _ := res.Content[0].(provider.Text)
		found := regexp.MustCompile(`^drawn\n\[a picture \(image/png, 4 bytes\), which this model cannot see; it is in (.+\.png)\]$`).FindStringSubmatch(text.Text)
		if len(res.Content) != 1 || found == nil {
			t.Fatalf("the blind got %+v", res.Content)
		}
		if data, err := os.ReadFile(found[1]); err != nil || string(data) != "\x89PNG" {
			t.Errorf("kept %q, %v", data, err)
		}
	}
}

type anybody struct{}

func (anybody) Authorize(context.Context, tools.Call, tools.Effect) (tools.Verdict, error) {
	return tools.Verdict{Allow: true}, nil
}
