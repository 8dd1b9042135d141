//go:build unix

package builtin

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools"
)

// answering is a guard that does something while it is asked, and then answers.
type answering struct {
	while []func()
	say   func(n int, e tools.Effect) tools.Verdict
	asked []tools.Effect
}

func (a *answering) Authorize(_ context.Context, _ tools.Call, e tools.Effect) (tools.Verdict, error) {
	n := len(a.asked)
	a.asked = append(a.asked, e)
	if n < len(a.while) {
		a.while[n]()
	}
	if a.say != nil {
		return a.say(n, e), nil
	}
	return tools.Verdict{Allow: true}, nil
}

// call sends a call through the door.
func (r *rig) call(g tools.Guard, name string, args o) tools.Outcome {
	r.Helper()
	reg := &tools.Registry{}
	if err := reg.Set("test", []tools.Tool{r.tools[name]}, false); err != nil {
		r.Fatal(err)
	}
	x := &tools.Executor{Tools: reg, Guard: g}
	c := tools.Call{ID: "1", Name: name, Input: input(args)}
	inv, err := x.Prepare(r.Context(), c)
	if err != nil {
		r.Fatal(err)
	}
	return x.Run(r.Context(), c, inv, tools.Watch{})
}

// A file changed while the question was open is joined with the change and asked
// about anew: what is written is what the second answer was about.
func TestChangedWhileAsked(t *testing.T) {
	before := numberedLines(20)
	edit := one("f", "line 15\n", "fifteen\n")
	theirs := strings.Replace(before, "line 3\n", "three\n", 1)
	both := strings.Replace(theirs, "line 15\n", "fifteen\n", 1)
	start := func(t *testing.T) *rig {
		r := newRig(t, map[string]string{"f": before})
		r.ok("read_file", o{"path": "f"})
		return r
	}
	t.Run("clean", func(t *testing.T) {
		r := start(t)
		g := &answering{while: []func(){func() { r.put("f", theirs) }}}
		out := r.call(g, "edit_file", edit)
		r.holds("f", both)
		if len(g.asked) != 2 || string(g.asked[1].Changes[0].Before) != theirs || string(g.asked[1].Changes[0].After) != both ||
			!strings.Contains(g.asked[1].Detail, "f was changed on disk while this waited") {
			t.Fatalf("asked %+v", g.asked)
		}
		if out.Result.IsError || out.Result.Refused || len(out.Changes) != 1 || string(out.Changes[0].Before) != theirs {
			t.Errorf("%+v", out)
		}
		r.has(out.Result.Text, "f was changed by somebody else while this change waited, and your change was joined", "-line 3\n+three\n", "changed f (+1 −1)")
		r.ok("edit_file", one("f", "three", "3")) // it was told all of it
	})
	t.Run("refused then", func(t *testing.T) {
		r := start(t)
		g := &answering{while: []func(){func() { r.put("f", theirs) }}, say: func(n int, _ tools.Effect) tools.Verdict {
			return tools.Verdict{Allow: n == 0, Reason: "not like this"}
		}}
		out := r.call(g, "edit_file", edit)
		r.holds("f", theirs)
		if !out.Result.IsError || !out.Result.Refused || len(out.Changes) != 0 {
			t.Errorf("%+v", out)
		}
		r.has(out.Result.Text, "+three\n", "not written: not like this")
	})
	t.Run("and again", func(t *testing.T) {
		r := start(t)
		more := strings.Replace(theirs, "line 9\n", "nine\n", 1)
		g := &answering{while: []func(){func() { r.put("f", theirs) }, func() { r.put("f", more) }}}
		out := r.call(g, "edit_file", edit)
		r.holds("f", strings.Replace(more, "line 15\n", "fifteen\n", 1))
		if len(g.asked) != 3 || out.Result.IsError || len(out.Changes) != 1 {
			t.Errorf("%d asked, %+v", len(g.asked), out)
		}
	})
	t.Run("without end", func(t *testing.T) {
		r := start(t)
		n := 0
		change := func() { n++; r.put("f", strings.Repeat("x\n", n)+theirs) }
		out := r.call(&answering{while: []func(){change, change, change, change}}, "edit_file", edit)
		if !out.Result.IsError || len(out.Changes) != 0 || n != 3 {
			t.Errorf("%d times, %+v", n, out)
		}
		r.holds("f", strings.Repeat("x\n", 3)+theirs)
	})
	t.Run("the same change", func(t *testing.T) {
		r := start(t)
		out := r.call(&answering{while: []func(){func() { r.put("f", strings.Replace(before, "line 15\n", "fifteen\n", 1)) }}}, "edit_file", edit)
		if out.Result.IsError || len(out.Changes) != 0 || !strings.Contains(out.Result.Text, "f holds exactly this already") {
			t.Errorf("%+v", out)
		}
	})
	t.Run("gone", func(t *testing.T) {
		r := start(t)
		out := r.call(&answering{while: []func(){func() { os.Remove(filepath.Join(r.dir, "f")) }}}, "edit_file", edit)
		if !out.Result.IsError || !strings.Contains(out.Result.Text, "it is gone") {
			t.Errorf("%+v", out)
		}
	})
	t.Run("mode kept", func(t *testing.T) {
		r := start(t)
		r.call(&answering{while: []func(){func() {
			r.put("f", theirs)
			if err := os.Chmod(filepath.Join(r.dir, "f"), 0o750); err != nil {
				t.Fatal(err)
			}
		}}}, "edit_file", edit)
		if fi, err := os.Stat(filepath.Join(r.dir, "f")); err != nil || fi.Mode() != fs.FileMode(0o750) {
			t.Errorf("%v, %v", fi, err)
		}
		r.holds("f", both)
	})
	t.Run("created meanwhile", func(t *testing.T) {
		r := start(t)
		g := &answering{while: []func(){func() { r.put("new", "theirs\n") }}}
		out := r.call(g, "write_file", o{"path": "new", "content": "ours\n"})
		r.holds("new", "theirs\n")
		if !out.Result.IsError || len(g.asked) != 2 || g.asked[1].Changes[0].Conflicts != 1 {
			t.Errorf("%+v, asked %+v", out, g.asked)
		}
	})
	t.Run("UTF-16", func(t *testing.T) {
		wide := func(s string) string {
			b, err := text{utf16LE, s}.encode()
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		}
		r := newRig(t, map[string]string{"f": wide("a\r\n\u0a0a\r\nc\r\n")})
		r.ok("read_file", o{"path": "f"})
		g := &answering{while: []func(){func() { r.put("f", wide("a\r\n\u0a0a\r\nC\r\n")) }}}
		if out := r.call(g, "edit_file", one("f", "a\n", "A\n")); out.Result.IsError {
			t.Errorf("%+v", out)
		}
		r.holds("f", wide("A\r\n\u0a0a\r\nC\r\n"))
	})
}

