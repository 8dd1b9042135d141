package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"forge/tools"
)

// A question that was withdrawn before it was answered, as one of an editor's prompt is when
// that ends, is no answer: it is put again with the next edit.
func TestAsksAgainWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	asked := 0
	b := newBench(t, "good", func(o *Options) {
		o.Consent = false
		o.Ask = func(context.Context, Server, string) (bool, error) {
			if asked++; asked == 1 {
				return false, context.Canceled
			}
			return true, nil
		}
	})
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	b.until("it was asked", func() bool { st := b.state(); return st.State != Asking && st.Reason != "" })
	b.edit("a.fk", "y\n")
	b.until("it runs", func() bool { return b.state().State == Ready })
	if asked != 2 {
		t.Errorf("it was asked about %d times", asked)
	}
}

// What nobody waits for any more is cancelled at a server that is asked, so that it does
// not work through what is old.
func TestCancelsWhatIsOld(t *testing.T) {
	t.Parallel()
	b := newBench(t, "pull slowly", func(o *Options) { o.Servers[0].WaitMS = 200 })
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	b.until("it is asked", func() bool { return strings.Contains(notes(t, b.dir), "asked ") })
	b.edit("a.fk", "bad x\n")
	b.until("it is cancelled", func() bool { return strings.Contains(notes(t, b.dir), `cancelled {"id":`) })
}

// A server that was ended for good, since it took too much, is not started for edits that
// came meanwhile.
func TestGivenUpStaysSo(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is known on Linux alone")
	}
	b := newBench(t, "good", func(o *Options) { o.Servers[0].MemoryMB = 1 })
	b.put("a.fk", "")
	for n := range 20 {
		b.edit("a.fk", fmt.Sprintf("bad x%d\n", n))
	}
	b.until("it is ended", func() bool { st := b.state(); return st.State == Failed && st.Pid == 0 })
	if starts := strings.Count(notes(t, b.dir), "answer"+` "x1"`); starts > 1 {
		t.Errorf("it was started %d times", starts)
	}
	if got := notes(t, b.dir); strings.Count(got, "opened a.fk") > 2 {
		t.Errorf("it was shown the file again: %s", got)
	}
}

// A server that ends while nobody looks, between the last answer and the end of the work on
// it, is known to be gone.
func TestGoneWhileItIsWorkedWith(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	i := b.m.list()[0]
	b.until("the work is over", func() bool { i.mu.Lock(); defer i.mu.Unlock(); return !i.working })
	i.mu.Lock()
	i.working = true
	s := i.session
	i.mu.Unlock()
	s.conn.proc.End()
	<-s.conn.gone
	i.work()
	if st := b.state(); st.State != Failed {
		t.Errorf("it stands as %+v", st)
	}
}

// A crash in the work on an edit ends that server, and not what is done for the edits behind
// it.
func TestCrashOfTheWork(t *testing.T) {
	t.Parallel()
	var crash atomic.Bool
	b := newBench(t, "good", func(o *Options) {
		o.Withheld = func(string) bool {
			if crash.Load() {
				panic("as it may")
			}
			return false
		}
	})
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	i := b.m.list()[0]
	b.until("nobody works on the edit before", func() bool { i.mu.Lock(); defer i.mu.Unlock(); return !i.working })
	w := &waiter{done: make(chan tools.Found, 1)}
	if err := os.WriteFile(filepath.Join(b.dir, "a.fk"), []byte("bad x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	crash.Store(true)
	i.mu.Lock()
	i.edits[filepath.Join(b.dir, "a.fk")] = edit{path: filepath.Join(b.dir, "a.fk")}
	i.waiters = append(i.waiters, w)
	i.working = true
	i.mu.Unlock()
	i.work()
	crash.Store(false)
	if f := <-w.done; !strings.Contains(f.Note, "is gone") {
		t.Errorf("told %+v", f)
	}
	if st := b.state(); st.State != Failed || st.Pid != 0 {
		t.Errorf("it stands as %+v", st)
	}
	b.told("a.fk", "bad y\n", "[fake: 1 error; some may have been there before]\na.fk:1:5: y is wrong (fake bad)")
}

// The end waits for a server that is just being started: forge is gone then, and ends
// nothing any more.
func TestCloseWhileItStarts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("whose a process is can be seen on Linux alone")
	}
	b := newBench(t, "sleeps", func(o *Options) { o.Servers[0].WaitMS = 50 })
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	b.until("it runs", func() bool { return len(running(t, b.dir)) > 0 })
	b.m.Close()
	if left := running(t, b.dir); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
	b.told("a.fk", "bad x\n", "")
}
