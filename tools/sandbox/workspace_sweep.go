package sandbox

import (
	"path"
	"strings"
	"time"
)

// The names of files that stand beside others for a moment: see Write.
const (
	tempBegin = ".forge-"
	tempEnd   = ".tmp"
)

// sweepAfter is how old such a file must be for nobody to be at work with it: they
// live for a few thousandths of a second.
const sweepAfter = time.Second

// mostSwept is how many entries of a folder are looked through.
const mostSwept = 20_000

// Sweep removes what a forge that was killed while it wrote the file name left beside
// it, and returns how many files that were.
func (w *Workspace) Sweep(name string) (n int) {
	p, err := w.ResolveEntry(name)
	if err != nil || p.root.readonly {
		return 0
	}
	dir := path.Dir(p.Rel)
	f, err := p.root.handle.Open(dir)
	if err != nil {
		return 0
	}
	entries, _ := f.ReadDir(mostSwept)
	f.Close()
	for _, e := range entries {
		if !temporary(e.Name()) {
			continue
		}
		if fi, err := e.Info(); err == nil && fi.Mode().IsRegular() && time.Since(fi.ModTime()) > sweepAfter && p.root.handle.Remove(path.Join(dir, e.Name())) == nil {
			n++
		}
	}
	return n
}

// temporary knows the names again: 26 letters and digits of base32 in between.
func temporary(name string) bool {
	id, ok := strings.CutPrefix(name, tempBegin)
	id, whole := strings.CutSuffix(id, tempEnd)
	return ok && whole && len(id) == 26 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
