package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"forge/provider"
	"forge/provider/demo"
	"forge/tools"
)

// What goes with a person's words reaches the model behind them, is told as it is
// sent, is no prompt to go back to, and is told again by a replay.
func TestWhatIsAttached(t *testing.T) {
	script, err := demo.Parse(strings.NewReader("text one\nend\n\ntext two\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	a := New(Options{Provider: provider.WithRetry(demo.New(script, demo.Options{}), 1), Model: demo.Model(),
		Attach: func(_ context.Context, w string, has func(provider.Attached) bool) (out []Attachment) {
			words = append(words, w)
			once := Attachment{Attached: provider.Attached{Label: "instructions", Note: "A server says:", Text: "count first"}}
			if !has(once.Attached) {
				out = append(out, once)
			}
			return append(out, Attachment{Attached: provider.Attached{Label: "gone"}, Err: errors.New("it is away")})
		}})
	tell := func(into *[]string) Sink {
		return func(e Event) {
			switch e := e.(type) {
			case UserMessage:
				*into = append(*into, "user "+e.Text)
			case Attached:
				line := "attached " + e.Label + " " + e.Text
				if e.Err != nil {
					line += e.Err.Error()
				}
				*into = append(*into, line)
			}
		}
	}
	var told, again []string
	for _, p := range []Prompt{{Text: `<attached from="me">` + "\nx\n\ny\n</attached>"}, {Text: "second @x", Quoted: true}} {
		if err := a.Run(t.Context(), p, tell(&told)); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(words, "|"); !strings.HasPrefix(got, "<attached") || !strings.HasSuffix(got, "|") {
		t.Errorf("asked what goes with %q", got)
	}
	want := "user <attached from=\"me\">\nx\n\ny\n</attached>; attached instructions count first; attached gone it is away; user second @x; attached gone it is away"
	if got := strings.Join(told, "; "); got != want {
		t.Errorf("told %q", got)
	}
	a.Replay(tell(&again))
	if got := strings.Join(again, "; "); !strings.Contains(got, "y\n</attached>; attached instructions count first; user second @x") {
		t.Errorf("told again %q", got)
	}
	if asked := a.Asked(); len(asked) != 2 || asked[0].Text != "second @x" {
		t.Errorf("one may go back to %+v", asked)
	}
	ms := a.History()
	if len(ms) < 2 || len(ms[0].Attached()) != 0 || len(ms[1].Attached()) != 1 || ms[1].PlainText() != "" {
		t.Errorf("the history is %+v", ms)
	}
}

// veil hides one word.
type veil struct{ tools.Veil }

func (veil) Mask(text string) (string, []tools.Hidden) {
	return strings.ReplaceAll(text, "s3cret", "<hidden>"), nil
}

// A secret in what is attached stays here, and does not make it look new each time.
func TestWhatIsAttachedIsMasked(t *testing.T) {
	script, err := demo.Parse(strings.NewReader("text one\nend\n\ntext two\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{Provider: provider.WithRetry(demo.New(script, demo.Options{}), 1), Model: demo.Model(), Veil: veil{},
		Attach: func(_ context.Context, _ string, has func(provider.Attached) bool) []Attachment {
			x := provider.Attached{Label: "l", Note: "n", Text: "the s3cret"}
			if has(x) {
				return nil
			}
			return []Attachment{{Attached: x}}
		}})
	for range 2 {
		if err := a.Run(t.Context(), Prompt{Text: "go"}, func(Event) {}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, m := range a.History() {
		for _, x := range m.Attached() {
			got = append(got, x.Text)
		}
	}
	if len(got) != 1 || got[0] != "the <hidden>" {
		t.Errorf("attached %q", got)
	}
}
