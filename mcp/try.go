package mcp

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// Try starts one server by itself and tells on out what comes of it, for a person
// who wants to know why it does not work. The error is that it does not.
// While the server starts it says every few seconds that it still does, and what the
// server wrote last: a launcher that fetches a package is silent for long.
func Try(ctx context.Context, o Options, name string, out io.Writer) error {
	beat := time.NewTicker(tryBeat)
	defer beat.Stop()
	return try(ctx, o, name, out, beat.C)
}

// tryBeat is how often a server that starts is told of.
const tryBeat = 3 * time.Second

func try(ctx context.Context, o Options, name string, out io.Writer, beat <-chan time.Time) error {
	c, ok := o.Servers[name]
	if !ok {
		return fmt.Errorf("no MCP server %q is configured; forge mcp list tells which are", name)
	}
	c.Lazy, c.Disabled = false, false
	o.Servers = map[string]ServerConfig{name: c}
	fmt.Fprintf(out, "%s: %s\n", name, clean(c.Line()))
	began := time.Now()
	m := Mount(ctx, o)
	defer m.Close()
	limit := orDuration(c.StartupTimeout, startLimit)
	waited := make(chan struct{})
	go func() {
		defer recovered("wait for a server")
		defer close(waited)
		m.Wait(ctx, limit+5*time.Second)
	}()
	for on := true; on; {
		select {
		case <-waited:
			on = false
		case <-beat:
			line := fmt.Sprintf("starting: %s of at most %s", time.Since(began).Round(time.Second), limit)
			if last := lastLines(m.Status()[0].Stderr, 1); last != "" {
				line += "; it says: " + last
			}
			fmt.Fprintln(out, line)
		}
	}
	st := m.Status()[0]
	if st.State != Ready {
		if tail := lastLines(st.Stderr, 8); tail != "" {
			fmt.Fprintf(out, "it said: %s\n", strings.ReplaceAll(tail, " | ", "\n         "))
		}
		why, _, _ := strings.Cut(st.Reason, "; trying again in ")
		if why == "" {
			return fmt.Errorf("%s is %s", name, st.State)
		}
		return fmt.Errorf("%s does not work (%s): %s", name, st.State, why)
	}
	fmt.Fprintf(out, "ready after %s\n", time.Since(began).Round(10*time.Millisecond))
	who := st.About.Name
	if st.About.Release != "" {
		who += " " + st.About.Release
	}
	fmt.Fprintf(out, "server: %s\nprotocol: %s over %s\n", clean(orNone(who)), st.About.Version, st.About.Transport)
	if st.About.Instructions != "" {
		fmt.Fprintf(out, "instructions: %s\n", firstLine(clean(st.About.Instructions)))
	}
	fmt.Fprintf(out, "tools: %d, about %d tokens\n", len(st.Tools), st.Tokens)
	for _, t := range st.Tools {
		fmt.Fprintf(out, "  %-40s %5d  %s\n", t.Name, t.Tokens, firstLine(t.Description))
		if t.Why != "" {
			fmt.Fprintf(out, "    off: %s\n", t.Why)
		}
		for _, w := range t.Warnings {
			fmt.Fprintf(out, "    careful: it %s\n", w)
		}
	}
	if n := len(m.Prompts(ctx)); n > 0 {
		fmt.Fprintf(out, "prompts: %d\n", n)
	}
	if n := len(m.Resources(ctx)); n > 0 {
		fmt.Fprintf(out, "resources: %d\n", n)
	}
	for _, n := range st.Notes {
		fmt.Fprintf(out, "note: %s\n", n)
	}
	for _, c := range st.Changes {
		fmt.Fprintf(out, "changed since it was approved: %s\n%s", c.Tool, c.Diff)
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "(it gives no name)"
	}
	return s
}
