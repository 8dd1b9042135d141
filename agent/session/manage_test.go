package session

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

func TestRenameAndRemove(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, conversation()[:4])
	if err := Rename(s.Path(), "x"); !errors.Is(err, ErrInUse) {
		t.Errorf("renamed while it is open: %v", err)
	}
	if err := Remove(s.Path()); !errors.Is(err, ErrInUse) {
		t.Errorf("deleted while it is open: %v", err)
	}
	s.Close()
	if err := Rename(s.Path(), "  a new\n name "); err != nil {
		t.Fatal(err)
	}
	if i, err := Find(dir, s.ID()); err != nil || i.Title != "a new name" || i.Branch != "main" || i.Cwd != "/home/me/project" {
		t.Errorf("%+v %v", i, err)
	}
	if err := Rename(s.Path(), " "); err == nil {
		t.Error("an empty name was taken")
	}
	if err := Remove(s.Path()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Error("it is still there")
	}
}

func TestPruneKeepsWhatIsOpenOrNew(t *testing.T) {
	dir := t.TempDir()
	old, open, fresh := write(t, dir, conversation()[:3]), write(t, dir, conversation()[:3]), write(t, dir, conversation()[:3])
	old.Close()
	fresh.Close()
	defer open.Close()
	past := time.Now().Add(-48 * time.Hour)
	for _, s := range []*Session{old, open} {
		if err := os.Chtimes(s.Path(), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if n := Prune(dir, time.Now().Add(-24*time.Hour), ""); n != 1 {
		t.Errorf("%d were deleted", n)
	}
	for s, want := range map[*Session]bool{old: false, open: true, fresh: true} {
		if _, err := os.Stat(s.Path()); (err == nil) != want {
			t.Errorf("%s: %v", s.ID(), err)
		}
	}
}

func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, conversation())
	s.Close()
	good, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	first, rest, _ := strings.Cut(string(good), "\n")
	for what, text := range map[string]string{
		"not a forge session":                                   rest,
		"a newer forge wrote it":                                strings.Replace(string(good), `"version":1`, `"version":2`, 1),
		"there is no conversation":                              first + "\n",
		"there is no conversation in it that forge can take in": "# A talk\n\n## You\n\njunk\n",
	} {
		file := filepath.Join(t.TempDir(), "x.jsonl")
		os.WriteFile(file, []byte(text), 0o600)
		to := filepath.Join(dir, "to")
		if _, _, err := Import(to, file, "/w"); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
		if es, _ := os.ReadDir(to); len(es) > 0 {
			t.Errorf("%s: left %v", what, es)
		}
	}
	file := filepath.Join(t.TempDir(), "x.jsonl")
	os.WriteFile(file, []byte(first+"\njunk\n"+rest), 0o600)
	i, skipped, err := Import(dir, file, "/w")
	if err != nil || skipped != (Damage{Lines: 1}) || i.ID == s.ID() {
		t.Errorf("%+v %d %v", i, skipped, err)
	}
}

// TestWhatIsTheirs: a copy of a conversation another forge has open does not go on with
// what is on there, and one of a conversation that had ended does not say it was stopped.
func TestWhatIsTheirs(t *testing.T) {
	said := []Record{{Message: user(text("do it"))}, {Message: assistant(text("done"))}, {End: &End{Why: EndDone}}}
	if out := Theirs(said); len(out) != 0 {
		t.Errorf("ended: %+v", out)
	}
	on := append(slices.Clone(said), Record{Message: user(text("more"))}, Record{Queue: &Queue{Prompts: []string{"then"}}}, Record{Spent: &Spent{Open: &Amount{Turns: 1}}})
	all := append(slices.Clone(on), Theirs(on)...)
	if l := Unfinished(all); l.Anything() {
		t.Errorf("left %+v", l)
	}
	if s := LastSpent(all); s.Open != nil {
		t.Errorf("open %+v", s.Open)
	}
}

