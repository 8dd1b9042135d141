package ledger

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/golden"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

var dark = theme.New(true, colorprofile.TrueColor)

func some() Window {
	items := []Item{
		{Group: "system", Name: "system prompt", Tokens: 2100, Fixed: true, Cost: 0.00063},
		{Group: "memory", Name: "AGENTS.md", Tokens: 640, Fixed: true},
		{Group: "tools", Owner: "forge", Name: "read_file", About: "Reads a file.", Tokens: 310, Fixed: true},
		{Group: "tools", Owner: "forge", Name: "run_bash", About: "Runs a command.", Tokens: 520, Fixed: true},
		{Group: "tools", Owner: "docs", Name: "mcp__docs__find", About: "Finds.", Tokens: 4200, Fixed: true},
		{ID: "p1", Group: "talk", Kind: "prompt", Name: "修复 the median of 偶数 lists", Tokens: 12, Age: 4},
		{ID: "t1", Group: "talk", Kind: "thinking", Name: "hm", Tokens: 80, Age: 4, Fixed: true},
		{ID: "c1/call", Group: "talk", Kind: "call", Name: "run_bash", About: `{"command":"go test ./..."}`, Tokens: 22, Age: 3},
		{ID: "c1", Group: "talk", Kind: "result", Name: "run_bash", Of: "go test ./...", About: "--- FAIL: \x1b[31mTestMedian", Tokens: 18200, Age: 3, Cost: 0.00546},
		{ID: "c2", Group: "talk", Kind: "result", Name: "read_file", About: "package stats", Tokens: 900, Age: 2, Cost: 0.00027},
		{ID: "a1", Group: "talk", Kind: "answer", Name: "The median of an even list is the mean of two.", Tokens: 60, Age: 1},
	}
	return Window{Items: items, Tokens: 61_300, Limit: 108_000, Size: 128_000, CostKnown: true,
		Turns: []float64{12_000, 14_000, 22_000, 41_000, 39_000, 52_000, 61_300}, Costs: []float64{0.02, 0.03, 0.05, 0.09, 0.08, 0.07, 0.08}}
}

func used() Usage {
	return Usage{
		Session:    Sum{Calls: 7, USD: 0.42, Input: 181_000, Output: 6200, CacheRead: 150_000},
		Today:      Sum{Calls: 31, USD: 2.12, Unpriced: 4, Input: 1_400_000, Output: 41_000},
		TodayKnown: true, Work: "4 m 12 s", Missed: 12_000, MissedCost: 0.03,
		Models: []Sum{{Name: "anthropic/claude", Calls: 5, USD: 0.4, Input: 160_000, Output: 5000}, {Name: "local/qwen", Calls: 2, Unpriced: 2, Input: 21_000, Output: 1200}},
		Tokens: []float64{12_000, 14_000, 22_000, 41_000, 39_000, 52_000, 61_300}, Costs: []float64{0.02, 0.03, 0.05, 0.09, 0.08, 0.07, 0.08},
		Levels: []Level{{Name: "money", Spent: "$0.42", Limit: "$0.50", Share: 0.84}, {Name: "turns, today", Spent: "31 turns", Limit: "30 turns", Share: 1.03}},
		Used:   61_300, Size: 128_000, Limit: 108_000,
	}
}

func plain(rows []string) string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(out, "\n") + "\n"
}

func TestFrames(t *testing.T) {
	defer func() { _ = lang.Use(lang.English) }()
	for _, tag := range []string{"en", "zh"} {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int{{80, 24}, {40, 10}, {120, 40}} {
			w, h := size[0], size[1]
			c := NewContext(some())
			c.win.Items[8].Dropped, c.win.Items[9].Pinned = true, true
			rows := c.View(dark, w, h)
			if len(rows) != h {
				t.Fatalf("%d rows of %d", len(rows), h)
			}
			usage := used().View(dark, w)
			for _, r := range append(rows[:h:h], usage...) {
				if safe.Width(r) > w {
					t.Errorf("%d cells of %d: %q", safe.Width(r), w, r)
				}
			}
			golden.Same(t, golden.Of(fmt.Sprintf("context-%s-%dx%d", tag, w, h)), plain(rows))
			golden.Same(t, golden.Of(fmt.Sprintf("usage-%s-%d", tag, w)), plain(usage))
		}
	}
}

