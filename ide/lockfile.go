package ide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// settle is how long a diff stays open in the editor once it was accepted: the editor
// reads the file again when it is closed, and by then it is written.
const settle = time.Second

// errShut is the end of a diff that was neither accepted nor turned down.
var errShut = errors.New("the editor closed it without an answer")

// lockFileDiff opens a diff as Claude Code's bridge does: the call is answered when the
// person has decided.
func (c *conn) lockFileDiff(ctx context.Context, path, text string) (Outcome, error) {
	c.mu.Lock()
	c.opens++
	tab := tabName(path, c.opens)
	c.mu.Unlock()
	r, err := c.use(ctx, "openDiff", map[string]any{ // which takes as long as the person does
		"old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": tab,
	})
	leave := func(after time.Duration) { c.aside(after, "close_tab", map[string]any{"tab_name": tab}, nil) }
	if err != nil {
		if c.peer.lost() == nil {
			leave(0)
		}
		return Outcome{}, err
	}
	switch r.text(0) {
	case "FILE_SAVED":
		if len(r.Content) < 2 || r.Content[1].Type != "text" {
			leave(0)
			return Outcome{}, errors.New("the editor did not say what was saved")
		}
		leave(settle)
		return Outcome{Accepted: true, Text: r.text(1)}, nil
	case "DIFF_REJECTED":
		leave(0)
		return Outcome{}, nil
	}
	return Outcome{}, errShut
}

const ours = "✻ [forge] "

// tabName is what a diff is called in the editor, each in another way. The two signs tell
// editors that it is one: by a name without them Neovim's plugin closes whatever buffer
// is called like the file in it, the person's own.
func tabName(path string, n int) string {
	base := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '_'
		}
		return r
	}, filepath.Base(path))
	return fmt.Sprintf(ours+"%s (%d) ⧉", short(base, 200), n)
}

// selectionContext reads a selection. Lines are counted from 0 there.
func selectionContext(params json.RawMessage) (Context, bool) {
	var said struct {
		Text      string `json:"text"`
		Path      string `json:"filePath"`
		Selection struct {
			Start struct {
				Line int `json:"line"`
			} `json:"start"`
			End struct {
				Line      int `json:"line"`
				Character int `json:"character"`
			} `json:"end"`
		} `json:"selection"`
	}
	if json.Unmarshal(params, &said) != nil || !sound(said.Path) || strings.HasPrefix(filepath.Base(said.Path), ours) {
		return Context{}, false // a diff of forge's own is no file
	}
	s := said.Selection
	s.Start.Line, s.End.Line = min(s.Start.Line, maxLine-1), min(s.End.Line, maxLine-1)
	at := Context{Path: said.Path, Open: []string{said.Path}, Line: max(1, s.End.Line+1), Text: short(said.Text, maxText)}
	at.Cut = len(at.Text) < len(said.Text)
	if at.Text != "" && s.Start.Line >= 0 && s.End.Line >= s.Start.Line {
		at.First, at.Last = s.Start.Line+1, s.End.Line+1
		if s.End.Character == 0 && at.Last > at.First { // it ends before the first sign of that line
			at.Last--
		}
	}
	return at, true
}

// mentioned reads a place that the person sent from the editor. Lines are counted from 0.
// Neovim's plugin names a file from the folder the editor is in, one of roots.
func mentioned(params json.RawMessage, roots []string) (path string, first, last int, ok bool) {
	var said struct {
		Path  string `json:"filePath"`
		Start *int   `json:"lineStart"`
		End   *int   `json:"lineEnd"`
	}
	if json.Unmarshal(params, &said) != nil {
		return "", 0, 0, false
	}
	if filepath.IsLocal(said.Path) {
		for _, root := range roots[:min(len(roots), maxFiles)] {
			path := filepath.Join(root, said.Path)
			if _, err := os.Lstat(path); err == nil {
				said.Path = path
				break
			}
		}
	}
	if !sound(said.Path) {
		return "", 0, 0, false
	}
	if said.Start != nil && *said.Start >= 0 {
		first = min(*said.Start, maxLine-1) + 1
		last = first
		if said.End != nil && *said.End >= *said.Start {
			last = min(*said.End, maxLine-1) + 1
		}
	}
	return said.Path, first, last, true
}

// Problem is what the editor's language servers say of a place.
type Problem struct {
	Path, Level, Text string
	Line              int // from 1
}

const maxProblems = 50

// editors asks which files are open.
func (c *conn) editors(ctx context.Context) []string {
	r, err := c.inTime(ctx, "getOpenEditors", map[string]any{})
	if err != nil {
		return nil
	}
	var said struct {
		Tabs []struct {
			URI string `json:"uri"`
		} `json:"tabs"`
	}
	if json.Unmarshal([]byte(r.text(0)), &said) != nil {
		return nil
	}
	var out []string
	for _, t := range said.Tabs {
		if path := filePath(t.URI); sound(path) && len(out) < maxOpen {
			out = append(out, path)
		}
	}
	return out
}

// problems asks what is wrong in a file, as the editor sees it.
func (c *conn) problems(ctx context.Context, path string) (out []Problem) {
	r, err := c.inTime(ctx, "getDiagnostics", map[string]any{"uri": (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()})
	if err != nil {
		return nil
	}
	var files []struct {
		URI  string `json:"uri"`
		List []struct {
			Message  string `json:"message"`
			Severity any    `json:"severity"`
			Range    struct {
				Start struct {
					Line int `json:"line"`
				} `json:"start"`
			} `json:"range"`
		} `json:"diagnostics"`
	}
	if json.Unmarshal([]byte(r.text(0)), &files) != nil {
		return nil
	}
	for _, f := range files {
		for _, p := range f.List {
			if p.Message == "" || len(out) == maxProblems {
				continue
			}
			out = append(out, Problem{Path: filePath(f.URI), Level: severity(p.Severity), Text: short(p.Message, 500), Line: min(max(0, p.Range.Start.Line), maxLine-1) + 1})
		}
	}
	return out
}

func severity(v any) string {
	switch v := v.(type) {
	case string:
		return short(v, 20)
	case float64:
		if names := []string{"error", "warning", "information", "hint"}; v >= 1 && v <= 4 {
			return names[int(v)-1]
		}
	}
	return "problem"
}

// filePath is the path of a file: address; other texts are taken for a path.
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := filepath.FromSlash(u.Path)
	if len(path) > 2 && path[0] == '\\' && path[2] == ':' { // of Windows: /C:/…
		path = path[1:]
	}
	return path
}
