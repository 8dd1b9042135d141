package session

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// CutOff is what a forge that was killed had on the way in a conversation that nobody
// has gone on with since: no book of what was spent has it yet.
type CutOff struct {
	ID    string
	Cwd   string
	Model Model // the last one named
	When  time.Time
	Open  Amount // as it was estimated
}

// spentTail is how much of a file's end is read for its last record of what was spent:
// behind it lie the pieces of one answer.
const spentTail = 1 << 20

// CutOffs finds them in a folder, of the time from since on. It changes nothing, and
// passes over what a forge has open and what cannot be read.
func CutOffs(dir string, since time.Time) []CutOff {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []CutOff
	for _, e := range entries {
		fi, err := e.Info()
		if err != nil || !fi.Mode().IsRegular() || !strings.HasSuffix(e.Name(), fileExt) || fi.ModTime().Before(since) {
			continue
		}
		if c, ok := cutOff(filepath.Join(dir, e.Name()), fi.Size()); ok && !c.When.Before(since) {
			out = append(out, c)
		}
	}
	return out
}

func cutOff(path string, size int64) (c CutOff, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return c, false
	}
	defer f.Close()
	var last *Record
	for _, n := range []int64{edge, spentTail} {
		tail := make([]byte, min(n, size))
		if _, err = f.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
			return c, false
		}
		for l := range bytes.Lines(tail) { // the first and the last may be half a line, and are skipped as such
			if !bytes.Contains(l, []byte(`"type":"spent"`)) {
				continue
			}
			if r, err := decode(bytes.TrimSpace(l)); err == nil && r.Spent != nil {
				last = &r
			}
		}
		if last != nil {
			break
		}
	}
	if last == nil || last.Spent.Open == nil || InUse(path) {
		return c, false
	}
	i, err := describe(path)
	if err != nil {
		return c, false
	}
	return CutOff{ID: i.ID, Cwd: i.Cwd, Model: i.Model, When: last.Time, Open: *last.Spent.Open}, true
}
