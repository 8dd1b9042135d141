// Package journal remembers what files held before an agent changed them, so that
// it can be taken back.
//
// It owns the journal of a conversation: for each step (one call of a tool) the
// files that are different after it, whatever changed them, with their contents
// under their hashes in the state folder. It looks at the workspace before and
// after commands; it makes the plan of what taking back would do, which keeps the
// person's later edits, and carries it out. It uses no repository's index, HEAD or
// stash and works without git; where there is git, contents that it holds are read
// from it. The door calls Watch from the goroutines of calls, faces make plans
// between runs. It imports only tools/diff.
package journal

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Rules say of the entries of one folder whether ignore rules leave them out, and
// which are never looked into.
type Rules interface {
	Below(name string) Rules
	Judge(name string, isDir bool) (ignored, never bool)
}

// Limits bound what is kept. Zero fields take the default.
type Limits struct {
	File     int64         // bytes of the largest file whose content is kept
	Ignored  int64         // the same, of one that ignore rules leave out
	Crowd    int           // an ignored folder with more entries is not looked into
	Watch    int           // a workspace with more entries is watched, where the system can, and not gone through each time
	Entries  int           // a workspace with more is not looked at around commands
	Seen     int64         // bytes of contents held in case a command changes them
	Session  int64         // bytes of one conversation's journal; the oldest steps go first
	Total    int64         // bytes of all journals; the oldest go first
	Age      time.Duration // how long a journal is kept after its last step
	Patience time.Duration // a look that takes longer is the last one
}

func (l Limits) filled() Limits {
	fill := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	fill(&l.File, 4<<20)
	fill(&l.Ignored, 256<<10)
	fill(&l.Seen, 256<<20)
	fill(&l.Session, 256<<20)
	fill(&l.Total, 1<<30)
	fill((*int64)(&l.Age), int64(30*24*time.Hour))
	fill((*int64)(&l.Patience), int64(3*time.Second))
	if l.Crowd <= 0 {
		l.Crowd = 400
	}
	if l.Watch <= 0 {
		l.Watch = 2000
	}
	if l.Entries <= 0 {
		l.Entries = 300_000
	}
	return l
}

// Options is what a Journal needs.
type Options struct {
	Dir    string   // where journals are kept, a folder for each conversation
	Roots  []string // the folders of the workspace, absolute and canonical, the main one first
	Skip   []string // folders that are nobody's work, absolute: forge's own
	Rules  func(root string) Rules
	Git    Git // nil: files are read, whatever git holds
	Limits Limits
	// Busy reports whether a command the agent left in the background runs: what
	// changes then is its doing as far as anybody can tell. nil: none ever does.
	Busy func() bool
	// Now gives the time of a step, and never goes back; nil: time.Now.
	Now func() time.Time
	// Tell says something to the person, once. It must not block.
	Tell func(text string)
}

// Journal is the journal of the conversation at hand. Its methods may be called
// from any goroutine.
type Journal struct {
	o    Options
	mu   sync.Mutex
	book *book // of the conversation
	seen *seen

	trees   []*tree
	past    []*tree // folders that are no longer worked in
	blind   bool    // commands are not looked at: too much to look at
	flying  int     // calls that run
	since   int64
	base    int64 // bytes that the first look took
	busy    bool  // something ran in the background when it was last looked
	run     int
	turn    atomic.Int64 // told while a look holds mu
	closing atomic.Bool  // the look between two calls ends
	label   string
	told    map[string]bool
	pruning sync.WaitGroup
	closed  bool
	scratch string // the folder of a conversation that is not kept
}

// New returns the journal of a conversation that is not kept. KindNone is on disk
// yet.
func New(o Options) *Journal {
	o.Limits = o.Limits.filled()
	if o.Now == nil {
		o.Now = time.Now
	}
	j := &Journal{o: o, told: map[string]bool{}, book: &book{}, seen: &seen{dir: o.Dir, limit: o.Limits.Seen, where: map[sum]span{}, key: newSecret()}}
	for _, root := range o.Roots {
		inner := slices.ContainsFunc(o.Roots, func(r string) bool { return r != root && within(r, root) })
		if !inner { // the outer one sees it
			j.plant(root)
		}
	}
	return j
}

