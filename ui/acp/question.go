package acp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Forms says whether somebody who looks at the conversation shows forms.
func (l *Line) Forms() bool { return l.t.anybody(shownForms) }

// questions is a Line for what is no permission. Where the editor shows forms, what wants
// words is one; else a question is a call of its own, with the answers as options.
type questions struct{ l *Line }

// Ask implements tools.Asker. What an editor has no place for is left unanswered, and the
// person is told.
func (q questions) Ask(ctx context.Context, question tools.Question) (tools.Reply, error) {
	l := q.l
	l.mu.Lock()
	ready := l.ready
	l.mu.Unlock()
	if !ready {
		return tools.Reply{}, errEarly
	}
	if err := l.somebody(ctx); err != nil { // only then it is known how it can be shown
		return tools.Reply{}, err
	}
	forms := l.Forms()
	secret := slices.ContainsFunc(question.Fields, func(f tools.Field) bool { return f.Secret })
	switch {
	case len(question.Topics) > 0 && forms:
		return q.topicsForm(ctx, question)
	case len(question.Topics) > 0:
		return q.topics(ctx, question)
	case len(question.Fields) > 0 && forms && !secret && len(question.Choices) > 0: // no form is for secrets
		return q.fields(ctx, question)
	case len(question.Fields) > 0 || len(question.Choices) == 0:
		l.Notice(lang.T("%s: words would have to be typed, which needs forge's own screen; it was left unanswered", lang.Said(question.Title)))
		return tools.Reply{}, nil
	}
	body := lang.Lines(question.Body)
	if question.URL != "" {
		body += "\n\n" + question.URL
	}
	var options []permissionOption
	for _, x := range question.Choices {
		kind := "allow_once"
		if x.Key == "n" {
			kind = "reject_once"
		}
		options = append(options, permissionOption{x.ID, safe.Line(lang.Said(x.Label)), kind})
	}
	id, err := q.card(ctx, lang.Said(question.Title), "", body, options)
	return tools.Reply{Choice: id}, err
}

// somebody waits until somebody looks at the conversation, as long as the prompt lasts.
func (l *Line) somebody(ctx context.Context) error {
	ctx, _, done := l.within(ctx)
	defer done()
	return l.t.somebody(ctx)
}

// card puts a question as a call of its own: first forge's words, then the body's. An
// answer that was not offered is none.
func (q questions) card(ctx context.Context, title, words, body string, options []permissionOption) (string, error) {
	l := q.l
	l.mu.Lock()
	l.asked++
	c, _ := l.t.tell.open(fmt.Sprintf("question-%d", l.asked))
	l.mu.Unlock()
	u := update{Kind: "tool_call", Call: c.id, Title: safe.Line(title), CallKind: "other", Status: "pending"}
	var content []callContent
	if words != "" {
		content = append(content, text(words))
	}
	if body = strings.TrimSpace(body); body != "" {
		content = append(content, text(fenced(safe.Prompt(body))))
	}
	if len(content) > 0 {
		u.Content = content
	}
	l.t.update(u)
	u.Kind = ""
	id, err := l.put(ctx, u, options)
	status := "completed"
	if err != nil || !slices.ContainsFunc(options, func(o permissionOption) bool { return o.ID == id }) {
		id, status = "", "failed"
	}
	l.t.tell.end(c)
	l.t.update(update{Kind: "tool_call_update", Call: c.id, Status: status})
	return id, err
}

// open is the answer to a topic that was left open.
const open = "open"

// quoted is words of the model on one line, with what hides written out.
func quoted(s string) string { return safe.Line(safe.Prompt(s)) }

// topics puts what a model wants to know, one after the other. An editor has no place for
// words of the person's own here: they can be the next prompt.
func (q questions) topics(ctx context.Context, question tools.Question) (tools.Reply, error) {
	r := tools.Reply{Choice: "answered"}
	for i, t := range question.Topics {
		var options []permissionOption
		for j, o := range t.Options {
			options = append(options, permissionOption{strconv.Itoa(j), quoted(o.Label), "allow_once"})
		}
		options = append(options, permissionOption{open, lang.T("none of these"), "reject_once"})
		title := quoted(t.Header)
		if n := len(question.Topics); n > 1 {
			title = lang.T("question %d of %d: %s", i+1, n, title)
		}
		id, err := q.card(ctx, lang.T("the model asks")+lang.T(": ")+title, lang.T("the model asks; no answer allows anything"), described(t), options)
		if err != nil {
			return tools.Reply{}, err
		}
		var said tools.Response
		if j, err := strconv.Atoi(id); err == nil {
			said.Chosen = []int{j}
		}
		r.Responses = append(r.Responses, said)
	}
	return r, nil
}

// described is a topic with what is to be said of its options.
func described(t tools.Topic) string {
	lines := []string{t.Text, ""}
	for _, o := range t.Options {
		if o.About != "" {
			lines = append(lines, "- "+o.Label+": "+o.About)
		}
	}
	return strings.Join(lines, "\n")
}

