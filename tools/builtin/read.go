package builtin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"unicode/utf8"

	"forge/tools"
	"forge/tools/picture"
	"forge/tools/sandbox"
)

// maxLines is how many lines one read shows: the habit of the peers.
const maxLines = 2000

// The room for one page if Env names none: less than what a result is bounded to,
// notes and numbers included.
const defaultMaxText = 40 << 10

type readInput struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty" description:"first line to show, from 1"`
	Limit  int    `json:"limit,omitempty"`
}

func newRead(e *Env) tools.Tool {
	return prepared("read_file", "Read a text file with line numbers, or look at a png, jpeg, gif or webp image. "+
		"Shows up to 2000 lines of at most 2000 characters; a longer file says with which offset to go on.",
		func(_ context.Context, in readInput) (*tools.Invocation, error) { return e.prepareRead(in) })
}

func (e *Env) prepareRead(in readInput) (*tools.Invocation, error) {
	if in.Offset < 0 || in.Limit < 0 {
		return nil, fmt.Errorf("offset %d, limit %d: lines are counted from 1; leave both out for the start of the file", in.Offset, in.Limit)
	}
	p, err := e.Workspace.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	fi, err := e.Workspace.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, e.missing(p)
	case err != nil:
		return nil, err
	case fi.IsDir():
		return nil, fmt.Errorf("%s is a folder; use list_dir for it", p.Name)
	}
	pg := page{first: max(in.Offset, 1), limit: maxLines, room: e.MaxText}
	if in.Limit > 0 {
		pg.limit = min(in.Limit, maxLines)
	}
	if pg.room <= 0 {
		pg.room = defaultMaxText
	}
	title := "read " + p.Name
	if in.Offset > 0 || in.Limit > 0 {
		title += fmt.Sprintf(" from line %d", pg.first)
	}
	return &tools.Invocation{
		Effect: tools.Effect{Kind: tools.Read, Title: title, Paths: []string{p.Abs}},
		Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
			return e.read(ctx, p, pg)
		},
	}, nil
}

func (e *Env) read(ctx context.Context, p sandbox.Path, pg page) (tools.Result, error) {
	data, err := e.Workspace.ReadFile(p, maxFile)
	if errors.Is(err, sandbox.ErrTooLarge) {
		return e.readLarge(ctx, p, pg)
	}
	if err != nil {
		return tools.Result{}, fmt.Errorf("read_file: %w", err)
	}
	kind := http.DetectContentType(data)
	if kind := picture.Kind(data); kind != "" && looksBinary(data) { // a text may begin with GIF89a
		return imageResult(p, kind, data)
	}
	t, err := decode(data)
	if err != nil {
		e.Seen.Record(p.Abs, data)
		return binaryResult(p, int64(len(data)), kind, data), nil
	}
	e.learn([]byte(t.body))
	pg.text(flatten(t.body).s)
	if pg.total > 0 && pg.first > pg.total {
		return tools.Result{}, fmt.Errorf("read_file: %s has %s; offset %d is past its end", p.Name, plural(pg.total, "line"), pg.first)
	}
	e.Seen.Record(p.Abs, data)
	res := pg.result()
	switch t.enc {
	case eightBit:
		res.Text += "\n(not UTF-8: bytes that are no text are shown as \uFFFD)"
	case utf16LE, utf16BE:
		res.Text += fmt.Sprintf("\n(the file is %s; changes keep that)", t.enc)
	}
	return res, nil
}

// readLarge reads a page of a file that is not held in memory. Its end is not
// looked for, and it is not remembered as read: it cannot be edited anyway.
func (e *Env) readLarge(ctx context.Context, p sandbox.Path, pg page) (tools.Result, error) {
	f, err := e.Workspace.Open(p)
	if err != nil {
		return tools.Result{}, fmt.Errorf("read_file: %w", err)
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return tools.Result{}, fmt.Errorf("read_file: %w", err)
	}
	r := bufio.NewReaderSize(f, 64<<10)
	head, _ := r.Peek(8 << 10)
	if looksBinary(head) {
		return binaryResult(p, fi.Size(), http.DetectContentType(head), head), nil
	}
	for {
		line, err := longLine(r)
		if errors.Is(err, io.EOF) && line == "" {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return tools.Result{}, fmt.Errorf("read_file: %s: %w", p.Name, err)
		}
		if pg.add(line); pg.full {
			break
		}
		if pg.total%4096 == 0 && ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
	}
	if pg.shown == 0 {
		return tools.Result{}, fmt.Errorf("read_file: %s has %s; offset %d is past its end", p.Name, plural(pg.total, "line"), pg.first)
	}
	res := pg.result()
	if pg.full {
		res.Text = fmt.Sprintf("%s…(the file is %s, more lines follow, use offset=%d)", pg.b.String(), size(fi.Size()), pg.first+pg.shown)
	}
	return res, nil
}

// longLine reads a line without its end, and drops what nobody will be shown of it.
func longLine(r *bufio.Reader) (string, error) {
	const most = maxColumns * utf8.UTFMax
	var line []byte
	length := 0
	for {
		part, err := r.ReadSlice('\n')
		length += len(part)
		line = append(line, part[:min(len(part), most-len(line))]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if length > most {
			return fmt.Sprintf("%s… (the line has %d bytes)", string([]rune(string(line))[:maxColumns-50]), length), err
		}
		return string(bytes.TrimRight(line, "\r\n")), err
	}
}

// page collects the lines of one read.
type page struct {
	first, limit, room int
	b                  strings.Builder
	total, shown       int
	full               bool
}

// text adds every line of s.
func (pg *page) text(s string) {
	for s != "" {
		line, rest, _ := strings.Cut(s, "\n")
		pg.add(line)
		s = rest
	}
}

// add takes the next line. A page is full when a line did not fit; the first one
// always does.
func (pg *page) add(line string) {
	pg.total++
	if pg.total < pg.first || pg.full {
		return
	}
	before := pg.b.Len()
	if pg.shown < pg.limit {
		writeLine(&pg.b, pg.total, line)
	}
	if pg.shown == pg.limit || pg.b.Len() > pg.room && pg.shown > 0 {
		s := pg.b.String()[:before]
		pg.b.Reset()
		pg.b.WriteString(s)
		pg.full = true
		return
	}
	pg.shown++
}

func (pg *page) result() tools.Result {
	res := tools.Result{Text: strings.TrimSuffix(pg.b.String(), "\n"), Display: plural(pg.shown, "line")}
	if pg.total == 0 {
		return tools.Result{Text: "the file is empty", Display: "empty"}
	}
	if left := pg.total - (pg.first - 1 + pg.shown); left > 0 {
		res.Text += fmt.Sprintf("\n…(%s, use offset=%d)", strings.Replace(plural(left, "line"), " ", " more ", 1), pg.first+pg.shown)
	}
	return res
}
