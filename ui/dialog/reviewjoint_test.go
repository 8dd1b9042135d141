package dialog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/golden"
	"forge/ui/lang"
)

// several are three calls of one answer: two of them change one file, and the second of
// these builds on the first hunk of the first.
func several() permission.Request {
	before, after := threeHunks()
	later := strings.Replace(after, "ONE", "ONE and more", 1)
	call := func(id, title string, c tools.Change) permission.Request {
		return permission.Request{Call: tools.Call{ID: id}, Effect: tools.Effect{Kind: tools.Write, Title: title, Changes: []tools.Change{c}}}
	}
	r := call("1", "edit a.go", edit("a.go", before, after))
	r.ID, r.Of = "q", 3
	r.Grants = []permission.Grant{{Text: "edit files in the workspace root"}}
	r.With = []permission.Request{call("2", "edit b.go", edit("b.go", "x\n", "y\n")), call("3", "edit a.go", edit("a.go", after, later))}
	r.Rework = func(kept map[string][]tools.Change) []tools.Planned {
		now := after
		if k, ok := kept["1"]; ok {
			if now = before; len(k) > 0 {
				now = string(k[0].After)
			}
		}
		third := tools.Planned{Call: tools.Call{ID: "3"}, Err: errors.New("ONE is not there")}
		if strings.Contains(now, "ONE") {
			third = tools.Planned{Call: tools.Call{ID: "3"}, Effect: tools.Effect{Kind: tools.Write,
				Changes: []tools.Change{edit("a.go", now, strings.Replace(now, "ONE", "ONE and more", 1))}}}
		}
		return []tools.Planned{{Call: tools.Call{ID: "2"}, Effect: r.With[0].Effect}, third}
	}
	return r
}

func severalDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{T: t}
	d.s, d.clock = open(NewAsk(dark, several(), func(a permission.Answer) { d.got = &a }))
	d.s.View(100, 40)
	return d
}

// said is an answer in short words: what of each call is done.
func said(a *permission.Answer) string {
	var out []string
	for _, a := range append([]permission.Answer{*a}, a.With...) {
		s := "no"
		switch {
		case a.Alone:
			s = "alone"
		case a.Open:
			s = "open"
		case a.Allow && a.Changes != nil:
			s = "part"
		case a.Allow:
			s = "yes"
		}
		if a.Shown != nil {
			s += " as shown"
		}
		if a.Reason != "" {
			s += ": " + a.Reason
		}
		out = append(out, s)
	}
	return strings.Join(out, " | ")
}

// One question shows the calls of an answer, and what the person does is said of each.
func TestReviewOfSeveralCalls(t *testing.T) {
	const down = "every change was turned down in the review."
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"all", []string{"y"}, "yes | yes | yes"},
		{"none", []string{"n"}, "no | no | no"},
		{"none, and why", []string{"tab", "'not so", "enter"}, "no: not so | no: not so | no: not so"},
		{"all dropped", []string{"a", "y"}, "no: " + down + " | no: " + down + " | no: " + down},
		{"a file dropped", []string{"}", "X", "y"}, "yes | no: " + down + " | yes"},
		{"in the list", []string{"l", "down", "x", "enter", "y"}, "yes | no: " + down + " | yes"},
		{"what another builds on dropped", []string{"x", "y"}, "part | yes | open"},
		{"and kept again", []string{"x", "x", "y"}, "yes | yes | yes"},
		{"what it does not build on dropped", []string{"right", "x", "y", "y"}, "part | yes | yes as shown"},
		{"the first call dropped", []string{"X", "y"}, "no: " + down + " | yes | open"},
		{"each alone", []string{"i"}, "alone"},
		{"a comment at the second", []string{"}", "c", "'fine", "enter", "y"}, "yes | yes: fine (said of hunk 1 of 1 of b.go, from line 1 on) | yes"},
		{"a comment at a dropped one", []string{"}", "x", "c", "'why", "enter", "y"},
			"yes | no: " + down + " why (said of hunk 1 of 1 of b.go, from line 1 on) | yes"},
		{"for the session", []string{"s"}, "yes | yes | yes"},
		{"edited", []string{"}", "e", "end", "'!", "ctrl+s", "y"}, "yes | part | yes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := severalDesk(t)
			d.press(c.keys...)
			if d.got == nil {
				t.Fatalf("no answer:\n%s", shown(d.s.View(100, 40)))
			}
			if got := said(d.got); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if session := d.got.Scope == permission.ScopeSession; session != slices.Contains(c.keys, "s") {
				t.Errorf("scope %q", d.got.Scope)
			}
		})
	}
}

// What builds on a dropped hunk is shown as it would be then, must be read anew, and
// comes back as it was when the hunk is kept again.
func TestWhatBuildsOnADroppedHunk(t *testing.T) {
	d := severalDesk(t)
	d.shows("3 changes of one answer, 2 files", "make all 3 changes", "change 1 of 3", "allow for this session")
	d.press("x")
	d.shows("1 change builds on this and was worked out anew", "edit a.go  builds on what you dropped", "write 3 of 5 hunks")
	if v := shown(d.s.View(100, 40)); strings.Contains(v, "allow for this session") {
		t.Errorf("a part of it says nothing of other files:\n%s", v)
	}
	for _, k := range []string{"x", "X", "e", "o", "u"} {
		d.press("}", "}", k)
		d.shows("it cannot be made: it builds on what you dropped")
		d.press("}")
	}
	d.press("x")
	d.shows("ONE and more", "make all 3 changes")
	d.press("right", "x")
	third := d.s.dialogs[0].(*Ask).review.files[2]
	if string(third.change.Before) == "" || strings.Contains(string(third.change.Before), "TWO") {
		t.Errorf("the third is shown on %q", third.change.Before)
	}
	d.press("left", "x", "y")
	if got := said(d.got); got != "part | yes | open" {
		t.Error(got)
	}
}

// A closed screen answers for all, and nothing can be told apart of one call alone.
func TestSeveralClosedAndOneAlone(t *testing.T) {
	d := severalDesk(t)
	d.s.Close()
	if d.got == nil || !d.got.Unattended || len(d.got.With) != 2 || !d.got.With[1].Unattended {
		t.Errorf("%+v", d.got)
	}
	d = newDesk(t, dark, edit("a.go", "x\n", "y\n"))
	d.press("i")
	d.shows("this is the only change that is asked about")
	if d.got != nil {
		t.Errorf("%+v", d.got)
	}
}

// The review of several calls as it looks, in each size and language.
func TestSeveralInEachSize(t *testing.T) {
	for _, tag := range []string{lang.English, "zh"} {
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			t.Run(fmt.Sprintf("%s %dx%d", tag, size[0], size[1]), func(t *testing.T) {
				if err := lang.Use(tag); err != nil {
					t.Fatal(err)
				}
				defer func() {
					if err := lang.Use(lang.English); err != nil {
						t.Fatal(err)
					}
				}()
				d := severalDesk(t)
				var b strings.Builder
				for _, keys := range [][]string{nil, {"}"}, {"l"}, {"enter", "{", "x"}, {"?"}} {
					for _, k := range keys {
						cmd, _ := d.s.Update(key(k))
						d.run(cmd)
						d.s.View(size[0], size[1])
					}
					fmt.Fprintf(&b, "--- %s\n%s", strings.Join(keys, " "), cells(t, d.s.View(size[0], size[1]).Rows, size[0], size[1]))
				}
				golden.Same(t, filepath.Join("testdata", fmt.Sprintf("several-%s-%dx%d.golden", tag, size[0], size[1])), b.String())
			})
		}
	}
}
