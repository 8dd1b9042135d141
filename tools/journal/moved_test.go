package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools/journal"
)

// moves gives a file or folder another path as a tool would that says which.
func (r *rig) moves(from, to string, within ...string) {
	r.Helper()
	var paths []string
	for _, name := range append([]string{""}, within...) {
		paths = append(paths, filepath.Join(r.root, from, name), filepath.Join(r.root, to, name))
	}
	done := r.Watch(r.Context(), "move "+from, paths)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(r.root, to)), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.root, from), filepath.Join(r.root, to)); err != nil {
		r.Fatal(err)
	}
	done()
}

// What is too large to be kept is brought back from where it was moved to, whoever
// moved it.
func TestLargeFilesAreMovedBack(t *testing.T) {
	for name, move := range map[string]func(r *rig){
		"a tool moves the file":   func(r *rig) { r.moves("d/big", "n/m/big2") },
		"a tool moves the folder": func(r *rig) { r.moves("d", "e", "big", "small", "sub", "sub/big") },
		"a command moves both":    func(r *rig) { r.sh("mkdir x; mv d/big x/one; mv d/sub x; chmod 600 x/one") },
		"twice":                   func(r *rig) { r.moves("d/big", "d/other"); r.moves("d/other", "last") },
		"one onto the other's":    func(r *rig) { r.sh("mv d/big tmp; mv d/sub/big d/big; mv tmp d/sub/big2") },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, journal.Options{Limits: journal.Limits{File: 100}})
			r.own("mkdir -p d/sub; head -c 200 /dev/zero > d/big; head -c 300 /dev/zero > d/sub/big; echo s > d/small; chmod 750 d/sub; chmod 640 d/big")
			r.Begin("do")
			r.sh("true")
			before := r.tree()
			move(r)
			after := r.tree()
			if name == "one onto the other's" { // another stands in the old place: nothing may be lost
				r.undo()
				if got := r.tree(); strings.Count(got, `\x00`) != strings.Count(before, `\x00`) {
					t.Errorf("something is lost:\n%s", got)
				}
				return
			}
			if d := r.undo(); len(d.Kept) > 0 {
				t.Errorf("stays: %+v", d.Kept)
			}
			r.same("undone", r.tree(), before)
			r.redo()
			r.same("done again", r.tree(), after)
			r.undo()
			r.same("undone again", r.tree(), before)
		})
	}
}

// The file stays where it is if its old place is taken, or it was changed since.
func TestLargeFilesThatStay(t *testing.T) {
	for name, meanwhile := range map[string]string{
		"the place is taken":   "echo mine > big",
		"it was edited":        "echo more >> n/big2",
		"it is gone":           "rm n/big2",
		"a folder is in place": "mkdir big",
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, journal.Options{Limits: journal.Limits{File: 100}})
			r.own("head -c 200 /dev/zero > big")
			r.Begin("do")
			r.sh("true")
			r.moves("big", "n/big2")
			r.own(meanwhile)
			want := r.tree()
			p, err := r.Undo(journal.LastRun)
			if err != nil {
				t.Fatal(err)
			}
			r.apply(p)
			if name == "it is gone" {
				return
			}
			r.same(name, r.tree(), want)
		})
	}
	// Taken only after the plan was made.
	r := newRig(t, journal.Options{Limits: journal.Limits{File: 100}})
	r.own("head -c 200 /dev/zero > big")
	r.Begin("do")
	r.sh("true")
	r.moves("big", "big2")
	p, err := r.Undo(journal.LastRun)
	if err != nil {
		t.Fatal(err)
	}
	r.own("echo mine > big")
	if d := r.apply(p); len(d.Kept) != 2 || r.read("big") != "mine\n" || len(r.read("big2")) != 200 {
		t.Errorf("%+v", d)
	}
}

func TestDiffOfWhatWasMoved(t *testing.T) {
	r := newRig(t, journal.Options{Limits: journal.Limits{File: 100}})
	r.own("mkdir d; echo a > d/a; echo b > b; head -c 200 /dev/zero > big; : > empty")
	r.Begin("do")
	r.sh("true")
	r.moves("d", "e", "a")
	r.sh("mv b c; echo more >> c; mv big large; mv empty none")
	text := r.Diff()
	for _, want := range []string{"diff e/a (moved from d/a)\n", "diff large (moved from big)\n", "diff b (deleted file)", "diff c (new file)", "diff none (new file)", "diff d (deleted folder)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, no := range []string{"-a\n", "+a\n", "not kept"} {
		if strings.Contains(text, no) {
			t.Errorf("%q in\n%s", no, text)
		}
	}
}
