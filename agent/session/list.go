package session

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/agent/mark"
	"forge/provider"
	"forge/sorting"
)

const (
	fileExt = ".jsonl"
	edge    = 64 << 10        // bytes read at the end of a file to list it
	head    = 1 << 20         // bytes read at most to find its first prompt
	skew    = 5 * time.Minute // by which a file server's clock may differ
)

// Info is what a list of sessions shows. Listing reads only the ends of a file.
type Info struct {
	ID, Path string
	Cwd      string // where it is worked on: where it began, or was moved to last
	Branch   string
	Title    string // a person's, else the first line of the first prompt
	Model    Model  // the last one named in the part that was read
	Created  time.Time
	Updated  time.Time
	Size     int64
}

// List returns the sessions of a folder, the last used first, and behind them those
// with a time that is yet to come. A folder that is
// not there has none; a file that cannot be read, or holds no prompt, is left out.
func List(dir string) ([]Info, error) { return list(dir, func(Info) bool { return true }, -1) }

// Latest returns the session last used in the directory cwd. Its error is
// os.ErrNotExist where there is none.
func Latest(dir, cwd string) (Info, error) {
	found, err := list(dir, func(i Info) bool { return i.Cwd == cwd }, 1)
	if err != nil {
		return Info{}, err
	}
	if len(found) == 0 {
		return Info{}, fmt.Errorf("no session for %s: %w", cwd, os.ErrNotExist)
	}
	return found[0], nil
}

// Find returns the session whose ID is id, or the only one that begins or ends
// with it. A path to a session file is taken too.
func Find(dir, id string) (Info, error) {
	if strings.HasSuffix(id, fileExt) {
		return describe(id)
	}
	if id == "" {
		return Info{}, errors.New("find session: no id given; see the list of sessions")
	}
	found, err := list(dir, func(i Info) bool {
		return strings.HasPrefix(i.ID, id) || strings.HasSuffix(i.ID, id)
	}, -1)
	if err != nil {
		return Info{}, err
	}
	for _, i := range found {
		if i.ID == id {
			return i, nil
		}
	}
	switch len(found) {
	case 0:
		return Info{}, fmt.Errorf("no session is named %q: %w", id, os.ErrNotExist)
	case 1:
		return found[0], nil
	}
	var names []string
	for _, i := range found[:min(5, len(found))] {
		names = append(names, i.ID)
	}
	return Info{}, fmt.Errorf("session %q could be any of %d: %s", id, len(found), strings.Join(names, ", "))
}

func list(dir string, want func(Info) bool, n int) ([]Info, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	type candidate struct {
		path string
		at   time.Time
	}
	var cs []candidate
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && strings.HasSuffix(e.Name(), fileExt) {
			cs = append(cs, candidate{filepath.Join(dir, e.Name()), fi.ModTime()})
		}
	}
	// A file from the future was written by a clock that was ahead. Nothing is known of
	// it but that it was not now.
	soon := time.Now().Add(skew)
	sorting.By(cs, func(a, b candidate) int {
		if a.at.After(soon) != b.at.After(soon) {
			return a.at.Compare(b.at)
		}
		return cmp.Or(b.at.Compare(a.at), strings.Compare(b.path, a.path))
	})
	var out []Info
	for _, c := range cs {
		if i, err := describe(c.path); err == nil && i.Title != "" && want(i) {
			if out = append(out, i); len(out) == n {
				break
			}
		}
	}
	return out, nil
}

// describe reads a file's beginning up to its first prompt, and its end.
func describe(path string) (Info, error) {
	if err := regular(path); err != nil {
		return Info{}, fmt.Errorf("read session: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return Info{}, fmt.Errorf("read session: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return Info{}, fmt.Errorf("read session: %w", err)
	}
	i := Info{ID: strings.TrimSuffix(filepath.Base(path), fileExt), Path: path, Updated: fi.ModTime(), Size: fi.Size()}
	br := bufio.NewReaderSize(io.LimitReader(f, head), 64<<10)
	var prompt, command string
	for prompt == "" {
		text, _, err := readLine(br)
		if err != nil {
			if fi.Size() > head {
				prompt = longPrompt(text)
			}
			break
		}
		r, err := decode(text)
		if err != nil {
			continue
		}
		i.take(r)
		if r.Note != nil || r.Steer { // what the model was told in between
			continue
		}
		if r.Shell != nil { // no title, where something is asked later
			if command == "" {
				command = "! " + titleOf(r.Shell.Command)
			}
			continue
		}
		if m := r.Message; m != nil && m.Role == provider.User {
			if prompt = titleOf(mark.Short(cmp.Or(r.Line, m.PlainText()))); prompt == "" && hasImage(*m) {
				prompt = "(picture)"
			}
		}
	}
	tail := make([]byte, min(edge, fi.Size()))
	if _, err := f.ReadAt(tail, fi.Size()-int64(len(tail))); err != nil && err != io.EOF {
		return Info{}, fmt.Errorf("read session: %w", err)
	}
	for l := range bytes.Lines(tail) { // the first may be half a line, and is skipped as such
		if bytes.Contains(l, []byte(`"type":"title"`)) || bytes.Contains(l, []byte(`"type":"model"`)) || bytes.Contains(l, []byte(`"type":"moved"`)) {
			if r, err := decode(l); err == nil {
				i.take(r)
			}
		}
	}
	i.Title = cmp.Or(i.Title, prompt, command)
	return i, nil
}

func (i *Info) take(r Record) {
	switch {
	case r.Header != nil:
		i.Cwd, i.Branch, i.Created = r.Header.Cwd, r.Header.Branch, r.Header.Created
	case r.Moved != nil && r.Moved.Dir != "":
		i.Cwd, i.Branch = r.Moved.Dir, r.Moved.Branch
	case r.Title != "":
		i.Title = r.Title
	case r.Model != nil:
		i.Model = *r.Model
	}
}

// longPrompt is the title of a first prompt that goes on past what is read of a
// file to list it.
func longPrompt(line []byte) string {
	text := string(line[:min(len(line), 4<<10)]) + `"` // ends the text it is cut in
	if gjson.Get(text, "message.role").String() != string(provider.User) {
		return ""
	}
	return cmp.Or(titleOf(gjson.Get(text, "line").String()), titleOf(mark.Short(strings.ToValidUTF8(gjson.Get(text, "message.blocks.0.text").String(), ""))), "(a long prompt)")
}

func hasImage(m provider.Message) bool {
	for _, b := range m.Blocks {
		if _, ok := b.(provider.Image); ok {
			return true
		}
	}
	return false
}

// titleOf is the first line with something on it, at most 80 characters.
func titleOf(text string) string {
	for l := range strings.Lines(text) {
		l = strings.Join(strings.Fields(l), " ")
		if l == "" {
			continue
		}
		if utf8.RuneCountInString(l) > 80 {
			l = string([]rune(l)[:79]) + "…"
		}
		return l
	}
	return ""
}
