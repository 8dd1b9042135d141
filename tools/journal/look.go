package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/sorting"
)

var errTooLarge = errors.New("too large to keep")

// facts are what a stat says of an entry.
type facts struct {
	kind               Kind
	mode               fs.FileMode // modeBits of it
	size, mtime, ctime int64       // bytes; nanoseconds since 1970
	ino                uint64
}

// An entry is a name in a folder as it was last seen.
type entry struct {
	name string
	facts
	sum     sum    // of a file's content; or git's name of it
	from    source // of sum
	skipped bool   // it is there, and not followed
	hot     bool   // it changed so shortly before it was seen that its times would not tell of another change
	sub     *folder
	link    string
}

type source uint8

const (
	fromNowhere source = iota // the content is not known
	fromSeen
	fromGit // sum begins with the 20 bytes of the blob's name
)

// A folder is a folder as it was last seen.
type folder struct {
	path    string // relative to the root, with slashes
	facts   facts
	entries []entry // sorted by name
	listed  bool
	hot     bool // as of entry
	gone    bool
	rules   Rules
	loose   bool    // in a folder the rules ignore
	stale   bool    // its rules are to be made anew
	fresh   bool    // it was found just now
	next    []visit // its new folders, while it is looked at
}

// A tree is one folder of the workspace, looked at before and after commands. It
// remembers what it saw, so that a look costs a stat for each file and little
// else: a folder is listed again only if it changed.
type tree struct {
	root   string
	rules  func(root string) Rules
	top    *folder
	seen   *seen
	limits Limits
	count  atomic.Int64          // entries
	full   atomic.Bool           // there are more than is looked at
	unkept atomic.Int64          // files whose content is not known
	over   atomic.Int64          // … because too much is kept, or it cannot be
	cannot atomic.Pointer[error] // why, where it is not that
	skip   []string              // absolute folders that are nobody's work
	watch  *watch                // of a large tree; nil: none yet
}

// A looker is one look.
type looker struct {
	*tree
	handle handle
	now    int64 // when it began
	first  bool
	some   bool         // only some folders are looked at: the rest is watched
	start  int64        // when the command began that may have changed things; nanoseconds since 1970
	quit   *atomic.Bool // ends it before it is whole; nil: nothing does

	mu      sync.Mutex
	wake    *sync.Cond
	queue   []visit
	pending int // visits in the queue or in work
	crash   any
	found   []found
	fresh   []unread
}

// visit is a folder to look at. created says that the folder itself is new, and so
// is all that is in it.
type visit struct {
	f       *folder
	created bool
}

// found is a change as a look sees it, before what git has is fetched.
type found struct {
	path          string // relative
	before, after entry  // a zero kind: nothing
	foreign       bool
}

// unread is a file of a first look whose content is not known yet.
type unread struct {
	f *folder
	i int
}

// tickWindow is how long before a look a change must lie for the times of files to
// tell of the next one: the coarse clock of the kernel, with room. File systems
// that keep whole seconds need more.
const tickWindow = int64(20 * time.Millisecond)

// birthWindow is how much earlier than it is a file may seem to be born: the coarse
// clock's step.
const birthWindow = int64(11 * time.Millisecond)

func hotAt(f facts, now int64) bool {
	window := tickWindow
	if f.ctime%1e9 == 0 {
		window = 2100 * int64(time.Millisecond)
	}
	return f.ctime > now-window
}

// look compares the tree with what it was. The first one finds no changes. It goes
// through all folders, unless they are watched and whole is not asked for.
func (t *tree) look(start int64, whole bool, quit *atomic.Bool) (*looker, error) {
	h, err := openRoot(t.root)
	if err != nil {
		return nil, err
	}
	l := &looker{tree: t, handle: h, now: time.Now().UnixNano(), start: start, quit: quit}
	if t.top == nil {
		t.top, l.first = &folder{rules: t.rules(t.root)}, true
	}
	l.wake = sync.NewCond(&l.mu)
	if dirty, ok := t.told(l.first); ok && !whole {
		l.some = true
		l.inOrder(dirty)
	} else {
		l.queue = []visit{{t.top, false}}
	}
	l.pending = len(l.queue)
	var all sync.WaitGroup
	for range min(max(2, runtime.GOMAXPROCS(0)), 8) {
		all.Go(l.work)
	}
	all.Wait()
	if l.crash != nil {
		h.close()
		return nil, fmt.Errorf("look at %s: internal error: %v", t.root, l.crash)
	}
	sorting.StableBy(l.found, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return l, nil
}

// told returns the folders in which something happened; ok is false where nobody
// can say. A tree that turns out to be large is watched from here on.
func (t *tree) told(first bool) (dirty map[*folder]bool, ok bool) {
	switch {
	case t.watch.works():
		dirty, ok = t.watch.told()
		if !t.watch.works() { // it failed for good: the next would too
			t.watch.close()
		}
	case t.watch == nil && !first && t.count.Load() > int64(t.limits.Watch):
		t.watch = newWatch()
	}
	return dirty, ok
}

// inOrder visits folders that know of each other, the outer ones first: an outer
// one may find that an inner one went. The new ones it finds are left in the queue.
func (l *looker) inOrder(dirty map[*folder]bool) {
	folders := slices.Collect(maps.Keys(dirty))
	sorting.By(folders, func(a, b *folder) int { return len(a.path) - len(b.path) })
	buf := make([]byte, 32<<10)
	for _, f := range folders {
		if crash := l.try(visit{f, false}, buf); crash != nil {
			l.crash = crash
		}
	}
}

// work visits folders until there are none.
func (l *looker) work() {
	buf := make([]byte, 32<<10)
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		for len(l.queue) == 0 && l.pending > 0 {
			l.wake.Wait()
		}
		if len(l.queue) == 0 {
			return
		}
		v := l.queue[len(l.queue)-1]
		l.queue = l.queue[:len(l.queue)-1]
		l.mu.Unlock()
		crash := l.try(v, buf)
		l.mu.Lock()
		if crash != nil {
			l.crash = crash
		}
		if l.pending--; l.pending == 0 {
			l.wake.Broadcast()
		}
	}
}

