package acp

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"forge/ui/lang"
)

// Bounds of a house that keeps its conversations.
const (
	mostTalks   = 128              // open at once
	mostClients = 256              // connected at once
	linger      = time.Minute      // how long one that nobody looks at stays open while nothing goes on in it
	patience    = 8 * time.Second  // how long the end waits for what is being cancelled: a tool is left behind after less
	lastWords   = 10 * time.Second // how long a client that says nothing more is waited for, so that it hears its answers
)

// errLost is why everything ends where the editor reads no more.
var errLost = errors.New("the editor went away")

// Errors of a house that takes no more clients.
var (
	ErrFull  = errors.New("too many clients are connected; end some of them")
	errEnded = errors.New("the server is ending")
)

// House is where conversations are open. Connections look at them.
type House struct {
	h     Host
	keeps bool // conversations go on when whoever looked at them went away
	about func() map[string]any
	stops func() // a client wants the house to end
	log   *slog.Logger
	ctx   context.Context // ends with the house
	stop  context.CancelFunc
	work  sync.WaitGroup // prompts, and requests of every client
	long  room           // for what clients send

	mu      sync.Mutex
	talks   map[string]*talk
	opening map[string]chan struct{} // closed when it is open, or is not
	closing map[string]chan struct{} // closed when it can be opened again
	clients map[*server]struct{}
	done    bool
}

// Kept is what a house is to be that outlives its clients.
type Kept struct {
	// About is what such a server says of itself beside its conversations: texts and
	// numbers under names of its own.
	About func() map[string]any
	// Stop is called when a client wants the server to end. It must not wait for that.
	Stop func()
}

// NewHouse returns a house that keeps its conversations until it is closed.
func NewHouse(h Host, k Kept) *House {
	n := newHouse(context.Background(), h)
	n.long.left.Store(mostLong)
	n.keeps, n.about, n.stops = true, k.About, k.Stop
	return n
}

func newHouse(ctx context.Context, h Host) *House {
	n := &House{h: h, log: h.Log, talks: map[string]*talk{}, opening: map[string]chan struct{}{}, closing: map[string]chan struct{}{}, clients: map[*server]struct{}{}}
	n.ctx, n.stop = context.WithCancel(ctx)
	return n
}

// Serve speaks the protocol on in and out until in ends, which is how an editor ends an
// agent, or ctx does. Then what runs is stopped and what is open is closed.
func Serve(ctx context.Context, in io.Reader, out io.Writer, h Host) error {
	n := newHouse(ctx, h)
	s, err := n.enters(newConn(out, h.Log))
	if err != nil {
		return err
	}
	err = s.listen(in)
	if ctx.Err() != nil && err == nil {
		err = ctx.Err()
	}
	n.stop()
	s.leaves()
	n.close()
	return err
}

// Close ends what runs and closes every conversation; whoever is connected hears of it
// and is then left.
func (n *House) Close() {
	n.mu.Lock()
	talks, clients := n.open(), []*server{}
	for c := range n.clients {
		clients = append(clients, c)
	}
	n.done = true
	n.mu.Unlock()
	for _, t := range talks {
		t.tell.notice("warning", lang.T("the server is ending; this conversation is kept and can be loaded again"))
	}
	n.stop()
	n.close()
	for _, c := range clients {
		c.stop()
	}
}

// open lists the conversations. The lock is held.
func (n *House) open() (all []*talk) {
	for _, t := range n.talks {
		all = append(all, t)
	}
	return all
}

// close waits for what is under way, and closes every conversation.
func (n *House) close() {
	n.mu.Lock()
	n.done = true
	n.mu.Unlock()
	rest := make(chan struct{})
	go func() {
		defer close(rest)
		n.work.Wait()
	}()
	select {
	case <-rest:
	case <-time.After(patience):
		n.log.Warn("something does not end; it is left behind")
	}
	n.mu.Lock()
	talks := n.open()
	n.talks = map[string]*talk{}
	n.mu.Unlock()
	var all sync.WaitGroup
	for _, t := range talks {
		t.shuts()
		all.Go(func() {
			defer n.recovered()
			t.o.Close()
		})
	}
	all.Wait()
}

// begins counts work that the end waits for; false: it ends already.
func (n *House) begins() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.done {
		n.work.Add(1)
	}
	return !n.done
}

// recovered keeps a crash beside the reading from being the end of forge.
func (n *House) recovered() {
	if p := recover(); p != nil {
		n.log.Error("crashed beside the reading", "panic", p, "stack", string(debug.Stack()))
	}
}

