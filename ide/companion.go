package ide

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/sorting"
)

// shown is a diff that is open at a companion.
type shown struct {
	ctx     context.Context // done: it is being taken back
	outcome chan Outcome    // nil: nobody waits for it any more
	closed  chan struct{}   // closed when another may be opened for the file
}

// drain is how long what is told of a diff may be under way once it is closed: it comes
// on another stream than the answer to the closing.
const drain = 250 * time.Millisecond

// companionDiff opens a diff by the companion's specification: it is acknowledged at
// once, and its outcome is told with the file's path and nothing else. So one must be
// over, with all that is told of it, before another is opened for the same file: the
// answer to the first would be taken for the second's.
func (c *conn) companionDiff(ctx context.Context, path, text string) (Outcome, error) {
	d := &shown{ctx: ctx, outcome: make(chan Outcome, 1), closed: make(chan struct{})}
	for {
		c.mu.Lock()
		was := c.diffs[path]
		if was == nil {
			c.diffs[path] = d
			c.mu.Unlock()
			break
		}
		over := was.outcome == nil || was.ctx.Err() != nil
		c.mu.Unlock()
		if !over {
			return Outcome{}, ErrBusy
		}
		select {
		case <-was.closed:
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		}
	}
	outcome := d.outcome
	forget := func() {
		c.mu.Lock()
		delete(c.diffs, path)
		c.mu.Unlock()
		close(d.closed)
	}
	leave := func() {
		c.mu.Lock()
		d.outcome = nil
		c.mu.Unlock()
		c.aside(0, "closeDiff", map[string]any{"filePath": path}, func() { time.AfterFunc(drain, forget) })
	}
	if _, err := c.within(ctx, openTime, "openDiff", map[string]any{"filePath": path, "newContent": text}); err != nil {
		leave() // it may be open all the same
		return Outcome{}, err
	}
	select {
	case o := <-outcome:
		forget()
		return o, nil
	case <-c.peer.gone:
		forget()
		return Outcome{}, c.peer.lost()
	case <-ctx.Done():
		leave()
		return Outcome{}, ctx.Err()
	}
}

// closeAll closes what a companion still shows: it would stay there when forge is gone.
// The other bridge does that by itself.
func (c *conn) closeAll() {
	c.mu.Lock()
	paths := slices.Collect(maps.Keys(c.diffs))
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), leaveTime)
	defer cancel()
	for _, path := range paths {
		if _, err := c.use(ctx, "closeDiff", map[string]any{"filePath": path}); err != nil {
			slog.Debug("a change was not closed in the editor", "err", err)
		}
	}
}

// ended takes the end of a diff. Of one that forge did not open it is nobody's business.
func (c *conn) ended(accepted bool, params json.RawMessage) {
	var said struct {
		Path    string  `json:"filePath"`
		Content *string `json:"content"`
	}
	if json.Unmarshal(params, &said) != nil || accepted && said.Content == nil {
		return
	}
	o := Outcome{Accepted: accepted}
	if accepted {
		o.Text = *said.Content
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	d := c.diffs[said.Path]
	if d == nil || d.outcome == nil {
		return
	}
	select {
	case d.outcome <- o:
	default: // it was told twice
	}
}

// openFile is a file that is open, as a companion tells it.
type openFile struct {
	Path   string  `json:"path"`
	Time   float64 `json:"timestamp"` // when it had the focus last
	Active bool    `json:"isActive"`
	Cursor *struct {
		Line int `json:"line"`
	} `json:"cursor"`
	Text string `json:"selectedText"`
}

// companionContext reads where the person is. Only the file that was used last counts as
// the one they are in, as the specification says.
func companionContext(params json.RawMessage, dir string) Context {
	var said struct {
		Workspace struct {
			Open []openFile `json:"openFiles"`
		} `json:"workspaceState"`
	}
	if json.Unmarshal(params, &said) != nil {
		return Context{}
	}
	files := said.Workspace.Open
	sorting.StableBy(files, func(a, b openFile) int { return cmp.Compare(b.Time, a.Time) })
	var at Context
	for _, f := range files {
		if !sound(f.Path) || len(at.Open) == maxOpen {
			continue
		}
		at.Open = append(at.Open, f.Path)
		if len(at.Open) > 1 || !f.Active {
			continue
		}
		at.Path = f.Path
		if f.Cursor != nil && f.Cursor.Line > 0 {
			at.Line = min(f.Cursor.Line, maxLine)
		}
		at.Text = short(f.Text, maxText)
		at.Cut = len(at.Text) < len(f.Text) || len([]rune(f.Text)) >= maxText // companions cut there, too
		if at.Text != "" && !at.Cut && at.Line > 0 {
			at.First, at.Last = lines(f.Path, dir, at.Text, at.Line)
		}
	}
	return at
}

// sound reports whether a path may be one of a file here.
func sound(path string) bool {
	return path != "" && len(path) <= maxPath && filepath.IsAbs(path) && !strings.ContainsRune(path, 0)
}

// lines finds where a selection stands: a companion tells the cursor, which is at one of
// its ends, and not at which. 0: the file says something else, as one that was not saved
// does.
func lines(path, dir, text string, cursor int) (first, last int) {
	if real, err := filepath.EvalSymlinks(path); err == nil { // dir has none
		path = real
	}
	if rel, err := filepath.Rel(dir, path); err != nil || !filepath.IsLocal(rel) {
		return 0, 0
	}
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > MaxDiff {
		return 0, 0
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, MaxDiff))
	if err != nil {
		return 0, 0
	}
	plain := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	text = plain(text)
	all := strings.SplitAfter(plain(string(b)), "\n")
	n := strings.Count(text, "\n") + 1
	for _, first := range []int{cursor - n + 1, cursor} {
		if first < 1 || first+n-1 > len(all) {
			continue
		}
		if !strings.Contains(strings.Join(all[first-1:first-1+n], ""), text) {
			continue
		}
		last := first + n - 1
		if n > 1 && strings.HasSuffix(text, "\n") {
			last--
		}
		return first, last
	}
	return 0, 0
}
