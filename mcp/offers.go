package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/tools"
)

// askLimit is how long a server may take for what is not a call of the model's.
const askLimit = 15 * time.Second

// readies are the servers that run, by name.
func (m *Manager) readies() map[string]Session {
	out := map[string]Session{}
	for _, s := range m.fleet.Load().all {
		s.mu.Lock()
		if s.state == Ready && s.session != nil {
			out[s.name] = s.session
		}
		s.mu.Unlock()
	}
	return out
}

// gather asks all running servers at once. A server that fails is left out, and
// said so in its log.
func gather[T any](ctx context.Context, m *Manager, ask func(ctx context.Context, name string, s Session) ([]T, error)) []T {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	sessions, fleet := m.readies(), m.fleet.Load()
	lists := make([][]T, len(fleet.all))
	var wg sync.WaitGroup
	for i, server := range fleet.all {
		s, ok := sessions[server.name]
		if !ok {
			continue
		}
		wg.Add(1)
		go func() {
			defer recovered("ask a server")
			defer wg.Done()
			list, err := ask(ctx, server.name, s)
			if err != nil {
				server.log.printf("forge: %v", err)
			}
			lists[i] = list
		}()
	}
	wg.Wait()
	return slices.Concat(lists...)
}

// Prompts lists what the running servers offer as commands of the person's.
func (m *Manager) Prompts(ctx context.Context) []Prompt {
	return gather(ctx, m, func(ctx context.Context, name string, s Session) ([]Prompt, error) {
		list, err := s.Prompts(ctx)
		for i := range list {
			list[i].Server = name
		}
		return list, err
	})
}

// Prompt fills a prompt in and gives its text, as the person's message, and its
// pictures.
func (m *Manager) Prompt(ctx context.Context, server, name string, args map[string]string) (tools.Result, error) {
	session, err := m.session(ctx, server)
	if err != nil {
		return tools.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	messages, err := session.Prompt(ctx, name, args)
	if err != nil {
		return tools.Result{}, fmt.Errorf("the prompt %s of %s: %w", name, server, err)
	}
	var r RemoteResult
	for _, x := range messages {
		c := x.Content
		c.Audience = nil
		if x.Role == "assistant" && c.Kind == "text" {
			c.Text = "(assistant) " + c.Text
		}
		r.Content = append(r.Content, c)
	}
	res, _ := m.mapper.result(r)
	return res, nil
}

func (m *Manager) session(ctx context.Context, server string) (Session, error) {
	s, err := m.server(server)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, orDuration(s.cfg.StartupTimeout, startLimit))
	defer cancel()
	return s.connected(ctx)
}

// Resources lists the resources of the running servers, and the templates of such.
func (m *Manager) Resources(ctx context.Context) []Resource {
	return gather(ctx, m, func(ctx context.Context, name string, s Session) ([]Resource, error) {
		list, err := s.Resources(ctx)
		templates, err2 := s.Templates(ctx)
		var rpc *RPCError
		if errors.As(err2, &rpc) && rpc.Code == -32601 { // many have none
			err2 = nil
		}
		list = append(list, templates...)
		for i := range list {
			list[i].Server = name
		}
		return list, errors.Join(err, err2)
	})
}

// Read reads a resource: its text for the model, its pictures, and files for what is
// neither.
func (m *Manager) Read(ctx context.Context, server, uri string) (tools.Result, error) {
	session, err := m.session(ctx, server)
	if err != nil {
		return tools.Result{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, callIdle)
	defer cancel()
	parts, err := session.Read(ctx, uri)
	if err != nil {
		return tools.Result{}, fmt.Errorf("read %s of %s: %w", clip(uri, 200), server, err)
	}
	if s, err := m.server(server); err == nil {
		s.watch(session, uri)
	}
	res, _ := m.mapper.result(RemoteResult{Content: parts})
	return res, nil
}

// Complete gives what an argument of a prompt or a resource template may become.
// known are the arguments given already.
func (m *Manager) Complete(ctx context.Context, server string, ref Reference, argument, value string, known map[string]string) ([]string, error) {
	session, ok := m.readies()[server]
	if !ok {
		return nil, fmt.Errorf("the MCP server %s does not run", server)
	}
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	values, err := session.Complete(ctx, ref, argument, value, known)
	for i := range values {
		values[i] = clean(values[i])
	}
	return values, err
}

// offerReader registers read_resource, once a server with resources is there.
func (m *Manager) offerReader() {
	m.mu.Lock()
	offered := m.reader
	m.reader = true
	m.mu.Unlock()
	if offered || m.o.Registry == nil {
		return
	}
	m.o.Registry.SetSoon("mcp-resources", []tools.Tool{m.resourceTool()}, false, nil)
}

type readInput struct {
	Server string `json:"server,omitempty" description:"the MCP server; may be left out where one alone runs"`
	URI    string `json:"uri,omitempty" description:"the resource; left out: list what there is"`
}

// resourceTool lets the model read resources of servers, such as those a result
// points to.
func (m *Manager) resourceTool() tools.Tool {
	return tools.Func("read_resource", "Read a resource of a connected MCP server by its URI, or list the resources there are.",
		func(ctx context.Context, call tools.Call, in readInput) (*tools.Invocation, error) {
			if in.Server == "" {
				var names []string
				for n, s := range m.readies() {
					if s.About().HasResources {
						names = append(names, n)
					}
				}
				slices.Sort(names)
				if len(names) != 1 && in.URI != "" {
					return nil, fmt.Errorf("read_resource: which server? there are %s", strings.Join(names, ", "))
				}
				in.Server = strings.Join(names, ", ")
			} else if _, err := m.server(in.Server); err != nil {
				return nil, fmt.Errorf("read_resource: %w", err)
			}
			if in.URI == "" {
				return &tools.Invocation{Effect: tools.Effect{Kind: tools.Internal, Title: "list resources"}, Run: m.listResources}, nil
			}
			return &tools.Invocation{
				Effect: tools.Effect{Title: clean(in.Server + ": read " + in.URI), Server: in.Server, Detail: visible(in.URI)},
				Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
					return m.Read(ctx, in.Server, in.URI)
				},
			}, nil
		})
}

func (m *Manager) listResources(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
	var b strings.Builder
	list := m.Resources(ctx)
	for _, r := range list {
		fmt.Fprintf(&b, "%s: %s", r.Server, clean(r.URI))
		if t := firstOf(r.Title, r.Name); t != "" {
			b.WriteString(" - " + firstLine(clean(t)))
		}
		if r.Template {
			b.WriteString(" (fill in what stands in braces)")
		}
		b.WriteString("\n")
	}
	if len(list) == 0 {
		b.WriteString("no running server has resources")
	}
	return tools.Result{Text: b.String(), Display: counted(len(list), "1 resource", "%d resources")}, nil
}
