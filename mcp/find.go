package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"forge/tools"
)

type findInput struct {
	Query string `json:"query,omitempty" description:"words of the tool's name or description; empty lists all there are"`
}

// maxFound is how many tools one search brings in: each costs every later request.
const maxFound = 8

// finder is the tool by which a model finds deferred tools. names are those there are
// when it is offered; the description stays as it is then, whatever comes and goes:
// a change would cost the cache of the whole conversation. For the same reason what is
// found is described in the result and called with call_tool, and the list of tools a
// request begins with stays byte for byte.
func finder(reg *tools.Registry, names string) tools.Tool {
	return tools.Func("find_tools",
		"Find more tools, of connected MCP servers. With words it describes those that match best, at most 8, with their arguments; call them with call_tool. "+
			"With an empty query it lists the names of all with one line each. Search before you say that something cannot be done. There are:\n"+names,
		func(_ context.Context, _ tools.Call, in findInput) (*tools.Invocation, error) {
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: "find tools: " + in.Query},
				Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
					return find(reg, strings.TrimSpace(in.Query)), nil
				},
			}, nil
		})
}

// catalogue lists tools, one line each, within a quarter of the tokens their
// definitions may take: with what they do if that fits, else their names, else as many
// of those as fit.
func catalogue(specs []tools.Spec, budget int) string {
	limit := max(budget, 1024) // bytes: four a token, of which a quarter
	var long, short strings.Builder
	cut := 0
	for _, s := range specs {
		fmt.Fprintf(&long, "%s: %s\n", s.Name, firstLine(s.Description))
		if line := s.Name + "\n"; short.Len()+len(line) <= limit {
			short.WriteString(line)
		} else {
			cut++
		}
	}
	if long.Len() <= limit {
		return strings.TrimSuffix(long.String(), "\n")
	}
	if cut > 0 {
		fmt.Fprintf(&short, "and %d more", cut)
	}
	return strings.TrimSuffix(short.String(), "\n")
}

func find(reg *tools.Registry, query string) tools.Result {
	if query == "" {
		all := reg.Search("", 1000)
		if len(all) == 0 {
			return tools.Result{Text: "no tool is left to be found"}
		}
		var b strings.Builder
		for _, s := range all {
			fmt.Fprintf(&b, "%s: %s\n", s.Name, firstLine(s.Description))
		}
		return tools.Result{Text: b.String(), Display: counted(len(all), "1 tool", "%d tools")}
	}
	found := reg.Search(query, maxFound)
	// No tool has all the words: take those that have one of them.
	for _, w := range strings.Fields(query) {
		if len(found) > 0 {
			break
		}
		found = reg.Search(w, maxFound)
	}
	if len(found) == 0 {
		return tools.Result{Text: fmt.Sprintf("no tool matches %q; an empty query lists all there are", query)}
	}
	var names []string
	var b strings.Builder
	b.WriteString("call them with call_tool:\n")
	for _, s := range found {
		names = append(names, s.Name)
		fmt.Fprintf(&b, "%s: %s\n  arguments: %s\n", s.Name, s.Description, s.Schema)
	}
	reg.Load(names...)
	return tools.Result{Text: b.String(), Display: strings.Join(names, ", ")}
}

// A caller is call_tool, by which a model calls what find_tools found.
type caller struct{ reg *tools.Registry }

var callerSpec = tools.Spec{
	Name:        "call_tool",
	Description: "Call a tool that find_tools has described, with the arguments described there.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","description":"the tool's whole name"},"arguments":{"type":"object","description":"its arguments"}},"required":["name"]}`),
}

// Spec implements tools.Tool.
func (c caller) Spec() tools.Spec { return callerSpec }

// Unwrap implements tools.Proxy. A tool that was not searched for is called as well:
// if its arguments were guessed wrongly, what is wrong is told.
func (c caller) Unwrap(call tools.Call) (tools.Call, error) {
	var in struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal([]byte(call.Input), &in); err != nil {
		return call, fmt.Errorf("call_tool: the arguments cannot be read: %w; send {\"name\": …, \"arguments\": {…}}", err)
	}
	if in.Name == "" {
		return call, errors.New("call_tool: name is missing; find_tools lists what there is")
	}
	if in.Name == callerSpec.Name {
		return call, errors.New("call_tool does not call itself; name is the tool's that find_tools described")
	}
	c.reg.Load(in.Name)
	if _, ok := c.reg.Get(in.Name); !ok {
		return call, fmt.Errorf("call_tool: no tool is named %q; find_tools lists what there is", tools.Clip(in.Name, 80))
	}
	var text string // some models write the object as a text
	if json.Unmarshal(in.Arguments, &text) == nil && strings.HasPrefix(strings.TrimSpace(text), "{") {
		in.Arguments = json.RawMessage(text)
	}
	if len(in.Arguments) == 0 || string(in.Arguments) == "null" {
		in.Arguments = json.RawMessage("{}")
	}
	return tools.Call{ID: call.ID, Name: in.Name, Input: string(in.Arguments)}, nil
}

// Prepare implements tools.Tool. It is reached only by calls that stand for no other.
func (c caller) Prepare(_ context.Context, call tools.Call) (*tools.Invocation, error) {
	if _, err := c.Unwrap(call); err != nil {
		return nil, err
	}
	return nil, errors.New("call_tool: this call stands for another, and is made as that one")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > 120 {
		s = strings.ToValidUTF8(s[:120], "") + "…"
	}
	return s
}

// counted is a number of things for a person.
func counted(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}
