package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// question is one that waits for an answer. It is put to everybody who looks at the
// conversation, and to whoever comes while it waits; the first answer counts, and the
// others are told that theirs is not wanted any more.
type question struct {
	method  string
	params  any
	needs   capability // of clients it can be put to
	ctx     context.Context
	replies chan reply
	asked   map[*server]*asking
}

// asking is a question at one client.
type asking struct {
	may  bool               // it still may answer
	stop context.CancelFunc // withdraws it there
}

// reply is what came of it at one client.
type reply struct {
	from *server
	said json.RawMessage
	err  error
}

// put puts a question and gives the answer. Where nobody looks, it waits for somebody; a
// client that says that it cannot ask is passed over while there are others.
func (t *talk) put(ctx context.Context, method string, params any, needs capability, answer any) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	q := &question{method: method, params: params, needs: needs, ctx: ctx, replies: make(chan reply), asked: map[*server]*asking{}}
	t.out.Lock()
	t.questions[q] = struct{}{}
	for _, v := range t.viewers {
		t.puts(q, v)
	}
	t.stand()
	t.out.Unlock()
	defer func() {
		t.out.Lock()
		defer t.out.Unlock()
		delete(t.questions, q)
		t.stand()
	}()
	for {
		select {
		case r := <-q.replies:
			var refused *Error
			switch {
			case r.err == nil:
				if r.said == nil {
					return nil
				}
				if err := json.Unmarshal(r.said, answer); err != nil {
					return fmt.Errorf("the editor's answer cannot be read: %w", err)
				}
				return nil
			case !errors.As(r.err, &refused):
				if !t.home.keeps {
					return r.err
				}
			case !t.another(q, r.from):
				return fmt.Errorf("the editor cannot ask: %w", r.err)
			}
		case <-ctx.Done():
			return ctx.Err()
		case <-t.home.ctx.Done():
			return io.ErrClosedPipe
		}
	}
}

// another notes that a client cannot answer, and reports whether another one may.
func (t *talk) another(q *question, s *server) bool {
	t.out.Lock()
	defer t.out.Unlock()
	here := q.asked[s]
	if here == nil {
		return true // it has left: whoever comes is asked
	}
	here.may = false
	for _, a := range q.asked {
		if a.may {
			return true
		}
	}
	return false
}

// puts puts a question to one client. The lock is held.
func (t *talk) puts(q *question, s *server) {
	if _, twice := q.asked[s]; twice {
		return
	}
	if !s.shows(q.needs) {
		t.unshown(s)
		return
	}
	ctx, stop := context.WithCancel(q.ctx)
	q.asked[s] = &asking{may: true, stop: stop}
	go func() {
		defer t.home.recovered()
		defer stop()
		r := reply{from: s}
		r.err = s.call(ctx, q.method, q.params, &r.said)
		if ctx.Err() != nil { // it looks no more, or another has answered
			return
		}
		select {
		case q.replies <- r:
		case <-ctx.Done():
		}
	}()
}

// withdraws takes back what a client is asked: it looks no more, or begins anew. The lock is
// held.
func (t *talk) withdraws(s *server) {
	for q := range t.questions {
		if a := q.asked[s]; a != nil {
			a.stop()
			delete(q.asked, s)
		}
	}
}
