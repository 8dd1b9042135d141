package secrets_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/secrets"
)

// guard answers every question as it was told to.
type guard struct {
	verdict tools.Verdict
	effect  tools.Effect
}

func (g *guard) Authorize(_ context.Context, _ tools.Call, e tools.Effect) (tools.Verdict, error) {
	g.effect = e
	return g.verdict, nil
}

// told is a tool that remembers what it was called with.
type told struct {
	effect tools.Effect
	input  string
}

func (*told) Spec() tools.Spec { return tools.Spec{Name: "tool", Schema: []byte(`{"type":"object"}`)} }

func (d *told) Prepare(_ context.Context, call tools.Call) (*tools.Invocation, error) {
	e := d.effect
	if e.Kind == tools.Exec {
		e.Command = call.Input
	}
	return &tools.Invocation{Effect: e, Run: func(_ context.Context, now tools.Effect, out io.Writer) (tools.Result, error) {
		if d.input = call.Input; e.Kind == tools.Exec {
			d.input = now.Command
		}
		io.WriteString(out, d.input)
		return tools.Result{Text: "got " + d.input}, nil
	}}, nil
}

// TestDoor holds who gets a value, and that nothing comes back with one.
func TestDoor(t *testing.T) {
	value := join(lot(t), "A40")
	for name, c := range map[string]struct {
		effect  tools.Effect
		verdict tools.Verdict
		gets    bool
		told    bool // the guard hears of the secret
	}{
		"a write":                   {tools.Effect{Kind: tools.Write}, tools.Verdict{Allow: true}, true, true},
		"a command":                 {tools.Effect{Kind: tools.Exec}, tools.Verdict{Allow: true}, true, true},
		"a read":                    {tools.Effect{Kind: tools.Read}, tools.Verdict{Allow: true, Asked: true}, false, false},
		"forge's own":               {tools.Effect{Kind: tools.Internal}, tools.Verdict{Allow: true, Asked: true}, false, false},
		"another agent":             {tools.Effect{Kind: tools.Delegate}, tools.Verdict{Allow: true, Asked: true}, false, false},
		"a server, asked":           {tools.Effect{Server: "s"}, tools.Verdict{Allow: true, Asked: true}, true, true},
		"a server, by a rule":       {tools.Effect{Server: "s"}, tools.Verdict{Allow: true}, false, true},
		"a server that only reads":  {tools.Effect{Server: "s", Kind: tools.Read}, tools.Verdict{Allow: true}, false, true},
		"the network, asked":        {tools.Effect{Kind: tools.Network}, tools.Verdict{Allow: true, Asked: true}, true, true},
		"the network, by a rule":    {tools.Effect{Kind: tools.Network}, tools.Verdict{Allow: true}, false, true},
		"what says nothing, a rule": {tools.Effect{}, tools.Verdict{Allow: true}, false, true},
		"a command, refused":        {tools.Effect{Kind: tools.Exec}, tools.Verdict{}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			veil := secrets.New(secrets.Options{})
			_, hidden := veil.Mask("API_TOKEN=" + value)
			p := hidden[0].Placeholder
			tool, g := &told{effect: c.effect}, &guard{verdict: c.verdict}
			r, err := tools.NewRegistry(tool)
			if err != nil {
				t.Fatal(err)
			}
			x := &tools.Executor{Tools: r, Guard: g, Veil: veil}
			call := tools.Call{ID: "1", Name: "tool", Input: `{"x":"` + p + `"}`}
			inv, err := x.Prepare(t.Context(), call)
			if err != nil {
				t.Fatal(err)
			}
			var live strings.Builder
			o := x.Run(t.Context(), call, inv, tools.Watch{Out: &live})
			if got := strings.Contains(tool.input, value); got != c.gets {
				t.Errorf("it got %q", tool.input)
			}
			if got := len(g.effect.Secrets) == 1 && g.effect.Secrets[0].Placeholder == p; got != c.told {
				t.Errorf("the guard heard of %v", g.effect.Secrets)
			}
			for where, text := range map[string]string{"the question": g.effect.Command, "the result": o.Result.Text, "what is seen live": live.String()} {
				if strings.Contains(text, value) {
					t.Errorf("%s has the value: %q", where, text)
				}
			}
			if c.gets && (len(o.Result.Hidden) != 1 || !strings.Contains(o.Result.Text, "hidden from you")) {
				t.Errorf("the result does not tell of it: %v %q", o.Result.Hidden, o.Result.Text)
			}
		})
	}
	t.Run("a value nobody knows", func(t *testing.T) {
		key := []byte("of this test")
		_, hidden := secrets.New(secrets.Options{Key: key}).Mask("API_TOKEN=" + value)
		for _, kind := range []tools.Kind{tools.Write, tools.Exec} {
			r, err := tools.NewRegistry(&told{effect: tools.Effect{Kind: kind}})
			if err != nil {
				t.Fatal(err)
			}
			x := &tools.Executor{Tools: r, Guard: &guard{}, Veil: secrets.New(secrets.Options{Key: key})}
			_, err = x.Prepare(t.Context(), tools.Call{Name: "tool", Input: hidden[0].Placeholder})
			if err == nil || !strings.Contains(err.Error(), "is not known in this run") {
				t.Errorf("%s: %v", kind, err)
			}
		}
	})
}
