package agent

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"regexp"
	"strings"
	"testing"

	"forge/agent/mark"
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

// What the marks of a prompt stand for goes with it, in their order, to a model that
// sees; one that does not is told of it, and so is the person. The history has it in
// either case: another model may see it.
func TestPicturesOfAPrompt(t *testing.T) {
	one, two := mark.Mark{N: 1, Width: 2, Height: 3, Name: "1111111111111111.png"}, mark.Mark{N: 1, Width: 4, Height: 5, Name: "2222222222222222.png"}
	for _, blind := range []bool{false, true} {
		var sent []provider.Message
		script, err := demo.Parse(strings.NewReader("text Seen.\nend\n\ntext Seen.\nend\n"))
		if err != nil {
			t.Fatal(err)
		}
		model := demo.Model()
		model.Images, model.Blind = !blind, blind
		a := New(Options{Provider: listening{demo.New(script, demo.Options{Pace: -1}), func(r provider.Request) { sent = r.Messages }}, Model: model,
			Pictures: func(words string) (found []provider.Image, gone []error) {
				for _, m := range mark.In(words) {
					if m.Name == one.Name {
						found = append(found, provider.Image{MIME: "image/png", Data: "iVBORw=="})
					} else {
						gone = append(gone, errors.New(m.Short()+" is kept no longer"))
					}
				}
				return found, gone
			}})
		var told []string
		var shown UserMessage
		sink := func(e Event) {
			switch e := e.(type) {
			case Notice:
				told = append(told, e.Text)
			case UserMessage:
				shown = e
			}
		}
		text := "look " + one.String() + " and " + two.String()
		if err := a.Run(t.Context(), Prompt{Text: text}, sink); err != nil {
			t.Fatal(err)
		}
		two.N = 2
		want := "look " + one.String() + " and " + two.String()
		if shown.Text != want || len(shown.Images) != 1 {
			t.Errorf("shown %q with %d pictures", shown.Text, len(shown.Images))
		}
		kept := a.History()[0]
		if len(kept.Blocks) != 2 || kept.Blocks[0] != (provider.Text{Text: want}) || kept.Blocks[1] != (provider.Image{MIME: "image/png", Data: "iVBORw=="}) {
			t.Errorf("kept %+v", kept.Blocks)
		}
		_, pictured := sent[0].Blocks[1].(provider.Image)
		if pictured == blind {
			t.Errorf("blind %v, sent %+v", blind, sent[0].Blocks)
		}
		all := strings.Join(told, "\n")
		if !strings.Contains(all, "[image 2: 4x5] is kept no longer") || strings.Contains(all, "cannot see pictures") != blind {
			t.Errorf("blind %v, told %q", blind, all)
		}
		// A text that somebody else wrote names nothing of the person's.
		if err := a.Run(t.Context(), Prompt{Text: text, Quoted: true}, sink); err != nil {
			t.Fatal(err)
		}
		if len(shown.Images) != 0 {
			t.Error("a quoted text was given a picture")
		}
	}
}

// listening tells what a provider is asked.
type listening struct {
	provider.Provider
	hear func(provider.Request)
}

func (l listening) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	l.hear(r)
	return l.Provider.Stream(ctx, r)
}
