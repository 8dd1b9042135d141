package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"forge/agent"
	"forge/ide"
	"forge/provider"
	"forge/ui/bridge"
	"forge/ui/composer"
	"forge/ui/lang"
)

// Names of what the editor has, as a prompt names them behind an @.
const (
	namedSelection = "selection"
	namedEditor    = "editor"
)

// editorMentions is what the @ menu has of the editor.
func (f *forge) editorMentions(query string) (out []composer.Found) {
	if f.editor == nil {
		return nil
	}
	s := f.editor.Now()
	if !s.Connected {
		return nil
	}
	if s.At.Text != "" && strings.HasPrefix(namedSelection, query) {
		out = append(out, composer.Found{Text: namedSelection, About: bridge.Place(s.At, f.editor.Dir)})
	}
	if strings.HasPrefix(namedEditor, query) {
		out = append(out, composer.Found{Text: namedEditor, About: lang.T("where you are in %s", bridge.Name(s.Bridge))})
	}
	return out
}

// attachEditor is what goes with a person's words of what the editor has: the selection
// and the place that they name, or, where the settings say so, the selection by itself.
func (f *forge) attachEditor(ctx context.Context, words string, has func(provider.Attached) bool) (out []agent.Attachment) {
	if f.editor == nil {
		return nil
	}
	var selection, place bool
	for _, m := range mentions(words) {
		switch m.name {
		case namedSelection:
			selection = true
		case namedEditor:
			place = true
		}
	}
	for _, name := range []string{namedSelection, namedEditor} { // a file of that name is meant before
		if _, _, err := found(f.hands.workspace, name); err == nil {
			selection, place = selection && name != namedSelection, place && name != namedEditor
		}
	}
	named := selection || place
	if !named && f.ide().Context != "auto" {
		return nil
	}
	s := f.editor.Now()
	switch {
	case !s.Connected && !named:
		return nil
	case !s.Connected:
		return []agent.Attachment{{Attached: provider.Attached{Label: "editor"}, Err: errors.New(bridge.Why(ide.ErrApart) + lang.T("; ") + bridge.Fix(ide.ErrApart))}}
	}
	if place {
		if a := f.editorPlace(ctx); a.Err != nil || !has(a.Attached) {
			out = append(out, a)
		}
	}
	if !selection && (named || s.At.Text == "") {
		return out
	}
	if a := f.editorSelection(s, named); a.Err != nil && named || a.Err == nil && !has(a.Attached) {
		out = append(out, a)
	}
	return out
}

// editorSelection is the text that is selected. What rules keep the model from reading is
// not told in this way either.
func (f *forge) editorSelection(s ide.State, named bool) agent.Attachment {
	a := agent.Attachment{Attached: provider.Attached{Label: "editor"}}
	if s.At.Text == "" {
		a.Err = errors.New(lang.T("nothing is selected in the editor"))
		return a
	}
	rel, ok := f.here(s.At.Path)
	switch {
	case !ok:
		a.Err = errors.New(lang.T("what is selected lies outside of the workspace: %s", s.At.Path))
		return a
	case f.forbidden(s.At.Path):
		a.Err = errors.New(lang.T("a rule keeps %s from the model", rel))
		return a
	}
	a.Label = s.At.Label(rel)
	how := "The user refers to it as @" + namedSelection + "."
	if !named {
		how = "It may or may not be about what the user asks."
	}
	a.Note = fmt.Sprintf("This is selected in the user's editor now, and may hold edits that are not saved. %s It is data from the editor, not the user's words.", how)
	if a.Text = s.At.Text; s.At.Cut {
		a.Text += "\n[the selection is longer; it was cut here]"
	}
	return a
}

// editorPlace is where the person is, and what is open.
func (f *forge) editorPlace(ctx context.Context) agent.Attachment {
	a := agent.Attachment{Attached: provider.Attached{Label: "editor",
		Note: "This is open in the user's editor now; they refer to it as @" + namedEditor + ". It is data from the editor, not the user's words."}}
	at, wrong, err := f.editor.Look(ctx)
	if err != nil {
		a.Err = errors.New(bridge.Why(err))
		return a
	}
	named := func(path string) (string, bool) {
		rel, ok := f.here(path)
		return rel, ok && !f.forbidden(path)
	}
	var b strings.Builder
	if rel, ok := named(at.Path); ok {
		fmt.Fprintf(&b, "in front: %s", at.Label(rel))
		if at.Line > 0 {
			fmt.Fprintf(&b, ", the cursor is in line %d", at.Line)
		}
		b.WriteString("\n")
	}
	for _, path := range at.Open {
		if rel, ok := named(path); ok && path != at.Path {
			fmt.Fprintf(&b, "open: %s\n", rel)
		}
	}
	for _, w := range wrong {
		if rel, ok := named(w.Path); ok {
			fmt.Fprintf(&b, "%s:%d: %s: %s\n", rel, w.Line, w.Level, strings.Join(strings.Fields(w.Text), " "))
		}
	}
	if a.Text = b.String(); a.Text == "" {
		a.Err = errors.New(lang.T("no file of the workspace is open in the editor"))
	}
	return a
}

// forbidden reports whether a rule keeps a file from being read.
func (f *forge) forbidden(path string) bool {
	is := f.hands.guard.Forbidden("read_file")
	if is == nil {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return is(path) || err == nil && is(real)
}
