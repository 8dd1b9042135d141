package tips

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"forge/ui/keymap"
)

func all(Tip) bool { return true }

// Every tip is of a key that has one and says what it does, and of one thing only once.
func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, tip := range All() {
		if (tip.Action == "") == (tip.Command == "") || seen[tip.ID()] {
			t.Errorf("%+v", tip)
		}
		if tip.Action != "" && (keymap.Default().First(tip.Action) == "" || keymap.Help(tip.Action) == "") {
			t.Errorf("%s has no key, or no words", tip.Action)
		}
		seen[tip.ID()] = true
	}
	if Known("/exit") || !Known("/btw") {
		t.Error("what is known is another list")
	}
}

// A tip is of what was not used, each a few times, those told least first.
func TestChoose(t *testing.T) {
	b := &Book{Path: filepath.Join(t.TempDir(), "state", "tips.json")}
	first := All()[0]
	c := b.Note([]string{first.ID(), "/exit"}, "")
	told := map[string]int{}
	for range 1000 {
		tip, ok := Choose(c, all)
		if !ok {
			break
		}
		told[tip.ID()]++
		c = b.Note(nil, tip.ID())
	}
	if len(told) != len(All())-1 || told[first.ID()] != 0 {
		t.Errorf("told %v", told)
	}
	for id, n := range told {
		if n != Most {
			t.Errorf("%s was told %d times", id, n)
		}
	}
	if _, ok := Choose(Counts{}, func(Tip) bool { return false }); ok {
		t.Error("one that does not fit is chosen")
	}
	second := All()[1].ID()
	if tip, _ := Choose(Counts{Shown: map[string]int{first.ID(): 1}}, all); tip.ID() != second {
		t.Errorf("%s", tip.ID())
	}
}

// The counts outlive forge, are one file for several, and a broken one is begun anew.
func TestBook(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tips.json")
	var wait sync.WaitGroup
	b := &Book{Path: path}
	for _, tip := range All()[:8] {
		wait.Go(func() { b.Note([]string{tip.ID()}, "/loop") })
	}
	wait.Wait()
	if c := (&Book{Path: path}).Note(nil, ""); len(c.Used) != 8 || c.Shown["/loop"] != 8 {
		t.Errorf("%+v", c)
	}
	for _, broken := range []string{"", "{", "[]", `{"used":7}`, `{"shown":{"/loop":"x"}}`, string(make([]byte, 1<<20))} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if c := b.Note([]string{"/btw"}, ""); !slices.Equal(c.Used, []string{"/btw"}) || len(c.Shown) != 0 {
			t.Errorf("of %.20q: %+v", broken, c)
		}
	}
	nowhere := &Book{Path: filepath.Join(path, "beneath", "a", "file")}
	if c := nowhere.Note([]string{"/btw"}, "/loop"); len(c.Used) != 1 {
		t.Errorf("what cannot be kept holds for now: %+v", c)
	}
}