// Where both changed the same place, a person may settle it; nobody else writes it.
func TestConflictWhileAsked(t *testing.T) {
	before, theirs := "a\nb\nc\n", "a\ntheirs\nc\n"
	start := func(t *testing.T) (*rig, *answering) {
		r := newRig(t, map[string]string{"f": before})
		r.ok("read_file", o{"path": "f"})
		return r, &answering{while: []func(){func() { r.put("f", theirs) }}}
	}
	r, g := start(t)
	out := r.call(g, "edit_file", one("f", "b", "ours")) // nobody looks: the same yes again
	r.holds("f", theirs)
	c := g.asked[1].Changes[0]
	if !out.Result.IsError || c.Conflicts != 1 || string(c.After) != "a\n<<<<<<< proposed\nours\n=======\ntheirs\n>>>>>>> in the file now\nc\n" {
		t.Errorf("%+v, asked %+v", out, c)
	}
	r.has(out.Result.Text, "in the same place as yours", "-b\n+theirs\n", "read it again, then change it")
	r.fails("edit_file", one("f", "theirs", "x"), "changed on disk since you last read it")

	r, g = start(t)
	g.say = func(n int, e tools.Effect) tools.Verdict {
		v := tools.Verdict{Allow: true}
		if n == 1 {
			c := e.Changes[0]
			c.After, c.Conflicts = []byte("a\nours and theirs\nc\n"), 0
			v.Changes = []tools.Change{c}
		}
		return v
	}
	out = r.call(g, "edit_file", one("f", "b", "ours"))
	r.holds("f", "a\nours and theirs\nc\n")
	if out.Result.IsError || len(out.Changes) != 1 {
		t.Errorf("%+v", out)
	}
	r.has(out.Result.Text, "the user settled the conflict", "-ours\n+ours and theirs\n")
	r.ok("edit_file", one("f", "ours and theirs", "done"))
}

// What the model was not told in full it has to read before it changes it again.
func TestLongReviewIsNotKnown(t *testing.T) {
	r := newRig(t, map[string]string{"f": "a\n"})
	r.ok("read_file", o{"path": "f"})
	own := numberedLines(3 * maxShown)
	g := &answering{say: func(_ int, e tools.Effect) tools.Verdict {
		c := e.Changes[0]
		c.After = []byte(own)
		return tools.Verdict{Allow: true, Changes: []tools.Change{c}}
	}}
	r.call(g, "edit_file", one("f", "a", "b"))
	r.holds("f", own)
	r.fails("edit_file", one("f", "line 7\n", "x\n"), "changed on disk since you last read it")
}
