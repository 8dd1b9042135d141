package journal_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools/journal"
)

// A world makes random changes to a workspace.
type world struct {
	*rig
	rnd *rand.Rand
	n   int
}

// pick returns a random entry of a kind, "" if there is none.
func (w *world) pick(kind os.FileMode) string {
	var all []string
	_ = filepath.WalkDir(w.root, func(path string, e os.DirEntry, err error) error {
		if e.Name() == ".git" {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(w.root, path)
		if err == nil && rel != "." && e.Type() == kind && !strings.HasPrefix(rel, "mine") {
			all = append(all, rel)
		}
		return nil
	})
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return all[w.rnd.IntN(len(all))]
}

// fresh is a name nobody has, in a folder there is.
func (w *world) fresh() string {
	w.n++
	return filepath.Join(w.pick(os.ModeDir), fmt.Sprintf("n%d", w.n))
}

func (w *world) lines() string {
	var b strings.Builder
	for range w.rnd.IntN(8) {
		fmt.Fprintf(&b, "line %d\n", w.rnd.IntN(50))
	}
	return b.String()
}

// change does one thing, as a tool or as a command.
func (w *world) change() {
	file, dir, link := w.pick(0), w.pick(os.ModeDir), w.pick(os.ModeSymlink)
	switch k := w.rnd.IntN(16); {
	case k == 0 || file == "":
		w.writes(w.fresh(), w.lines())
	case k == 1:
		w.writes(file, w.lines())
	case k == 2:
		w.writes(filepath.Join(w.fresh(), "deep", "er"), w.lines())
	case k == 3:
		w.sh("sed -i 's/line 1/LINE 1/; $a\\added' " + file)
	case k == 4:
		w.sh("mv " + file + " " + w.fresh())
	case k == 5:
		w.sh("rm " + file)
	case k == 6 && dir != "":
		w.sh("rm -r " + dir)
	case k == 7:
		w.sh("mkdir -p " + w.fresh() + "/x/y")
	case k == 8:
		w.sh("chmod " + []string{"600", "644", "755", "440"}[w.rnd.IntN(4)] + " " + file)
	case k == 9 && dir != "":
		w.sh("chmod " + []string{"700", "755", "750"}[w.rnd.IntN(3)] + " " + dir)
	case k == 10:
		w.sh("ln -s " + filepath.Base(file) + " " + w.fresh())
	case k == 11 && link != "":
		w.sh("rm " + link + "; cp " + file + " " + link)
	case k == 12 && dir != "":
		w.n++
		w.sh(fmt.Sprintf("mv %s n%d", dir, w.n))
	case k == 13 && dir != "":
		w.n++
		w.sh(fmt.Sprintf("cp -rp %s n%d", dir, w.n))
	case k == 14:
		w.sh("rm " + file + "; mkdir " + file + "; echo in > " + file + "/in")
	default:
		w.sh(fmt.Sprintf("printf 'b\\0%d' > %s; echo x >> %s", w.n, w.fresh(), w.fresh()))
	}
}

// Whatever n runs did, taking them back one after another gives each tree there
// was, and bringing them again the same the other way.
func TestUndoneIsTheTreeBefore(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &world{rig: newRig(t, journal.Options{Limits: journal.Limits{Watch: int(seed%3)*2000 + 1}}), rnd: rand.New(rand.NewPCG(seed, 1))}
			w.own("mkdir -p a/b c; for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done | tee a/f a/b/g > c/h; ln -s c l")
			if seed%2 == 1 {
				w.own("git init -q; git add -A; touch -d '1 hour ago' a/f c/h; git update-index -q --refresh; true")
			}
			var trees []string
			for range 6 {
				trees = append(trees, w.tree())
				w.Begin("do")
				for range 1 + w.rnd.IntN(4) {
					w.change()
				}
			}
			last := w.tree()
			for i := len(trees) - 1; i >= 0; i-- {
				if w.tree() == trees[i] {
					if p, err := w.Undo(journal.LastRun); err != nil || len(p.Files) == 0 {
						continue // the run had changed nothing in the end
					}
				}
				if d := w.undo(); len(d.Kept) > 0 {
					t.Fatalf("kept %+v", d.Kept)
				}
				w.same(fmt.Sprint("run ", i, " undone"), w.tree(), trees[i])
				if t.Failed() {
					return
				}
			}
			for {
				p, err := w.Redo()
				if err != nil {
					break
				}
				if d := w.apply(p); len(d.Kept) > 0 {
					t.Fatalf("kept %+v", d.Kept)
				}
			}
			w.same("all redone", w.tree(), last)
		})
	}
}

// Edits of the person's own between the runs, in files and places of their own,
// are there after everything was taken back, and after it was brought again.
func TestEditsBetweenAreKept(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := &world{rig: newRig(t, journal.Options{Limits: journal.Limits{Watch: int(seed%3)*2000 + 1}}), rnd: rand.New(rand.NewPCG(seed, 2))}
			w.own("mkdir mine.d; seq 1 60 > shared; seq 1 5 > other")
			lines := func() []string { return strings.Split(strings.TrimSuffix(w.read("shared"), "\n"), "\n") }
			put := func(ls []string) string { return strings.Join(ls, "\n") + "\n" }
			ours := lines()
			for i := range 5 {
				w.Begin("do")
				ls := lines()
				ls[4*i] = fmt.Sprintf("agent %d", i) // every second line but one is the agent's
				if i%2 == 0 {
					w.writes("shared", put(ls))
				} else {
					w.sh(fmt.Sprintf("sed -i 's/^%s$/agent %d/' shared", ours[4*i], i))
				}
				w.sh(fmt.Sprintf("mkdir -p made%d/x; echo %d > made%d/x/f; seq %d 9 > other", i, i, i, i))
				ls = lines()
				at := 4*i + 2
				ls[at] = fmt.Sprintf("person %d", i)
				ours[at] = ls[at]
				if err := os.WriteFile(filepath.Join(w.root, "shared"), []byte(put(ls)), 0o644); err != nil {
					t.Fatal(err)
				}
				w.own(fmt.Sprintf("echo %d > mine.d/%d", i, i))
			}
			after := w.tree()
			for range 5 {
				if d := w.undo(); len(d.Kept) > 0 {
					t.Fatalf("kept %+v", d.Kept)
				}
			}
			if got := w.read("shared"); got != put(ours) {
				t.Errorf("%q\nwant %q", got, put(ours))
			}
			for i := range 5 {
				if w.read(fmt.Sprintf("mine.d/%d", i)) != fmt.Sprintf("%d\n", i) || !w.gone(fmt.Sprintf("made%d", i)) {
					t.Error(w.tree())
				}
			}
			for range 5 {
				w.redo()
			}
			w.same("redone", w.tree(), after)
		})
	}
}
