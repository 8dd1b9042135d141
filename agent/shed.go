package agent

import (
	"slices"

	"forge/agent/session"
)

// shed is the records of a conversation that are kept on disk alone, so that a
// session that goes on for days needs no more memory than what its model sees.
type shed struct {
	n       int // how many there were in the log
	seq     int // of the last one
	prompts []Asked
}

// unload gives up the records that a cut took away from the model, if all of them
// are safe on disk.
func (h *history) unload() {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := len(h.log)
	if h.session == nil || h.told || len(h.owed) > 0 || n == 0 || h.log[n-1].Seq == 0 || !h.session.Saved() {
		return
	}
	h.shed.prompts = append(h.shed.prompts, asked(h.log, h.shed.n)...)
	h.shed.n += n
	h.shed.seq = h.log[n-1].Seq
	h.log = nil
}

// all gives every record of the conversation, those on disk alone too.
func (h *history) all() ([]session.Record, error) { return h.first(-1) }

// first gives the first n of them; below 0: every one.
func (h *history) first(n int) ([]session.Record, error) {
	h.mu.Lock()
	log, s, last := slices.Clone(h.log), h.session, h.shed.seq
	if n >= 0 {
		log = log[:min(max(n-h.shed.n, 0), len(log))]
	}
	shed := h.shed.n
	h.mu.Unlock()
	if last == 0 {
		return log, nil
	}
	rs, err := session.Records(s.Path(), last)
	rs = session.History(rs)
	if n >= 0 && n < shed { // what was told since was shed since
		rs = rs[:min(n, len(rs))]
	}
	return append(rs, log...), err
}

// length is how many records all gives.
func (h *history) length() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shed.n + len(h.log)
}

// changed is the files that calls of a conversation changed, the last one last.
type changed struct {
	files []session.Change // path and op alone
}

func (c *changed) note(r session.Record) {
	for _, call := range r.Calls {
		for _, ch := range call.Changes {
			op := ch.Op
			if ch.From != "" { // nothing is left there
				c.files = slices.DeleteFunc(c.files, func(f session.Change) bool { return f.Path == ch.From })
				op += " from " + ch.From
			}
			if i := slices.IndexFunc(c.files, func(f session.Change) bool { return f.Path == ch.Path }); i >= 0 {
				if was := c.files[i].Op; was == "create" && op == "edit" {
					op = was // for whoever did not see it, the file is new
				}
				c.files = slices.Delete(c.files, i, i+1)
			}
			c.files = append(c.files, session.Change{Path: ch.Path, Op: op})
		}
	}
}

func (h *history) files() []session.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.changed.files)
}

// undo takes the last compaction back, if there is one.
func (h *history) undo(estimate func() int) (before, after int, err error) {
	rs, err := h.all()
	if err != nil {
		return 0, 0, err
	}
	if !session.CanUndo(rs) {
		return 0, 0, ErrNotCompacted
	}
	r := session.Record{Undo: &session.Undo{Before: estimate()}}
	ms := session.Messages(append(slices.Clip(rs), r))
	h.mu.Lock()
	h.ms = ms
	h.mu.Unlock()
	r.Undo.After = estimate()
	h.note(r)
	return r.Undo.Before, r.Undo.After, nil
}
