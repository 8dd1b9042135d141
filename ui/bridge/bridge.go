// Package bridge says how things stand with the editor forge runs in: which editors
// offer themselves, why one is not spoken with, where the person is in it.
//
// It owns those words, for the screen, the plain lines and the doctor alike; package ide
// has the facts. What an editor said is made safe here. It is called from the faces.
package bridge

import (
	"errors"
	"path/filepath"

	"forge/ide"
	"forge/lazy"
	"forge/ui/lang"
	"forge/ui/safe"
)

// fixes are what to do about each reason.
var fixes = lazy.Value[[]struct {
	err error
	fix string
}]{Of: func() []struct {
	err error
	fix string
} {
	return []struct {
		err error
		fix string
	}{
		{ide.ErrDead, lang.N("nothing: it is passed over; deleting the file is safe")},
		{ide.ErrSilent, lang.N("reload the editor's window, so that its extension begins anew")},
		{ide.ErrStranger, lang.N("reload the editor's window; the token was not sent")},
		{ide.ErrElsewhere, lang.N("open this folder in the editor, or start forge in the editor's")},
		{ide.ErrNoFolder, lang.N("open this folder in the editor")},
		{ide.ErrOpenFile, lang.N("take that right away (chmod 600), or reload the editor's window")},
		{ide.ErrForeign, lang.N("nothing: it is not your editor's")},
		{ide.ErrBroken, lang.N("reload the editor's window, so that it is written anew")},
		{ide.ErrNone, lang.N("install the Gemini CLI Companion (VS Code) or coder/claudecode.nvim (Neovim) and open this folder")},
		{ide.ErrTwo, lang.N("/ide lists them")},
		{ide.ErrGone, lang.N("/ide connects again")},
		{ide.ErrNoDiff, lang.N("answer here")},
		{ide.ErrApart, lang.N("/ide connects one")},
		{ide.ErrSlow, lang.N("look whether it asks you something; /ide tries again")},
		{ide.ErrBusy, lang.N("answer that first")},
	}
}}

// Why is a reason in words.
func Why(err error) string { return safe.Line(lang.Said(err.Error())) }

// Fix is what can be done about it; empty where nothing is known.
func Fix(err error) string {
	for _, f := range fixes.Get() {
		if errors.Is(err, f.err) {
			return lang.T(f.fix)
		}
	}
	return ""
}

// Name is an editor's name.
func Name(b ide.Bridge) string {
	if b.Name == "" {
		return lang.T("the editor")
	}
	return safe.Line(b.Name)
}

// Found is a bridge in a list: the editor, and how it stands.
func Found(b ide.Bridge, s ide.State) (label, detail string) {
	label = lang.T("%s, port %d", Name(b), b.Port)
	switch {
	case s.Connected && s.Bridge.ID == b.ID:
		detail = lang.T("connected")
		if !s.Diff {
			detail += lang.T(", ") + lang.T("it shows no changes")
		}
	case b.Why != nil:
		detail = Why(b.Why)
	case b.Own:
		detail = lang.T("ready; this is its terminal")
	default:
		detail = lang.T("ready")
	}
	return label, detail
}

// Path is a file as it is named from the workspace.
func Path(path, dir string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return safe.Line(path)
}

// Place is where the person is, in a few words: "main.go:10-20 selected". Empty: nothing
// is known.
func Place(at ide.Context, dir string) string {
	if at.Path == "" {
		return ""
	}
	name := safe.Line(filepath.Base(at.Path))
	switch {
	case at.Text == "":
		return lang.T("%s open", name)
	case at.First == 0:
		return lang.T("%s, something selected", name)
	}
	return lang.T("%s selected", at.Label(name))
}

// State is how things stand, in a line.
func State(s ide.State, dir string) string {
	switch {
	case s.Connected && s.At.Path == "":
		return lang.T("connected to %s", Name(s.Bridge))
	case s.Connected && s.At.Text != "" && s.At.First > 0:
		return lang.T("connected to %s", Name(s.Bridge)) + lang.T(", ") + lang.T("%s selected", s.At.Label(Path(s.At.Path, dir)))
	case s.Connected:
		return lang.T("connected to %s", Name(s.Bridge)) + lang.T(", ") + lang.T("%s open", Path(s.At.Path, dir))
	case s.Why != nil && s.Bridge.ID != "":
		return lang.T("not connected to %s: %s", Name(s.Bridge), Why(s.Why))
	}
	return lang.T("not connected")
}
