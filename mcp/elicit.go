package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"forge/tools"
)

// Elicitation is what a server asks a person in the middle of a call: a form of
// flat fields, or to open a URL.
type Elicitation struct {
	Message string
	Schema  json.RawMessage // of a form
	URL     string
	ID      string
}

// ElicitAnswer is the answer. Action is accept, decline or cancel.
type ElicitAnswer struct {
	Action  string
	Content map[string]any
}

// elicit asks the person what the server wants to know. Meanwhile the clocks of the
// server's calls stand still.
func (s *server) elicit(ctx context.Context, q Elicitation) (ElicitAnswer, error) {
	defer s.dialog()()
	done, err := s.m.turnToAsk(ctx)
	if err != nil {
		return ElicitAnswer{Action: "cancel"}, nil
	}
	defer done()
	if q.URL != "" {
		return s.elicitURL(ctx, q)
	}
	return s.elicitForm(ctx, q)
}

// maxAsked is how often a form is shown again because a value was not valid.
const maxAsked = 5

func (s *server) elicitForm(ctx context.Context, e Elicitation) (ElicitAnswer, error) {
	form, err := parseForm(e.Schema)
	if err != nil {
		return ElicitAnswer{}, err
	}
	q := tools.Question{
		ID: "mcp:" + s.name + ":" + e.ID, Source: "mcp", Title: fmt.Sprintf("The MCP server %q asks", s.name),
		Body:    clip(clean(e.Message), 4000),
		Choices: []tools.Choice{{ID: "accept", Label: "Send", Key: "s"}, {ID: "decline", Label: "Decline", Key: "d"}},
	}
	for _, f := range form {
		q.Fields = append(q.Fields, f.field())
	}
	body := q.Body
	for range maxAsked {
		r, err := s.m.o.Asker.Ask(ctx, q)
		if err != nil || r.Choice == "" {
			return ElicitAnswer{Action: "cancel"}, nil
		}
		if r.Choice != "accept" {
			return ElicitAnswer{Action: "decline"}, nil
		}
		content, err := fill(form, r.Values)
		if err == nil {
			return ElicitAnswer{Action: "accept", Content: content}, nil
		}
		q.Body = body + "\n\nNot sent: " + err.Error() + "."
		for i, f := range q.Fields { // what was typed stays
			if v, ok := r.Values[f.Name]; ok {
				q.Fields[i].Default = v
			}
		}
	}
	return ElicitAnswer{Action: "cancel"}, nil
}

// elicitURL asks for leave to open a URL. Nothing is fetched; accepting says only
// that the person wants to go there.
func (s *server) elicitURL(ctx context.Context, e Elicitation) (ElicitAnswer, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ElicitAnswer{}, fmt.Errorf("%q is no address that can be opened", clip(e.URL, 100))
	}
	body := clip(clean(e.Message), 4000) + "\n\nIt wants you to open a page in a browser. Host: " + visible(u.Hostname())
	if strings.Contains(u.Hostname(), "xn--") || strings.IndexFunc(u.Hostname(), func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		body += "\nCareful: the host's name has letters that may look like others."
	}
	if u.User != nil {
		body += "\nCareful: what stands before the @ is no part of the host's name."
	}
	r, err := s.m.o.Asker.Ask(ctx, tools.Question{
		ID: "mcp:" + s.name + ":" + e.ID, Source: "mcp:url", Title: fmt.Sprintf("The MCP server %q wants a page opened", s.name), Body: body, URL: e.URL,
		Choices: []tools.Choice{{ID: "accept", Label: "I opened it myself", Key: "a"}, {ID: "decline", Label: "Decline", Key: "d"}},
	})
	switch {
	case err != nil || r.Choice == "":
		return ElicitAnswer{Action: "cancel"}, nil
	case r.Choice == "accept":
		return ElicitAnswer{Action: "accept"}, nil
	}
	return ElicitAnswer{Action: "decline"}, nil
}

// codePages is a server of 2025-11-25 that wants pages opened before it does a call.
const codePages = -32042

// visited has the person open the pages that a refused call wants opened first, and
// says whether it is to be tried again: they went to all of them.
func (s *server) visited(ctx context.Context, err error) bool {
	var rpc *RPCError
	if s.m.o.Asker == nil || !errors.As(err, &rpc) || rpc.Code != codePages {
		return false
	}
	var data struct {
		Elicitations []struct {
			Mode    string `json:"mode"`
			Message string `json:"message"`
			URL     string `json:"url"`
			ID      string `json:"elicitationId"`
		} `json:"elicitations"`
	}
	if json.Unmarshal(rpc.Data, &data) != nil || len(data.Elicitations) == 0 || len(data.Elicitations) > maxAsked {
		return false
	}
	for _, e := range data.Elicitations {
		if e.URL == "" || e.Mode != "" && e.Mode != "url" {
			return false
		}
		if a, err := s.elicit(ctx, Elicitation{Message: e.Message, URL: e.URL, ID: e.ID}); err != nil || a.Action != "accept" {
			return false
		}
	}
	return true
}
