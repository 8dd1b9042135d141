package search

import (
	"bytes"
	"context"
	"os"
	"strings"
	"unicode/utf8"

	"forge/agent/session"
	"forge/provider"
)

// piece is text of a record, and whose it is.
type piece struct{ who, text string }

// pieces is all that can be found in a record.
func pieces(r session.Record) []piece {
	var out []piece
	add := func(who, text string) {
		if text != "" {
			out = append(out, piece{who, text})
		}
	}
	add("title", r.Title)
	if r.Cut != nil {
		add("summary", r.Cut.Summary)
	}
	if r.Message == nil {
		return out
	}
	who := "you"
	if r.Message.Role == provider.Assistant {
		who = "model"
	}
	if r.Shell != nil {
		who = "result"
	}
	add(who, r.Line)
	for _, c := range r.Calls {
		add("result", c.Title)
	}
	for _, b := range r.Message.Blocks {
		switch b := b.(type) {
		case provider.Text:
			add(who, b.Text)
		case provider.Thinking:
			add("thinking", b.Text)
		case provider.ToolUse:
			add("call", b.Name+" "+b.Input)
		case provider.ToolResult:
			for _, in := range b.Content {
				if t, ok := in.(provider.Text); ok {
					add("result", t.Text)
				}
			}
		}
	}
	return out
}

// one returns the hits of a session, at most limit, the newest first.
func (x Index) one(ctx context.Context, f file, p *pattern, limit int) []Hit {
	ix, err := x.parts(f)
	if err != nil {
		return nil
	}
	defer ix.release()
	may := ix.candidates(p)
	var r *os.File // opened for the first candidate: most sessions have none
	text, low := buffers.Get().(*[]byte), buffers.Get().(*[]byte)
	defer buffers.Put(text)
	defer buffers.Put(low)
	var hits []Hit
	for i := len(ix.spans) - 1; i >= 0 && len(hits) < limit && ctx.Err() == nil; i-- {
		if may[i>>3]&(1<<(i&7)) == 0 {
			continue
		}
		if r == nil {
			if r, err = os.Open(f.path); err != nil {
				return nil
			}
			defer r.Close()
		}
		at := ix.spans[i][0]
		*text = room(*text, int(ix.spans[i][1]-at))
		if _, err := r.ReadAt(*text, at); err != nil {
			continue // it is not what was indexed
		}
		*low = lower(*low, *text)
		if !p.mayBeIn(*text, *low) {
			continue
		}
		var found []Hit
		from := 0
		for line := range bytes.Lines(*text) {
			if h, ok := p.hit(line, (*low)[from:from+len(line)]); ok {
				h.Offset = at + int64(from)
				found = append(found, h)
			}
			from += len(line)
		}
		for j := len(found) - 1; j >= 0; j-- {
			hits = append(hits, found[j])
		}
	}
	if len(hits) == 0 {
		return nil
	}
	info, err := session.Find("", f.path)
	if err != nil {
		return nil
	}
	hits = hits[:min(len(hits), limit)]
	for i := range hits {
		hits[i].Session, hits[i].Near = info, p.near
		if hits[i].When.IsZero() { // its line has no time that can be read
			hits[i].When = info.Updated
		}
	}
	return hits
}

// candidates is the parts that may have a hit.
func (ix *parts) candidates(p *pattern) []byte {
	all := ix.may("")
	for _, w := range p.words {
		some, forms := make([]byte, len(all)), w.forms
		listed := w.listed()
		if listed {
			forms = ix.words.near(w)
		}
		for _, f := range forms {
			for i, b := range ix.may(f) {
				some[i] |= b
			}
		}
		if w.edits > 0 && !listed {
			ix.share(w, some)
		}
		for i := range all {
			all[i] &= some[i]
		}
	}
	return all
}

// hit looks at one line; low is lower of it.
func (p *pattern) hit(line, low []byte) (Hit, bool) {
	if !p.mayBeIn(line, low) {
		return Hit{}, false
	}
	for _, w := range p.words {
		if w.edits > 0 && !w.mayBeNear(line) {
			return Hit{}, false
		}
	}
	r, err := session.Parse(line)
	if err != nil {
		return Hit{}, false
	}
	ps := pieces(r)
	best := -1
	var from, to int
	for wi, w := range p.words {
		found := false
		for i, piece := range ps {
			f, t, ok := w.at(strings.ToLower(piece.text))
			if !ok {
				continue
			}
			if found = true; wi == 0 {
				best, from, to = i, f, t
			}
			break
		}
		if !found {
			return Hit{}, false
		}
	}
	h := Hit{Seq: r.Seq, When: r.Time, Who: ps[best].who, own: ps[best].who == "result" && strings.HasPrefix(ps[best].text, recallMark)}
	text := ps[best].text
	if low := strings.ToLower(text); len(low) != len(text) { // a letter whose small form is longer
		text = low
	}
	h.Excerpt, h.From, h.To = excerpt(text, from, to)
	return h, true
}

// excerpt is the line around a place, shortened on both sides.
func excerpt(text string, from, to int) (string, int, int) {
	const before, after = 60, 160
	start, end := max(0, from-before), min(len(text), to+after)
	if i := strings.LastIndexByte(text[start:from], '\n'); i >= 0 {
		start += i + 1
	}
	if i := strings.IndexByte(text[to:end], '\n'); i >= 0 {
		end = to + i
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start++
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	lead := strings.TrimLeft(text[start:from], " \t")
	return lead + strings.TrimRight(text[from:end], " \t\r"), len(lead), len(lead) + to - from
}
