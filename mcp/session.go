package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The newest version of the era before server/discover, and the first with it.
const (
	lastLegacy  = "2025-11-25"
	firstModern = "2026-07-28"
)

// Session is what forge needs of a connection to a server. Any protocol engine
// that can do this can stand here.
type Session interface {
	About() About
	// Tools lists the tools, all pages of them. One that is broken has but a name and
	// the reason.
	Tools(ctx context.Context) ([]RemoteTool, error)
	// Call calls a tool. arguments is a JSON object, passed on byte for byte.
	// progress may be nil; it must not block.
	Call(ctx context.Context, tool string, arguments json.RawMessage, progress func(Progress)) (RemoteResult, error)
	Prompts(ctx context.Context) ([]Prompt, error)
	Prompt(ctx context.Context, name string, args map[string]string) ([]PromptMessage, error)
	Resources(ctx context.Context) ([]Resource, error)
	Templates(ctx context.Context) ([]Resource, error)
	Read(ctx context.Context, uri string) ([]Content, error)
	Complete(ctx context.Context, ref Reference, argument, value string, known map[string]string) ([]string, error)
	// Close ends it. Done is closed when it has ended, for whatever reason, and
	// Err tells that reason.
	Close()
	Done() <-chan struct{}
	Err() error
}

// About is what a server says of itself; unverified, for display alone.
type About struct {
	Version                                           string // of the protocol
	Transport                                         string // stdio, http or sse
	Name                                              string
	Release                                           string
	Instructions                                      string
	HasTools, HasPrompts, HasResources, HasCompletion bool
}

// Modern says whether the server speaks the era of server/discover.
func (a About) Modern() bool { return a.Version >= firstModern }

// RemoteTool is a tool as its server defines it.
type RemoteTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Hints       Hints           `json:"annotations,omitzero"`
	Broken      string          `json:"-"` // why it cannot be used
}

