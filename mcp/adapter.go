package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"forge/tools"
)

// A remote is a tool of a server as the other rooms know tools.
type remote struct {
	server *server
	def    RemoteTool
	spec   tools.Spec
}

// Spec implements tools.Tool.
func (r *remote) Spec() tools.Spec { return r.spec }

// Prepare implements tools.Tool. What a call would do is not known, so that it is
// asked about; only a server the person trusts is believed that a tool reads alone.
func (r *remote) Prepare(_ context.Context, call tools.Call) (*tools.Invocation, error) {
	args, err := r.arguments(call)
	if err != nil {
		return nil, err
	}
	title := r.def.Name
	if t := firstOf(r.def.Title, r.def.Hints.Title); t != "" && r.server.cfg.Trust {
		title = t
	}
	e := tools.Effect{
		Title: clean(fmt.Sprintf("%s: %s", r.server.name, title)), Server: r.server.name, Detail: detail(args),
	}
	switch {
	case !r.def.Hints.ReadOnly:
	case r.server.cfg.Trust:
		e.Kind = tools.Read
	default:
		e.Claims = tools.Read
	}
	return &tools.Invocation{Effect: e, Run: func(ctx context.Context, _ tools.Effect, out io.Writer) (tools.Result, error) {
		return r.run(ctx, args, out)
	}}, nil
}

func firstOf(s ...string) string {
	for _, x := range s {
		if x != "" {
			return x
		}
	}
	return ""
}

// arguments checks what the model wrote: one JSON object with all that is required.
// The rest is the server's to check.
func (r *remote) arguments(call tools.Call) (json.RawMessage, error) {
	input := strings.TrimSpace(call.Input)
	if input == "" {
		input = "{}"
	}
	var m map[string]json.RawMessage
	d := json.NewDecoder(strings.NewReader(input))
	if err := d.Decode(&m); err != nil || m == nil {
		return nil, fmt.Errorf("%s: the arguments are not one JSON object; they were %s", call.Name, tools.Clip(call.Input, 400))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more follows the arguments; send one JSON object", call.Name)
	}
	var s struct {
		Required   []string                   `json:"required"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(r.def.Input, &s) == nil {
		var missing []string
		for _, k := range s.Required {
			if _, ok := m[k]; !ok {
				missing = append(missing, k)
			}
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("%s: %s is missing; the arguments were %s", call.Name, strings.Join(missing, ", "), tools.Clip(call.Input, 400))
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(input)); err != nil {
		return nil, fmt.Errorf("%s: the arguments are not valid JSON: %w", call.Name, err)
	}
	return b.Bytes(), nil
}

// detail lays arguments out for a person, whole, with nothing hidden in them.
func detail(args json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		return visible(string(args))
	}
	return visible(b.String())
}

func (r *remote) run(ctx context.Context, args json.RawMessage, out io.Writer) (tools.Result, error) {
	lines := &progressLines{out: out}
	res, err := r.server.call(ctx, r.def, args, lines.show)
	lines.stop()
	if err != nil {
		if ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
		return tools.Result{}, fmt.Errorf("%s of %s failed: %w", r.def.Name, r.server.name, err)
	}
	result, eyes := r.server.m.mapper.result(res)
	if why := breach(r.def.Output, res); why != "" {
		result.Text += "\n" + breachNote(why)
	}
	if eyes != "" {
		fmt.Fprintln(out, eyes)
	}
	return result, nil
}

// progressLines shows a call's progress as lines, at most a few a second. A writer
// that is slow holds up nobody but itself.
type progressLines struct {
	out io.Writer

	mu    sync.Mutex
	last  time.Time
	ended bool
	text  string
}

const progressEvery = 250 * time.Millisecond

func (p *progressLines) show(x Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || time.Since(p.last) < progressEvery {
		return
	}
	p.last = time.Now()
	text := fmt.Sprintf("%g", x.Done)
	if x.Total > 0 {
		text = fmt.Sprintf("%g/%g (%.0f%%)", x.Done, x.Total, 100*x.Done/x.Total)
	}
	if x.Message != "" {
		text += " " + strings.ReplaceAll(clip(clean(x.Message), 200), "\n", " ")
	}
	if text == p.text {
		return
	}
	p.text = text
	fmt.Fprintln(p.out, text)
}

func (p *progressLines) stop() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
}
