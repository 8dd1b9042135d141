package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"forge/tools"
)

type writeInput struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func newWrite(e *Env) tools.Tool {
	return prepared("write_file", "Create a file, or replace all of one. An existing file must have been read first. "+
		"Missing folders are made. Encoding, CRLF line ends and mode are kept.",
		e.prepareWrite)
}

func (e *Env) prepareWrite(ctx context.Context, in writeInput) (*tools.Invocation, error) {
	p, err := e.Workspace.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	before, mode, err := e.starts(ctx, p)
	if err != nil {
		return nil, err
	}
	change := tools.Change{Path: p.Name, Op: tools.Create, After: []byte(in.Content)}
	if before == nil {
		return proposal{env: e, path: p, change: change, whole: true}.invocation("create"), nil
	}
	state, err := e.familiar(ctx, p, before)
	if err != nil {
		return nil, err
	}
	after, note, err := likeBefore(before, in.Content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if bytes.Equal(before, after) {
		return unchanged(p.Name, p.Abs), nil
	}
	if state == unread && len(before) > 0 {
		return nil, fmt.Errorf("%s exists and was not read; read it with read_file first, so that nothing in it is lost", p.Name)
	}
	change.Op, change.Before, change.After = tools.Modify, before, after
	notes := strings.TrimPrefix(strings.Join([]string{note, droppedBits(p, mode)}, "\n"), "\n")
	return proposal{env: e, path: p, change: change, note: strings.TrimSuffix(notes, "\n"), whole: true}.invocation("write"), nil
}

// likeBefore encodes content as the file it replaces was: a model sends LF and
// UTF-8 whatever the file had. Content that has a CR or a mark of its own is
// written as it is.
func likeBefore(before []byte, content string) (after []byte, note string, err error) {
	old, err := decode(before)
	if err != nil || len(before) == 0 {
		return []byte(content), "", nil
	}
	if old.enc == eightBit {
		return []byte(content), "note: the old file was not UTF-8, the new one is", nil
	}
	new := text{old.enc, content}
	if rest, ok := strings.CutPrefix(content, "\ufeff"); ok {
		new.body = rest
		if old.enc == utf8Plain {
			new.enc = utf8BOM
		}
	}
	if eol := eolOf(old.body); eol != "\n" && strings.ContainsAny(old.body, "\r\n") && !strings.Contains(content, "\r") {
		new.body = strings.ReplaceAll(new.body, "\n", eol)
	}
	after, err = new.encode()
	return after, "", err
}

// unchanged is the invocation of a write that would change nothing.
func unchanged(name, abs string) *tools.Invocation {
	return &tools.Invocation{
		Effect: tools.Effect{Kind: tools.Read, Title: "write " + name + " (no change)", Paths: []string{abs}},
		Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
			return tools.Result{Text: name + " holds exactly this already; nothing was written", Display: "no change"}, nil
		},
	}
}
