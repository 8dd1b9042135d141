// Package search finds words in stored conversations.
//
// It owns the index: one small file a session beside nothing else in a folder of
// the cache, made when somebody searches, added to where a session grew, and made
// anew where it is missing, old or broken. It says only which parts of a session may
// hold the words; a hit is always read from the session itself. main, the commands
// and the recall tool call it from any goroutine; it writes no session.
package search

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"forge/agent/session"
	"forge/sorting"
)

// Index searches the sessions of a folder.
type Index struct {
	Sessions string // the folder they lie in
	Dir      string // the folder of the index; empty: none is kept
}

// Query is what to look for: words that stand in one message together, in any
// order and in either case. "Words in quotes" stand as they are.
type Query struct {
	Text  string
	Exact bool // no words that are spelled a little otherwise
	Limit int  // hits; 0: 50
}

// Hit is a message that holds the words.
type Hit struct {
	Session session.Info
	Offset  int64 // where its line begins in the file, in bytes
	Seq     int   // the number of its record
	When    time.Time
	Who     string // you, model, thinking, call, result or summary
	Excerpt string // one line of text around the first word
	From    int    // where that word stands in Excerpt, in bytes
	To      int
	Near    bool // a word is spelled a little otherwise
	own     bool // an answer of the recall tool
}

// most hits of one session: the others have a right to be seen.
const mostOfOne = 10

// wave is how many sessions are looked at before the hits are counted: few at first,
// since a common word is in each of them, and then twice as many each time.
const (
	firstWave = 8
	mostWave  = 128
)

// ErrNoWords says that a query has nothing to look for.
var ErrNoWords = errors.New("search: there are no words to look for")

// Search returns the hits of the sessions used last first. Where nothing is
// spelled as the query is, what is spelled nearly so is looked for. A session that
// cannot be read is passed over.
func (x Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	p := parse(q.Text)
	if len(p.words) == 0 {
		return nil, ErrNoWords
	}
	files, err := x.files()
	if err != nil {
		return nil, err
	}
	x.forgetOthers(files)
	hits, err := x.search(ctx, files, p, q.limit())
	if err == nil && len(hits) == 0 && !q.Exact && p.loosen() {
		hits, err = x.search(ctx, files, p, q.limit())
	}
	return hits, err
}

// In is Search in one session.
func (x Index) In(ctx context.Context, path string, q Query) ([]Hit, error) {
	p := parse(q.Text)
	if len(p.words) == 0 {
		return nil, ErrNoWords
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	all := []file{{path, fi}}
	hits, err := x.search(ctx, all, p, q.limit())
	if err == nil && len(hits) == 0 && !q.Exact && p.loosen() {
		hits, err = x.search(ctx, all, p, q.limit())
	}
	return hits, err
}

func (q Query) limit() int { return cmp.Or(q.Limit, 50) }

type file struct {
	path string
	info fs.FileInfo
}

// files lists the sessions, the last used first.
func (x Index) files() ([]file, error) {
	entries, err := os.ReadDir(x.Sessions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []file
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), sessionExt) {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() {
			out = append(out, file{filepath.Join(x.Sessions, e.Name()), fi})
		}
	}
	sorting.By(out, func(a, b file) int {
		return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), strings.Compare(b.path, a.path))
	})
	return out, nil
}

func (x Index) search(ctx context.Context, files []file, p *pattern, limit int) ([]Hit, error) {
	var hits []Hit
	of := mostOfOne
	if len(files) == 1 {
		of = limit
	}
	for wave := firstWave; len(files) > 0 && len(hits) < limit; wave = min(2*wave, mostWave) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := files[:min(wave, len(files))]
		files = files[len(some):]
		found := make([][]Hit, len(some))
		side(len(some), func(i int) {
			if ctx.Err() == nil {
				found[i] = x.one(ctx, some[i], p, of)
			}
		})
		for _, f := range found {
			hits = append(hits, f...)
		}
	}
	return hits[:min(len(hits), limit)], ctx.Err()
}

// Forget drops the index of a session that was deleted.
func (x Index) Forget(id string) error {
	if x.Dir == "" {
		return nil
	}
	if err := os.Remove(x.name(id + sessionExt)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// forgetOthers drops the index of every session that is not among files: they were
// deleted by hand, or by age.
func (x Index) forgetOthers(files []file) {
	if x.Dir == "" {
		return
	}
	entries, err := os.ReadDir(x.Dir)
	if err != nil {
		return
	}
	there := make(map[string]bool, len(files))
	for _, f := range files {
		there[x.name(f.path)] = true
	}
	for _, e := range entries {
		if name := filepath.Join(x.Dir, e.Name()); strings.HasSuffix(name, indexExt) && !there[name] {
			_ = os.Remove(name)
		}
	}
}

// name is where the index of a session lies.
func (x Index) name(path string) string {
	return filepath.Join(x.Dir, strings.TrimSuffix(filepath.Base(path), sessionExt)+indexExt)
}

// side runs f(0) to f(n-1), as many at a time as there are cores. One that crashes
// costs its own result.
func side(n int, f func(i int)) {
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { _ = recover(); <-free }()
			f(i)
		})
	}
	wg.Wait()
}
