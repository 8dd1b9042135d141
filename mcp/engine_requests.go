package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"forge/lazy"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

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
		a.HasSubscriptions = c.Resources != nil && c.Resources.Subscribe
		a.HasTools, a.HasPrompts, a.HasResources, a.HasCompletion = c.Tools != nil, c.Prompts != nil, c.Resources != nil, c.Completions != nil
	}
	return a
}

// maxPages bounds a list: a server that gives the same cursor for ever has no end.
const maxPages = 200

// pages reads all pages of a list. An empty cursor is a valid one; many servers mean by
// it that nothing follows, and begin anew when they are asked for that.
func pages[T any](list func(cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, next, err := list(cursor)
		if err != nil {
			return all, err
		}
		if cursor == emptyCursor && len(page) > 0 && len(all) > 0 && reflect.DeepEqual(page[0], all[0]) {
			return all, nil
		}
		all = append(all, page...)
		if next == "" || seen[next] || len(seen) == maxPages {
			return all, nil
		}
		seen[next], cursor = true, next
	}
}

func (s *sdkSession) Tools(ctx context.Context) ([]RemoteTool, Fresh, error) {
	if !s.About().HasTools {
		return nil, Fresh{}, nil
	}
	s.wire.anew()
	list, err := pages(func(cursor string) ([]*sdk.Tool, string, error) {
		r, err := s.cs.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", s.why(err)
		}
		return r.Tools, r.NextCursor, nil
	})
	if err != nil {
		return nil, Fresh{}, err
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
	return out, s.wire.freshness(), nil
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
		if _, _, listErr := s.Tools(ctx); listErr == nil {
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

// Watch returns when the server has agreed, in the older eras; in the newer one the
// request lasts as long as the session, so that nobody waits for its answer.
func (s *sdkSession) Watch(ctx context.Context, uri string) error {
	if !s.About().Modern() {
		return s.why(s.cs.Subscribe(ctx, &sdk.SubscribeParams{URI: uri}))
	}
	go func() {
		defer recovered("watch a resource")
		if err := s.cs.Subscribe(context.WithoutCancel(ctx), &sdk.SubscribeParams{URI: uri}); err != nil {
			select {
			case <-s.done:
			default:
				s.wire.warn(fmt.Sprintf("changes of %s are not told: %v", clip(uri, 200), plain(err)))
			}
		}
	}()
	return nil
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

// misread is what the SDK says of an answer that it cannot decode.
var misread = lazy.Regexp{Expr: `calling "([^"]+)": json: `}

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
	case misread.Get().MatchString(err.Error()):
		return fmt.Errorf("the server answered %s with something the protocol does not have there", misread.Get().FindStringSubmatch(err.Error())[1])
	case strings.Contains(err.Error(), "request terminated without response"):
		return errors.New("the server's stream ended before its answer came")
	case errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, sdk.ErrSessionMissing), errors.Is(err, io.EOF), errors.Is(err, io.ErrClosedPipe):
		return fmt.Errorf("%w (%s)", errLost, err)
	}
	return err
}
