package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"forge/ui/lang"
)

// ErrNoSession is a Host's error for a conversation that is not kept.
var ErrNoSession = errors.New("there is no such conversation")

// NoModel is a Host's error where no model can be spoken with, and Wrong where what was
// asked for cannot be.
type (
	NoModel struct{ Err error }
	Wrong   struct{ Err error }
)

// Error implements error.
func (e NoModel) Error() string { return e.Err.Error() }

// Error implements error.
func (e Wrong) Error() string { return e.Err.Error() }

// server is one connection, and the conversations it looks at.
type server struct {
	*conn
	home *House
	ctx  context.Context // ends with the connection
	stop context.CancelFunc
	work sync.WaitGroup // requests that are worked on, without prompts

	mu      sync.Mutex
	begun   bool // initialize was answered
	editor  string
	can     capability
	mine    map[string]*talk              // that it looks at
	prompts map[string]context.CancelFunc // by the ID of the request
	gone    bool
}

// listen takes what comes, until in ends, the client reads no more, or the connection is
// to end.
func (s *server) listen(in io.Reader) error {
	over := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				over <- fmt.Errorf("reading crashed: %v", p)
			}
		}()
		over <- s.read(in, s.take)
	}()
	select {
	case err := <-over:
		return err
	case <-s.broken:
		return errLost
	case <-s.ctx.Done():
		return nil
	}
}

// leaves ends a connection that nothing comes from any more: it looks at nothing and is
// asked nothing. What it has asked for is still answered.
func (s *server) leaves() {
	s.mu.Lock()
	s.gone = true
	mine := s.mine
	s.mine = map[string]*talk{}
	s.mu.Unlock()
	s.end()
	if s.home.keeps {
		for _, t := range mine {
			t.left(s)
		}
	}
	s.home.mu.Lock()
	delete(s.home.clients, s)
	s.home.mu.Unlock()
}

// Client speaks with one client of a house that keeps its conversations, until that goes
// away or the house is closed. It closes c. ErrFull: there are too many.
func (n *House) Client(c net.Conn) error {
	box := newOutbox(c)
	defer c.Close()
	talks := newConn(box, n.log)
	talks.room = &n.long
	s, err := n.enters(talks)
	if err != nil {
		talks.refuse(null, fail(codeRequest, lang.Said(err.Error())))
		box.end(time.Second)
		return err
	}
	defer s.stop()
	err = s.listen(c)
	s.leaves()
	if err == nil { // it may have closed its half alone, and listen
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			s.work.Wait()
		}()
		select {
		case <-answered:
		case <-time.After(lastWords):
		}
	}
	s.stop()
	box.end(lastWords)
	return err
}

// take is what becomes of each message, on the goroutine that reads.
func (s *server) take(m message) {
	switch {
	case m.Method == "":
		s.answered(m)
	case m.ID == nil:
		s.told(m)
	default:
		s.asked(m)
	}
}

// told takes a notification. One that is not known is passed over.
func (s *server) told(m message) {
	var p struct {
		Session string          `json:"sessionId"`
		Request json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	switch m.Method {
	case "session/cancel":
		if t := s.talk(p.Session); t != nil {
			t.cancel()
		}
	case "$/cancel_request":
		s.conn.mu.Lock()
		s.cancels = true
		s.conn.mu.Unlock()
		s.mu.Lock()
		cancel := s.prompts[string(p.Request)]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	}
}

// asked takes a request. What must keep its place among others is done at once; what may
// take its time runs beside the reading.
func (s *server) asked(m message) {
	s.mu.Lock()
	begun := s.begun
	s.mu.Unlock()
	if !begun && m.Method != "initialize" {
		s.refuse(m.ID, fail(codeRequest, lang.T("initialize comes first")))
		return
	}
	switch m.Method {
	case "initialize":
		s.now(m, s.initialize)
	case "authenticate":
		s.beside(m, s.authenticate)
	case "session/new":
		s.beside(m, s.begin)
	case "session/load":
		s.beside(m, func(ctx context.Context, m message) (any, error) { return s.resume(ctx, m, true) })
	case "session/resume":
		s.beside(m, func(ctx context.Context, m message) (any, error) { return s.resume(ctx, m, false) })
	case "session/close":
		s.close(m)
	case "session/list":
		s.beside(m, s.list)
	case "session/delete":
		s.beside(m, s.remove)
	case "session/set_mode":
		s.now(m, s.setMode)
	case "session/set_model":
		s.setModel(m)
	case "session/set_config_option":
		s.setOption(m)
	case "session/prompt":
		s.prompt(m)
	case methodStatus, methodStop:
		s.ofHouse(m)
	default:
		s.unknown(m)
	}
}

func (s *server) unknown(m message) {
	s.refuse(m.ID, fail(codeMethod, lang.T("forge has no method %s", short(m.Method))))
}

// now does what a request asks for before the next message is read.
func (s *server) now(m message, do func(context.Context, message) (any, error)) {
	result, err := do(s.ctx, m)
	s.reply(m, result, err)
}

// beside does it while others are read. Where the result is an after, that is done once
// it was told.
func (s *server) beside(m message, do func(context.Context, message) (any, error)) {
	s.going(m, func() {
		result, err := do(s.ctx, m)
		then, more := result.(after)
		if more {
			result = then.result
		}
		s.reply(m, result, err)
		if more && err == nil {
			then.do()
		}
	})
}

// after is a result with something that is to be told behind it.
type after struct {
	result any
	do     func()
}

// going runs f beside the reading, and answers m where f crashes.
func (s *server) going(m message, f func()) {
	if !s.home.begins() {
		return
	}
	s.mu.Lock()
	gone := s.gone
	if !gone {
		s.work.Add(1)
	}
	s.mu.Unlock()
	if gone {
		s.home.work.Done()
		return
	}
	s.counted(m, func() {
		defer s.work.Done()
		f()
	})
}

// counted is going for what the house has counted already, and what does not belong to
// the connection.
func (s *server) counted(m message, f func()) {
	go func() {
		defer s.home.work.Done()
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("request crashed", "method", m.Method, "panic", p, "stack", string(debug.Stack()))
				s.refuse(m.ID, fail(codeInternal, lang.T("forge crashed: %v", p)))
			}
		}()
		f()
	}()
}

