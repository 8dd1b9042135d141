package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"forge/tools"
)

// A serverEngine is the protocol engine's half of a Service, on the official SDK.
type serverEngine struct {
	s   *sdk.Server
	log *slog.Logger
}

// A serving runs one call for a client.
type serving func(ctx context.Context, name string, args json.RawMessage, progress func(Progress)) tools.Result

// newServerEngine makes an engine that serves nothing yet. with may change its
// options before it is made.
func newServerEngine(version, instructions string, log *slog.Logger, with ...func(*sdk.ServerOptions)) *serverEngine {
	log = slog.New(atLeast{log.Handler(), slog.LevelWarn}) // it tells of each session otherwise
	o := &sdk.ServerOptions{
		Logger: log, Instructions: instructions,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}, // nil would advertise logging
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
			c.TTLMs, c.CacheScope = int(listFresh.Milliseconds()), "private"
		},
	}
	for _, f := range with {
		f(o)
	}
	e := &serverEngine{s: sdk.NewServer(&sdk.Implementation{Name: clientName, Title: "forge", Version: version}, o), log: log}
	e.s.AddReceivingMiddleware(caught)
	return e
}

// atLeast hands on records from a level on.
type atLeast struct {
	slog.Handler
	level slog.Level
}

func (a atLeast) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= a.level && a.Handler.Enabled(ctx, l)
}

// offer serves one tool. The SDK panics at a schema it cannot use; that is our
// error, at the start.
func (e *serverEngine) offer(spec tools.Spec, o Offer, call serving) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("tool %s cannot be served: %v", spec.Name, v)
		}
	}()
	world, destroys := false, !o.Reads
	e.s.AddTool(&sdk.Tool{
		Name: spec.Name, Title: o.Title, Description: spec.Description, InputSchema: spec.Schema,
		Annotations: &sdk.ToolAnnotations{Title: o.Title, ReadOnlyHint: o.Reads, IdempotentHint: o.Reads, DestructiveHint: &destroys, OpenWorldHint: &world},
	}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var progress func(Progress)
		if token := r.Params.GetProgressToken(); token != nil {
			progress = func(p Progress) {
				err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: p.Done, Total: p.Total, Message: p.Message})
				if err != nil && ctx.Err() == nil {
					e.log.Debug("progress not told", "error", err)
				}
			}
		}
		return served(call(ctx, spec.Name, r.Params.Arguments, progress))
	})
	return nil
}

// served is a result of ours on the wire.
func served(r tools.Result) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{IsError: r.IsError}
	if r.Text != "" || len(r.Images) == 0 {
		out.Content = append(out.Content, &sdk.TextContent{Text: r.Text})
	}
	for _, img := range r.Images {
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			return nil, fmt.Errorf("a picture of the result cannot be read: %w", err)
		}
		out.Content = append(out.Content, &sdk.ImageContent{MIMEType: img.MIME, Data: data})
	}
	return out, nil
}

// readable says why a message cannot be read; a stream that holds one is given up
// by the engine.
func (e *serverEngine) readable(text []byte) error {
	m, err := jsonrpc.DecodeMessage(text)
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.Method == "" {
		return errors.New("it has no method")
	}
	return err
}

// serveLines answers one client, whose messages are lines.
func (e *serverEngine) serveLines(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
	return e.s.Run(ctx, &sdk.IOTransport{Reader: r, Writer: w, MaxLineLength: maxRequest + 4096})
}

// handler answers clients over HTTP, of both eras at one address: a request of the
// newer says so in its headers, and needs no session; the older begins one. idle is
// how long a session may be silent.
func (e *serverEngine) handler(idle time.Duration) http.Handler {
	server := func(*http.Request) *sdk.Server { return e.s }
	// Where a request comes from is checked before it comes here.
	modern := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Stateless: true, Logger: e.log, MaxRequestBodyBytes: maxRequest, DisableLocalhostProtection: true, PropagateRequestCancellation: true,
	})
	legacy := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{
		Logger: e.log, MaxRequestBodyBytes: maxRequest, DisableLocalhostProtection: true, SessionTimeout: idle,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("MCP-Protocol-Version") >= firstModern || r.Header.Get("Mcp-Method") != "" {
			modern.ServeHTTP(w, r)
			return
		}
		legacy.ServeHTTP(w, r)
	})
}