// enters takes a connection in.
func (n *House) enters(c *conn) (*server, error) {
	s := &server{conn: c, home: n, prompts: map[string]context.CancelFunc{}, mine: map[string]*talk{}}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.done:
		return nil, errEnded
	case len(n.clients) >= mostClients:
		return nil, ErrFull
	}
	// The end of the house has its last words for whoever is connected.
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(n.ctx))
	if !n.keeps {
		s.ctx, s.stop = context.WithCancel(n.ctx)
	}
	n.clients[s] = struct{}{}
	return s, nil
}

// visit finds the conversation o names, or opens it, and holds it open until arrived or
// left says that somebody looks at it, or does not after all.
func (n *House) visit(ctx context.Context, o Start) (*talk, error) {
	for o.ID != "" {
		n.mu.Lock()
		if t := n.talks[o.ID]; t != nil {
			t.holds()
			n.mu.Unlock()
			return t, nil
		}
		wait := n.closing[o.ID]
		if wait == nil {
			wait = n.opening[o.ID]
		}
		if wait == nil {
			mine := make(chan struct{})
			n.opening[o.ID] = mine
			n.mu.Unlock()
			defer func() {
				n.mu.Lock()
				delete(n.opening, o.ID)
				n.mu.Unlock()
				close(mine)
			}()
			break
		}
		n.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := n.room(); err != nil {
		return nil, err
	}
	// What is begun while it is opened lives with the house, not with whoever wanted it.
	life, stop := context.WithCancel(n.ctx)
	undo := context.AfterFunc(ctx, stop)
	t := newTalk(n)
	opened, err := n.h.Open(life, o, t.line)
	undo()
	if err != nil {
		stop()
		return nil, err
	}
	if o.ID != "" { // a copy of it answers to the name the editor knows
		opened.ID = o.ID
	}
	t.begins(opened, stop) // whoever finds it finds it whole
	n.mu.Lock()
	late := n.done
	if !late {
		t.holds()
		n.talks[opened.ID] = t
	}
	n.mu.Unlock()
	if late {
		t.shuts()
		opened.Close()
		return nil, context.Canceled
	}
	return t, nil
}

// room makes room for one more conversation, where those that are open are many.
func (n *House) room() error {
	if !n.keeps {
		return nil
	}
	n.mu.Lock()
	full := len(n.talks) >= mostTalks
	all := n.open()
	n.mu.Unlock()
	if !full {
		return nil
	}
	for _, t := range all {
		if n.closes(t) {
			return nil
		}
	}
	return Wrong{errors.New(lang.T("too many conversations are open, and something goes on in each or somebody looks at it; close one"))}
}

// closes closes a conversation that nobody looks at and nothing goes on in. It reports
// whether it did.
func (n *House) closes(t *talk) bool {
	finish := n.ends(t, false)
	if finish != nil {
		finish()
	}
	return finish != nil
}

// ends takes a conversation that nobody looks at from those that are open; anyway says
// that it does not matter whether something goes on in it. What it returns closes it; nil:
// somebody looks, or something goes on.
func (n *House) ends(t *talk, anyway bool) (finish func()) {
	n.mu.Lock()
	if n.done || n.talks[t.o.ID] != t || !t.free() || !anyway && t.goesOn() {
		n.mu.Unlock()
		return nil
	}
	over := make(chan struct{})
	n.work.Add(1)
	delete(n.talks, t.o.ID)
	n.closing[t.o.ID] = over
	n.mu.Unlock()
	wait, leave := t.shuts()
	t.cancel()
	return func() {
		defer n.work.Done()
		defer func() {
			n.mu.Lock()
			delete(n.closing, t.o.ID)
			n.mu.Unlock()
			close(over)
			leave()
		}()
		<-wait
		t.o.Close()
	}
}

// stands is how a conversation stands, where it is open in a house that keeps them.
func (n *House) stands(id string) *meta {
	n.mu.Lock()
	t := n.talks[id]
	n.mu.Unlock()
	if t == nil || !n.keeps {
		return nil
	}
	return &meta{t.stands()}
}

// settles looks at a conversation whose last client has left, or whose run is over: it is
// closed in a while if it stays so, and at once if nothing was ever said in it.
func (n *House) settles(t *talk) {
	if !n.keeps {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done || n.talks[t.o.ID] != t || !t.free() || t.busy() {
		return
	}
	wait := linger
	if t.o.Empty() && !t.o.Busy() {
		wait = 0
	}
	t.waits(wait, func() {
		defer n.recovered()
		if !n.closes(t) {
			n.settles(t) // something goes on in it yet
		}
	})
}
