package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"forge/agent/config"
	"forge/ide"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/attach"
	"forge/ui/bridge"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// newBridge is the way to editors from a folder. It looks for none yet.
func newBridge(root string) *ide.Manager {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return &ide.Manager{Places: ide.Usual(os.Getenv, home), Dir: root, Version: version()}
}

// openBridge makes the bridge to the editor ready for a screen; nil where the person wants
// none. Nothing is looked for before they ask for it, or the first frame is there.
func (f *forge) openBridge(feed *ui.Feed) *ui.IDE {
	if f.cfg.IDE.Connect == "off" {
		return nil
	}
	m := newBridge(f.hands.workspace.Root())
	m.Changed = feed.IDEChanged
	m.Named = func(path string, first, last int) {
		if text := f.mentionOf(path, first, last); text != "" {
			feed.IDENamed(text)
		}
	}
	f.close = append(f.close, m.Close)
	f.editor = m
	return &ui.IDE{Manager: m, Auto: f.cfg.IDE.Connect == "auto", Answers: func() bool {
		return !f.ide().ShowOnly && f.hands.guard.Mode() != permission.ModePlan
	}}
}

// ide is how forge behaves towards the editor now.
func (f *forge) ide() config.IDE {
	if now := f.bridging.Load(); now != nil {
		return *now
	}
	return f.cfg.IDE
}

// mentionOf is how a prompt names lines of a file of the workspace; empty: it is none, or is
// not there.
func (f *forge) mentionOf(path string, first, last int) string {
	rel, ok := f.here(path)
	if !ok {
		return ""
	}
	if _, err := os.Lstat(path); err != nil { // it would be words and no file
		return ""
	}
	text := attach.Mention(rel)
	switch {
	case first > 0 && last > first:
		text += fmt.Sprintf("#L%d-%d", first, last)
	case first > 0:
		text += fmt.Sprintf("#L%d", first)
	}
	return text
}

// here is a path of the editor's as a prompt names it, from the workspace on, or whole in
// a folder that was added to it; false: it lies elsewhere.
func (f *forge) here(path string) (string, bool) {
	if real, err := filepath.EvalSymlinks(path); err == nil { // editors keep the name they were given
		path = real
	}
	p, err := f.hands.workspace.Resolve(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(f.hands.workspace.Root(), p.Abs)
	if err != nil || !filepath.IsLocal(rel) {
		return filepath.ToSlash(p.Abs), true
	}
	return filepath.ToSlash(rel), rel != "."
}

// editors are the editors that offer themselves here, for the doctor.
func (c checkup) editors(context.Context) (out []doctor.Finding) {
	if c.f.cfg.IDE.Connect == "off" {
		return []doctor.Finding{{ID: "editor.off", Level: doctor.Ok, Text: lang.T("the bridge to editors is off")}}
	}
	m := c.f.editor
	if m == nil {
		m = newBridge(c.root)
	}
	now := m.Now()
	if now.Why != nil {
		out = append(out, doctor.Finding{ID: "editor.connection", Level: doctor.Warn, Text: bridge.State(now, c.root), Fix: bridge.Fix(now.Why)})
	}
	ready := 0
	for _, b := range m.Find() {
		label, detail := bridge.Found(b, now)
		f := doctor.Finding{ID: "editor.found", Level: doctor.Ok, Text: label + lang.T(": ") + detail}
		switch {
		case b.Why == nil:
			ready++
		case errors.Is(b.Why, ide.ErrElsewhere): // it is somebody at work on something else
		default:
			f.Level, f.Fix = doctor.Warn, bridge.Fix(b.Why)
		}
		out = append(out, f)
	}
	if ready == 0 && insideEditor(os.Getenv) {
		return append(out, doctor.Finding{ID: "editor.none", Level: doctor.Warn, Text: bridge.Why(ide.ErrNone), Fix: bridge.Fix(ide.ErrNone)})
	}
	if len(out) == 0 {
		out = append(out, doctor.Finding{ID: "editor.none", Level: doctor.Ok, Text: bridge.Why(ide.ErrNone)})
	}
	return out
}

// insideEditor reports whether this is an editor's terminal, of one that a bridge exists
// for.
func insideEditor(getenv func(string) string) bool {
	return getenv("TERM_PROGRAM") == "vscode" || getenv("NVIM") != ""
}