// topicsForm puts them all as a form, with room for words of the person's own.
func (q questions) topicsForm(ctx context.Context, question tools.Question) (tools.Reply, error) {
	s := schema{Type: "object", Properties: map[string]property{}}
	message := []string{lang.T("the model asks; no answer allows anything")}
	for i, t := range question.Topics {
		var all []constOf
		for j, o := range t.Options {
			all = append(all, constOf{strconv.Itoa(j), quoted(o.Label)})
		}
		p := property{Type: "string", Title: quoted(t.Header), OneOf: all}
		if t.Many {
			p = property{Type: "array", Title: quoted(t.Header), Items: &items{all}}
		}
		p.Description = safe.Prompt(strings.TrimSpace(described(t)))
		s.Properties[fmt.Sprintf("q%d", i+1)] = p
		s.Properties[fmt.Sprintf("q%d-words", i+1)] = property{Type: "string", Title: lang.T("In your own words")}
		message = append(message, safe.Prompt(t.Text))
	}
	f, err := q.form(ctx, strings.Join(message, "\n\n"), s)
	if err != nil || f.Action != "accept" {
		return tools.Reply{}, err
	}
	r := tools.Reply{Choice: "answered"}
	for i, t := range question.Topics {
		var said tools.Response
		for _, v := range texts(f.Content[fmt.Sprintf("q%d", i+1)]) {
			if j, err := strconv.Atoi(v); err == nil && j >= 0 && j < len(t.Options) && (t.Many || said.Chosen == nil) {
				said.Chosen = append(said.Chosen, j)
			}
		}
		slices.Sort(said.Chosen)
		said.Chosen = slices.Compact(said.Chosen)
		if words := texts(f.Content[fmt.Sprintf("q%d-words", i+1)]); len(words) == 1 {
			said.Words = words[0]
		}
		r.Responses = append(r.Responses, said)
	}
	return r, nil
}

// attempts is how often a form whose values are wrong is put again.
const attempts = 3

// fields puts a form of somebody else's, a server's. Its first choice is what accepting
// it means, and the one that is no, declining it.
func (q questions) fields(ctx context.Context, question tools.Question) (tools.Reply, error) {
	s := schema{Type: "object", Properties: map[string]property{}}
	for _, f := range question.Fields {
		p := property{Type: "string", Title: safe.Line(lang.Said(f.Label)), Description: safe.Output(f.Note)}
		var all []constOf
		for _, o := range f.Options {
			c := constOf{o.Value, safe.Line(o.Label)}
			if c.Title == "" {
				c.Title = safe.Line(o.Value)
			}
			all = append(all, c)
		}
		if p.OneOf = all; f.Many {
			p.Type, p.OneOf, p.Items = "array", nil, &items{all}
		}
		if f.Default != "" {
			p.Default = f.Default
			if f.Many {
				p.Default = strings.Split(f.Default, "\n")
			}
		}
		s.Properties[f.Name] = p
		if f.Required {
			s.Required = append(s.Required, f.Name)
		}
	}
	message := safe.Output(strings.TrimSpace(lang.Said(question.Title) + "\n\n" + lang.Lines(question.Body)))
	for range attempts {
		r, err := q.form(ctx, message, s)
		switch {
		case err != nil:
			return tools.Reply{}, err
		case r.Action == "decline":
			for _, c := range question.Choices[1:] {
				if c.Key == "n" || c.ID == "decline" {
					return tools.Reply{Choice: c.ID}, nil
				}
			}
			return tools.Reply{}, nil
		case r.Action != "accept":
			return tools.Reply{}, nil
		}
		out := tools.Reply{Choice: question.Choices[0].ID, Values: map[string]string{}}
		var wrong error
		for _, f := range question.Fields {
			v := strings.Join(texts(r.Content[f.Name]), "\n")
			known := func(one string) bool {
				return slices.ContainsFunc(f.Options, func(o tools.Option) bool { return o.Value == one })
			}
			switch {
			case v == "" && f.Required:
				wrong = errors.New(lang.T("%s is empty", lang.Said(f.Label)))
			case v != "" && len(f.Options) > 0 && slices.ContainsFunc(strings.Split(v, "\n"), func(one string) bool { return !known(one) }):
				wrong = errors.New(lang.T("%s: %q is none of the values", lang.Said(f.Label), v))
			case v != "" && f.Check != nil:
				if err := f.Check(v); err != nil {
					wrong = err
				}
			}
			out.Values[f.Name] = v
		}
		if wrong == nil {
			return out, nil
		}
		q.l.Notice(wrong.Error())
	}
	return tools.Reply{}, nil
}

// texts is a value of a form as texts.
func texts(v any) (out []string) {
	switch v := v.(type) {
	case string:
		if v != "" {
			out = append(out, v)
		}
	case bool:
		out = append(out, strconv.FormatBool(v))
	case float64:
		out = append(out, strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		for _, one := range v {
			out = append(out, texts(one)...)
		}
	}
	return out
}

// form puts a form. It ends with the prompt it belongs to.
func (q questions) form(ctx context.Context, message string, s schema) (formResult, error) {
	l := q.l
	ctx, _, done := l.within(ctx)
	defer done()
	var r formResult
	err := l.t.put(ctx, "elicitation/create", formParams{l.t.o.ID, "form", message, s}, shownForms, &r)
	return r, err
}
