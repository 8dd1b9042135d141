package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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
	loose   bool // in a folder the rules ignore
	stale   bool // its rules are to be made anew
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
	count  atomic.Int64 // entries
	full   atomic.Bool  // there are more than is looked at
	unkept atomic.Int64 // files whose content is not known
	over   atomic.Int64 // … because too much is kept
	skip   []string     // absolute folders that are nobody's work
	watch  *watch       // of a large tree; nil: none yet
}

// A looker is one look.
type looker struct {
	*tree
	handle handle
	now    int64 // when it began
	first  bool
	start  int64 // when the command began that may have changed things; nanoseconds since 1970

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
func (t *tree) look(start int64, whole bool) (*looker, error) {
	h, err := openRoot(t.root)
	if err != nil {
		return nil, err
	}
	l := &looker{tree: t, handle: h, now: time.Now().UnixNano(), start: start}
	if t.top == nil {
		t.top, l.first = &folder{rules: t.rules(t.root)}, true
	}
	l.wake = sync.NewCond(&l.mu)
	var dirty map[*folder]bool
	some := false
	switch {
	case t.watch.works():
		dirty, some = t.watch.told()
		if !t.watch.works() { // it failed for good: the next would too
			t.watch.close()
		}
	case t.watch == nil && !l.first && t.count.Load() > int64(t.limits.Watch):
		t.watch = newWatch()
	}
	some = some && !whole
	var collect func(f *folder)
	collect = func(f *folder) {
		l.queue = append(l.queue, visit{f, false})
		for i := range f.entries {
			if sub := f.entries[i].sub; sub != nil {
				collect(sub)
			}
		}
	}
	if some {
		for f := range dirty {
			l.queue = append(l.queue, visit{f, false})
		}
	} else {
		collect(t.top)
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
	slices.SortFunc(l.found, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return l, nil
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
	if !v.f.gone && !l.full.Load() {
		l.visit(v.f, buf, v.created)
	}
	return nil
}

func (l *looker) push(f *folder, created bool) {
	l.mu.Lock()
	l.queue = append(l.queue, visit{f, created})
	l.pending++
	l.wake.Signal()
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

// check looks at the entries of a folder whose names are the same.
func (l *looker) check(f *folder, h handle) {
	for i := range f.entries {
		e := &f.entries[i]
		if e.skipped || e.kind == KindNone {
			continue
		}
		now, ok := h.stat(e.name)
		if !ok {
			continue // it went just now: the folder's time will tell
		}
		if now == e.facts && !e.hot {
			continue
		}
		l.update(f, h, i, now)
	}
}

// update takes what an entry is now. Its kind is the same as it was, or the folder
// would have been listed.
func (l *looker) update(f *folder, h handle, i int, now facts) {
	e := &f.entries[i]
	was := *e
	e.facts, e.hot = now, now.kind != KindDir && hotAt(now, l.now)
	if now.kind != was.kind { // replaced between the listing and now
		f.hot = true
		e.facts.kind = was.kind
		return
	}
	switch now.kind {
	case KindDir:
		if now.mode != was.mode {
			l.tell(found{path: join(f.path, e.name), before: was, after: *e})
		}
		return
	case KindLink:
		e.link, _ = h.readlink(e.name)
		if e.link != was.link {
			l.tell(found{path: join(f.path, e.name), before: was, after: *e})
		}
		return
	}
	e.from, e.sum = fromNowhere, sum{}
	if l.first {
		l.later(f, i)
		return
	}
	l.read(e, h)
	changed := e.from != was.from || e.sum != was.sum || e.size != was.size || e.mode != was.mode
	if was.from == fromGit && e.from == fromSeen && e.size == was.size && e.mode == was.mode {
		changed = true // told apart when git's bytes are there
	}
	if e.from == fromNowhere && was.from == fromNowhere && e.mtime != was.mtime {
		changed = true
	}
	if changed {
		l.tell(found{path: join(f.path, e.name), before: was, after: *e})
	}
	if isRules(e.name) {
		f.stale = true
		l.spoil(f)
	}
}

// read learns the content of a file.
func (l *looker) read(e *entry, h handle) {
	if e.size > l.limits.File {
		l.unkept.Add(1)
		return
	}
	data, err := h.read(e.name, l.limits.File)
	if err != nil {
		l.unkept.Add(1)
		return
	}
	e.size = int64(len(data))
	h2, err := l.seen.put(data)
	if err != nil {
		l.unkept.Add(1)
		if n := l.over.Add(1); n == 1 && err != errFull {
			slog.Warn("content not kept", "file", e.name, "err", err)
		}
		return
	}
	e.sum, e.from = h2, fromSeen
}

// list reads the names of a folder anew.
func (l *looker) list(f *folder, h handle, buf []byte, created bool) {
	names, err := h.names(buf)
	if err != nil && len(names) == 0 && f.listed {
		return
	}
	slices.Sort(names)
	if f.stale {
		f.rules, f.stale = l.renew(f), false
	}
	old := f.entries
	was := func(name string) (entry, bool) {
		i, ok := slices.BinarySearchFunc(old, name, func(e entry, n string) int { return strings.Compare(e.name, n) })
		if !ok {
			return entry{}, false
		}
		return old[i], true
	}
	fresh := !f.listed
	f.entries, f.listed = make([]entry, 0, len(names)), true
	l.count.Add(int64(len(names) - len(old)))
	if l.count.Load() > int64(l.limits.Entries) {
		l.full.Store(true)
	}
	for _, name := range names {
		now, ok := h.stat(name)
		if !ok || now.kind == KindNone {
			continue
		}
		before, known := was(name)
		e := entry{name: name, facts: now}
		ignored, never := f.rules.Judge(name, now.kind == KindDir)
		loose := f.loose || ignored
		never = never || now.kind == KindDir && slices.Contains(l.skip, l.abs(join(f.path, name)))
		e.skipped = never || loose && (now.kind == KindFile && now.size > l.limits.Ignored || now.kind == KindDir && l.crowded(h, name)) ||
			loose && l.full.Load()
		e.hot = now.kind != KindDir && hotAt(now, l.now)
		f.entries = append(f.entries, e)
		at := &f.entries[len(f.entries)-1]
		switch {
		case e.skipped:
			if known && !before.skipped {
				before.sub.leave()
			}
			continue
		case known && before.skipped, l.first, fresh && !created:
			// It was there, or nobody can say: it is taken as it is.
			l.adopt(f, h, len(f.entries)-1, loose)
			continue
		case known && before.kind == now.kind:
			*at = before
			if now != before.facts || before.hot {
				l.update(f, h, len(f.entries)-1, now)
			}
			if before.sub != nil && before.sub.loose != loose {
				before.sub.loose = loose
			}
			continue
		case known:
			l.removed(f, before)
		}
		l.created(f, h, len(f.entries)-1, loose)
	}
	for _, e := range old {
		_, still := slices.BinarySearchFunc(f.entries, e.name, func(e entry, n string) int { return strings.Compare(e.name, n) })
		if !still {
			l.removed(f, e)
			if isRules(e.name) {
				l.spoil(f)
			}
		}
	}
	if !fresh && slices.ContainsFunc(f.entries, func(e entry) bool { b, ok := was(e.name); return isRules(e.name) && (!ok || b.facts != e.facts) }) {
		l.spoil(f)
	}
}

// adopt takes an entry into the tree that is no change.
func (l *looker) adopt(f *folder, h handle, i int, loose bool) {
	e := &f.entries[i]
	switch e.kind {
	case KindLink:
		e.link, _ = h.readlink(e.name)
	case KindFile:
		if l.first {
			l.later(f, i)
		} else {
			l.read(e, h)
		}
	case KindDir:
		e.sub = &folder{path: join(f.path, e.name), rules: f.rules.Below(e.name), loose: loose}
		l.push(e.sub, false)
	}
}

// created tells of an entry that is new.
func (l *looker) created(f *folder, h handle, i int, loose bool) {
	e := &f.entries[i]
	c := found{path: join(f.path, e.name)}
	switch e.kind {
	case KindLink:
		e.link, _ = h.readlink(e.name)
	case KindFile:
		l.read(e, h)
		if born := h.born(e.name); born != 0 && l.start != 0 && born < l.start-birthWindow {
			c.foreign = true // unless it was moved from a place that is followed
		}
	case KindDir:
		e.sub = &folder{path: join(f.path, e.name), rules: f.rules.Below(e.name), loose: loose}
	}
	c.after = *e
	l.tell(c)
	if e.sub != nil {
		l.push(e.sub, true)
	}
}

// leave says that a folder, and all in it, is not followed any more.
func (f *folder) leave() {
	if f == nil {
		return
	}
	f.gone = true
	for i := range f.entries {
		f.entries[i].sub.leave()
	}
}

// removed tells of an entry that went, with all that was in it.
func (l *looker) removed(f *folder, e entry) {
	if e.skipped {
		return
	}
	l.tell(found{path: join(f.path, e.name), before: e})
	if e.sub == nil {
		return
	}
	e.sub.gone = true
	l.count.Add(-int64(len(e.sub.entries)))
	for _, x := range e.sub.entries {
		l.removed(e.sub, x)
	}
}

func (l *looker) tell(c found) {
	l.mu.Lock()
	l.found = append(l.found, c)
	l.mu.Unlock()
}

func (l *looker) later(f *folder, i int) {
	l.mu.Lock()
	l.fresh = append(l.fresh, unread{f, i})
	l.mu.Unlock()
}

// spoil makes the rules of a folder, and of all below it, be read anew with the
// next look.
func (l *looker) spoil(f *folder) {
	f.stale = true
	for i := range f.entries {
		if sub := f.entries[i].sub; sub != nil {
			l.spoil(sub)
		}
	}
}

// renew makes the rules of a folder anew, from the root on.
func (l *looker) renew(f *folder) Rules {
	r := l.rules(l.root)
	if f.path != "" {
		for name := range strings.SplitSeq(f.path, "/") {
			r = r.Below(name)
		}
	}
	return r
}

// crowded says whether an ignored folder holds more than what is looked after in
// it: then it is a program's, like the output of a build.
func (l *looker) crowded(h handle, name string) bool {
	sub, err := h.sub(name)
	if err != nil {
		return true
	}
	defer sub.close()
	n := 0
	var count func(h handle) bool
	count = func(h handle) bool {
		names, _ := h.names(make([]byte, 8<<10))
		if n += len(names); n > l.limits.Crowd {
			return true
		}
		for _, name := range names {
			f, ok := h.stat(name)
			if !ok || f.kind != KindDir {
				continue
			}
			sub, err := h.sub(name)
			if err != nil {
				continue
			}
			full := count(sub)
			sub.close()
			if full {
				return true
			}
		}
		return false
	}
	return count(sub)
}

// close ends a look.
func (l *looker) close() { l.handle.close() }

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