func (j *Journal) plant(root string) { j.trees = append(j.trees, j.tree(root)) }

func (j *Journal) tree(root string) *tree {
	return &tree{root: root, rules: j.o.Rules, seen: j.seen, limits: j.o.Limits, skip: append(slices.Clone(j.o.Skip), j.o.Dir)}
}

// AddRoot looks after one more folder, between two calls.
func (j *Journal) AddRoot(root string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !slices.ContainsFunc(j.trees, func(t *tree) bool { return within(t.root, root) }) {
		j.plant(root)
	}
}

// Largest is the size of the largest file whose content is kept, in bytes.
func (j *Journal) Largest() int64 { return j.o.Limits.File }

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// Open goes on with the journal of the conversation id; empty: of one that is not
// kept, whose journal goes with the process.
func (j *Journal) Open(id string) error {
	b := &book{}
	var err error
	if id != "" {
		b, err = openBook(filepath.Join(j.o.Dir, id))
		if err == nil {
			b.key, err = readSecret(j.o.Dir)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.take(b)
	return err
}

// Fork goes on in the conversation id with what the journal holds so far.
func (j *Journal) Fork(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if id == "" {
		return nil // what there is goes on, and is not kept
	}
	dir := filepath.Join(j.o.Dir, id)
	if j.book.dir != "" {
		if err := j.book.copyTo(&store{dir: dir}); err != nil {
			j.take(&book{store: store{dir: dir}})
			return err
		}
	}
	b, err := openBook(dir)
	b.key = j.book.key
	j.take(b)
	return err
}

func (j *Journal) take(b *book) {
	j.dropScratch()
	j.book = b
	j.tidy(b.begun)
	j.run, j.label = b.lastRun(), ""
	j.turn.Store(0)
}

func (j *Journal) dropScratch() {
	if j.scratch != "" {
		os.RemoveAll(j.scratch)
		j.scratch = ""
	}
}

// Begin opens a run: what changes from here on is taken back together. label is
// the prompt.
func (j *Journal) Begin(label string) {
	j.mu.Lock()
	j.run++
	j.label = firstLine(label)
	j.turn.Store(0)
	idle := !j.blind && !j.closed
	if idle {
		j.pruning.Add(1)
	}
	j.mu.Unlock()
	if !idle {
		return
	}
	go func() { // while the model thinks: a look through everything takes a while
		defer j.pruning.Done()
		defer recovered("look at the workspace crashed")
		j.mu.Lock()
		defer j.mu.Unlock()
		for range 2 { // the second is watched, and reads again what was too young to tell
			if !j.closed && !j.blind && j.flying == 0 {
				j.before(context.Background(), true)
			}
		}
	}()
}

// before looks at what changed since the last look: that is the person's own,
// unless another call runs, or a command was left running.
func (j *Journal) before(ctx context.Context, whole bool) {
	j.renew()
	if found := j.lookAll(ctx, j.flying > 0 || j.busy, whole); len(found) > 0 {
		turn := int(j.turn.Load())
		if whole { // it began before the first of them
			turn = 0
		}
		j.record(turn, "in the background", found)
	}
}

// Turn says that the n-th model turn of the run began. It waits for no look: that goes on
// while the model thinks.
func (j *Journal) Turn(n int) { j.turn.Store(int64(n)) }

// Watch is told of a call that may change files before it runs; what it returns is
// called after. paths are what it will write, where that is known: then only they
// are looked at.
func (j *Journal) Watch(ctx context.Context, title string, paths []string) (done func()) {
	done = func() {}
	defer recovered("journal crashed before a call")
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(paths) > 0 {
		return j.watchPaths(title, paths)
	}
	if !j.blind {
		j.before(ctx, false)
	}
	if j.flying == 0 {
		j.since = time.Now().UnixNano()
	}
	j.flying++
	return func() {
		defer recovered("journal crashed after a call")
		j.mu.Lock()
		defer j.mu.Unlock()
		j.flying--
		if j.blind {
			return
		}
		// The call may have been cancelled: what it did is looked at all the same.
		found := j.lookAll(context.WithoutCancel(ctx), true, false)
		j.busy = j.o.Busy != nil && j.o.Busy()
		j.record(int(j.turn.Load()), title, found)
	}
}

// watchPaths looks at a few files alone, and at the folders that are made for them.
func (j *Journal) watchPaths(title string, paths []string) func() {
	type place struct {
		t      *tree
		rel    string
		before State
	}
	var places []place
	had := map[string]bool{} // several paths may need the same new folder
	add := func(t *tree, rel string, before State) {
		if abs := t.abs(rel); !had[abs] {
			had[abs] = true
			places = append(places, place{t, rel, before})
		}
	}
	for _, p := range paths {
		t, rel := j.find(p)
		if t == nil || private(rel) {
			continue
		}
		for dir, _ := split(rel); dir != ""; dir, _ = split(dir) {
			if had[t.abs(dir)] || t.readState(dir).Kind != KindNone {
				break
			}
			add(t, dir, State{})
		}
		if !had[t.abs(rel)] {
			add(t, rel, t.readState(rel))
		}
	}
	return func() {
		defer recovered("journal crashed after a call")
		j.mu.Lock()
		defer j.mu.Unlock()
		var changes []Change
		for _, p := range places {
			if now := p.t.readState(p.rel); !now.same(p.before) {
				changes = append(changes, Change{exact(p.t.abs(p.rel)), p.before, now})
			}
		}
		j.record(int(j.turn.Load()), title, changes)
	}
}

// Close drops what belongs to this process.
func (j *Journal) Close() {
	j.closing.Store(true)
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	j.pruning.Wait()
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, t := range j.trees {
		t.watch.close()
	}
	j.blind = true
	j.seen.close()
	j.dropScratch()
}

// find returns the folder of the workspace a path lies in, the innermost.
func (j *Journal) find(path string) (*tree, string) {
	return innermost(j.trees, path)
}

// reach is find that knows the folders the conversation was worked on in before, too.
func (j *Journal) reach(path string) (*tree, string) {
	if t, rel := j.find(path); t != nil {
		return t, rel
	}
	return innermost(j.past, path)
}

func innermost(trees []*tree, path string) (*tree, string) {
	var best *tree
	var rest string
	for _, t := range trees {
		rel, err := filepath.Rel(t.root, path)
		if err == nil && filepath.IsLocal(rel) && (best == nil || len(t.root) > len(best.root)) {
			best, rest = t, filepath.ToSlash(rel)
		}
	}
	return best, rest
}

func (t *tree) abs(rel string) string { return filepath.Join(t.root, filepath.FromSlash(rel)) }

// private says whether a path is git's own: no business of the journal.
func private(rel string) bool {
	return slices.Contains(strings.Split(strings.ToLower(rel), "/"), ".git")
}

func split(rel string) (dir, name string) {
	i := strings.LastIndexByte(rel, '/')
	if i < 0 {
		return "", rel
	}
	return rel[:i], rel[i+1:]
}

// firstLine is a text as a label: its first line, cut.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	line = strings.ToValidUTF8(line, "\uFFFD")
	if r := []rune(line); len(r) > 120 {
		line = string(r[:119]) + "…"
	}
	return line
}

func recovered(what string) {
	if p := recover(); p != nil {
		slog.Error(what, "panic", p)
	}
}

// ErrNothing says that there is nothing to take back, or to bring again.
var ErrNothing = errors.New("nothing was changed here that could be taken back")
