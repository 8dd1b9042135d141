// Package export writes a conversation for people and for other forges: as
// Markdown, as a page that needs nothing beside it, and as the lines of a session.
//
// It owns what leaves the machine: keys it knows by their shape are taken out, and
// characters that would move a cursor or turn text around. main, the commands and
// the screen call it with records of a session; it knows no screen and no model.
package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"forge/agent/mark"
	"forge/agent/session"
	"forge/provider"
)

// Format is what a conversation is written as.
type Format string

// The formats. JSONL is the session itself.
const (
	Markdown Format = "markdown"
	HTML     Format = "html"
	JSONL    Format = "jsonl"
)

// ParseFormat reads a format's name, or the ending of a file's.
func ParseFormat(s string) (Format, error) {
	switch strings.ToLower(strings.TrimPrefix(s, ".")) {
	case "markdown", "md":
		return Markdown, nil
	case "html", "htm":
		return HTML, nil
	case "jsonl", "json":
		return JSONL, nil
	}
	return "", fmt.Errorf("format %q is unknown: use markdown, html or jsonl", s)
}

// Ext is the ending of a file of the format, with its dot.
func (f Format) Ext() string {
	switch f {
	case HTML:
		return ".html"
	case JSONL:
		return ".jsonl"
	}
	return ".md"
}

// Talk is a conversation to be written. Path is its file, for the lines of kinds
// this version does not know; empty: there is none, or it is not wanted.
type Talk struct {
	Info    session.Info
	Header  session.Header
	Records []session.Record
	Path    string
}

// Read takes a stored conversation.
func Read(info session.Info) (Talk, error) {
	t := Talk{Info: info, Path: info.Path}
	_, err := session.Lines(info.Path, func(line []byte, _ int64) bool {
		r, err := session.Parse(line)
		switch {
		case err != nil:
		case r.Header != nil:
			t.Header = *r.Header
		default:
			t.Records = append(t.Records, r)
		}
		return true
	})
	t.Records = append(session.History(t.Records), session.Owed(t.Records)...)
	return t, err
}

// Write writes t to w.
func Write(w io.Writer, f Format, t Talk) error {
	var err error
	switch f {
	case HTML:
		err = writeHTML(w, t)
	case JSONL:
		err = writeLines(w, t)
	default:
		err = writeMarkdown(w, t)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// Clean takes out of text what must not leave: keys, and characters that are no
// text.
func Clean(s string) string {
	return strings.Map(plain, strings.ToValidUTF8(provider.Redact(s), "\uFFFD"))
}

// plain maps what is no text to its picture, or to nothing.
func plain(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r < 0x20:
		return 0x2400 + r // ␛ for ESC
	case r == 0x7f:
		return '\u2421'
	case hidden(r):
		return utf8.RuneError
	}
	return r
}

// hidden reports characters that are commands to a terminal or turn around what
// stands after them.
func hidden(r rune) bool {
	return r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c ||
		r >= 0xe0000 && r <= 0xe007f
}

// title is what the conversation is called.
func (t Talk) title() string {
	if t.Info.Title != "" {
		return Clean(t.Info.Title)
	}
	return "Conversation"
}

// facts are the lines below the title.
func (t Talk) facts() [][2]string {
	var out [][2]string
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, strings.Join(strings.Fields(Clean(value)), " ")})
		}
	}
	when := t.Header.Created
	if when.IsZero() {
		when = t.Info.Created
	}
	if !when.IsZero() {
		add("Begun", when.Local().Format(time.RFC1123))
	}
	add("Folder", t.Info.Cwd)
	add("Branch", t.Info.Branch)
	add("Model", strings.TrimPrefix(t.Info.Model.Provider+"/"+t.Info.Model.ID, "/"))
	return out
}

// part is one thing that was said or done, in either form for people.
type part struct {
	kind string // user, answer, thinking, call, result, cut, note
	who  string
	head string
	text string
	bad  bool
	code bool   // text is not prose
	mime string // of a picture; text is its data
	seq  int    // the number of its record
}

// parts tells the conversation in order, what was cut off included.
func (t Talk) parts() []part {
	var out []part
	names := map[string]string{}
	model := "assistant"
	for _, r := range t.Records {
		from := len(out)
		switch {
		case r.Model != nil && r.Model.ID != "":
			model = Clean(r.Model.ID)
		case r.Cut != nil:
			out = append(out, part{kind: "cut", head: "Shortened here for the model", text: Clean(r.Cut.Summary)})
		case r.Message == nil:
		case r.Shell != nil:
			out = append(out, part{kind: "call", who: "you", head: "! " + oneLine(r.Shell.Command)},
				part{kind: "result", text: Clean(r.Message.PlainText()), code: true, bad: r.Shell.Failed})
		default:
			calls := map[string]session.Call{}
			for _, c := range r.Calls {
				calls[c.ID] = c
			}
			for _, b := range r.Message.Blocks {
				out = append(out, blockParts(b, r, model, names, calls)...)
			}
			if r.Torn {
				out = append(out, part{kind: "note", text: "(cut off here: forge ended)"})
			}
		}
		for i := range out[from:] {
			out[from+i].seq = r.Seq
		}
	}
	return out
}

func blockParts(b provider.Block, r session.Record, model string, names map[string]string, calls map[string]session.Call) []part {
	user := r.Message.Role == provider.User
	switch b := b.(type) {
	case provider.Text:
		if strings.TrimSpace(b.Text) == "" {
			return nil
		}
		if user {
			return []part{{kind: "user", who: "You", text: Clean(mark.Short(b.Text))}}
		}
		return []part{{kind: "answer", who: model, text: Clean(b.Text)}}
	case provider.Thinking:
		if strings.TrimSpace(b.Text) == "" {
			return nil
		}
		return []part{{kind: "thinking", who: model, head: "Thinking", text: Clean(b.Text)}}
	case provider.ToolUse:
		names[b.ID] = b.Name
		return []part{{kind: "call", who: model, head: oneLine(b.Name), text: Clean(b.Input), code: true}}
	case provider.ToolResult:
		var out []part
		head := oneLine(names[b.ID])
		if c := calls[b.ID]; c.Title != "" {
			head = oneLine(c.Title)
		}
		for _, in := range b.Content {
			switch in := in.(type) {
			case provider.Text:
				out = append(out, part{kind: "result", head: head, text: Clean(in.Text), code: true, bad: b.IsError})
			case provider.Image:
				out = append(out, part{kind: "result", head: head, mime: in.MIME, text: in.Data})
			}
		}
		return out
	case provider.Image:
		return []part{{kind: "user", who: "You", mime: b.MIME, text: b.Data}}
	}
	return nil
}

func oneLine(s string) string { return strings.Join(strings.Fields(Clean(s)), " ") }

// File writes t to a new file that only its owner may read, and that Import reads. One
// that is there is not touched.
func File(path string, f Format, t Talk) (err error) {
	w, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("export to %s: it exists; give another name", path)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	err = Write(w, f, t)
	if err == nil && f != JSONL {
		err = enclose(w, t)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