// Hints are what a server claims of a tool; they count only for a trusted one.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint,omitempty"`
	Idempotent  bool   `json:"idempotentHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// hooks are what a session tells its owner, and asks.
type hooks struct {
	changed func(what string) // "tools", "prompts" or "resources"
	elicit  func(ctx context.Context, q Elicitation) (ElicitAnswer, error)
}

// A sdkSession is a Session on the official SDK.
type sdkSession struct {
	cs        *sdk.ClientSession
	wire      *wire
	transport string
	tokens    atomic.Int64
	done      chan struct{}
	ends      ends
	once      sync.Once

	mu  sync.Mutex
	err error
}

// engine makes the SDK's client of one server: handlers are per client, and a
// dialog must know which server asks.
func engine(h hooks, version string) *sdk.Client {
	o := &sdk.ClientOptions{
		Logger:       slog.New(slog.DiscardHandler), // the wire has said it all
		Capabilities: &sdk.ClientCapabilities{},     // nil would advertise roots
	}
	if h.changed != nil {
		o.ToolListChangedHandler = func(context.Context, *sdk.ToolListChangedRequest) { h.changed("tools") }
		o.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) { h.changed("prompts") }
		o.ResourceListChangedHandler = func(context.Context, *sdk.ResourceListChangedRequest) { h.changed("resources") }
	}
	if h.elicit != nil {
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
		o.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			q := Elicitation{Message: r.Params.Message, URL: r.Params.URL, ID: r.Params.ElicitationID}
			if r.Params.RequestedSchema != nil {
				raw, err := json.Marshal(r.Params.RequestedSchema)
				if err != nil {
					return nil, err
				}
				q.Schema = raw
			}
			a, err := h.elicit(ctx, q)
			if err != nil {
				return nil, err
			}
			return &sdk.ElicitResult{Action: a.Action, Content: a.Content}, nil
		}
	}
	return sdk.NewClient(&sdk.Implementation{Name: clientName, Version: version}, o)
}

// framed is a connection of ours as the SDK wants it.
type framed struct{ *stdio }

func (f framed) SessionID() string                               { return "" }
func (f framed) Connect(context.Context) (sdk.Connection, error) { return f, nil }

func (f framed) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		b, err := f.Recv(ctx)
		if err != nil {
			return nil, err
		}
		m, err := jsonrpc.DecodeMessage(b)
		if err != nil { // never the end of the session
			f.wire.stray(b, "the engine cannot read it: "+err.Error())
			continue
		}
		return m, nil
	}
}

func (f framed) Write(ctx context.Context, m jsonrpc.Message) error {
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return f.Send(ctx, b)
}

// connectStdio speaks to a server that was started. pin is a protocol version to
// use without a probe; empty: probe. When ctx ends before it is connected, the
// server is ended too.
func connectStdio(ctx context.Context, c *sdk.Client, s *stdio, pin string) (Session, error) {
	return connect(ctx, c, framed{s}, s.wire, "stdio", pin, ends{gone: s.gone, end: func() { s.Close() }})
}

// loginHandler is how the engine is given a login; oauth.go makes one.
type loginHandler = auth.OAuthHandler

// ends is how a connection is watched and ended from below the SDK.
type ends struct {
	gone func() error    // why it ended; nil while it is there
	lost <-chan struct{} // closed when it is to be given up; may be nil
	end  func()          // ends what the SDK does not own; may be called twice
}

// connectHTTP speaks to a server at a URL.
func connectHTTP(ctx context.Context, c *sdk.Client, at string, client *http.Client, w *wire, login loginHandler, pin string, e ends) (Session, error) {
	t := &sdk.StreamableClientTransport{Endpoint: at, HTTPClient: client, OAuthHandler: login, MaxEventSize: maxFrame + 4096, MaxRetries: 2}
	return connect(ctx, c, t, w, "http", pin, e)
}

// connectSSE speaks to a server of 2024-11-05 at a URL. life is the context of the
// stream, which outlives ctx.
func connectSSE(ctx, life context.Context, c *sdk.Client, at string, client *http.Client, w *wire, e ends) (Session, error) {
	t := &sdk.SSEClientTransport{Endpoint: at, HTTPClient: client, MaxEventSize: maxFrame + 4096}
	return connect(ctx, c, lasting{t, life}, w, "sse", lastLegacy, e)
}

// lasting connects a transport whose stream must outlive the time a connect may
// take.
type lasting struct {
	sdk.Transport
	life context.Context
}

func (l lasting) Connect(context.Context) (sdk.Connection, error) { return l.Transport.Connect(l.life) }

// connect runs the handshake. The SDK's Connect may wait for a Close, so that it
// can outlast ctx: it runs apart, and end unblocks it.
func connect(ctx context.Context, c *sdk.Client, t sdk.Transport, w *wire, transport, pin string, e ends) (Session, error) {
	type outcome struct {
		cs  *sdk.ClientSession
		err error
	}
	got := make(chan outcome, 1)
	go func() {
		o := outcome{err: errors.New("the protocol engine crashed")}
		defer func() { got <- o }()
		defer recovered("connect to a server")
		o.cs, o.err = c.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: pin})
	}()
	var o outcome
	select {
	case o = <-got:
	case <-ctx.Done():
		e.end()
		go func() {
			defer recovered("drop a late connection")
			if o := <-got; o.cs != nil {
				o.cs.Close()
			}
		}()
		return nil, ctx.Err()
	}
	if o.err != nil {
		why := o.err
		var rpc *jsonrpc.Error
		if g := e.gone(); g != nil && !errors.As(why, &rpc) && !unsupported(why) {
			why = fmt.Errorf("%w (%w)", g, errLost)
		}
		e.end()
		return nil, plain(why)
	}
	s := &sdkSession{cs: o.cs, wire: w, transport: transport, done: make(chan struct{}), ends: e}
	if e.lost != nil {
		go func() {
			defer recovered("give up a session")
			select {
			case <-e.lost:
				o.cs.Close()
			case <-s.done:
			}
		}()
	}
	go func() {
		defer recovered("watch a session")
		err := o.cs.Wait()
		if g := e.gone(); g != nil {
			err = g
		}
		if err == nil {
			err = errLost
		}
		s.mu.Lock()
		if s.err == nil {
			s.err = plain(err)
		}
		s.mu.Unlock()
		close(s.done)
	}()
	return s, nil
}

// errLost marks a connection that ended, as opposed to a server that answered no.
var errLost = errors.New("connection lost")

// errForgotten marks a request the server did not look at, since it knows the session
// no more.
var errForgotten = errors.New("the request was not handled")

// RPCError is an error a server answered with.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage
}

// Error implements error.
func (e *RPCError) Error() string {
	message := clip(clean(e.Message), 4000) // it goes to the model and to a screen
	if e.Code == codeBroken {
		return message
	}
	return fmt.Sprintf("%s (error %d of the server)", message, e.Code)
}

// codeRejected is what the SDK marks a request with that could not be sent.
const codeRejected = -32005

// plain turns the SDK's errors into ours.
func plain(err error) error {
	var rpc *jsonrpc.Error
	var login *ErrLogin
	switch {
	case err == nil:
		return nil
	case errors.As(err, &login):
		return login
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &rpc) && rpc.Code == codeRejected:
		var at *url.Error
		if errors.As(err, &at) {
			return at.Err
		}
		_, why, _ := strings.Cut(err.Error(), rpc.Message+": ")
		return errors.New(why)
	case errors.As(err, &rpc) && rpc.Code == codeLost:
		return fmt.Errorf("%s (%w, %w)", rpc.Message, errForgotten, errLost)
	case errors.As(err, &rpc) && rpc.Code == codeLogin:
		return &ErrLogin{Challenge: Challenge{Status: http.StatusUnauthorized, Header: rpc.Message}}
	case errors.As(err, &rpc):
		return &RPCError{Code: rpc.Code, Message: rpc.Message, Data: rpc.Data}
	case errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, sdk.ErrSessionMissing), errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return fmt.Errorf("%w (%s)", errLost, err)
	}
	return err
}

func (s *sdkSession) About() About {
	r := s.cs.InitializeResult()
	a := About{Transport: s.transport}
	if r == nil {
		return a
	}
	a.Version, a.Instructions = r.ProtocolVersion, r.Instructions
	if r.ServerInfo != nil {
		a.Name, a.Release = r.ServerInfo.Name, r.ServerInfo.Version
	}
	if c := r.Capabilities; c != nil {
		a.HasTools, a.HasPrompts, a.HasResources, a.HasCompletion = c.Tools != nil, c.Prompts != nil, c.Resources != nil, c.Completions != nil
	}
	return a
}

// maxPages bounds a list: a server that gives the same cursor for ever has no end.
const maxPages = 200

// pages reads all pages of a list. The engine drops an empty cursor, which is a
// valid one, so a list ends there.
func pages[T any](list func(cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, next, err := list(cursor)
		if err != nil {
			return all, err
		}
		all = append(all, page...)
		if next == "" || seen[next] || len(seen) == maxPages {
			return all, nil
		}
		seen[next], cursor = true, next
	}
}

func (s *sdkSession) Tools(ctx context.Context) ([]RemoteTool, error) {
	if !s.About().HasTools {
		return nil, nil
	}
	list, err := pages(func(cursor string) ([]*sdk.Tool, string, error) {
		r, err := s.cs.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", s.why(err)
		}
		return r.Tools, r.NextCursor, nil
	})
	if err != nil {
		return nil, err
	}
	var out []RemoteTool
	taken := map[string]bool{}
	for _, t := range list {
		if taken[t.Name] {
			s.wire.warn(fmt.Sprintf("tool %q comes twice; the first is used", t.Name))
			continue
		}
		taken[t.Name] = true
		var r RemoteTool
		if err := json.Unmarshal(s.wire.definition(t.Name), &r); err != nil {
			s.wire.warn(fmt.Sprintf("tool %q is switched off: %v", t.Name, err))
			continue
		}
		out = append(out, r)
	}
	for name, why := range s.wire.leftOut() {
		if !taken[name] {
			out = append(out, RemoteTool{Name: name, Broken: why})
		}
	}
	return out, nil
}

func (s *sdkSession) Call(ctx context.Context, tool string, arguments json.RawMessage, progress func(Progress)) (RemoteResult, error) {
	sl := &slot{}
	p := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	if progress != nil {
		token := "p" + strconv.FormatInt(s.tokens.Add(1), 10)
		p.Meta = sdk.Meta{"progressToken": token}
		defer s.wire.watch(token, progress)()
	}
	res, err := s.cs.CallTool(context.WithValue(ctx, slotKey{}, sl), p)
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) && rpc.Code == sdk.CodeHeaderMismatch {
		// The definition this call was routed by is out of date.
		if _, listErr := s.Tools(ctx); listErr == nil {
			res, err = s.cs.CallTool(context.WithValue(ctx, slotKey{}, sl), p)
		}
	}
	if err != nil {
		return RemoteResult{}, s.why(err)
	}
	if res.NeedsInput() {
		return RemoteResult{}, errors.New("the server asked for input in a way that forge cannot give")
	}
	if sl.raw == nil {
		return RemoteResult{}, errors.New("the server's result was lost on the way")
	}
	return decodeResult(sl.raw)
}

func (s *sdkSession) Prompts(ctx context.Context) ([]Prompt, error) {
	if !s.About().HasPrompts {
		return nil, nil
	}
	return pages(func(cursor string) ([]Prompt, string, error) {
		r, err := s.cs.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", s.why(err)
		}
		var out []Prompt
		for _, p := range r.Prompts {
			if p == nil || p.Name == "" {
				continue
			}
			q := Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
			for _, a := range p.Arguments {
				if a != nil {
					q.Arguments = append(q.Arguments, PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
				}
			}
			out = append(out, q)
		}
		return out, r.NextCursor, nil
	})
}

func (s *sdkSession) Prompt(ctx context.Context, name string, args map[string]string) ([]PromptMessage, error) {
	r, err := s.cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	if err != nil {
		return nil, s.why(err)
	}
	var out []PromptMessage
	for _, m := range r.Messages {
		if m == nil {
			continue
		}
		raw, err := json.Marshal(m.Content)
		if err != nil {
			return nil, err
		}
		out = append(out, PromptMessage{Role: string(m.Role), Content: decodeContent(raw)})
	}
	return out, nil
}

func (s *sdkSession) Resources(ctx context.Context) ([]Resource, error) {
	if !s.About().HasResources {
		return nil, nil
	}
	return pages(func(cursor string) ([]Resource, string, error) {
		r, err := s.cs.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", s.why(err)
		}
		var out []Resource
		for _, x := range r.Resources {
			if x != nil {
				out = append(out, Resource{URI: x.URI, Name: x.Name, Title: x.Title, Description: x.Description, MIME: x.MIMEType, Size: x.Size})
			}
		}
		return out, r.NextCursor, nil
	})
}

func (s *sdkSession) Templates(ctx context.Context) ([]Resource, error) {
	if !s.About().HasResources {
		return nil, nil
	}
	return pages(func(cursor string) ([]Resource, string, error) {
		r, err := s.cs.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", s.why(err)
		}
		var out []Resource
		for _, x := range r.ResourceTemplates {
			if x != nil {
				out = append(out, Resource{URI: x.URITemplate, Name: x.Name, Title: x.Title, Description: x.Description, MIME: x.MIMEType, Template: true})
			}
		}
		return out, r.NextCursor, nil
	})
}

func (s *sdkSession) Read(ctx context.Context, uri string) ([]Content, error) {
	r, err := s.cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, s.why(err)
	}
	var out []Content
	for _, c := range r.Contents {
		if c == nil {
			continue
		}
		raw, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		out = append(out, decodeContent(json.RawMessage(`{"type":"resource","resource":`+string(raw)+`}`)))
	}
	return out, nil
}

func (s *sdkSession) Complete(ctx context.Context, ref Reference, argument, value string, known map[string]string) ([]string, error) {
	if !s.About().HasCompletion {
		return nil, nil
	}
	p := &sdk.CompleteParams{
		Argument: sdk.CompleteParamsArgument{Name: argument, Value: value},
		Ref:      &sdk.CompleteReference{Type: "ref/prompt", Name: ref.Prompt},
	}
	if ref.Template != "" {
		p.Ref = &sdk.CompleteReference{Type: "ref/resource", URI: ref.Template}
	}
	if len(known) > 0 {
		p.Context = &sdk.CompleteContext{Arguments: known}
	}
	r, err := s.cs.Complete(ctx, p)
	if err != nil {
		return nil, s.why(err)
	}
	return r.Completion.Values[:min(len(r.Completion.Values), 100)], nil
}

// why turns an error of a request into ours, with the reason the connection ended
// where that is the cause.
func (s *sdkSession) why(err error) error {
	err = plain(err)
	var rpc *RPCError
	var login *ErrLogin
	if errors.As(err, &rpc) || errors.As(err, &login) || errors.Is(err, errForgotten) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if g := s.ends.gone(); g != nil {
		return fmt.Errorf("%w (%w)", g, errLost)
	}
	return err
}

// closeWait is how long the SDK may take to close before what lies under it is
// ended anyway.
const closeWait = 500 * time.Millisecond

func (s *sdkSession) Close() {
	s.once.Do(func() {
		s.mu.Lock()
		if s.err == nil {
			s.err = errors.New("closed")
		}
		s.mu.Unlock()
		closed := make(chan struct{})
		go func() {
			defer recovered("close a session")
			defer close(closed)
			s.cs.Close()
		}()
		waitFor(closed, closeWait)
		s.ends.end()
	})
}

func (s *sdkSession) Done() <-chan struct{} { return s.done }

func (s *sdkSession) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// unsupported says whether an error means that the server speaks no version that
// forge does.
func unsupported(err error) bool {
	return err != nil && strings.Contains(err.Error(), "unsupported protocol version")
}
