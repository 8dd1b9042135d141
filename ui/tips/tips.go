// Package tips knows what forge can tell a person who waits: a few of its keys and commands,
// which of them this person has used, and how often each was told.
//
// It owns the list and the file with the counts. Faces say a tip in the words and keys that
// are in force, and decide when. Nothing is read before somebody asks.
package tips

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"

	"forge/swap"
	"forge/ui/keymap"
)

const (
	// Most is how often one tip is told.
	Most = 3
	// maxFile is the most that is read of the counts, in bytes.
	maxFile = 64 << 10
)

// Tip is a key or a command; exactly one is set.
type Tip struct {
	Action  keymap.Action
	Command string // without its slash
}

// ID is what its uses are counted by.
func (t Tip) ID() string {
	if t.Action != "" {
		return string(t.Action)
	}
	return "/" + t.Command
}

// All is every tip, what helps most while one waits first.
func All() []Tip {
	return []Tip{
		{Action: keymap.Steer}, {Command: "btw"}, {Action: keymap.Unfold}, {Action: keymap.EmptyRead}, {Action: keymap.NextMode},
		{Command: "context"}, {Command: "rewind"}, {Action: keymap.FindPrompt}, {Command: "diff"}, {Action: keymap.Editor},
		{Command: "goal"}, {Command: "review"}, {Action: keymap.Brief}, {Action: keymap.PickModel}, {Command: "loop"},
		{Command: "recap"}, {Action: keymap.Aside}, {Command: "usage"}, {Command: "statusline"}, {Command: "theme"},
	}
}

// Known reports whether a tip is of this: its uses are counted.
func Known(id string) bool {
	return slices.ContainsFunc(All(), func(t Tip) bool { return t.ID() == id })
}

// Counts is what the file holds.
type Counts struct {
	Used  []string       `json:"used,omitempty"`  // what the person has used at least once
	Shown map[string]int `json:"shown,omitempty"` // how often a tip was told
}

// Choose is the tip that was told least of those that were not used, not told too often, and
// fit; false: there is none.
func Choose(c Counts, fits func(Tip) bool) (best Tip, ok bool) {
	for _, t := range All() {
		n := c.Shown[t.ID()]
		if n >= Most || ok && n >= c.Shown[best.ID()] || slices.Contains(c.Used, t.ID()) || !fits(t) {
			continue
		}
		best, ok = t, true
	}
	return best, ok
}

// Book is the file. It may be used by many goroutines, none of them the loop of a screen.
type Book struct {
	Path string

	mu sync.Mutex
}

// Note takes in what was used, and a tip that was told, and returns the counts. What other
// forges wrote meanwhile stays; a file that cannot be read is begun anew.
func (b *Book) Note(used []string, shown string) Counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.read()
	changed := false
	for _, id := range used {
		if Known(id) && !slices.Contains(c.Used, id) {
			c.Used, changed = append(c.Used, id), true
		}
	}
	if Known(shown) {
		if c.Shown == nil {
			c.Shown = map[string]int{}
		}
		c.Shown[shown]++
		changed = true
	}
	if !changed {
		return c
	}
	out, err := json.Marshal(c)
	if err == nil {
		err = swap.Write(b.Path, append(out, '\n'), 0o600, swap.Quick)
	}
	if err != nil {
		slog.Debug("counts of tips not kept", "err", err)
	}
	return c
}

func (b *Book) read() (c Counts) {
	f, err := os.Open(b.Path)
	if err != nil {
		return Counts{}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return Counts{}
	}
	return c
}
