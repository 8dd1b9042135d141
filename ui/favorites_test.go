package ui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"forge/provider"
)

// kept are favorites as a settings file keeps them.
type kept struct {
	sync.Mutex
	marked, recent []string
}

func (k *kept) favorites() *Favorites {
	return &Favorites{
		List: func() (marked, recent []string) {
			k.Lock()
			defer k.Unlock()
			return slices.Clone(k.marked), slices.Clone(k.recent)
		},
		Keep: func(marked []string) error { k.Lock(); defer k.Unlock(); k.marked = marked; return nil },
	}
}

func (k *kept) now() string { k.Lock(); defer k.Unlock(); return strings.Join(k.marked, " ") }

// several are the options of a screen with four models, of which set is told when one is
// chosen; one of them cannot be had.
func several(k *kept, set *[]string) Options {
	o := testOptions(&fakeAgent{})
	var all []ModelChoice
	for _, id := range []string{"one", "two", "three", "broken"} {
		all = append(all, ModelChoice{Model: provider.Model{Provider: "here", ID: id, Default: provider.EffortMedium}, Note: "128k"})
	}
	o.Model, o.Effort = all[0].Model, provider.EffortMedium
	o.Models = func(context.Context) ([]ModelChoice, error) { return all, nil }
	o.Favorites = k.favorites()
	var mu sync.Mutex
	o.SetModel = func(c ModelChoice, e provider.Effort) (provider.Model, error) {
		mu.Lock()
		defer mu.Unlock()
		if c.Model.ID == "broken" {
			return provider.Model{}, errors.New("its server is gone")
		}
		*set = append(*set, strings.TrimSuffix(c.Model.ID+" "+string(e), " "))
		k.Lock()
		defer k.Unlock()
		k.recent = slices.Insert(slices.DeleteFunc(k.recent, func(r string) bool { n, _ := refParts(r); return n == c.ref() }), 0, strings.TrimSuffix(c.ref()+":"+string(e), ":"))
		return c.Model, nil
	}
	return o
}

// A key in the list marks favorites, with the effort of the one that answers; they stand
// first when it is opened again, with a sign before their names.
func TestFavoritesAreMarked(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var set []string
		k := &kept{}
		s := start(t, several(k, &set), 100, 24)
		s.send("/effort high\r")
		s.see("effort is high now")
		s.send("\x1bp") // alt+p
		s.see("ctrl+f favorite")
		s.send("\x06") // the one that answers
		s.see("★ here/one")
		s.send("three\x06")
		s.see("★ here/three")
		s.send("\x1b")
		s.gone("esc close")
		if got := k.now(); got != "here/one:high here/three" {
			t.Errorf("kept %q", got)
		}
		s.send("\x1bp")
		s.see("★ here/one")
		rows := strings.Split(s.text(), "\n")
		at := func(word string) int {
			return slices.IndexFunc(rows, func(r string) bool { return strings.Contains(r, word) })
		}
		if a, b, c := at("★ here/one"), at("★ here/three"), at("here/two"); a < 0 || b != a+1 || c != b+1 {
			t.Errorf("rows %d, %d, %d of\n%s", a, b, c, s.text())
		}
		s.send("\x06")
		s.gone("★ here/one")
		s.send("\x1b")
		s.gone("esc close")
		s.send("/model favorite two\r")
		s.see("here/two is a favorite now")
		s.send("/model favorite three\r")
		s.see("here/three is no favorite any more")
		if got := k.now(); got != "here/two" {
			t.Errorf("kept %q", got)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Keys go through the favorites in their order and back, each with its effort; what is gone
// or cannot be had is passed over with a word, and each of several presses counts.
func TestWalkThroughFavorites(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var set []string
		k := &kept{marked: []string{"here/two:high", "gone/away", "here/broken", "here/three", "here/one"}, recent: []string{"here/three:low"}}
		s := start(t, several(k, &set), 120, 24)
		s.send("\x1bOQ") // f2
		s.see("now with two · high")
		s.send("\x1bOQ")
		s.see("now with three · low · gone/away was passed over: no key, or gone · here/broken: its server is gone")
		s.send("\x1b[1;2Q") // shift+f2
		s.see("now with two · high")
		s.send("\x1b[1;2Q\x1b[1;2Q")
		s.see("now with three · low")
		s.send("\x1bOQ")
		s.see("now with one")
		s.send("\x18F") // ctrl+x F
		s.see("now with three · low")
		s.send("/model next\r")
		s.see("now with one")
		s.send("/model back\r")
		s.see("now with three")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if got := set[len(set)-1]; got != "three low" {
			t.Errorf("set %q", set)
		}
	})
}

// Without favorites the keys go through what was used lately, all of it and not to and fro
// between the last two, until another model is chosen.
func TestWalkThroughThoseUsedLately(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var set []string
		k := &kept{recent: []string{"here/one", "here/two:low", "here/three"}}
		s := start(t, several(k, &set), 100, 24)
		for _, want := range []string{"now with two · low", "now with three", "now with one"} {
			s.send("\x1bOQ")
			s.see(want)
		}
		s.send("/model three\r")
		s.see("now with three")
		s.send("\x1bOQ")
		s.see("now with one")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
	bubble(t, func(t *testing.T) {
		var set []string
		s := start(t, several(&kept{}, &set), 120, 24)
		s.send("\x1bOQ")
		s.see("there is no other favorite model, nor one used lately; alt+p lists all, and ctrl+f marks one there")
		s.send("\x04")
		if err := s.wait(); err != nil || len(set) > 0 {
			t.Error(err, set)
		}
	})
}

// During a run the model changes with the next step; keys pressed until then count.
func TestWalkWhileARunIsOn(t *testing.T) {
	m := still(t, several(&kept{marked: []string{"here/one", "here/two", "here/three"}}, &[]string{}), 80, 24)
	m.job = &job{id: 1}
	all, err := m.o.Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ring := ringRead{models: all, marked: []string{"here/one", "here/two", "here/three"}}
	for _, want := range []string{"two", "three", "one", "two"} {
		m.quick.steps = 1
		m.Update(ring)
		if got := m.answering().ID; got != want {
			t.Fatalf("%s answers next, not %s", got, want)
		}
	}
}

// Names are models' whole names, with an effort behind them or not: colons are in IDs, too.
func TestNamesOfModels(t *testing.T) {
	for _, c := range []struct {
		id, ref string
		effort  provider.Effort
		is      bool
	}{
		{"qwen3:8b", "here/qwen3:8b", "", true},
		{"qwen3:8b", "here/qwen3:8b:low", provider.EffortLow, true},
		{"qwen3", "here/qwen3:8b", "", false},
		{"qwen3:high", "here/qwen3:high", "", true},
		{"qwen3", "here/qwen3:high", provider.EffortHigh, true},
		{"a/b", "a/b", "", true},
		{"b", "here/b2", "", false},
	} {
		effort, is := ModelChoice{Model: provider.Model{Provider: "here", ID: c.id}}.is(c.ref)
		if effort != c.effort || is != c.is {
			t.Errorf("%s of %s: %q, %v", c.ref, c.id, effort, is)
		}
	}
}
