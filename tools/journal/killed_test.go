package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"forge/tools/journal"
)

// halt makes it so that forge was killed in the middle of the undo just made: its note
// is not written, these files are as they were, and one that was being written lies
// beside them.
func (r *rig) halt(still map[string]string) (temp string) {
	r.Helper()
	r.Close()
	logs, _ := filepath.Glob(filepath.Join(r.state, "a-session", "*.jsonl"))
	if len(logs) != 1 {
		r.Fatal(logs)
	}
	whole, err := os.ReadFile(logs[0])
	if err != nil {
		r.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n"))
	var begun struct {
		Type string
		Undo struct{ Temp string }
	}
	if err := json.Unmarshal(lines[len(lines)-2], &begun); err != nil || begun.Type != "begun" || begun.Undo.Temp == "" {
		r.Fatalf("%v: %s", err, lines[len(lines)-2])
	}
	if err := os.WriteFile(logs[0], bytes.Join(lines[:len(lines)-1], nil), 0o600); err != nil {
		r.Fatal(err)
	}
	for name, text := range still {
		if err := os.WriteFile(filepath.Join(r.root, name), []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
	}
	temp = filepath.Join(r.root, ".forge-"+begun.Undo.Temp+".tmp")
	if err := os.WriteFile(temp, []byte("half"), 0o600); err != nil {
		r.Fatal(err)
	}
	return temp
}

// again is the journal of the forge that is started next.
func (r *rig) again() {
	r.Helper()
	r.Journal = journal.New(journal.Options{Dir: r.state, Roots: []string{r.root}, Rules: readRules, Git: runGit, Tell: func(s string) { r.said = append(r.said, s) }})
	r.Cleanup(r.Journal.Close)
	if err := r.Open("a-session"); err != nil {
		r.Fatal(err)
	}
}

// An undo that a kill cut off is gone on with by the next one, and all of it can be
// brought again; nothing of it is left lying about.
func TestKilledInAnUndo(t *testing.T) {
	for name, still := range map[string]map[string]string{
		"half way":         {"b.txt": "b changed\n", "c.txt": "c changed\n"},
		"before the first": {"a.txt": "a changed\n", "b.txt": "b changed\n", "c.txt": "c changed\n"},
		"before the note":  {},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, journal.Options{})
			for _, f := range []string{"a", "b", "c"} {
				r.own("echo " + f + " > " + f + ".txt")
			}
			r.Begin("change them")
			for _, f := range []string{"a", "b", "c"} {
				r.sh("echo " + f + " changed > " + f + ".txt")
			}
			r.undo()
			if r.read("a.txt") != "a\n" || r.read("c.txt") != "c\n" {
				t.Fatal("not taken back")
			}
			temp := r.halt(still)

			r.again()
			if _, err := os.Lstat(temp); err == nil {
				t.Error("what was being written lies there still")
			}
			if len(still) > 0 {
				if p, err := r.Undo(journal.LastRun); err != nil || len(p.Files) != len(still) {
					t.Fatalf("%v, %+v", err, p)
				}
				r.undo()
			} else if _, err := r.Undo(journal.LastRun); !errors.Is(err, journal.ErrNothing) {
				t.Errorf("what was taken back is offered again: %v", err)
			}
			for _, f := range []string{"a", "b", "c"} {
				if got := r.read(f + ".txt"); got != f+"\n" {
					t.Errorf("%s: %q", f, got)
				}
			}
			p, err := r.Redo()
			if err != nil {
				t.Fatal(err)
			}
			r.apply(p)
			for _, f := range []string{"a", "b", "c"} {
				if got := r.read(f + ".txt"); got != f+" changed\n" {
					t.Errorf("brought again, %s: %q", f, got)
				}
			}
			r.undo()
			if r.read("b.txt") != "b\n" {
				t.Error("not taken back once more")
			}
		})
	}
}
