package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/tips"
)

// tipped is a screen whose runs take a minute, with the counts in a file.
func tipped(t *testing.T, counts string) (Options, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tips.json")
	if counts != "" {
		if err := os.WriteFile(path, []byte(counts), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := testOptions(&fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
		sink(agent.TextDelta{Text: "I am at it"})
		return pause(ctx, time.Minute)
	}})
	o.Tips, o.Still = &tips.Book{Path: path}, true
	return o, path
}

// A run that takes its time shows a tip of what was not used, with the key in force, once;
// what was used meanwhile is kept.
func TestTipShown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o, path := tipped(t, `{"used":["/btw"]}`)
		keys, wrong := keymap.New([]keymap.Entry{{Action: "screen.steer", Keys: []string{"f9"}}})
		if len(wrong) > 0 {
			t.Fatal(wrong)
		}
		o.Keys = keys
		s := start(t, o, 100, 24)
		s.send("go\r")
		s.see("I am at it")
		later(6 * time.Second)
		if strings.Contains(s.text(), "tip ·") {
			t.Fatalf("a tip comes at once:\n%s", s.text())
		}
		s.see("tip · f9 · send now: the run reads it before its next step")
		s.send("\x0f") // it is used: not told any more
		later(55 * time.Second)
		s.gone("tip ·")
		s.send("again\r")
		later(70 * time.Second)
		later(10 * time.Minute)
		s.send("once more\r")
		s.see("tip · tab · ") // not /btw, nor ctrl+o
		s.send("\x1b")
		s.gone("tip ·")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != `{"used":["/btw","screen.unfold"],"shown":{"empty.read":1,"screen.steer":1}}`+"\n" {
			t.Errorf("%s, %v", text, err)
		}
	})
}

// A tip has the row that is blank, and no other row moves for it.
func TestTipMovesNothing(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 10}} {
		for _, inline := range []bool{false, true} {
			o, _ := tipped(t, "")
			o.Inline = inline
			m := still(t, o, size[0], size[1])
			m.tr.add(newNotice(long(60)))
			m.send("go")
			before := strings.Split(shot(m), "\n")
			m.tipFound(tips.Counts{})
			after := strings.Split(shot(m), "\n")
			if len(before) != len(after) {
				t.Fatalf("%v: %d rows and %d", size, len(before), len(after))
			}
			said := 0
			for y := range after {
				if strings.Contains(after[y], "tip · ") {
					said++
					if before[y] != "" {
						t.Errorf("%v inline %v: over %q", size, inline, before[y])
					}
				} else if after[y] != before[y] {
					t.Errorf("%v inline %v: row %d was %q and is %q", size, inline, y, before[y], after[y])
				}
			}
			if want := 1; size[0] == 40 && said > want || size[0] > 40 && said != want {
				t.Errorf("%v inline %v: %d tips\n%s", size, inline, said, strings.Join(after, "\n"))
			}
			for y := range after {
				if strings.HasSuffix(after[y], "…") && strings.Contains(after[y], "tip") {
					t.Errorf("%v: cut: %q", size, after[y])
				}
			}
		}
	}
}

// Every tip has words in each language; what has no key, does not fit or is switched off is
// not told.
func TestTips(t *testing.T) {
	o, _ := tipped(t, "")
	m := still(t, o, 80, 24)
	m.send("go")
	for _, tag := range lang.Tags() {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		for _, tip := range tips.All() {
			if text := m.tipText(tip); text == "" || strings.HasSuffix(text, m.th.Glyphs.Sep+" ") {
				t.Errorf("%s: %s says %q", tag, tip.ID(), text)
			}
		}
	}
	if err := lang.Use("en"); err != nil {
		t.Fatal(err)
	}
	m.tipFound(tips.Counts{})
	row := m.tipRow(80)
	if row == "" {
		t.Fatal("no tip")
	}
	if got := m.tipRow(30); got != "" {
		t.Errorf("in 30 cells: %q", got)
	}
	m.takeSetting(settingKept{tipsSetting, "false"})
	if got := m.tipRow(80); got != "" {
		t.Errorf("switched off: %q", got)
	}
	m.takeSetting(settingKept{tipsSetting, ""})
	if got := m.tipRow(80); got != row {
		t.Errorf("as usual again: %q", got)
	}
	m.use(string(keymap.Steer))
	if got := m.tipRow(80); got != "" {
		t.Errorf("it was just used: %q", got)
	}
	keys, wrong := keymap.New([]keymap.Entry{{Action: "screen.steer"}})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	m.o.Keys = keys
	if got := m.tipText(tips.Tip{Action: keymap.Steer}); got != "" {
		t.Errorf("a key that there is not: %q", got)
	}
}