func (s *server) reply(m message, result any, err error) {
	var e *Error
	var none NoModel
	var wrong Wrong
	switch {
	case err == nil:
		if result == nil {
			result = struct{}{}
		}
		s.answer(m.ID, result)
		return
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = fail(codeCancelled, lang.T("cancelled"))
	case errors.Is(err, ErrNoSession):
		e = fail(codeNotFound, lang.Said(err.Error()))
	case errors.As(err, &none):
		e = fail(codeAuth, lang.Said(err.Error())+"\n"+howToKey())
	case errors.As(err, &wrong):
		e = fail(codeParams, lang.Said(err.Error()))
	default:
		e = fail(codeInternal, lang.Said(err.Error()))
	}
	s.refuse(m.ID, e)
}

// decode reads the parameters of a request.
func decode(m message, into any) error {
	if len(m.Params) == 0 {
		return fail(codeParams, lang.T("%s needs parameters", m.Method))
	}
	if err := json.Unmarshal(m.Params, into); err != nil {
		return fail(codeParams, lang.T("the parameters of %s: %v", m.Method, err))
	}
	return nil
}

// keyed is the way to a key. No secret goes over the protocol: it says where one is put.
const keyed = "forge-key"

func (s *server) initialize(_ context.Context, m message) (any, error) {
	var p initializeParams
	if err := decode(m, &p); err != nil {
		return nil, err
	}
	if p.Version == nil {
		return nil, fail(codeParams, lang.T("initialize needs a protocolVersion"))
	}
	if _, err := p.Version.Int64(); err != nil {
		return nil, fail(codeParams, lang.T("protocolVersion must be a whole number"))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun = true
	if p.Info != nil {
		if s.editor = p.Info.Title; s.editor == "" {
			s.editor = p.Info.Name
		}
	}
	s.can = 0
	for c, shown := range map[capability]bool{
		shownNotices:     p.Client.Session != nil && p.Client.Session.Notices != nil,
		shownCompactions: p.Client.Session != nil && p.Client.Session.Compaction != nil,
		shownForms:       p.Client.Elicitation != nil && p.Client.Elicitation.Form != nil,
	} {
		if shown {
			s.can |= c
		}
	}
	ways := []authMethod{{ID: keyed, Name: lang.T("Give forge a key"), Description: howToKey()}}
	if p.Client.Auth.Terminal {
		ways = append(ways, authMethod{ID: "forge-login", Name: lang.T("Give forge a key in a terminal"), Description: lang.T("It is typed hidden, tried, and kept in the system's keyring."), Type: "terminal", Args: []string{"login"}})
	}
	yes := struct{}{}
	return map[string]any{
		"protocolVersion": protocol, // there is no other that forge speaks
		"agentCapabilities": map[string]any{
			"loadSession":        true,
			"promptCapabilities": map[string]bool{"image": true, "audio": false, "embeddedContext": true},
			"mcpCapabilities":    map[string]bool{"http": true, "sse": true},
			"sessionCapabilities": map[string]any{"list": yes, "delete": yes, "resume": yes, "close": yes,
				"additionalDirectories": yes},
		},
		"authMethods": ways,
		"agentInfo":   implementation{"forge", "forge", s.home.h.Version},
	}, nil
}

func howToKey() string {
	return lang.T("Run forge login in a terminal: the key is kept in the system's keyring. Or set DEEPSEEK_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY in the environment the editor starts forge with.")
}

func (s *server) authenticate(ctx context.Context, m message) (any, error) {
	var p struct {
		Method string `json:"methodId"`
	}
	if err := decode(m, &p); err != nil {
		return nil, err
	}
	if p.Method != keyed {
		return nil, fail(codeParams, lang.T("there is no way to log in named %q; there is %s", short(p.Method), keyed))
	}
	if err := s.home.h.Ready(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fail(codeAuth, lang.Said(err.Error())+"\n"+howToKey())
	}
	return nil, nil
}
