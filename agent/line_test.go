package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
	"forge/provider/demo"
)

// A prompt made of a line: the model gets the text, the person is shown the line, now and
// when the conversation is opened again, and only what is said to may name files.
func TestALineAndWhatBecameOfIt(t *testing.T) {
	script, err := demo.Parse(strings.NewReader("text one\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := session.Create(dir, "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var words []string
	a := New(Options{Provider: provider.WithRetry(demo.New(script, demo.Options{}), 1), Model: demo.Model(), Session: s,
		Attach: func(_ context.Context, w string, _ func(provider.Attached) bool) []Attachment {
			words = append(words, w)
			return nil
		}})
	long := strings.Repeat("Review @secret with care. ", 20000) // more than a list reads of a file
	var now, again []UserMessage
	tell := func(to *[]UserMessage) Sink {
		return func(e Event) {
			if m, ok := e.(UserMessage); ok {
				*to = append(*to, m)
			}
		}
	}
	if err := a.Run(t.Context(), Prompt{Text: long, Line: "/review main", Names: "@main.go"}, tell(&now)); err != nil {
		t.Fatal(err)
	}
	a.Replay(tell(&again))
	for _, ms := range [][]UserMessage{now, again} {
		if len(ms) != 1 || ms[0].Line != "/review main" || ms[0].Text != long {
			t.Errorf("told %d messages, the line %q", len(ms), ms[0].Line)
		}
	}
	if got := a.History()[0].PlainText(); got != long {
		t.Errorf("the model got %.60q", got)
	}
	if strings.Join(words, "|") != "@main.go" {
		t.Errorf("looked for what %q names", words)
	}
	if asked := a.Asked(); len(asked) != 1 || asked[0].Text != "/review main" {
		t.Errorf("one may go back to %+v", asked)
	}
	rs, err := session.Records(s.Path(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(rs, func(r session.Record) bool { return r.Message != nil })
	if at < 0 || rs[at].Line != "/review main" || rs[at].Message.PlainText() != long {
		t.Errorf("kept %d records, the first message is number %d", len(rs), at)
	}
	all, err := session.List(dir)
	if err != nil || len(all) != 1 || all[0].Title != "/review main" {
		t.Errorf("listed as %+v, %v", all, err)
	}
}
