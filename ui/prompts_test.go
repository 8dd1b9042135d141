package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/cockpit"
	"forge/ui/lang"
)

func TestArgumentsOfPrompts(t *testing.T) {
	p := ServerPrompt{Server: "s", Name: "p", Args: []PromptArg{{Name: "topic", Required: true}, {Name: "style"}}}
	for in, want := range map[string]string{
		"":                         "map[]",
		"cats":                     "map[topic:cats]",
		`"big cats" short`:         "map[style:short topic:big cats]",
		"style=short big":          "map[style:short topic:big]",
		"cats short and to it":     "map[style:short and to it topic:cats]",
		`topic="a b" "x=y"`:        "map[style:x=y topic:a b]",
		"other=1 style= and\nmore": "map[style: topic:other=1 and more]",
	} {
		if got, _ := p.values(splitArgs(in)); fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %s", in, got, want)
		}
	}
}

// A server's prompt is listed, completed, asked for what it needs, queued while a run
// is on, and sent as the server's words; one that fails gives the line back.
func TestPromptsOnTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		hold := make(chan struct{})
		var quoted []bool
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			quoted = append(quoted, p.Quoted)
			if p.Text == "work" {
				select {
				case <-hold:
				case <-ctx.Done():
				}
			}
			return nil
		}}
		o := testOptions(a)
		p := ServerPrompt{Server: "demo", Name: "brief me", About: "Say what is new", Args: []PromptArg{{Name: "topic", About: "about what", Required: true}}}
		o.Servers = (&fleet{feed: o.Feed, list: []cockpit.Server{{Name: "demo", State: cockpit.Ready}}}).options()
		o.Prompts = &Prompts{
			List: func(context.Context) []ServerPrompt { return []ServerPrompt{p} },
			Fill: func(_ context.Context, _ ServerPrompt, args map[string]string) (agent.Prompt, error) {
				if args["topic"] == "bad" {
					return agent.Prompt{}, errors.New("nothing is known of it")
				}
				return agent.Prompt{Text: "Tell me of " + args["topic"] + ".", Quoted: true}, nil
			},
			Complete: func(_ context.Context, _ ServerPrompt, arg, value string, _ map[string]string) []string {
				return []string{value + "ts", value + " fish"}
			},
		}
		s := start(t, o, 80, 24)
		s.send("/demo")
		s.see("/demo:brief_me topic  Say what is new")
		s.send("\t")
		s.send("ca")
		s.see("cats")
		s.see(`"ca fish"`)
		s.send("\r")
		s.see("Tell me of cats.")
		s.send("work\r")
		s.see("starting")
		s.send("/mcp__demo__brief_me dogs\r")
		s.see("/mcp__demo__brief_me dogs")
		close(hold)
		s.see("Tell me of dogs.")
		s.send("/demo:brief_me\r")
		s.see("about what")
		s.send("bad\r")
		s.see("nothing is known of it")
		s.see("› /demo:brief_me")
		s.send("\x15/demo:nothing\r")
		s.see("there are /demo:brief_me")
		s.send("\x15")
		time.Sleep(time.Second)
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if got := a.said(); got != "Tell me of cats.|work|Tell me of dogs." || fmt.Sprint(quoted) != "[true false true]" {
			t.Errorf("sent %q, quoted %v", got, quoted)
		}
	})
}

func TestAttachedIsShown(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 60, 20)
	tell(m, agent.UserMessage{Text: "look"}, agent.Attached{Label: "demo:note://1", Text: "its text"}, agent.Attached{Label: "demo:pic", Images: make([]provider.Image, 1)},
		agent.Attached{Label: "demo:gone", Err: errors.New("it is away")})
	v := shot(m)
	for _, want := range []string{"@ demo:note://1  8 B", "@ demo:pic  1 image", "demo:gone was not attached: it is away"} {
		if !strings.Contains(v, want) {
			t.Errorf("no %q in\n%s", want, v)
		}
	}
	press(m, "ctrl+o")
	if v := shot(m); !strings.Contains(v, "its text") {
		t.Errorf("not unfolded:\n%s", v)
	}
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	m = still(t, testOptions(&fakeAgent{}), 60, 20)
	tell(m, agent.UserMessage{Text: "look"}, agent.Attached{Label: "instructions of demo", Text: "its text"})
	if v := shot(m); !strings.Contains(v, "@ demo 的说明  8 B") {
		t.Errorf("not in Chinese:\n%s", v)
	}
}
