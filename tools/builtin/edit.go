package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/sorting"
	"forge/tools"
	"forge/tools/sandbox"
)

type replacement struct {
	Old string `json:"old_string" description:"exact, without line numbers"`
	New string `json:"new_string"`
	All bool   `json:"replace_all,omitempty"`
}

type editInput struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
	// The flat spelling, for one edit.
	Old string `json:"old_string" hidden:"true"`
	New string `json:"new_string" hidden:"true"`
	All bool   `json:"replace_all" hidden:"true"`
}

func newEdit(e *Env) tools.Tool {
	return prepared("edit_file", "Replace exact pieces of text in one file. Copy old_string from read_file, blanks and all, "+
		"with enough lines around the change to occur once. All edits of a call are matched against the file as it is now, must not overlap, "+
		"and land together or not at all. An empty old_string creates a missing file. Encoding, line ends and mode are kept.",
		e.prepareEdit)
}

func (in editInput) all() ([]replacement, error) {
	edits := in.Edits
	if in.Old != "" || in.New != "" {
		if len(edits) > 0 {
			return nil, errors.New("both edits and old_string were sent; send edits alone")
		}
		edits = []replacement{{in.Old, in.New, in.All}}
	}
	if in.Path == "" {
		return nil, errors.New("path is missing")
	}
	if len(edits) == 0 {
		return nil, errors.New("edits is empty; send at least one {old_string, new_string}")
	}
	edits = slices.Clone(edits)
	for i := range edits {
		edits[i].Old, edits[i].New = lf(edits[i].Old), lf(edits[i].New)
	}
	return edits, nil
}

// lf gives a text of the model the line ends it is matched with. The mark at the
// start of a file is not part of its text.
func lf(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\r\n", "\n")
}

func (e *Env) prepareEdit(ctx context.Context, in editInput) (*tools.Invocation, error) {
	edits, err := in.all()
	if err != nil {
		return nil, err
	}
	p, err := e.Workspace.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	before, mode, err := e.starts(ctx, p)
	if err != nil {
		return nil, err
	}
	change := tools.Change{Path: p.Name, Op: tools.Create}
	if before == nil {
		if len(edits) != 1 || edits[0].Old != "" {
			return nil, fmt.Errorf("%w; to create it, send one edit with an empty old_string, or use write_file", e.missing(p))
		}
		change.After = []byte(edits[0].New)
		return proposal{env: e, path: p, change: change, whole: true}.invocation("create"), nil
	}
	if _, err := e.familiar(ctx, p, before); err != nil {
		return nil, err
	}
	after, err := edited(p, before, edits)
	if err != nil {
		return nil, fmt.Errorf("%w\nnothing was changed", err)
	}
	change.Op, change.Before, change.After = tools.Modify, before, after
	return proposal{env: e, path: p, change: change, note: droppedBits(p, mode)}.invocation("edit"), nil
}

// span is one place that an edit changes, in the text with LFs.
type span struct{ from, to, edit int }

// edited makes all edits of a file, or none.
func edited(p sandbox.Path, before []byte, edits []replacement) ([]byte, error) {
	t, err := decode(before)
	if err != nil {
		return nil, fmt.Errorf("%s is %w (%s); edit_file changes text alone", p.Name, err, size(int64(len(before))))
	}
	f := flatten(t.body)
	var spans []span
	for i, ed := range edits {
		found, err := locate(f, ed, i)
		if err != nil {
			which := ""
			if len(edits) > 1 {
				which = fmt.Sprintf("edit %d of %d: ", i+1, len(edits))
			}
			return nil, fmt.Errorf("%s: %s%w%s", p.Name, which, err, afterOthers(f, edits, i))
		}
		spans = append(spans, found...)
	}
	sorting.By(spans, func(a, b span) int { return a.from - b.from })
	for i := 1; i < len(spans); i++ {
		if a, b := spans[i-1], spans[i]; b.from < a.to {
			return nil, fmt.Errorf("%s: edits %d (line %d) and %d (line %d) overlap; put them into one", p.Name,
				a.edit+1, lineOf(f.s, a.from), b.edit+1, lineOf(f.s, b.from))
		}
	}
	var b strings.Builder
	at := 0
	for _, s := range spans {
		start, end, with := f.replace(s.from, s.to, edits[s.edit].New)
		if t.enc == eightBit && strings.IndexFunc(with, func(r rune) bool { return r > 127 }) >= 0 {
			return nil, fmt.Errorf("%s is not UTF-8, so only ASCII can be put into it; convert it first (iconv) if it is to hold more", p.Name)
		}
		b.WriteString(t.body[at:start] + with)
		at = end
	}
	b.WriteString(t.body[at:])
	t.body = b.String()
	after, err := t.encode()
	if err == nil && bytes.Equal(before, after) {
		err = fmt.Errorf("%s: the edits change nothing", p.Name)
	}
	return after, err
}

// locate finds where one edit applies, or says why that is not clear.
func locate(f flat, ed replacement, n int) ([]span, error) {
	switch {
	case ed.Old == "" && f.s == "":
		return []span{{0, 0, n}}, nil
	case ed.Old == "":
		return nil, errors.New("old_string is empty, but the file exists; name the text to replace, or use write_file to replace all of it")
	case ed.Old == ed.New:
		return nil, errors.New("old_string and new_string are the same")
	}
	var spans []span
	for at := 0; ; {
		i := strings.Index(f.s[at:], ed.Old)
		if i < 0 {
			break
		}
		spans = append(spans, span{at + i, at + i + len(ed.Old), n})
		at += i + len(ed.Old)
	}
	switch {
	case len(spans) == 0:
		return nil, fmt.Errorf("old_string found 0 times, need 1%s", nearMiss(f.s, ed.Old))
	case len(spans) > 1 && !ed.All:
		var lines []string
		for _, s := range spans[:min(len(spans), 10)] {
			lines = append(lines, fmt.Sprint(lineOf(f.s, s.from)))
		}
		if len(spans) > 10 {
			lines = append(lines, "…")
		}
		return nil, fmt.Errorf("old_string found %d times (lines %s), need 1; add lines around it until it is the only one, or set replace_all",
			len(spans), strings.Join(lines, ", "))
	}
	return spans, nil
}

// afterOthers explains a miss of an edit that counts on an earlier one.
func afterOthers(f flat, edits []replacement, n int) string {
	for i, ed := range edits[:n] {
		if edits[n].Old != "" && strings.Contains(strings.ReplaceAll(f.s, ed.Old, ed.New), edits[n].Old) && !strings.Contains(f.s, edits[n].Old) {
			return fmt.Sprintf("\nit matches only what edit %d puts in; edits are matched against the file as it is now: put the two into one", i+1)
		}
	}
	return ""
}

func lineOf(s string, offset int) int { return strings.Count(s[:offset], "\n") + 1 }
