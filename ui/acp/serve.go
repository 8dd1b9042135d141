package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"forge/ui/lang"
)

// ErrNoSession is a Host's error for a conversation that is not kept.
var ErrNoSession = errors.New(lang.N("there is no such conversation"))

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

// patience is how long the end waits for runs that are being cancelled: a tool is left
// behind after less.
const patience = 8 * time.Second

// errLost is why everything ends where the editor reads no more.
var errLost = errors.New("the editor went away")

// server is one connection, and the conversations open over it.
type server struct {
	*conn
	h    Host
	ctx  context.Context // ends with the connection
	work sync.WaitGroup  // requests that are worked on

	mu       sync.Mutex
	begun    bool // initialize was answered
	editor   string
	notices  bool // the editor shows notices
	forms    bool // and forms
	compacts bool // and compactions
	talks    map[string]*talk
	opening  map[string]bool
	closing  map[string]chan struct{}      // until it can be opened again
	prompts  map[string]context.CancelFunc // by the ID of the request
	done     bool
}

// Serve speaks the protocol on in and out until in ends, which is how an editor ends an
// agent, or ctx does. Then what runs is stopped and what is open is closed.
func Serve(ctx context.Context, in io.Reader, out io.Writer, h Host) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{conn: newConn(out, h.Log), h: h, ctx: ctx, talks: map[string]*talk{}, opening: map[string]bool{}, closing: map[string]chan struct{}{}, prompts: map[string]context.CancelFunc{}}
	over := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				over <- fmt.Errorf("reading crashed: %v", p)
			}
		}()
		over <- s.read(in, s.take)
	}()
	var err error
	select {
	case err = <-over:
	case <-s.broken:
		err = errLost
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	s.end()
	s.shut()
	return err
}

// shut waits for what is under way, and closes every conversation.
func (s *server) shut() {
	s.mu.Lock()
	s.done = true
	s.mu.Unlock()
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		s.work.Wait()
	}()
	select {
	case <-rest:
	case <-time.After(patience):
		s.log.Warn("something does not end; it is left behind")
	}
	s.mu.Lock()
	talks := s.talks
	s.talks = map[string]*talk{}
	s.mu.Unlock()
	var all sync.WaitGroup
	for _, t := range talks {
		all.Go(func() {
			defer s.recovered()
			t.o.Close()
		})
	}
	all.Wait()
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
	default:
		s.refuse(m.ID, fail(codeMethod, lang.T("forge has no method %s", short(m.Method))))
	}
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
	s.mu.Lock()
	if s.done {
		s.mu.Unlock()
		return
	}
	s.work.Add(1)
	s.mu.Unlock()
	s.counted(m, f)
}

// counted is going for what s.work has counted already.
func (s *server) counted(m message, f func()) {
	go func() {
		defer s.work.Done()
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
	if c := p.Client.Session; c != nil {
		s.notices, s.compacts = c.Notices != nil, c.Compaction != nil
	}
	s.forms = p.Client.Elicitation != nil && p.Client.Elicitation.Form != nil
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
		"agentInfo":   implementation{"forge", "forge", s.h.Version},
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
	if err := s.h.Ready(ctx); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fail(codeAuth, lang.Said(err.Error())+"\n"+howToKey())
	}
	return nil, nil
}
