package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"forge/agent/session"
	"forge/tools"
)

// Recall is what the recall tool looks in. Its functions are called in the
// goroutines of runs.
type Recall struct {
	Index  Index
	Path   func() string // the session's file; empty: nothing is kept
	Output string        // the folder of output too long to show; empty: none is kept
}

type recallInput struct {
	Query string `json:"query,omitempty" description:"words that stand in one message together; in double quotes: as they are"`
	At    int    `json:"at,omitempty"`
}

// recallMark begins every answer, so that no answer finds an earlier one.
const recallMark = "recall: "

// Tool returns a tool by which a model searches its own conversation, what was
// shortened away for it included, and output that was too long to show.
func (r Recall) Tool() tools.Tool {
	return tools.Func("recall", "Find words in this conversation: also in messages and tool output that were summarized away or were too long to show. "+
		"Give query to search, then at with a number it found to read that message whole.",
		func(_ context.Context, _ tools.Call, in recallInput) (*tools.Invocation, error) {
			in.Query = strings.TrimSpace(in.Query)
			if (in.Query == "") == (in.At == 0) {
				return nil, errors.New("recall: give either query or at")
			}
			title := recallMark + in.Query
			if in.At != 0 {
				title = fmt.Sprintf("%smessage %d", recallMark, in.At)
			}
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Read, Title: title},
				Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
					path := r.Path()
					if _, err := os.Stat(path); path == "" || err != nil {
						return tools.Result{Text: recallMark + "nothing of this conversation is kept, so nothing can be found in it", IsError: true}, nil
					}
					if in.At != 0 {
						return r.whole(path, in.At)
					}
					return r.find(ctx, path, in.Query)
				},
			}, nil
		})
}

func (r Recall) find(ctx context.Context, path, query string) (tools.Result, error) {
	hits, err := r.Index.In(ctx, path, Query{Text: query, Limit: 60})
	if err != nil {
		return tools.Result{}, err
	}
	var b strings.Builder
	n := 0
	for _, h := range hits {
		if h.Who == "call" && strings.HasPrefix(h.Excerpt, "recall ") || h.own || n == 30 {
			continue
		}
		n++
		near := ""
		if h.Near {
			near = "~"
		}
		fmt.Fprintf(&b, "%d %s: %s%s\n", h.Seq, h.Who, near, h.Excerpt)
	}
	for _, s := range r.spilled(ctx, path, query) {
		n++
		b.WriteString(s + "\n")
	}
	if n == 0 {
		return tools.Result{Text: recallMark + "nothing in this conversation has these words; try fewer or others", Display: "nothing found"}, nil
	}
	return tools.Result{Text: fmt.Sprintf("%s%d found, the newest first; at reads one whole\n%s", recallMark, n, b.String()), Display: fmt.Sprintf("%d found", n)}, nil
}

// whole is all that can be read of one record.
func (r Recall) whole(path string, seq int) (tools.Result, error) {
	var b strings.Builder
	_, err := session.Lines(path, func(line []byte, _ int64) bool {
		rec, err := session.Parse(line)
		if err != nil || rec.Seq != seq {
			return true
		}
		for _, p := range pieces(rec) {
			fmt.Fprintf(&b, "[%s]\n%s\n", p.who, p.text)
		}
		return false
	})
	if err != nil {
		return tools.Result{}, err
	}
	if b.Len() == 0 {
		return tools.Result{Text: fmt.Sprintf("%sthere is no message %d; a search tells the numbers", recallMark, seq), IsError: true}, nil
	}
	return tools.Result{Text: recallMark + fmt.Sprintf("message %d\n", seq) + b.String()}, nil
}

// mostSpilled bounds what is read of one file of output, in bytes.
const mostSpilled = 16 << 20

// spilled looks through the files of output this session names.
func (r Recall) spilled(ctx context.Context, path, query string) []string {
	if r.Output == "" {
		return nil
	}
	named := regexp.MustCompile(regexp.QuoteMeta(filepath.Join(r.Output, "x")[:len(filepath.Join(r.Output, "x"))-1]) + `[A-Za-z0-9_.-]+`)
	p := parse(query)
	seen := map[string]bool{}
	var out []string
	_, _ = session.Lines(path, func(line []byte, _ int64) bool {
		rec, err := session.Parse(line)
		if err != nil || rec.Message == nil {
			return ctx.Err() == nil
		}
		for _, piece := range pieces(rec) {
			if piece.who != "result" {
				continue
			}
			for _, name := range named.FindAllString(piece.text, -1) {
				name = strings.TrimRight(name, ".")
				if seen[name] {
					continue
				}
				seen[name] = true
				out = append(out, p.inFile(name)...)
			}
		}
		return ctx.Err() == nil && len(out) < 20
	})
	return out[:min(len(out), 20)]
}

// inFile returns the lines of a file that have all words, at most five.
func (p *pattern) inFile(name string) []string {
	f, err := os.Open(name)
	if err != nil {
		return nil // it was kept for a while only
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, mostSpilled))
	if err != nil {
		return nil
	}
	var out []string
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		low := strings.ToLower(line)
		all := true
		for _, w := range p.words {
			_, _, ok := w.at(low)
			all = all && ok
		}
		if !all {
			continue
		}
		line, _, _ = excerpt(strings.TrimRight(line, "\n"), 0, 0)
		if out = append(out, fmt.Sprintf("%s line %d: %s", name, n, line)); len(out) == 5 {
			break
		}
	}
	return out
}
