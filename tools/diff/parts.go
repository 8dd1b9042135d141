package diff

import "slices"

// Parts is a hunk as one hunk for each change in it: lines that follow each other, with
// half of what is unchanged between two of them on either side. A hunk of one change is
// returned alone. Numbers are those of h.
func (h Hunk) Parts() []Hunk {
	type run struct{ from, to int } // of h.Lines, the changed ones
	var runs []run
	for i, l := range h.Lines {
		switch {
		case l.Op == Equal:
		case i > 0 && h.Lines[i-1].Op != Equal:
			runs[len(runs)-1].to = i + 1
		default:
			runs = append(runs, run{i, i + 1})
		}
	}
	if len(runs) < 2 || len(runs) != len(h.edits) { // two changes with nothing between cannot be told apart
		return []Hunk{h}
	}
	var out []Hunk
	from := 0
	old, now := first(h.OldStart, h.OldCount), first(h.NewStart, h.NewCount)
	for i, r := range runs {
		to := len(h.Lines)
		if i+1 < len(runs) {
			to = r.to + (runs[i+1].from-r.to)/2
		}
		p := Hunk{Lines: slices.Clip(h.Lines[from:to]), edits: h.edits[i : i+1 : i+1]}
		lead := r.from - from
		for _, l := range p.Lines {
			if l.Op != Insert {
				p.OldCount++
			}
			if l.Op != Delete {
				p.NewCount++
			}
		}
		p.OldStart, p.NewStart = start(old, p.OldCount), start(now, p.NewCount)
		p.at.Start, p.at.ReplStart = old+lead, now+lead
		p.at.End, p.at.ReplEnd = p.at.Start, p.at.ReplStart
		for _, l := range h.Lines[r.from:r.to] {
			if l.Op == Delete {
				p.at.End++
			} else {
				p.at.ReplEnd++
			}
		}
		old, now, from = old+p.OldCount, now+p.NewCount, to
		out = append(out, p)
	}
	return out
}

// parts are hunks broken into their changes.
func parts(hunks []Hunk) (out []Hunk) {
	for _, h := range hunks {
		out = append(out, h.Parts()...)
	}
	return out
}
