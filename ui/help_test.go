package ui

import (
	"strings"
	"testing"
)

// Where it is wide, help stands in columns: nothing of it is lost or cut, and it is shorter.
func TestHelpInColumns(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	draw := helpRows(m.o.Keys, m.table)
	narrow := draw(m.th, 90)
	for w, columns := range map[int]int{200: 2, 260: 3} {
		wide := draw(m.th, w)
		if len(wide) > len(narrow)/columns+len(narrow)/8 {
			t.Errorf("%d rows of %d at %d", len(wide), len(narrow), w)
		}
		text := plainRows(wide)
		for _, row := range wide {
			if cellsOf(row) > w {
				t.Errorf("%d: %q", w, row)
			}
		}
		for _, c := range m.table {
			if !strings.Contains(text, "/"+c.name) || len(c.about) < 40 && !strings.Contains(text, c.about) {
				t.Errorf("no %s at %d", c.name, w)
			}
		}
		for _, r := range narrow { // the names of all keys
			if name := strings.TrimSpace(plainRows([]string{r})[:min(len(plainRows([]string{r})), 20)]); name != "" && !strings.Contains(text, strings.Fields(name)[0]) {
				t.Errorf("no %q at %d", name, w)
			}
		}
	}
}
