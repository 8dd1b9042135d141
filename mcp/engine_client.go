package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/tools/child"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
	if h.updated != nil {
		o.ResourceUpdatedHandler = func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { h.updated(r.Params.URI) }
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
	c := sdk.NewClient(&sdk.Implementation{Name: clientName, Version: version}, o)
	c.AddReceivingMiddleware(caught)
	return c
}

// caught makes an error of a crash in the handling of a message: the engine runs its
// handlers on goroutines of its own, and one crash there would be the end of forge.
func caught(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				slog.Error("an MCP message could not be handled", "method", method, "crash", v)
				res, err = nil, fmt.Errorf("%s could not be handled", method)
			}
		}()
		return next(ctx, method, r)
	}
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
		child.WaitFor(closed, closeWait)
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
