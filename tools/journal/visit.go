package journal

import (
	"log/slog"
	"slices"
	"strings"
)

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
		l.over.Add(1)
		if err != errFull && l.cannot.CompareAndSwap(nil, &err) {
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
		e.sub = &folder{path: join(f.path, e.name), rules: f.rules.Below(e.name), loose: loose, fresh: true}
		f.next = append(f.next, visit{e.sub, false})
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
		e.sub = &folder{path: join(f.path, e.name), rules: f.rules.Below(e.name), loose: loose, fresh: true}
	}
	c.after = *e
	l.tell(c)
	if e.sub != nil {
		f.next = append(f.next, visit{e.sub, true})
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