// What was under way when forge ended is known, and only that.
func TestUnfinished(t *testing.T) {
	ask := Record{Asked: &Asked{ID: "2", Title: "run it"}}
	base := []Record{{Message: user(text("do it"))}, {Message: assistant(use("1"), use("2"))}}
	one := user(result("1", "one"))
	with := func(rs ...Record) []Record { return append(append([]Record{}, base...), rs...) }
	for name, c := range map[string]struct {
		rs   []Record
		run  bool
		text string
		ask  bool
		wait int
		last string // the last block's words
	}{
		"a prompt":        {base[:1], true, "", false, 0, "do it"},
		"calls":           {with(), true, "", false, 0, Interrupted},
		"a result":        {with(Record{Early: one}), true, "", false, 0, Interrupted},
		"asked":           {with(Record{Early: one}, ask), true, "", true, 0, NotRun},
		"behind it":       {with(Record{Asked: &Asked{ID: "1", Alone: true}}), true, "", true, 0, NotBegun},
		"beside it":       {with(Record{Asked: &Asked{ID: "1"}}), true, "", true, 0, Interrupted},
		"it came":         {with(Record{Asked: &Asked{ID: "1", Alone: true}}, Record{Early: user(result("2", "two"))}), true, "", true, 0, "two"},
		"answered":        {with(ask, Record{Asked: &Asked{ID: "2", Answer: "allowed"}}), true, "", false, 0, Interrupted},
		"said":            {with(Record{Message: user(result("1", "1"), result("2", "2"))}, Record{Partial: &Partial{New: true, Text: "a"}}, Record{Partial: &Partial{Text: "b"}}), true, "ab", false, 0, "ab"},
		"said again":      {with(Record{Message: user(result("1", "1"), result("2", "2"))}, Record{Partial: &Partial{New: true, Text: "a"}}, Record{Partial: &Partial{New: true, Text: "b"}}), true, "b", false, 0, "b"},
		"ended":           {with(Record{Message: user(result("1", "1"), result("2", "2"))}, Record{Partial: &Partial{Text: "a"}}, Record{End: &End{Why: EndCancelled}}), false, "", false, 0, "2"},
		"done":            {[]Record{base[0], {Message: assistant(text("ok"))}}, false, "", false, 0, "ok"},
		"sent since":      {with(Record{Message: user(result("1", "1"), result("2", "2"))}, Record{End: &End{Why: EndFailed}}, Record{Message: user(text("again"))}), true, "", false, 0, "again"},
		"queued":          {[]Record{base[0], {Message: assistant(text("ok"))}, {Queue: &Queue{Prompts: []string{"a", "b"}}}}, false, "", false, 2, "ok"},
		"queued and sent": {[]Record{base[0], {Queue: &Queue{Prompts: []string{"a", "b"}}}, {Message: assistant(text("ok"))}, {Message: user(text("a"))}}, true, "", false, 1, "a"},
	} {
		l := Unfinished(c.rs)
		if l.Run != c.run || l.Text != c.text || (l.Asked != nil) != c.ask || len(l.Queue) != c.wait {
			t.Errorf("%s: %+v", name, l)
		}
		if stopped := name == "ended"; l.Stopped != stopped {
			t.Errorf("%s: stopped is %v", name, l.Stopped)
		}
		ms := Messages(c.rs)
		bs := ms[len(ms)-1].Blocks
		got := ""
		switch b := bs[len(bs)-1].(type) {
		case provider.Text:
			got = b.Text
		case provider.ToolResult:
			got = b.Content[0].(provider.Text).Text
		}
		if got != c.last {
			t.Errorf("%s: the history ends with %q, want %q", name, got, c.last)
		}
		if again := Messages(append(History(c.rs), Owed(c.rs)...)); len(again) != len(ms) {
			t.Errorf("%s: gone on with it has %d messages, not %d", name, len(again), len(ms))
		}
	}
	if ms := Messages(with(Record{Early: one})); ms[2].Blocks[0].(provider.ToolResult).Content[0] != text("one") {
		t.Errorf("a result that came early is %+v", ms[2].Blocks[0])
	}
}
