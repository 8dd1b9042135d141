package mcp

import (
	"bytes"
	"fmt"
	"sync"
	"time"
)

const (
	liveEvery = 100 * time.Millisecond // between two reports of one call, at least
	liveBeat  = 5 * time.Second        // after which a silent call is said to run still
	liveText  = 200                    // bytes of a line that is reported
)

// A live reports what a call writes while it writes it: the newest line, not each
// one, and now and then that it still runs, since clients extend a call's time by
// such reports.
type live struct {
	tell  func(Progress)
	began time.Time
	wake  chan struct{} // one slot
	quit  chan struct{}
	done  chan struct{}

	mu   sync.Mutex
	rest []byte // an unfinished line
	line string // the newest finished one; empty: none that is not reported
}

func newLive(tell func(Progress)) *live {
	l := &live{tell: tell, began: time.Now(), wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{})}
	go l.report()
	return l
}

// Write implements io.Writer. It never blocks on the client.
func (l *live) Write(p []byte) (int, error) {
	n := len(p)
	l.mu.Lock()
	defer l.mu.Unlock()
	fresh := false
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		if room := 4*liveText - len(l.rest); room > 0 {
			l.rest = append(l.rest, part[:min(len(part), room)]...)
		}
		p = rest
		if !whole {
			break
		}
		if text := clean(string(bytes.TrimSpace(l.rest))); text != "" {
			l.line, fresh = clip(text, liveText), true
		}
		l.rest = l.rest[:0]
	}
	if fresh {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
	return n, nil
}

func (l *live) report() {
	defer close(l.done)
	defer recovered("report the progress of a call")
	beat := time.NewTimer(liveBeat)
	defer beat.Stop()
	for n := 1; ; n++ {
		select {
		case <-l.quit:
			return
		case <-l.wake:
		case <-beat.C:
		}
		beat.Reset(liveBeat)
		l.mu.Lock()
		text := l.line
		l.line = ""
		l.mu.Unlock()
		if text == "" {
			text = fmt.Sprintf("running for %s", time.Since(l.began).Round(time.Second))
		}
		l.tell(Progress{Done: float64(n), Message: text})
		pause := time.NewTimer(liveEvery)
		select {
		case <-l.quit:
			pause.Stop()
			return
		case <-pause.C:
		}
	}
}

// stop ends the reports; none comes after it.
func (l *live) stop() {
	close(l.quit)
	<-l.done
}
