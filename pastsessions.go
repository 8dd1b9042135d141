package main

import (
	"errors"
	"strings"

	"forge/agent"
	"forge/agent/session"
	"forge/tilde"
	"forge/ui"
	"forge/ui/lang"
)

// What a face shows of conversations that are kept.

// restore opens the conversation to begin with. Where that fails, a new one
// begins.
func (f *forge) restore() error {
	err := f.resume(f.stored)
	if err != nil {
		err = errors.Join(err, f.newSession())
	}
	return err
}

// tailBytes is how much of a stored conversation is read to show its end: more
// than a screen, whatever stands there.
const tailBytes = 256 << 10

// peek tells the end of that conversation while restore reads it.
func (f *forge) peek(sink agent.Sink) {
	rs, err := session.Tail(f.stored, tailBytes)
	logged("end of the session not read", err)
	agent.Retell(rs, f.model.Window, sink)
}

func (f *forge) todos() []ui.Todo {
	var out []ui.Todo
	for _, t := range f.hands.env.Todos.List() {
		out = append(out, ui.Todo{Text: t.Text, State: t.Status})
	}
	return out
}

func (f *forge) sessions() ([]ui.SessionChoice, error) {
	all, err := session.List(f.dirs.Sessions())
	if err != nil {
		return nil, err
	}
	root := f.hands.workspace.Root()
	var here, elsewhere []ui.SessionChoice
	for _, s := range all {
		c := ui.SessionChoice{ID: s.ID, Title: s.Title, When: s.Updated, Note: s.Model.ID}
		if s.Branch != "" {
			c.Note = strings.TrimPrefix(c.Note+lang.T(" · ")+s.Branch, lang.T(" · "))
		}
		if s.Cwd == root {
			here = append(here, c)
			continue
		}
		c.Note = strings.TrimPrefix(c.Note+lang.T(" · ")+tilde.Short(s.Cwd), lang.T(" · "))
		elsewhere = append(elsewhere, c)
	}
	return append(here, elsewhere...), nil
}

func (f *forge) resumeByID(id string) error {
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return err
	}
	return f.resume(info.Path)
}

// earlier lists the prompts of this conversation that can be gone back to.
func (f *forge) earlier() []ui.Earlier {
	var out []ui.Earlier
	for _, p := range f.agent.Asked() {
		out = append(out, ui.Earlier{Text: p.Text, When: p.When, Fork: func() error {
			rs, err := f.agent.Before(p)
			if err != nil {
				return err
			}
			return f.fork(rs)
		}})
	}
	return out
}
