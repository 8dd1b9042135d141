package acp

import (
	"context"
	"path/filepath"
	"strconv"

	"forge/ui/lang"
)

// pageSize is how many conversations one answer to session/list names.
const pageSize = 100

// talk finds an open conversation; nil: none has that ID.
func (s *server) talk(id string) *talk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.talks[id]
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
func (s *server) begin(ctx context.Context, m message) (any, error) {
	o, err := s.start(m)
	if err != nil {
		return nil, err
	}
	o.ID = ""
	t, err := s.enter(ctx, o)
	if err != nil {
		return nil, err
	}
	r := t.state()
	r.ID = t.o.ID
	return after{r, t.announce}, nil
}

// resume answers session/load, which tells the conversation again, and session/resume,
// which does not. One that is open over this connection is told by itself.
func (s *server) resume(ctx context.Context, m message, retell bool) (any, error) {
	o, err := s.start(m)
	if err != nil {
		return nil, err
	}
	if o.ID == "" {
		return nil, fail(codeParams, lang.T("%s needs a sessionId", m.Method))
	}
	t := s.talk(o.ID)
	if t == nil {
		if t, err = s.enter(ctx, o); err != nil {
			return nil, err
		}
	}
	if retell {
		leave := t.turn()
		t.retell()
		leave()
	}
	return after{t.state(), t.announce}, nil
}

// enter opens a conversation and keeps it under its ID.
func (s *server) enter(ctx context.Context, o Start) (*talk, error) {
	if o.ID != "" {
		if err := s.closed(ctx, o.ID); err != nil {
			return nil, err
		}
		s.mu.Lock()
		twice := s.opening[o.ID]
		s.opening[o.ID] = true
		s.mu.Unlock()
		if twice {
			return nil, fail(codeRequest, lang.T("the conversation %q is being opened already", o.ID))
		}
		defer func() {
			s.mu.Lock()
			delete(s.opening, o.ID)
			s.mu.Unlock()
		}()
	}
	t := newTalk(s)
	opened, err := s.h.Open(ctx, o, t.line)
	if err != nil {
		return nil, err
	}
	if o.ID != "" { // a copy of it answers to the name the editor knows
		opened.ID = o.ID
	}
	t.begins(opened) // whoever finds it finds it whole
	s.mu.Lock()
	late := s.done
	if !late {
		s.talks[opened.ID] = t
	}
	s.mu.Unlock()
	if late {
		opened.Close()
		return nil, context.Canceled
	}
	return t, nil
}

// closed waits for a conversation that is being closed.
func (s *server) closed(ctx context.Context, id string) error {
	s.mu.Lock()
	over := s.closing[id]
	s.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close answers session/close: what runs is stopped, and what is kept stays. For what is
// read next it is closed, and opening it again waits until it is.
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
	over := make(chan struct{})
	s.mu.Lock()
	if s.done { // the end closes them all
		s.mu.Unlock()
		return
	}
	s.work.Add(1)
	delete(s.talks, p.ID)
	s.closing[p.ID] = over
	s.mu.Unlock()
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	wait, leave := t.place()
	t.cancel()
	s.counted(m, func() {
		defer func() {
			s.mu.Lock()
			delete(s.closing, p.ID)
			s.mu.Unlock()
			close(over)
			leave()
		}()
		<-wait
		t.o.Close()
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
	all, err := s.h.List()
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
		page = append(page, storedInfo(c))
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
	if err := s.closed(ctx, p.ID); err != nil {
		return nil, err
	}
	if s.talk(p.ID) != nil {
		return nil, fail(codeRequest, lang.T("this conversation is open; close it first"))
	}
	return nil, s.h.Delete(p.ID)
}