// Every size has its rows, whatever is shown.
func TestSizes(t *testing.T) {
	for w := 1; w < 90; w += 7 {
		for h := 1; h < 30; h += 3 {
			for _, win := range []Window{some(), {}} {
				rows := NewContext(win).View(dark, w, h)
				if len(rows) != h {
					t.Fatalf("%dx%d: %d rows", w, h, len(rows))
				}
				for _, r := range rows {
					if safe.Width(r) > w {
						t.Fatalf("%dx%d: %q", w, h, r)
					}
				}
			}
		}
		used().View(dark, w)
		Usage{}.View(dark, w)
	}
}

// press goes to an item and presses keys.
func press(c *Context, id string, keys ...string) (a Action, undo bool) {
	for i, r := range c.rows {
		if r.item != nil && r.item.ID == id {
			c.at = i
		}
	}
	for _, k := range keys {
		a, undo = c.Key(k)
	}
	return a, undo
}

func TestContextNamesItsKeys(t *testing.T) {
	for w, want := range map[int]string{80: "enter open · esc close", 120: "s sort · enter open · esc close"} {
		rows := NewContext(Window{}).View(dark, w, 24)
		if got := ansi.Strip(rows[len(rows)-1]); !strings.Contains(got, want) || strings.Contains(got, "…") {
			t.Errorf("%d columns: %q", w, got)
		}
	}
}

func TestKeys(t *testing.T) {
	c := NewContext(some())
	for _, k := range []struct {
		id, key string
		want    Action
	}{
		{"c1", "d", Action{Drop, "c1", Restore}}, {"c1", "c", Action{Collapse, "c1", Restore}}, {"c1", "p", Action{Pin, "c1", Unpin}},
		{"c1", "r", Action{}}, {"a1", "c", Action{}}, {"t1", "d", Action{}}, {"c1", "esc", Action{Want: Close}}, {"c1", "x", Action{}},
	} {
		if a, _ := press(c, k.id, k.key); a != k.want {
			t.Errorf("%s on %s asks for %+v", k.key, k.id, a)
		}
	}
	for key, short := range map[string]func(*Item){"d": func(it *Item) { it.Short = true }, "c": func(it *Item) { it.Whole = true }} {
		w := some()
		for i := range w.Items {
			short(&w.Items[i])
		}
		c := NewContext(w)
		if a, _ := press(c, "c1", key); a != (Action{}) || !strings.Contains(c.note, "too short") {
			t.Errorf("%s on what is too short asks for %+v, said %q", key, a, c.note)
		}
	}
	if _, undo := press(c, "c1", "u"); undo || c.note == "" {
		t.Error("undone before anything was done")
	}
	a, _ := press(c, "c1", "d")
	w := some()
	w.Items[8].Dropped, w.Items[8].Edited = true, true
	c.Set(w)
	c.Did(a)
	if c.rows[c.at].item.ID != "c1" {
		t.Error("the keys are elsewhere")
	}
	if a, undo := press(c, "c1", "u"); !undo || a != (Action{Restore, "c1", Drop}) {
		t.Errorf("undo asks for %+v", a)
	}
	c.Undone()
	if _, undo := press(c, "c1", "u"); undo {
		t.Error("undone twice")
	}
	if a, _ := press(c, "c1", "r"); a != (Action{Restore, "c1", Drop}) {
		t.Errorf("restore asks for %+v", a)
	}
	// The largest first, and in order again.
	press(c, "c2", "s")
	if c.rows[c.at].item.ID != "c2" || !strings.Contains(plain(c.View(dark, 80, 30)), "result of run_bash") {
		t.Error("sorted, the keys are elsewhere")
	}
	order := ""
	for _, r := range c.rows {
		if r.item != nil && r.item.Group == "talk" {
			order += r.item.ID + " "
		}
	}
	if !strings.HasPrefix(order, "c1 c2 t1 ") {
		t.Errorf("by size: %s", order)
	}
	// Tools fold and unfold.
	n := len(c.rows)
	for i, r := range c.rows {
		if r.group == "tools docs" {
			c.at = i
		}
	}
	c.Key("enter")
	if len(c.rows) != n+1 {
		t.Errorf("%d rows, were %d", len(c.rows), n)
	}
}

