package session

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBadTimesLoseNothing: a time nobody can read, and what else stands beside a
// message, costs neither the file nor the line, in an import and where the file lies.
func TestBadTimesLoseNothing(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, append(conversation(), Record{Title: "a name"}, Record{Message: user(text("last"))}, Record{End: &End{Why: EndDone}}))
	want, err := Records(s.Path(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	good, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	when := func(l string) string { // the time in a line
		_, l, _ = strings.Cut(l, `"time":`)
		l, _, _ = strings.Cut(l, ",")
		return l
	}
	for _, bad := range []string{`"yesterday"`, `""`, `17`, `{}`, `"2026-13-01T00:00:00Z"`, `"12026-01-01T00:00:00Z"`} {
		lines := slices.Collect(strings.Lines(string(good)))
		for i, l := range lines {
			if i%2 == 0 || i > 10 {
				lines[i] = strings.ReplaceAll(strings.Replace(l, when(l), bad, 1), `"created":`+when(l), `"created":`+bad)
			}
		}
		lines[1] = strings.Replace(lines[1], `"message":`, `"calls":[{"took_ms":"long"}],"cost":"much","message":`, 1)
		file := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		i, lost, err := Import(filepath.Join(t.TempDir(), "s"), file, "/w")
		if err != nil {
			t.Fatalf("%s: %v", bad, err)
		}
		times := 0
		for n := range lines[1:] {
			if n++; n%2 == 0 || n > 10 {
				times++
			}
		}
		if lost != (Damage{Times: times}) || i.Title != "a name" {
			t.Errorf("%s: lost %+v, want %d times; %+v", bad, lost, times, i)
		}
		for _, path := range []string{i.Path, file} {
			got, err := Records(path, 1000)
			if err != nil {
				t.Fatal(err)
			}
			last := time.Time{}
			for n := range got {
				if n > 0 && got[n].Time.IsZero() || got[n].Time.Before(last) {
					t.Errorf("%s: record %d has the time %v", bad, n, got[n].Time)
				}
				last = got[n].Time
				got[n].Time = want[n].Time
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: something was lost: %d records of %d", bad, len(got), len(want))
			}
			if i, err := describe(path); err != nil || i.Title != "a name" {
				t.Errorf("%s: %+v %v", bad, i, err)
			}
		}
	}
}

// TestImportKeepsLinesItCannotRead: they are counted, and stay for a forge that can.
func TestImportKeepsLinesItCannotRead(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, conversation())
	s.Close()
	good, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	odd := `{"seq":7,"time":"2026-11-30T00:00:00Z","type":"cut","cut":{"from":"the start"}}` + "\n"
	file := filepath.Join(dir, "x.jsonl")
	if err := os.WriteFile(file, []byte(string(good)+odd+"junk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i, lost, err := Import(filepath.Join(dir, "to"), file, "/w")
	if err != nil || lost != (Damage{Lines: 2}) {
		t.Fatal(lost, err)
	}
	if is, _ := os.ReadFile(i.Path); !strings.HasSuffix(string(is), odd) {
		t.Errorf("the line is gone:\n%s", is)
	}
}

// A goal that somebody set elsewhere is kept, and nothing goes on with it by itself.
func TestImportedGoalRests(t *testing.T) {
	for _, state := range []GoalState{GoalOpen, GoalMet, GoalBlocked} {
		s := write(t, t.TempDir(), append(conversation(), Record{Goal: &Goal{Text: "it works", State: state, Why: "x"}}, Record{Message: user(text("last"))}))
		s.Close()
		i, lost, err := Import(filepath.Join(t.TempDir(), "s"), s.Path(), "/w")
		if err != nil || lost != (Damage{}) {
			t.Fatalf("%+v, %v", lost, err)
		}
		rs, err := Records(i.Path, 1000)
		if err != nil {
			t.Fatal(err)
		}
		want := Goal{Text: "it works", State: state, Why: "x"}
		if state == GoalOpen {
			want.State, want.Why = GoalRests, ImportedGoal
		}
		if got := LastGoal(rs); got != want || rs[len(rs)-1].Message == nil {
			t.Errorf("%s became %+v, then %+v", state, got, rs[len(rs)-1])
		}
	}
}

// What waits to be sent in a conversation from elsewhere, and folders that are open in it,
// are nobody's here: neither in what is taken in nor in what is opened where it lies.
func TestStrangersSendNothing(t *testing.T) {
	s := write(t, t.TempDir(), append(conversation(), Record{Folder: "/"}, Record{Moved: &Moved{Dir: "/"}}, Record{Queue: &Queue{Prompts: []string{"\x00!make", "and more"}}},
		Record{Goal: &Goal{Text: "it works", State: GoalOpen}}, Record{Loops: &Loops{List: []Loop{{N: 1, Seconds: 60, Prompt: "look"}}}}))
	s.Close()
	i, _, err := Import(filepath.Join(t.TempDir(), "s"), s.Path(), "/w")
	if err != nil {
		t.Fatal(err)
	}
	taken, err := Records(i.Path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	here, err := Records(s.Path(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(Unfinished(here).Queue) != 2 || len(LastLoops(here)) != 1 {
		t.Fatal("nothing waits")
	}
	for what, rs := range map[string][]Record{"taken in": taken, "opened": Strangers(here)} {
		for _, r := range rs {
			if r.Folder != "" || r.Moved != nil || r.Queue != nil || r.Loops != nil {
				t.Errorf("%s: %+v", what, r)
			}
		}
		if g := LastGoal(rs); g.State != GoalRests || g.Text == "" {
			t.Errorf("%s: %+v", what, g)
		}
	}
	if g := LastGoal(here); g.State != GoalOpen {
		t.Errorf("the records themselves were changed: %+v", g)
	}
}
