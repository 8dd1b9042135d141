// Package subagent runs an agent as a tool call of another one.
//
// It owns the definitions of sub-agents (built in, and markdown files with a front
// matter), the tool by which a model delegates to one, and what such an agent may
// do: a part of its parent's tools, behind its parent's guard, and never more than
// the parent. Each has a conversation of its own; only its report goes back. Each can
// be stopped alone, and its parent is told. main makes one Crew a session and registers
// its tool; the agents run in the goroutines of their parents' calls.
package subagent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"forge/agent"
	"forge/compact"
	"forge/provider"
	"forge/sorting"
	"forge/tools"
)

// ToolName is what the tool is called.
const ToolName = "task"

// Bounds of a crew where nothing else was set.
const (
	DefaultParallel = 4   // agents at a time, on each floor
	DefaultDepth    = 1   // floors of agents below the person's own
	DefaultTurns    = 50  // model calls of one agent
	mostAgents      = 200 // in one session of forge: a model that only delegates gets nowhere
	maxReport       = 24 << 10
)

// Options is what a Crew needs. Every function is called from the goroutine of the
// call that starts an agent.
type Options struct {
	Definitions []Definition
	Parallel    int // agents at a time; 0: DefaultParallel
	Depth       int // 1: agents start no agents; 0: DefaultDepth
	// Hands makes the tools of one agent: those of its parent that are named, with a
	// memory of their own. done ends what they left running.
	Hands func(parent *tools.Registry, names []string) (own *tools.Registry, done func(), err error)
	// Model opens the model a definition names; the parent's is used where it names none.
	Model func(ctx context.Context, d Definition) (provider.Provider, provider.Model, provider.Effort, error)
	// System writes the system prompt around an agent's part.
	System func(role string, tools []string) string
	// Compact makes what fits the agent's conversation into a window; nil: nothing does.
	Compact func(provider.Provider, provider.Model) *compact.Compactor
}

// Crew starts sub-agents. Its methods may be called from any goroutine.
type Crew struct {
	o Options

	mu      sync.Mutex
	slots   map[int]chan struct{} // by floor: an agent that waits for its own must not keep them waiting
	started int
	atWork  map[string]*work // by their paths
}

// New returns a Crew of these definitions.
func New(o Options) *Crew {
	if o.Parallel <= 0 {
		o.Parallel = DefaultParallel
	}
	if o.Depth <= 0 {
		o.Depth = DefaultDepth
	}
	c := &Crew{o: o, slots: map[int]chan struct{}{}, atWork: map[string]*work{}}
	c.Define(o.Definitions)
	return c
}

// Define puts other definitions in the place of those there were; of two with one name
// the last counts. Agents at work keep theirs, and Tool makes a tool that knows the new
// ones.
func (c *Crew) Define(all []Definition) {
	var ds []Definition
	for _, d := range all {
		ds = append(slices.DeleteFunc(ds, func(x Definition) bool { return x.Name == d.Name }), d)
	}
	sorting.StableBy(ds, func(a, b Definition) int { return strings.Compare(a.Name, b.Name) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.o.Definitions = ds
}

// Definitions lists the agents there are, by name.
func (c *Crew) Definitions() []Definition {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.o.Definitions)
}

func find(ds []Definition, name string) (Definition, bool) {
	i := slices.IndexFunc(ds, func(d Definition) bool { return d.Name == name })
	if i < 0 {
		i = slices.IndexFunc(ds, func(d Definition) bool { return strings.EqualFold(d.Name, name) })
	}
	if i < 0 {
		return Definition{}, false
	}
	return ds[i], true
}

type input struct {
	Agent       string `json:"agent"`
	Description string `json:"description,omitempty" hidden:"true"` // a few words for the person, where a model is used to it
	Prompt      string `json:"prompt" description:"all it must know; it sees nothing else"`
}

// Tool is what a model delegates with.
func (c *Crew) Tool() tools.Tool {
	var b strings.Builder
	b.WriteString("Let a sub-agent work in a context of its own; only you get its report. " +
		"For broad searches and independent parts; calls in one answer run side by side. The user's @name means an agent:")
	for _, d := range c.Definitions() {
		fmt.Fprintf(&b, "\n%s: %s", d.Name, tools.Clip(oneLine(d.Description), 400))
	}
	return tools.Func(ToolName, b.String(), c.prepare)
}

func (c *Crew) prepare(ctx context.Context, _ tools.Call, in input) (*tools.Invocation, error) {
	all := c.Definitions()
	d, ok := find(all, strings.TrimPrefix(strings.TrimSpace(in.Agent), "@"))
	if !ok {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return nil, fmt.Errorf("task: no agent is named %q; there are %s", tools.Clip(in.Agent, 80), strings.Join(names, ", "))
	}
	if strings.TrimSpace(in.Prompt) == "" {
		return nil, errors.New("task: prompt is empty; write the whole task")
	}
	if host := agent.HostOf(ctx); host != nil && host.Depth() >= c.o.Depth { // the call this agent runs as
		return nil, errors.New("task: a sub-agent starts no agents; do it with your own tools")
	}
	what := oneLine(in.Description)
	if what == "" {
		what = oneLine(in.Prompt)
	}
	return &tools.Invocation{
		Effect: tools.Effect{Kind: tools.Delegate, Title: d.Name + ": " + tools.Clip(what, 100), Detail: in.Prompt},
		Run: func(ctx context.Context, _ tools.Effect, out io.Writer) (tools.Result, error) {
			return c.run(ctx, d, what, in.Prompt, out)
		},
	}, nil
}

// enter waits for a place on a floor.
func (c *Crew) enter(ctx context.Context, floor int, out io.Writer) (leave func(), err error) {
	c.mu.Lock()
	if c.started >= mostAgents {
		c.mu.Unlock()
		return nil, fmt.Errorf("task: %d agents were started already; do the rest with your own tools", mostAgents)
	}
	c.started++
	s := c.slots[floor]
	if s == nil {
		s = make(chan struct{}, c.o.Parallel)
		c.slots[floor] = s
	}
	c.mu.Unlock()
	leave = func() { <-s }
	select {
	case s <- struct{}{}:
		return leave, nil
	default:
	}
	fmt.Fprintf(out, "waiting until one of %d agents has ended\n", c.o.Parallel)
	select {
	case s <- struct{}{}:
		return leave, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