func TestGaugeAndSpark(t *testing.T) {
	for share, want := range map[float64]string{0: "░░░░░░░░░    0%", 0.001: "█░░░░░░░░    0%", 0.5: "█████░░░░   50%", 0.8: "███████░░ ▲ 80%", 1.7: "█████████ ▲170%"} {
		if got := ansi.Strip(Gauge(dark, share, 0, 15)); got != want {
			t.Errorf("%v: %q", share, got)
		}
	}
	if got := ansi.Strip(Gauge(dark, 0.2, 0.8, 15)); got != "██░░░░░│░   20%" {
		t.Errorf("%q", got)
	}
	if got := ansi.Strip(Spark(dark, []float64{0, 1, 7, 14}, 10)); got != "▁▂▅█" {
		t.Errorf("%q", got)
	}
	many := make([]float64, 1000)
	many[999] = 5
	if got := []rune(ansi.Strip(Spark(dark, many, 20))); len(got) != 20 || got[19] != '█' || got[0] != '▁' {
		t.Errorf("%q", string(got))
	}
	many[998], many[999] = 9, 0 // the largest of a cell's values counts, not the last
	if got := []rune(ansi.Strip(Spark(dark, many, 20))); got[19] != '█' {
		t.Errorf("%q", string(got))
	}
	ascii, err := theme.Named("ansi", true, colorprofile.ANSI, theme.ASCII())
	if err != nil {
		t.Fatal(err)
	}
	if got := ansi.Strip(Spark(ascii, []float64{0, 0.001, 1}, 10)); got != " .#" {
		t.Errorf("%q", got)
	}
}

// Few cents are said to the digits that tell them apart, whatever shows them.
func TestMoney(t *testing.T) {
	for usd, want := range map[float64]string{0: "$0.00", 12.345: "$12.35", 0.42: "$0.42", 0.1: "$0.10", 0.042: "$0.042", 0.0042: "$0.0042",
		0.00042: "$0.00042", 0.000042: "$0.00004", 0.002: "$0.002", 0.01: "$0.01", 0.000001: "$0.00", -1: "$-1.00"} {
		if got := Money(usd); got != want {
			t.Errorf("%v is said as %s, not %s", usd, got, want)
		}
	}
}

// In lines it is said what the panels show, each thing once, and an item by the number
// of its place.
func TestLines(t *testing.T) {
	defer func() { _ = lang.Use(lang.English) }()
	for _, tag := range []string{"en", "zh"} {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		w := some()
		w.Items[8].Dropped, w.Items[9].Pinned = true, true
		out := append(w.Lines(), "")
		out = append(append(out, w.Listed(100, false)...), "")
		out = append(append(out, w.Listed(2, true)...), "")
		out = append(append(out, w.Listed(2, false)...), "")
		out = append(append(out, w.ToolLines()...), "")
		out = append(append(out, used().Lines()...), "")
		golden.Same(t, golden.Of("lines-"+tag), strings.Join(append(out, Usage{Trouble: "usage.jsonl: permission denied"}.Lines()...), "\n")+"\n")
	}
}
