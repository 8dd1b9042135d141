package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/tools"
)

// AskName is what the tool is called with which a model asks the person.
const AskName = "ask_user"

// Bounds of what may be asked, so that a person can read it on a small screen: numbers of
// questions and options, and characters of their words. Nine rows have a digit, and the
// last of them is for words of the person's own.
const (
	maxQuestions = 4
	minOptions   = 2
	maxOptions   = 8
	maxHeader    = 30
	maxQuestion  = 2000
	maxLabel     = 100
	maxAbout     = 400
)

type askInput struct {
	Questions []askQuestion `json:"questions"`
}

type askQuestion struct {
	Header   string      `json:"header" description:"1-2 words"`
	Question string      `json:"question"`
	Options  []askOption `json:"options"`
	Multiple bool        `json:"multiple,omitempty"`
}

type askOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// topics is what was asked as faces show it, or what is wrong with it.
func (in askInput) topics() ([]tools.Topic, error) {
	if n := len(in.Questions); n == 0 || n > maxQuestions {
		return nil, fmt.Errorf("there are %d questions, must be 1 to %d", n, maxQuestions)
	}
	var all []tools.Topic
	for i, q := range in.Questions {
		at := fmt.Sprintf("questions[%d]", i)
		t := tools.Topic{Header: folded(q.Header), Text: strings.TrimSpace(q.Question), Many: q.Multiple}
		if n := len(q.Options); n < minOptions || n > maxOptions {
			return nil, fmt.Errorf("%s has %d options, must be %d to %d; an answer in the user's own words is always offered beside them", at, n, minOptions, maxOptions)
		}
		err := errors.Join(fits(at+".header", t.Header, maxHeader), fits(at+".question", t.Text, maxQuestion))
		for j, o := range q.Options {
			a := tools.Alternative{Label: folded(o.Label), About: folded(o.Description)}
			here := fmt.Sprintf("%s.options[%d]", at, j)
			err = errors.Join(err, fits(here+".label", a.Label, maxLabel))
			if a.About != "" {
				err = errors.Join(err, fits(here+".description", a.About, maxAbout))
			}
			if k := slices.IndexFunc(t.Options, func(b tools.Alternative) bool { return strings.EqualFold(a.Label, b.Label) }); k >= 0 {
				err = errors.Join(err, fmt.Errorf("%s.label is that of options[%d] too; leave one out", here, k))
			}
			t.Options = append(t.Options, a)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

// folded is text on one line.
func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

// fits reports what is wrong with words that a person is to read.
func fits(name, text string, most int) error {
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return fmt.Errorf("%s is empty", name)
	case n > most:
		return fmt.Errorf("%s has %d characters, at most %d can be shown; use fewer words", name, n, most)
	}
	return nil
}

// newAsk makes the tool; e.Asker is there.
func newAsk(e *Env) tools.Tool {
	return tools.Func(AskName, "Ask the user 1-4 questions only they can decide, with 2-8 options each; their own words are always offered. It permits nothing.",
		func(_ context.Context, call tools.Call, in askInput) (*tools.Invocation, error) {
			topics, err := in.topics()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", AskName, err)
			}
			title := "ask: " + oneLine(topics[0].Text)
			if len(topics) > 1 {
				var heads []string
				for _, t := range topics {
					heads = append(heads, t.Header)
				}
				title = "ask: " + oneLine(strings.Join(heads, ", "))
			}
			q := tools.Question{ID: call.ID, Source: "model", Title: title, Topics: topics}
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: title},
				Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
					r, err := e.Asker.Ask(ctx, q)
					if err != nil {
						return tools.Result{}, err
					}
					return heard(topics, r), nil
				},
			}, nil
		})
}

// heard is what the model hears of the answers. Words of the person's own are told apart
// from labels, which are the model's.
func heard(topics []tools.Topic, r tools.Reply) tools.Result {
	var b strings.Builder
	var shown []string
	open := 0
	for i, t := range topics {
		var said tools.Response
		if r.Choice != "" && i < len(r.Responses) {
			said = r.Responses[i]
		}
		var parts, short []string
		for _, c := range said.Chosen {
			if c >= 0 && c < len(t.Options) {
				parts = append(parts, t.Options[c].Label)
				short = append(short, t.Options[c].Label)
			}
		}
		if words := strings.TrimSpace(said.Words); words != "" {
			parts = append(parts, "in their own words: "+words)
			short = append(short, folded(words))
		}
		if len(parts) == 0 {
			parts, short = []string{"not answered"}, []string{"–"}
			open++
		}
		fmt.Fprintf(&b, "\n%s: %s", t.Header, strings.Join(parts, "; "))
		shown = append(shown, strings.Join(short, ", "))
	}
	if open == len(topics) {
		return tools.Result{Text: "The user did not answer. Do not ask the same again: decide, and say what you decided.", Display: "not answered"}
	}
	return tools.Result{Text: "The user answered:" + b.String(), Display: strings.Join(shown, " · "), Own: true}
}
