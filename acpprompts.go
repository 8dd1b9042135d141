package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"forge/agent"
	"forge/agent/command"
	"forge/ui"
	"forge/ui/acp"
	"forge/ui/lang"
	"forge/ui/safe"
)

// stir has the editor told of the commands there are now, off the goroutine of whoever
// noticed that servers stand otherwise.
func (t *edited) stir() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.joined || t.stirring || t.life.Err() != nil { // not yet, or it will be seen all the same, or no more
		return
	}
	t.stirring = true
	t.beside.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				slog.Error("listing prompts crashed", "panic", p)
			}
		}()
		t.listing.Lock() // the newer list is the one that stays
		defer t.listing.Unlock()
		t.mu.Lock()
		t.stirring = false
		t.mu.Unlock()
		var all []ui.ServerPrompt
		if p := t.prompts(); p != nil {
			all = p.List(t.life)
		}
		if t.life.Err() != nil {
			return
		}
		t.mu.Lock()
		t.offered = all
		t.mu.Unlock()
		t.line.CommandsChanged()
	})
}

// offers are servers' prompts as commands of the editor. One that could not be typed as
// it is shown is left out.
func (t *edited) offers() (out []acp.Command) {
	t.mu.Lock()
	all := t.offered
	t.mu.Unlock()
	for _, p := range all {
		if name := p.Command(); safe.Line(name) == name && !strings.Contains(name, "/") { // which is a path
			out = append(out, acp.Command{Name: name, About: p.About, Hint: p.Hint()})
		}
	}
	return out
}

// serverPrompt sends a server's prompt, where a line names one. The person sees what was
// sent for them.
func (t *edited) serverPrompt(ctx context.Context, line string, sink agent.Sink) (known bool, err error) {
	word, typed, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	server, _, colon := strings.Cut(word, ":")
	if !colon && !strings.HasPrefix(word, "mcp__") || strings.Contains(word, "/") {
		return false, nil
	}
	if name, _, ok := command.Typed(line); ok {
		if _, filed := t.commands.look().Find(name); filed {
			return false, nil
		}
	}
	t.begins(ctx) // servers of a project may start only then
	prompts := t.prompts()
	if prompts == nil || ctx.Err() != nil {
		return false, ctx.Err()
	}
	all := prompts.List(ctx)
	i := slices.IndexFunc(all, func(p ui.ServerPrompt) bool { return p.Named(word) })
	if i < 0 {
		if _, configured := t.server(server); !configured {
			return false, nil
		}
		return true, noPrompt(all, word, server)
	}
	p := all[i]
	args, missing := p.Read(typed)
	switch {
	case len(missing.Fields) == 0:
	case !t.line.Forms():
		return true, errors.New(lang.T("/%s wants values behind it, as NAME=VALUE or in this order: %s", p.Command(), p.Hint()))
	default:
		r, err := t.line.Questions().Ask(ctx, missing)
		if err != nil || r.Choice == "" {
			return true, err
		}
		args = r.Values
	}
	prompt, err := prompts.Fill(ctx, p, args)
	if err != nil {
		return true, err
	}
	t.line.Notice(prompt.Text)
	prompt.Line = line
	return true, t.send(ctx, prompt, sink)
}

// noPrompt says which prompts a server has.
func noPrompt(all []ui.ServerPrompt, word, server string) error {
	var names []string
	for _, p := range all {
		if p.Server == server {
			names = append(names, "/"+p.Command())
		}
	}
	if names == nil {
		return errors.New(lang.T("%s has no prompts", server))
	}
	return errors.New(lang.T("no prompt %s; there are %s", "/"+word, strings.Join(names, ", ")))
}
