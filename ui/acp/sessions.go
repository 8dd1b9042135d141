package acp

import (
	"context"
	"path/filepath"
	"strconv"

	"forge/ui/lang"
)

// pageSize is how many conversations one answer to session/list names.
const pageSize = 100

// talk finds a conversation that the client looks at; nil: none has that ID.
func (s *server) talk(id string) *talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mine[id]
}

// looks notes that it looks at a conversation; false: it went away.
func (s *server) looks(t *talk) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.gone {
		s.mine[t.o.ID] = t
	}
	return !s.gone
}

// open is talk, with the error for a request about one that is not open.
func (s *server) open(id string) (*talk, error) {
	if t := s.talk(id); t != nil {
		return t, nil
	}
	return nil, fail(codeNotFound, lang.T("no conversation %q is open here; session/new begins one, session/load opens one that is kept", short(id)))
}

// start reads how a conversation is to begin.
func (s *server) start(m message) (Start, error) {
	var p startParams
	if err := decode(m, &p); err != nil {
		return Start{}, err
	}
	if !filepath.IsAbs(p.Cwd) {
		return Start{}, fail(codeParams, lang.T("cwd must be an absolute path, not %q", short(p.Cwd)))
	}
	for _, d := range p.AddDirs {
		if !filepath.IsAbs(d) {
			return Start{}, fail(codeParams, lang.T("additionalDirectories must be absolute paths, not %q", short(d)))
		}
	}
	s.mu.Lock()
	o := Start{ID: p.ID, Cwd: p.Cwd, AddDirs: p.AddDirs, Editor: s.editor}
	s.mu.Unlock()
	for _, c := range p.Servers {
		server, err := c.server()
		if err != nil {
			return Start{}, err
		}
		o.Servers = append(o.Servers, server)
	}
	return o, nil
}

func (c mcpServer) server() (Server, error) {
	texts := func(list []namedText) map[string]string {
		out := map[string]string{}
		for _, t := range list {
			out[t.Name] = t.Value
		}
		return out
	}
	s := Server{Name: c.Name, Type: c.Type, Command: c.Command, Args: c.Args, URL: c.URL, Env: texts(c.Env), Headers: texts(c.Headers)}
	switch {
	case c.Name == "":
		return s, fail(codeParams, lang.T("an MCP server needs a name"))
	case c.Type == "" || c.Type == "stdio":
		if s.Type = "stdio"; c.Command == "" {
			return s, fail(codeParams, lang.T("the MCP server %q needs a command", c.Name))
		}
	case c.Type == "http" || c.Type == "sse":
		if c.URL == "" {
			return s, fail(codeParams, lang.T("the MCP server %q needs a url", c.Name))
		}
	default:
		return s, fail(codeParams, lang.T("the MCP server %q has the type %q; stdio, http and sse are known", c.Name, c.Type))
	}
	return s, nil
}

// begin answers session/new.
func (s *server) begin(_ context.Context, m message) (any, error) {
	o, err := s.start(m)
	if err != nil {
		return nil, err
	}
	o.ID = ""
	t, err := s.home.visit(s.ctx, o)
	if err != nil {
		return nil, err
	}
	defer t.lets()
	t.joins(s, false)
	r := t.state()
	r.ID = t.o.ID
	return after{r, func() { t.announce(s) }}, nil
}

// resume answers session/load, which tells the conversation again, and session/resume,
// which does not. One that is open is told by itself. While a run is on, a house that
// keeps its conversations tells it from where it is; else the end of the run is waited for.
func (s *server) resume(_ context.Context, m message, retell bool) (any, error) {
	o, err := s.start(m)
	if err != nil {
		return nil, err
	}
	if o.ID == "" {
		return nil, fail(codeParams, lang.T("%s needs a sessionId", m.Method))
	}
	t, err := s.home.visit(s.ctx, o)
	if err != nil {
		return nil, err
	}
	defer t.lets()
	t.joins(s, retell && s.home.keeps)
	if retell && !s.home.keeps {
		leave := t.turn()
		t.retell(s, -1)
		leave()
	}
	return after{t.state(), func() { t.announce(s) }}, nil
}

// close answers session/close: what runs is stopped, and what is kept stays. For what is
// read next it is closed, and opening it again waits until it is. Where others look at it,
// only this client leaves it.
func (s *server) close(m message) {
	var p startParams
	err := decode(m, &p)
	var t *talk
	if err == nil {
		t, err = s.open(p.ID)
	}
	if err != nil {
		s.reply(m, nil, err)
		return
	}
	if !s.home.begins() { // the end closes them all
		return
	}
	s.mu.Lock()
	delete(s.mine, p.ID)
	s.mu.Unlock()
	t.out.Lock()
	t.drops(s)
	t.stand()
	t.out.Unlock()
	finish := s.home.ends(t, true)
	s.counted(m, func() {
		if finish != nil {
			finish()
		}
		s.reply(m, nil, nil)
	})
}

// list answers session/list, a page at a time.
func (s *server) list(_ context.Context, m message) (any, error) {
	var p struct{ Cwd, Cursor string }
	if len(m.Params) > 0 {
		if err := decode(m, &p); err != nil {
			return nil, err
		}
	}
	from := 0
	if p.Cursor != "" {
		n, err := strconv.Atoi(p.Cursor)
		if err != nil || n < 0 {
			return nil, fail(codeParams, lang.T("the cursor %q is none of forge's", p.Cursor))
		}
		from = n
	}
	all, err := s.home.h.List()
	if err != nil {
		return nil, err
	}
	cwd := p.Cwd
	if real, err := filepath.EvalSymlinks(cwd); err == nil && cwd != "" { // as they are kept
		cwd = real
	}
	var fit []Stored
	for _, c := range all {
		if cwd == "" || c.Cwd == cwd {
			fit = append(fit, c)
		}
	}
	from = min(from, len(fit)) // a cursor may be any number
	to := min(from+pageSize, len(fit))
	page := []storedInfo{}
	for _, c := range fit[from:to] {
		page = append(page, storedInfo{ID: c.ID, Cwd: c.Cwd, Title: c.Title, Updated: c.Updated, Meta: s.home.stands(c.ID)})
	}
	out := map[string]any{"sessions": page}
	if to < len(fit) {
		out["nextCursor"] = strconv.Itoa(to)
	}
	return out, nil
}

// remove answers session/delete.
func (s *server) remove(ctx context.Context, m message) (any, error) {
	var p startParams
	if err := decode(m, &p); err != nil {
		return nil, err
	}
	s.home.mu.Lock()
	closing, open := s.home.closing[p.ID], s.home.talks[p.ID] != nil
	s.home.mu.Unlock()
	if closing != nil {
		select {
		case <-closing:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if open {
		return nil, fail(codeRequest, lang.T("this conversation is open; close it first"))
	}
	return nil, s.home.h.Delete(p.ID)
}
