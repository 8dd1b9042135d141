package mcp

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"forge/sorting"

	"github.com/sahilm/fuzzy"
)

// menuFresh is how long the lists of a menu are taken as they are where no server says
// that they have changed.
const menuFresh = time.Minute

// A menuList is a list of what servers offer, kept between the keys of a person who
// is typing.
type menuList[T any] struct {
	mu    sync.Mutex
	list  []T
	until time.Time
	of    <-chan struct{} // closed when a server's state is another since
}

func (l *menuList[T]) get(m *Manager, ask func() []T) []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of != nil && time.Now().Before(l.until) {
		select {
		case <-l.of:
		default:
			return l.list
		}
	}
	m.mu.Lock()
	l.of = m.changed
	m.mu.Unlock()
	l.list, l.until = ask(), time.Now().Add(menuFresh)
	return l.list
}

// MenuPrompts is Prompts for a menu: it may be a minute old where no server told that
// its prompts have changed.
func (m *Manager) MenuPrompts(ctx context.Context) []Prompt {
	return m.promptMenu.get(m, func() []Prompt { return m.Prompts(ctx) })
}

// Named is what may be written for a resource: its server and its URI.
type Named struct {
	Text  string // server:uri
	About string
	Open  bool // a place of the template is still to be filled
}

// FindResources gives at most n resources and templates that fit what was written
// after an @, best first. Where that has begun to fill a template, its server is asked
// what may stand there.
func (m *Manager) FindResources(ctx context.Context, query string, n int) []Named {
	list := m.resourceMenu.get(m, func() []Resource { return m.Resources(ctx) })
	var out []Named
	for _, r := range list {
		rest, ok := strings.CutPrefix(query, r.Server+":")
		if !r.Template || !ok {
			continue
		}
		for _, uri := range m.fillIn(ctx, r, rest) {
			out = append(out, Named{Text: r.Server + ":" + uri.text, About: clean(firstOf(r.Title, r.Name)), Open: uri.open})
		}
	}
	var words []string
	var rest []Named
	for _, r := range list {
		uri := clean(r.URI)
		if r.Template {
			uri, _, _ = strings.Cut(uri, "{")
		}
		x := Named{Text: r.Server + ":" + uri, About: firstLine(clean(firstOf(r.Title, r.Name, r.Description))), Open: r.Template}
		if r.Template && x.Text == query {
			continue // it has begun already
		}
		rest, words = append(rest, x), append(words, x.Text+" "+x.About)
	}
	if query == "" {
		out = append(out, rest...)
	} else {
		for _, f := range fuzzy.Find(query, words) {
			out = append(out, rest[f.Index])
		}
	}
	sorting.StableBy(out, func(a, b Named) int { return begins(b.Text, query) - begins(a.Text, query) })
	return out[:min(len(out), n)]
}

func begins(s, with string) int {
	if strings.HasPrefix(s, with) {
		return 1
	}
	return 0
}

type place struct {
	text string
	open bool
}

// fillIn gives what a template may become that was begun: the place that is being
// written, completed by its server.
func (m *Manager) fillIn(ctx context.Context, r Resource, typed string) (out []place) {
	known := map[string]string{}
	done := ""
	parts := templateParts(r.URI)
	for i, p := range parts {
		if p.name == "" {
			if rest, ok := strings.CutPrefix(typed, p.text); ok {
				done, typed = done+p.text, rest
				continue
			}
			return nil
		}
		after := ""
		if i+1 < len(parts) {
			after = parts[i+1].text
		}
		if at := strings.Index(typed, after); after != "" && at > 0 { // it is written, and so is what follows
			known[p.name] = p.plain(typed[:at])
			done, typed = done+typed[:at], typed[at:]
			continue
		}
		values, err := m.Complete(ctx, r.Server, Reference{Template: r.URI}, p.name, p.plain(typed), known)
		if err != nil {
			if s, gone := m.server(r.Server); gone == nil {
				s.log.printf("forge: complete %s of %s: %v", p.name, r.URI, err)
			}
		}
		for _, v := range values {
			out = append(out, place{done + p.escaped(v) + after, i+2 < len(parts)})
		}
		return out
	}
	return nil
}

// A templatePart is text of a URI template, or the name of a place in it.
type templatePart struct {
	text, name string
	whole      bool // {+name}: slashes and the like stand as they are
}

func (p templatePart) escaped(v string) string {
	if p.whole {
		return (&url.URL{Path: v}).EscapedPath()
	}
	return url.PathEscape(v)
}

func (p templatePart) plain(s string) string {
	if v, err := url.PathUnescape(s); err == nil {
		return v
	}
	return s
}

// templateParts takes a template apart, up to the first place that is none to fill
// one by one: a list of query parameters.
func templateParts(t string) (out []templatePart) {
	for t != "" {
		text, rest, place := strings.Cut(t, "{")
		if text != "" {
			out = append(out, templatePart{text: text})
		}
		if !place {
			break
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok || name == "" || strings.ContainsAny(name, ",?&#;.*:") {
			break
		}
		p := templatePart{name: strings.TrimLeft(name, "+/"), whole: name[0] == '+'}
		if name[0] == '/' {
			out = append(out, templatePart{text: "/"})
		}
		out = append(out, p)
		t = after
	}
	return out
}
