package acp

import (
	"path/filepath"
	"unicode/utf8"

	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// kindOf sorts a call for the editor's icon: by what it would do, and before that is
// known by the names of forge's own tools.
func kindOf(name string, e tools.Effect) string {
	switch e.Kind {
	case tools.Write:
		for _, c := range e.Changes {
			switch c.Op {
			case tools.Delete:
				return "delete"
			case tools.Move:
				return "move"
			}
		}
		return "edit"
	case tools.Exec:
		return "execute"
	case tools.Network:
		return "fetch"
	}
	switch name {
	case "read_file":
		return "read"
	case "list_dir", "glob", "grep", "recall":
		return "search"
	case "write_file", "edit_file":
		return "edit"
	case "move_file":
		return "move"
	case "delete_file":
		return "delete"
	case "run_bash":
		return "execute"
	case "todo", "agent":
		return "think"
	}
	if e.Kind == tools.Read {
		return "read"
	}
	return "other"
}

// path is a path as the editor knows it.
func (l *teller) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(l.t.o.Root, filepath.FromSlash(p))
}

// locations are the files a call is about, with the line where a change begins.
func (l *teller) locations(e tools.Effect) (out []location) {
	if len(e.Changes) > 0 {
		for _, c := range e.Changes {
			out = append(out, location{l.path(c.Path), firstLine(c)})
		}
		return out
	}
	for _, p := range e.Paths {
		if filepath.IsAbs(p) && len(out) < 50 {
			out = append(out, location{Path: p})
		}
	}
	return out
}

// firstLine is where two versions of a file part, from 1; 0: nowhere, or not known.
func firstLine(c tools.Change) int {
	if c.Op != tools.Modify {
		return 0
	}
	n := min(len(c.Before), len(c.After))
	line := 1
	for i := range n {
		if c.Before[i] != c.After[i] {
			break
		}
		if c.Before[i] == '\n' {
			line++
		}
	}
	return line
}

// changes shows what is written: diffs, and words for what is no text.
func (l *teller) changes(cs []tools.Change) (out []callContent) {
	for _, c := range cs {
		shows := c.Thing == tools.Text && c.Op != tools.Move && len(c.Before)+len(c.After) <= mostDiff &&
			utf8.Valid(c.Before) && utf8.Valid(c.After) && (c.Op == tools.Create || len(c.Before)+len(c.After) > 0)
		if !shows {
			out = append(out, text(safe.Prompt(changeInWords(c))))
			continue
		}
		d := callContent{Type: "diff", Path: l.path(c.Path)}
		after := string(c.After)
		d.New = &after
		if c.Op != tools.Create {
			before := string(c.Before)
			d.Old = &before
		}
		out = append(out, d)
	}
	return out
}

func changeInWords(c tools.Change) string {
	switch c.Op {
	case tools.Move:
		return c.From + " → " + c.Path
	case tools.Delete:
		what := c.Path
		if c.Thing == tools.Folder {
			what += "\n" + string(c.Before)
		}
		return lang.T("delete %s", what)
	}
	return lang.T("write %s", c.Path)
}
