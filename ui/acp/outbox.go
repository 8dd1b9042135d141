package acp

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Bounds of what waits for one client.
const (
	mostWaiting = 16 << 20        // bytes; a client that lets more come together is cut off
	fewWaiting  = 1 << 20         // what is told again waits until no more than this does
	mostStalled = 2 * time.Minute // of one write
	atOnce      = 64 << 10        // bytes of one
)

// errSlow is why a client is cut off that does not read.
var errSlow = errors.New("the client does not read what is sent to it")

// outbox is what is to be sent to a client, in order. Writing to it never waits: one
// goroutine sends.
type outbox struct {
	to net.Conn

	mu      sync.Mutex
	changed *sync.Cond
	queue   [][]byte
	waiting int // bytes
	ends    bool
	err     error
	over    chan struct{} // closed when nothing is sent any more
}

func newOutbox(to net.Conn) *outbox {
	b := &outbox{to: to, over: make(chan struct{})}
	b.changed = sync.NewCond(&b.mu)
	go b.sends()
	return b
}

// Write implements io.Writer. It keeps p.
func (b *outbox) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && b.ends {
		b.err = net.ErrClosed
	}
	if b.err == nil && b.waiting > mostWaiting {
		b.fails(errSlow)
	}
	if b.err != nil {
		return 0, b.err
	}
	b.queue = append(b.queue, p)
	b.waiting += len(p)
	b.changed.Broadcast()
	return len(p), nil
}

// fails gives up. The lock is held.
func (b *outbox) fails(err error) {
	if b.err == nil {
		b.err = err
	}
	b.queue, b.waiting = nil, 0
	b.changed.Broadcast()
	_ = b.to.Close() // a write that waits ends
}

func (b *outbox) sends() {
	defer close(b.over)
	for {
		b.mu.Lock()
		for len(b.queue) == 0 && !b.ends && b.err == nil {
			b.changed.Wait()
		}
		if b.err != nil || len(b.queue) == 0 {
			b.mu.Unlock()
			return
		}
		line := b.queue[0]
		b.queue = b.queue[1:]
		b.mu.Unlock()
		for len(line) > 0 {
			part := line[:min(len(line), atOnce)]
			_ = b.to.SetWriteDeadline(time.Now().Add(mostStalled))
			if _, err := b.to.Write(part); err != nil {
				b.mu.Lock()
				b.fails(err)
				b.mu.Unlock()
				return
			}
			line = line[len(part):]
			b.mu.Lock()
			b.waiting = max(b.waiting-len(part), 0)
			b.changed.Broadcast()
			b.mu.Unlock()
		}
	}
}

// await waits until little is left to be sent, or nothing is sent any more.
func (b *outbox) await() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.waiting > fewWaiting && b.err == nil && !b.ends {
		b.changed.Wait()
	}
}

// end sends what is left, for as long as it may take at most, and then nothing more.
func (b *outbox) end(most time.Duration) {
	b.mu.Lock()
	b.ends = true
	b.changed.Broadcast()
	b.mu.Unlock()
	late := time.AfterFunc(most, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.fails(errSlow)
	})
	defer late.Stop()
	<-b.over
}
