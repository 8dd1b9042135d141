package composer

// ring is what was cut, the newest last: a yank puts the last of it in, and what
// came before it right after that. It outlives the prompt that is sent.
type ring struct {
	cuts     []string
	at       int // the one that was put in last
	from, to int // where it stands
}

const maxCuts = 60

// cut takes what is selected, or else what is between two offsets, into the ring.
// Cuts one after the other are one piece, as they stood.
func (e *editor) cut(from, to int) {
	if a, b, ok := e.selected(); ok {
		from, to = a, b
		e.last = ""
	}
	if from == to {
		return
	}
	joins, back := e.last == "cut" && len(e.ring.cuts) > 0, to == e.cur
	e.snapshot("cut")
	e.keep(e.text[from:to], joins, back)
	e.text = e.text[:from] + e.text[to:]
	e.cur, e.selecting = from, false
}

// keep puts a text into the ring, or joins it to the newest one.
func (e *editor) keep(s string, joins, back bool) {
	r := &e.ring
	if n := len(r.cuts); joins && back {
		r.cuts[n-1] = s + r.cuts[n-1]
		return
	} else if joins {
		r.cuts[n-1] += s
		return
	}
	r.cuts = append(r.cuts, s)
	if len(r.cuts) > maxCuts {
		r.cuts = r.cuts[1:]
	}
}

// yank puts in what was cut last, as folded makes it.
func (e *editor) yank(folded func(string) string) {
	r := &e.ring
	if len(r.cuts) == 0 {
		return
	}
	e.snapshot("yank")
	r.at = len(r.cuts) - 1
	s := folded(r.cuts[r.at])
	e.insert(s)
	r.from, r.to = e.cur-len(s), e.cur
}

// yankEarlier puts what was cut before it in the place of what was just put in.
func (e *editor) yankEarlier(folded func(string) string) {
	r := &e.ring
	if e.last != "yank" || len(r.cuts) < 2 {
		return
	}
	r.at = (r.at + len(r.cuts) - 1) % len(r.cuts)
	s := folded(r.cuts[r.at])
	e.text = e.text[:r.from] + s + e.text[r.to:]
	r.to = r.from + len(s)
	e.cur = r.to
}
