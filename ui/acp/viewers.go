package acp

import (
	"context"
	"slices"
	"time"

	"forge/ui/lang"
)

// capability is what a client shows beside what every client does.
type capability uint8

const (
	shownNotices capability = 1 << iota
	shownForms
	shownCompactions
)

// shows reports whether a client shows all of c.
func (s *server) shows(c capability) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.can&c == c
}

// fits is what a client is told of an update, and how far down the ways to say it that is.
func (s *server) fits(u any) (any, int) {
	x, ok := u.(update)
	if !ok {
		return u, 0
	}
	depth := 0
	for x.or != nil && !s.shows(x.needs) {
		x = *x.or
		depth++
	}
	return x, depth
}

func updated(id string, u any) ([]byte, error) {
	return encoded(request{Version: version, Method: "session/update", Params: updateParams{id, u}})
}

// tells tells one client of an update.
func (s *server) tells(id string, u any) {
	x, _ := s.fits(u)
	line, err := updated(id, x)
	if err == nil {
		err = s.write(line)
	}
	if err != nil {
		s.log.Debug("update not sent", "err", err)
	}
}

// await waits until the client has read most of what was sent to it, where that waits in a
// queue.
func (s *server) await() {
	if b, ok := s.out.(*outbox); ok {
		b.await()
	}
}

// update tells whoever looks at the conversation.
func (t *talk) update(u any) { t.others(nil, u) }

// others is update for all but one, who knows.
func (t *talk) others(but *server, u any) {
	t.out.Lock()
	defer t.out.Unlock()
	if t.records() {
		t.journal.add(u)
	}
	t.spread(but, u)
}

// spread sends an update to the viewers. The lock is held.
func (t *talk) spread(but *server, u any) {
	var lines [3][]byte // by how far down it is
	for _, v := range t.viewers {
		if v == but {
			continue
		}
		x, depth := v.fits(u)
		if lines[depth] == nil {
			line, err := updated(t.o.ID, x)
			if err != nil {
				t.home.log.Error("update not written", "err", err)
				return
			}
			lines[depth] = line
		}
		if err := v.write(lines[depth]); err != nil {
			t.home.log.Debug("update not sent", "err", err)
		}
	}
}

// records reports whether what happens is kept for those who come meanwhile. The lock is
// held.
func (t *talk) records() bool { return t.home.keeps && (t.running || t.retelling > 0) }

// runs says that a run begins, or why the last one ended.
func (t *talk) runs(on bool, stop string) {
	t.out.Lock()
	defer t.out.Unlock()
	if t.home.keeps && t.retelling == 0 {
		t.journal = journal{}
		if on {
			t.mark = t.o.Told()
		}
	}
	t.running, t.stopped = on, stop
	t.stand()
}

// stand tells how the conversation stands. The lock is held.
func (t *talk) stand() {
	if t.home.keeps {
		t.spread(nil, infoUpdate{Kind: "session_info_update", Meta: &meta{t.standing()}})
	}
}

// standing is how it stands. The lock is held.
func (t *talk) standing() standing {
	s := standing{State: "idle", Clients: len(t.viewers)}
	switch {
	case len(t.questions) > 0:
		s.State = "waiting"
	case t.running:
		s.State = "running"
	default:
		s.Stop = t.stopped
	}
	return s
}

// stands is standing for whoever does not hold the lock.
func (t *talk) stands() standing {
	t.out.Lock()
	defer t.out.Unlock()
	return t.standing()
}

// holds keeps the conversation open for somebody who is about to look at it.
func (t *talk) holds() {
	t.out.Lock()
	defer t.out.Unlock()
	t.held++
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
}

// lets ends that.
func (t *talk) lets() {
	t.out.Lock()
	t.held--
	t.out.Unlock()
	t.home.settles(t)
}

// free reports whether nobody looks at it, and nobody is about to.
func (t *talk) free() bool {
	t.out.Lock()
	defer t.out.Unlock()
	return len(t.viewers) == 0 && t.held == 0
}

// goesOn reports whether something of it goes on.
func (t *talk) goesOn() bool { return t.busy() || t.o.Busy() }

// waits calls then in a while, unless somebody comes.
func (t *talk) waits(d time.Duration, then func()) {
	t.out.Lock()
	defer t.out.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.timer = time.AfterFunc(d, then)
}

// joins makes a client one that looks at the conversation. With retell it is told first
// what there was, and what has happened since the run began.
func (t *talk) joins(s *server, retell bool) {
	t.out.Lock()
	t.drops(s) // it begins anew
	if !t.records() {
		t.journal, t.mark = journal{}, 0
		if t.home.keeps {
			t.mark = t.o.Told()
		}
	}
	mark := t.mark
	t.retelling++
	t.out.Unlock()
	defer func() {
		t.out.Lock()
		defer t.out.Unlock()
		if t.retelling--; !t.records() {
			t.journal = journal{}
		}
	}()
	if retell {
		t.retell(s, mark)
	}
	t.out.Lock()
	defer t.out.Unlock()
	if retell {
		t.journal.tell(func(u any) { s.tells(t.o.ID, u) })
	}
	if !s.looks(t) { // it went away meanwhile
		return
	}
	t.viewers = append(t.viewers, s)
	close(t.came)
	t.came = make(chan struct{})
	t.stand()
	for q := range t.questions {
		t.puts(q, s)
	}
}

// drops takes a client from those who look, and what it is asked from it. The lock is held.
func (t *talk) drops(s *server) {
	t.viewers = slices.DeleteFunc(t.viewers, func(v *server) bool { return v == s })
	t.withdraws(s)
}

// left says that a client looks no more.
func (t *talk) left(s *server) {
	t.out.Lock()
	t.drops(s)
	t.stand()
	t.out.Unlock()
	t.home.settles(t)
}

// somebody waits until somebody looks.
func (t *talk) somebody(ctx context.Context) error {
	for {
		t.out.Lock()
		n, came := len(t.viewers), t.came
		t.out.Unlock()
		if n > 0 {
			return nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.home.ctx.Done():
			return context.Canceled
		}
	}
}

// anybody reports whether somebody who looks shows c.
func (t *talk) anybody(c capability) bool {
	t.out.Lock()
	defer t.out.Unlock()
	return slices.ContainsFunc(t.viewers, func(v *server) bool { return v.shows(c) })
}

// unshown tells a client that a question waits that it cannot show.
func (t *talk) unshown(s *server) {
	text := lang.T("a question waits here that this client cannot show: it wants words typed, in a form; another client can answer it")
	s.tells(t.o.ID, update{Kind: "notice", Severity: "warning", Title: text, needs: shownNotices,
		or: &update{Kind: "agent_message_chunk", Message: past + "unshown", Content: textBlock("\n\n> " + text + "\n\n")}})
}
