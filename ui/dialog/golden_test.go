package dialog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/golden"
	"forge/ui/theme"
)

// TestGolden draws a review through a terminal: the cells a person sees, with their
// colours, at each size and in each theme.
func TestGolden(t *testing.T) {
	before := "package lap\n\n/* 圈速\nreturn of\nthe lap */\nfunc Best(laps []int) int {\n\tbest := laps[0]\n\treturn best\n}\n\n" +
		strings.Repeat("// 说明\n", 9) + "var last = \"慢\" // of all\n"
	after := strings.NewReplacer("return of", "return from", "best := laps[0]", "best := laps[len(laps)-1]", "慢", "快").Replace(before)
	changes := []tools.Change{
		edit("lap/best.go", before, after),
		{Path: "lap/新.py", Op: tools.Create, After: []byte("def 新(x):\n    return \"" + strings.Repeat("很长的一行 ", 20) + "\" # end\n")},
	}
	themes := map[string]*theme.Theme{
		"dark": theme.New(true, colorprofile.TrueColor), "light": theme.New(false, colorprofile.ANSI256),
		"ansi": theme.New(true, colorprofile.ANSI), "none": theme.New(true, colorprofile.ASCII),
	}
	for _, size := range [][2]int{{80, 24}, {200, 50}, {40, 10}} {
		for name, th := range themes {
			if name == "none" && size[0] != 80 {
				continue
			}
			r := permission.Request{ID: "q", Effect: tools.Effect{Kind: tools.Write, Title: "change 2 files", Changes: changes}}
			s, _ := open(NewAsk(th, r, func(permission.Answer) {}))
			frame := func(keys ...string) string {
				for _, k := range keys {
					cmd, _ := s.Update(key(k))
					for cmd != nil {
						var msg tea.Msg
						if msg = cmd(); msg == nil {
							break
						}
						cmd, _ = s.Update(msg)
					}
				}
				return cells(t, s.View(size[0], size[1]).Rows, size[0], size[1])
			}
			frame() // a key is pressed on what is seen
			got := frame("v") + "\n--- the second hunk is edited, the third dropped\n" + frame("right", "x", "left", "e", "x", "ctrl+s") +
				"\n--- the files\n" + frame("l")
			path := filepath.Join("testdata", fmt.Sprintf("review-%s-%dx%d.golden", name, size[0], size[1]))
			golden.Same(t, path, got)
		}
	}
}

// cells draws rows on a terminal and reads back what stands there.
func cells(t *testing.T, rows []string, w, h int) string {
	t.Helper()
	if len(rows) > h {
		t.Errorf("%d rows in a window of %d", len(rows), h)
	}
	em := vt.NewEmulator(w, h)
	defer em.Close()
	if _, err := em.Write([]byte(strings.Join(rows, "\r\n"))); err != nil {
		t.Fatal(err)
	}
	got := strings.Split(em.Render(), "\n")
	for i := range got {
		got[i] = strings.TrimRight(got[i], " \r")
		if i < len(rows) && strings.TrimRight(ansi.Strip(got[i]), " ") != strings.TrimRight(ansi.Strip(rows[i]), " ") {
			t.Errorf("row %d came out as %q, drawn as %q", i, ansi.Strip(got[i]), ansi.Strip(rows[i]))
		}
	}
	return strings.ReplaceAll(strings.TrimRight(strings.Join(got, "\n"), "\n"), "\x1b", "␛") + "\n"
}
