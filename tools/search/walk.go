package search

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// An entry is one name in a folder.
type entry struct {
	name string
	kind entryKind
}

type entryKind uint8

const (
	kindFile entryKind = iota
	kindDir
	kindLink // to anything; never followed
)

// special marks the names in a folder that change the rules.
type special uint8

const (
	hasGit special = 1 << iota
	hasGitignore
	hasIgnore
	hasCacheTag
)

// A node is a piece of the walk, in the order of paths: a folder, whose kids are
// sorted by name, or a run of files between two of its folders. Results hang on
// the runs, so that they can be told in order although many work on them.
type node struct {
	path  string // of the folder, relative to the root
	rules ruleset
	files []entry // a run's
	kids  []*node // a folder's, once it was read
	hits  []FileHits
	dead  atomic.Bool // nobody needs it any more
}

// runSize is how many files of one folder a worker does by itself; a longer
// folder is shared out.
const runSize = 128

// A walker goes through a tree with several goroutines. Folders wait on a stack,
// so that work proceeds roughly in the order of paths and memory stays small.
type walker struct {
	Scope
	tree   *tree
	global gitConfig
	root   *node
	// run is called for each run of files, by worker number k, with its folder open.
	run func(k int, d *dir, n *node)

	halt atomic.Bool // stop early: cancelled, failed, or enough found

	mu      sync.Mutex // guards what follows, and kids and hits of nodes
	wake    *sync.Cond
	stack   []*node
	pending int // nodes on the stack or in work
	stats   Stats
	err     error
}

// newWalker opens the tree under s.Root, which resolve has checked.
func newWalker(s Scope) (*walker, error) {
	t, err := s.openRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", s.Root, cause(err))
	}
	w := &walker{Scope: s, tree: t, root: &node{}}
	w.wake = sync.NewCond(&w.mu)
	if !s.NoIgnore {
		w.global = globalConfig()
		w.root.rules = above(s.Root, s.Top, w.global)
	}
	return w, nil
}

// walk goes through the whole tree and closes it.
func (w *walker) walk(ctx context.Context) error {
	defer w.tree.close()
	stop := context.AfterFunc(ctx, w.stop)
	defer stop()
	w.stack, w.pending = []*node{w.root}, 1
	var all sync.WaitGroup
	for k := range w.Workers {
		all.Add(1)
		go func() {
			defer all.Done()
			defer func() {
				if p := recover(); p != nil {
					w.fail(fmt.Errorf("search %s: internal error: %v\n%s", w.Root, p, debug.Stack()))
				}
			}()
			w.work(k)
		}()
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return w.err
}

// stop ends the walk early.
func (w *walker) stop() {
	w.halt.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wake.Broadcast()
}

func (w *walker) fail(err error) {
	w.mu.Lock()
	if w.err == nil {
		w.err = err
	}
	w.mu.Unlock()
	w.stop()
}

// work takes nodes from the stack until none is left.
func (w *walker) work(k int) {
	var list lister
	list.buf = make([]byte, 32<<10)
	for {
		w.mu.Lock()
		for len(w.stack) == 0 && w.pending > 0 && !w.halt.Load() {
			w.wake.Wait()
		}
		if w.pending == 0 || w.halt.Load() {
			w.stats.add(&list.stats)
			w.mu.Unlock()
			return
		}
		n := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.mu.Unlock()

		if !n.dead.Load() {
			w.do(k, n, &list)
		}

		w.mu.Lock()
		w.pending--
		if w.pending == 0 {
			w.wake.Broadcast()
		}
		w.mu.Unlock()
	}
}

// A lister is one worker's scratch and count.
type lister struct {
	buf     []byte
	entries []entry
	stats   Stats
}

// do reads a folder and hands out what is in it, or does a run of files.
func (w *walker) do(k int, n *node, list *lister) {
	d, err := w.tree.open(n.path)
	if err != nil {
		list.stats.Unreadable++
		return
	}
	defer d.close()
	if n.files != nil {
		w.run(k, d, n)
		return
	}
	list.entries, err = d.list(list.entries[:0], list.buf)
	if err != nil {
		list.stats.Unreadable++
	}
	kids, files := w.arrange(d, n, list)
	mine := kids
	w.mu.Lock()
	if n.dead.Load() { // while it was read
		w.mu.Unlock()
		return
	}
	n.kids = kids
	for i := len(kids) - 1; i >= 0; i-- { // the first name ends on top
		kid := kids[i]
		if kid.files == nil || files > runSize && i > 0 {
			w.stack = append(w.stack, kid)
			w.pending++
		}
	}
	if len(w.stack) > 1 {
		w.wake.Broadcast()
	}
	w.mu.Unlock()
	if files > runSize && len(mine) > 0 {
		mine = mine[:1]
	}
	for _, kid := range mine {
		if kid.files != nil && !kid.dead.Load() && !w.halt.Load() {
			w.run(k, d, kid)
		}
	}
}

// arrange sorts the listed entries, drops what the rules leave out, and makes
// them the kids of n; files is how many files they hold.
func (w *walker) arrange(d *dir, n *node, list *lister) (kids []*node, files int) {
	entries := list.entries
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	rules := n.rules
	if found := specials(entries); found != 0 {
		if found&hasCacheTag != 0 && !w.All && n != w.root && isCacheTag(d) {
			list.stats.Skipped++
			return nil, 0
		}
		if !w.NoIgnore {
			rules = rules.enter(w, d, found)
		}
	}
	strict := !w.NoIgnore && (rules.levels != nil || rules.repo != nil)
	prefix := n.path
	if prefix != "" {
		prefix += "/"
	}
	kept := make([]entry, 0, len(entries)) // one array under all runs
	from := 0
	flush := func() {
		for from < len(kept) {
			to := min(len(kept), from+runSize)
			kids = append(kids, &node{path: n.path, files: kept[from:to:to]})
			from = to
		}
	}
	for _, e := range entries {
		isDir := e.kind == kindDir
		switch {
		case e.name == ".git", isDir && vcsDirs.Get()[e.name]:
			continue
		case isDir && !w.All && skippedDirs.Get()[e.name]:
			list.stats.Skipped++
			continue
		}
		if !isDir && !strict {
			kept = append(kept, e)
			files++
			continue
		}
		path := prefix + e.name
		if strict && rules.ignored(path, e.name, isDir) {
			list.stats.Ignored++
			continue
		}
		if !isDir {
			kept = append(kept, e)
			files++
			continue
		}
		flush()
		kids = append(kids, &node{path: path, rules: rules})
	}
	flush()
	return kids, files
}

// specials looks for the names that change the rules. The entries are sorted,
// and all of the names begin early.
func specials(entries []entry) (found special) {
	for _, e := range entries {
		if e.name > "CACHEDIR.TAG" {
			break
		}
		switch e.name {
		case ".git":
			found |= hasGit
		case ".gitignore":
			if e.kind == kindFile {
				found |= hasGitignore
			}
		case ".ignore":
			if e.kind == kindFile {
				found |= hasIgnore
			}
		case "CACHEDIR.TAG":
			found |= hasCacheTag
		}
	}
	return found
}

// cacheTag begins the file by which a program marks its folder as a cache
// (bford.info/cachedir).
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

func isCacheTag(d *dir) bool {
	f, err := d.openFile("CACHEDIR.TAG")
	if err != nil {
		return false
	}
	defer f.close()
	b := make([]byte, len(cacheTag))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == cacheTag
}

// small reads an ignore file of the folder.
func (d *dir) small(name string) []byte {
	f, err := d.openFile(name)
	if err != nil {
		return nil
	}
	defer f.close()
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	return data
}
