package agent

import (
	"context"
	"slices"

	"forge/agent/session"
	"forge/provider"
)

// attach adds what goes with a person's words: a message of its own behind theirs,
// which is kept already. The wires send both as one.
func (r *run) attach(ctx context.Context, words string) {
	if r.o.Attach == nil {
		return
	}
	m := provider.Message{Role: provider.User}
	for _, a := range r.o.Attach(ctx, words, r.attached) {
		if a.Err != nil {
			r.emit(Attached{Label: a.Label, Err: a.Err})
			continue
		}
		a.Text = r.masked(clean(a.Text)) // what a server has is no safer than what a tool reads
		m.Blocks = append(m.Blocks, a.Block())
		for _, img := range a.Images {
			m.Blocks = append(m.Blocks, checkImage(img))
		}
		r.emit(Attached{Label: a.Label, Text: a.Text, Images: a.Images})
	}
	if len(m.Blocks) > 0 {
		r.history.add(session.Record{Message: &m, Steer: true})
	}
}

// attached says whether the model still sees a text that was attached.
func (r *run) attached(a provider.Attached) bool {
	a.Text = r.masked(clean(a.Text))
	want := a.Block()
	return slices.ContainsFunc(r.history.view(), func(m provider.Message) bool {
		return slices.ContainsFunc(m.Blocks, func(b provider.Block) bool { t, ok := b.(provider.Text); return ok && t == want })
	})
}