// try visits one folder. A panic is the look's error and not the program's end.
func (l *looker) try(v visit, buf []byte) (crash any) {
	defer func() { crash = recover() }()
	if v.f.gone || l.full.Load() || l.quits() {
		return nil
	}
	v.f.next = nil
	l.visit(v.f, buf, v.created)
	l.push(v.f)
	return nil
}

// push puts the folders of a folder into the queue, once nothing of it has an eye
// on them any more: the new ones, and the others where all are looked at.
func (l *looker) push(f *folder) {
	next := f.next
	f.next = nil
	if !l.some {
		for i := range f.entries {
			if sub := f.entries[i].sub; sub != nil && !sub.fresh {
				next = append(next, visit{sub, false})
			}
		}
	}
	for _, v := range next {
		v.f.fresh = false
	}
	if len(next) == 0 {
		return
	}
	l.mu.Lock()
	l.queue = append(l.queue, next...)
	l.pending += len(next)
	l.wake.Broadcast()
	l.mu.Unlock()
}

func (l *looker) visit(f *folder, buf []byte, created bool) {
	h, err := l.handle.sub(f.path)
	if err != nil {
		return // its parent tells that it is gone
	}
	defer h.close()
	if l.watch.works() {
		l.watch.add(f, h) // before anything of it is read
	}
	self, ok := h.self()
	if !ok {
		return
	}
	relist := !f.listed || f.hot || f.stale || self.mtime != f.facts.mtime || self.ctime != f.facts.ctime || self.ino != f.facts.ino
	f.facts, f.hot = self, hotAt(self, l.now)
	if !relist {
		l.check(f, h)
		return
	}
	l.list(f, h, buf, created)
}

// close ends a look.
func (l *looker) close() { l.handle.close() }

// quits reports whether nobody waits for this look any more.
func (l *looker) quits() bool { return l.quit != nil && l.quit.Load() }

func isRules(name string) bool { return name == ".gitignore" || name == ".ignore" }

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// state is an entry as the journal has it; a git blob is read before.
func (e entry) state() State {
	s := State{Kind: e.kind}
	switch e.kind {
	case KindNone:
		return s
	case KindLink:
		s.Link = exact(e.link)
		return s
	}
	s.Mode = bits(e.mode)
	if e.kind == KindFile {
		s.Size = e.size
		if e.from == fromSeen {
			s.Hash = hex.EncodeToString(e.sum[:])
		} else {
			s.Time = e.mtime
		}
	}
	return s
}

// readState looks at one path of a root by itself: what a tool is about to write.
func (t *tree) readState(rel string) State {
	h, err := openRoot(t.root)
	if err != nil {
		return State{}
	}
	defer h.close()
	dir, name := filepath.Split(filepath.FromSlash(rel))
	sub, err := h.sub(strings.TrimSuffix(filepath.ToSlash(dir), "/"))
	if err != nil {
		return State{}
	}
	defer sub.close()
	f, ok := sub.stat(name)
	if !ok || f.kind == KindNone {
		return State{}
	}
	e := entry{name: name, facts: f}
	switch f.kind {
	case KindLink:
		e.link, _ = sub.readlink(name)
	case KindFile:
		if f.size <= t.limits.File {
			if data, err := sub.read(name, t.limits.File); err == nil {
				e.size = int64(len(data))
				if h, err := t.seen.put(data); err == nil {
					e.sum, e.from = h, fromSeen
				} else { // equal or not can still be told
					e.sum, e.from = sha256.Sum256(data), fromSeen
				}
			}
		}
	}
	return e.state()
}
