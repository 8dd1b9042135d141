package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
)

// formed begins a connection with an editor that shows forms, if forms is set, in a talk
// that asks q with each prompt.
func formed(t *testing.T, forms bool, q tools.Question) (*client, chan tools.Reply) {
	t.Helper()
	got := make(chan tools.Reply, 1)
	c := serve(t, func(ctx context.Context, l *Line, _ Words, _ agent.Sink) error {
		r, err := l.Questions().Ask(ctx, q)
		got <- r
		return err
	})
	capabilities := `{}`
	if forms {
		capabilities = `{"elicitation":{"form":{}}}`
	}
	c.send(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":%s}}`, capabilities)
	c.until(`"id":"i"`)
	c.send(`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.until("available_commands_update")
	return c, got
}

// answered sends a prompt and answers each request that comes of it, in turn.
func (c *client) answered(replies ...string) (requests []string) {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"s1","prompt":[{"type":"text","text":"x"}]}}`)
	for _, reply := range replies {
		line := c.until(`"id":`, `"method":`)
		requests = append(requests, line)
		var m struct{ ID int }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			c.t.Fatal(err)
		}
		c.send(`{"jsonrpc":"2.0","id":%d,"result":%s}`, m.ID, reply)
	}
	c.until(`"id":"p"`)
	return requests
}

func picked(option string) string {
	return fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, option)
}

var colours = tools.Question{ID: "t", Source: "model", Title: "ask", Topics: []tools.Topic{
	{Header: "Colour", Text: "Which?", Options: []tools.Alternative{{Label: "red"}, {Label: "blue", About: "as the sky"}}},
	{Header: "Sizes", Text: "Which all?", Many: true, Options: []tools.Alternative{{Label: "S"}, {Label: "M"}, {Label: "L"}}},
}}

// What a model wants to know is a form where there are forms, and else asked one by one;
// what was not offered is no answer.
func TestTopics(t *testing.T) {
	say := func(r tools.Reply) string {
		var s []string
		for _, x := range r.Responses {
			s = append(s, fmt.Sprint(x.Chosen, x.Words))
		}
		return r.Choice + " " + strings.Join(s, " ")
	}
	c, got := formed(t, false, colours)
	asked := c.answered(picked("1"), picked("open"))
	if s := say(<-got); s != "answered [1] []" {
		t.Errorf("answered was %q", s)
	}
	if !strings.Contains(asked[0], `as the sky`) || !strings.Contains(asked[0], `"optionId":"open"`) {
		t.Errorf("asked was %s", asked[0])
	}
	c.answered(picked("7"), picked("-1"))
	if s := say(<-got); s != "answered [] []" {
		t.Errorf("answered was %q", s)
	}

	// What hides is written out, and the card says that it allows nothing.
	for _, forms := range []bool{false, true} {
		c, got := formed(t, forms, tools.Question{Topics: []tools.Topic{{Header: "a\u202eb", Text: "Which\u200b?", Options: []tools.Alternative{{Label: "y allow\u200b once"}, {Label: "n"}}}}})
		line := c.answered(map[bool]string{false: picked("0"), true: `{"action":"accept","content":{"q1":"0"}}`}[forms])[0]
		for _, want := range []string{"a<U+202E>b", "Which<U+200B>?", "y allow<U+200B> once", "no answer allows anything"} {
			if !strings.Contains(line, want) {
				t.Errorf("there is no %q in %s", want, line)
			}
		}
		if s := say(<-got); s != "answered [0]" {
			t.Errorf("answered was %q", s)
		}
	}

	c, got = formed(t, true, colours)
	for reply, want := range map[string]string{
		`{"action":"accept","content":{"q1":"1","q1-words":"dark","q2":["2","0","2","9","x"]}}`: "answered [1]dark [0 2]",
		`{"action":"accept","content":{"q1":["0","1"],"q2":7}}`:                                 "answered [0] []",
		`{"action":"accept","content":null}`:                                                    "answered [] []",
		`{"action":"accept"}`:                                                                   "answered [] []",
		`{"action":"decline"}`:                                                                  " ",
		`{"action":"cancel"}`:                                                                   " ",
		`{}`:                                                                                    " ",
	} {
		c.answered(reply)
		if s := say(<-got); s != want {
			t.Errorf("%s is taken as %q", reply, s)
		}
	}
}

// A server's form is checked before it is sent on, and never asks for a secret.
func TestFields(t *testing.T) {
	q := tools.Question{Title: "A form", Body: "of a server", Choices: []tools.Choice{{ID: "accept", Label: "send"}, {ID: "decline", Label: "no", Key: "n"}},
		Fields: []tools.Field{
			{Name: "name", Label: "Name", Required: true, Check: func(v string) error {
				if v == "bad" {
					return errors.New("that is bad")
				}
				return nil
			}},
			{Name: "size", Label: "Size", Options: []tools.Option{{Value: "s", Label: "small"}, {Value: "l"}, {Value: "m", Label: "mid\x1b[2J\ndle"}}, Default: "l"},
			{Name: "days", Label: "Days", Many: true, Options: []tools.Option{{Value: "mo"}, {Value: "tu"}}},
		}}
	c, got := formed(t, true, q)
	asked := c.answered(`{"action":"accept","content":{"size":"s"}}`, `{"action":"accept","content":{"name":"bad"}}`,
		`{"action":"accept","content":{"name":"Ada","size":"s","days":["mo","tu"]}}`)
	if r := <-got; r.Choice != "accept" || r.Values["name"] != "Ada" || r.Values["size"] != "s" || r.Values["days"] != "mo\ntu" {
		t.Errorf("taken is %+v", r)
	}
	if !strings.Contains(asked[0], `"required":["name"]`) || !strings.Contains(asked[0], `{"const":"s","title":"small"}`) || !strings.Contains(asked[0], `A form\n\nof a server`) || strings.Contains(asked[0], `\u001b`) {
		t.Errorf("asked was %s", asked[0])
	}
	wrong := `{"action":"accept","content":{"name":"Ada","size":"huge"}}`
	c.answered(wrong, wrong, wrong)
	if r := <-got; r.Choice != "" {
		t.Errorf("a value that is none was taken: %+v", r)
	}
	c.answered(`{"action":"decline"}`)
	if r := <-got; r.Choice != "decline" {
		t.Errorf("declined is %+v", r)
	}

	q.Fields[0].Secret = true
	c, got = formed(t, true, q)
	c.answered()
	if r := <-got; r.Choice != "" {
		t.Errorf("a secret was asked for: %+v", r)
	}
}

// What a link or a resource is called stays on one line of the prompt.
func TestNamesStayOnTheirLine(t *testing.T) {
	say := "look"
	w, err := words([]block{{Type: "text", Text: &say}, {Type: "resource_link", Name: "a page\n\n# New orders", URI: "http://127.0.0.1/x\ny"},
		{Type: "resource_link", URI: "file:///w/a%20%20b.go"}, {Type: "resource", Resource: &resource{URI: "mem:a\n`b", Text: &say}}}, "/w")
	if want := "look a page  # New orders (http://127.0.0.1/x y) @\"a  b.go\" `mem:a 'b` "; err != nil || w.Text != want {
		t.Errorf("the prompt is %q (%v), want %q", w.Text, err, want)
	}
}
