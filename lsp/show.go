package lsp

import (
	"context"
	"maps"
	"slices"
	"time"

	"forge/tools"
)

// show shows edits to the server and works out what it says of them, for those that
// wait. more ends the waiting, since there is another edit: again says so.
func (i *instance) show(ctx context.Context, s *session, edits map[string]edit, waiters []*waiter, more <-chan struct{}) (_ tools.Found, again bool, _ error) {
	began := time.Now()
	skip := map[string]bool{}
	for path := range edits {
		skip[path] = true
	}
	if err := s.catchUp(ctx, skip); err != nil {
		return tools.Found{}, false, err
	}
	if err := i.base(ctx, s, edits); err != nil {
		return tools.Found{}, false, err
	}
	since, want := s.found.now(), map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		text, at, ok := content(path)
		if !ok { // gone again, or not to be shown
			if s.docs[path] != nil {
				if err := s.shut(ctx, path); err != nil {
					return tools.Found{}, false, err
				}
			}
			continue
		}
		if err := s.show(ctx, path, text, at); err != nil {
			return tools.Found{}, false, err
		}
		if err := s.saved(ctx, path); err != nil {
			return tools.Found{}, false, err
		}
		want[path] = s.docs[path].version
	}
	i.mu.Lock()
	for path, version := range want {
		i.asked[path] = shownAs{version, since}
	}
	i.mu.Unlock()
	if len(want) == 0 {
		return tools.Found{}, false, nil
	}
	switch s.await(ctx, more, want, since) {
	case presumed:
		if s.found.now() == since { // nothing is different; if it is, that is news
			return tools.Found{}, false, nil
		}
	case unanswered:
		select {
		case <-s.conn.gone:
			return tools.Found{}, false, s.conn.lost()
		case <-more:
			return tools.Found{}, true, nil
		default:
			return tools.Found{}, false, nil // what it says later is news
		}
	}
	i.mu.Lock()
	i.deaths = 0
	if time.Since(began) < i.server.wait() {
		i.late = 0
	}
	i.mu.Unlock()
	return i.report(s, slices.Sorted(maps.Keys(want)), waiters), false, nil
}

// base finds out what was wrong before an edit: of files that the server has not seen,
// by showing it their text of before.
func (i *instance) base(ctx context.Context, s *session, edits map[string]edit) error {
	since, want := s.found.now(), map[string]int{}
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		e := edits[path]
		told := i.toldOf(path)
		switch {
		case s.docs[path] != nil:
		case i.died() && !e.fresh: // that text may be what killed it
		case e.fresh && !told:
			i.tell(path, nil)
		case e.known:
			if err := s.show(ctx, path, e.before, stamp{}); err != nil {
				return err
			}
			want[path] = s.docs[path].version
		}
	}
	if len(want) == 0 {
		return nil
	}
	if i.known() { // the project is loaded: who waits for the edit does not wait long for this
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, i.server.wait()/baseShare)
		defer cancel()
	}
	if s.await(ctx, nil, want, since) == unanswered {
		return nil // then it is not known, and said so
	}
	first := !i.known()
	for path, f := range s.found.all() {
		_, mine := want[path]
		if mine || first {
			i.tell(path, f.findings)
		}
	}
	for path := range want { // also those it says nothing of
		i.tell(path, s.found.of(path).findings)
	}
	i.mu.Lock()
	i.based = true
	i.mu.Unlock()
	return nil
}

func (i *instance) known() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.based
}

func (i *instance) died() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.deaths > 0
}

func (i *instance) toldOf(path string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, ok := i.told[path]
	return ok
}

func (i *instance) tell(path string, f []finding) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told[path] = f
}

// report is what is to be told of files the server has spoken of. Where nobody waits for
// it any more it is left to news.
func (i *instance) report(s *session, paths []string, waiters []*waiter) tools.Found {
	listening := false
	for _, w := range waiters {
		w.mu.Lock()
		listening = listening || !w.gone
		w.mu.Unlock()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if !listening {
		return tools.Found{}
	}
	return i.compare(s, paths)
}

// mostLines is how many findings are told in words.
const mostLines = 8

// compare tells what is different from what was told last, and takes it for told. The
// lock is held.
func (i *instance) compare(s *session, paths []string) (out tools.Found) {
	all, level := s.found.all(), i.server.level()
	var here, there []placed
	mine := map[string]bool{}
	for _, path := range paths {
		mine[path] = true
		before, known := i.told[path]
		after := all[path].findings
		fresh, stayed, gone := compare(grave(before, level), grave(after, level))
		if i.told[path] = after; len(fresh) > 0 && i.m.withheld(path) { // since it was shown
			continue
		}
		out.New, out.Old, out.Gone = out.New+len(fresh), out.Old+stayed, out.Gone+gone
		out.Unsure = out.Unsure || !known && len(fresh) > 0
		for _, f := range fresh {
			here = append(here, placed{path, f})
		}
	}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if mine[path] {
			continue
		}
		fresh, _, gone := compare(grave(i.told[path], level), grave(all[path].findings, level))
		i.told[path] = all[path].findings
		if !i.based { // what was there before was never known
			continue
		}
		if len(fresh) > 0 && i.m.withheld(path) { // a message quotes the file it is about
			continue
		}
		out.Elsewhere, out.Gone = out.Elsewhere+len(fresh), out.Gone+gone
		for _, f := range fresh {
			there = append(there, placed{path, f})
		}
	}
	i.based = true
	for _, p := range slices.Concat(sorted(here), sorted(there)) {
		if len(out.Lines) == mostLines {
			break
		}
		out.Lines = append(out.Lines, i.m.line(s, p))
	}
	return out
}

// news is what the server has found since it was last asked, where nobody waited for it:
// new errors alone.
func (i *instance) news() (out tools.Found) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.session
	if s == nil || i.working || s.working() {
		return out
	}
	var paths []string
	for path, as := range i.asked {
		if fresh, _ := s.speaks(path, as.version, as.since); fresh {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 && !i.based {
		return out
	}
	slices.Sort(paths)
	out = i.compare(s, paths)
	out.Gone = 0
	return out
}
