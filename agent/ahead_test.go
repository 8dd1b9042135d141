package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/provider/demo"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/tools/sandbox"
)

// reviewer answers questions as a test says.
type reviewer func(permission.Request) permission.Answer

func (f reviewer) Ask(_ context.Context, r permission.Request) (permission.Answer, error) {
	return f(r), nil
}

// desk is a workspace in which one answer of a model is carried out.
type desk struct {
	t     *testing.T
	dir   string
	asked []permission.Request
	rules []permission.Rule
	mode  permission.Mode
	guard *permission.Manager
	ended []ToolEnd
}

func newDesk(t *testing.T, files map[string]string) *desk {
	d := &desk{t: t, dir: t.TempDir()}
	for name, text := range files {
		d.put(name, text)
	}
	return d
}

func (d *desk) put(name, text string) {
	d.t.Helper()
	at := filepath.Join(d.dir, name)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		d.t.Fatal(err)
	}
	put(d.t, at, text)
}

// files is all the workspace holds.
func (d *desk) files() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(d.dir), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(d.dir, name))
		out[name] = string(b)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// carryOut has a scripted model read all files and then ask for these calls in one
// answer. It returns what the model was told of each.
func (d *desk) carryOut(ask reviewer, calls ...string) []string {
	d.t.Helper()
	var s strings.Builder
	s.WriteString("expect user go\n")
	for _, name := range slices.Sorted(maps.Keys(d.files())) {
		fmt.Fprintf(&s, "call read_file {\"path\":%q}\n", name)
	}
	if len(d.files()) > 0 {
		s.WriteString("end\n\n")
	}
	for _, c := range calls {
		s.WriteString("call " + c + "\n")
	}
	s.WriteString("end\n\ntext Done.\nend\n")
	script, err := demo.Parse(strings.NewReader(s.String()))
	if err != nil {
		d.t.Fatalf("%v\n%s", err, &s)
	}
	ws, err := sandbox.OpenWorkspace(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	defer ws.Close()
	reg, err := tools.NewRegistry(builtin.All(&builtin.Env{Workspace: ws})...)
	if err != nil {
		d.t.Fatal(err)
	}
	d.guard = permission.New(permission.Options{Roots: ws.Roots(), Mode: d.mode, Rules: d.rules, Protected: func(path string) bool {
		return sandbox.Protected(strings.TrimPrefix(strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(ws.Root())), "/"))
	},
		Asker: reviewer(func(r permission.Request) permission.Answer {
			d.asked = append(d.asked, r)
			return ask(r)
		})})
	a := New(Options{Provider: demo.New(script, demo.Options{}), Model: demo.Model(), Exec: &tools.Executor{Tools: reg, Guard: d.guard}})
	if err := a.Run(d.t.Context(), Prompt{Text: "go"}, func(e Event) {
		if e, ok := e.(ToolEnd); ok {
			d.ended = append(d.ended, e)
		}
	}); err != nil {
		d.t.Fatal(err)
	}
	return results(a, 1)
}

func (d *desk) holds(want map[string]string) {
	d.t.Helper()
	if got := d.files(); !maps.Equal(got, want) {
		d.t.Errorf("the files are\n%q, want\n%q", got, want)
	}
}

// says wants each result to hold some words, in order.
func (d *desk) says(results []string, want ...string) {
	d.t.Helper()
	if len(results) != len(want) {
		d.t.Fatalf("%d results: %q", len(results), results)
	}
	for i, w := range want {
		if !strings.Contains(results[i], w) {
			d.t.Errorf("result %d does not say %q:\n%s", i+1, w, results[i])
		}
	}
}

func editCall(path string, pairs ...string) string {
	type one struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	in := struct {
		Path  string `json:"path"`
		Edits []one  `json:"edits"`
	}{Path: path}
	for i := 0; i+1 < len(pairs); i += 2 {
		in.Edits = append(in.Edits, one{pairs[i], pairs[i+1]})
	}
	b, _ := json.Marshal(in)
	return "edit_file " + string(b)
}

func writeCall(path, text string) string {
	b, _ := json.Marshal(map[string]string{"path": path, "content": text})
	return "write_file " + string(b)
}

// yes takes all that is shown.
func yes(r permission.Request) permission.Answer {
	a := permission.Answer{Allow: true}
	for range r.With {
		a.With = append(a.With, permission.Answer{Allow: true})
	}
	return a
}

var fiveEdits = []string{
	editCall("a.go", "one", "ONE"),
	editCall("b.go", "x", "y"),
	editCall("a.go", "ONE\n", "ONE and more\n"),
	writeCall("sub/new.go", "package sub\n"),
	`delete_file {"path":"old.go"}`,
}

func ground() map[string]string {
	return map[string]string{"a.go": "one\ntwo\nthree\n", "b.go": "x\n", "old.go": "gone\n"}
}

// Five edits of one answer are one question, each shown on what those before it leave,
// with nothing on disk yet; and each lands by itself.
func TestOneQuestionForSeveralEdits(t *testing.T) {
	d := newDesk(t, ground())
	res := d.carryOut(func(r permission.Request) permission.Answer {
		d.holds(ground())
		return yes(r)
	}, fiveEdits...)
	if len(d.asked) != 1 || len(d.asked[0].With) != 4 || d.asked[0].Of != 5 {
		t.Fatalf("asked %d times: %+v", len(d.asked), d.asked)
	}
	if c := d.asked[0].With[1].Effect.Changes[0]; string(c.Before) != "ONE\ntwo\nthree\n" || string(c.After) != "ONE and more\ntwo\nthree\n" {
		t.Errorf("the second edit of a.go is shown as %q to %q", c.Before, c.After)
	}
	if g := d.asked[0].Grants; len(g) != 3 { // edit at the root, edit in sub/, delete at the root
		t.Errorf("grants %+v", g)
	}
	d.says(res, "changed a.go", "changed b.go", "changed a.go", "created sub/new.go", "deleted old.go")
	d.holds(map[string]string{"a.go": "ONE and more\ntwo\nthree\n", "b.go": "y\n", "sub/new.go": "package sub\n"})
}

// What was refused is told to the model by the call it was, with the reason.
func TestSomeOfSeveralEditsRefused(t *testing.T) {
	d := newDesk(t, ground())
	res := d.carryOut(func(r permission.Request) permission.Answer {
		a := yes(r)
		a.With[0] = permission.Answer{Reason: "b.go stays"}
		a.With[2].Reason = "well done"
		return a
	}, fiveEdits...)
	if len(d.asked) != 1 {
		t.Errorf("asked %d times", len(d.asked))
	}
	d.says(res, "changed a.go", "declined and says: b.go stays", "changed a.go", "the user says: well done\ncreated", "deleted old.go")
	d.holds(map[string]string{"a.go": "ONE and more\ntwo\nthree\n", "b.go": "x\n", "sub/new.go": "package sub\n"})
}

// An asker that answers the one call it was asked about is asked about each, and told
// which of how many it is.
func TestSeveralEditsOneByOne(t *testing.T) {
	for _, alone := range []bool{false, true} {
		d := newDesk(t, ground())
		d.carryOut(func(r permission.Request) permission.Answer {
			return permission.Answer{Allow: !alone || len(r.With) == 0, Alone: alone && len(r.With) > 0}
		}, fiveEdits...)
		var at []int
		for _, r := range d.asked {
			if r.Of != 5 {
				t.Errorf("%d of %d", r.Nth, r.Of)
			}
			at = append(at, r.Nth)
		}
		want := []int{0, 1, 2, 3, 4}
		if alone {
			want = []int{0, 0, 1, 2, 3, 4}
		}
		if !slices.Equal(at, want) {
			t.Errorf("asked about %v", at)
		}
		d.holds(map[string]string{"a.go": "ONE and more\ntwo\nthree\n", "b.go": "y\n", "sub/new.go": "package sub\n"})
	}
}

// Where an edit was refused, one that builds on it fails with a clear word, and one that
// does not is compared anew: it lands if what it would do then was shown, and is asked
// about if it was not.
func TestEditsBehindARefusedOne(t *testing.T) {
	calls := []string{
		editCall("a.go", "one", "ONE"),
		editCall("a.go", "ONE\n", "ONE and more\n"),
		editCall("a.go", "three", "THREE"),
	}
	t.Run("not shown", func(t *testing.T) {
		d := newDesk(t, ground())
		res := d.carryOut(func(r permission.Request) permission.Answer {
			if len(r.With) == 0 {
				return permission.Answer{Allow: true}
			}
			a := yes(r)
			a.Allow = false
			return a
		}, calls...)
		d.says(res, "the user declined", "old_string found 0 times", "changed a.go")
		if n := len(d.asked); n != 2 || len(d.asked[1].Changed) == 0 || d.asked[1].Nth != 1 {
			t.Errorf("asked %d times, at last %+v", n, d.asked[n-1])
		}
		if c := d.asked[1].Effect.Changes[0]; string(c.After) != "one\ntwo\nTHREE\n" {
			t.Errorf("asked again about %q", c.After)
		}
	})
	t.Run("shown", func(t *testing.T) {
		d := newDesk(t, ground())
		res := d.carryOut(func(r permission.Request) permission.Answer {
			plan := r.Rework(map[string][]tools.Change{r.Call.ID: {}})
			if len(plan) != 2 || plan[0].Err == nil || plan[1].Err != nil {
				t.Fatalf("%+v", plan)
			}
			return permission.Answer{With: []permission.Answer{{Open: true}, {Allow: true, Shown: plan[1].Effect.Changes}}}
		}, calls...)
		d.says(res, "the user declined", "old_string found 0 times", "changed a.go")
		if len(d.asked) != 1 {
			t.Errorf("asked %d times", len(d.asked))
		}
		d.holds(map[string]string{"a.go": "one\ntwo\nTHREE\n", "b.go": "x\n", "old.go": "gone\n"})
	})
}

// A file that somebody changes while the question stands is not written as if they had
// not.
func TestFileChangedWhileSeveralAreAsked(t *testing.T) {
	d := newDesk(t, ground())
	res := d.carryOut(func(r permission.Request) permission.Answer {
		a := yes(r)
		if len(r.With) > 0 {
			d.put("b.go", "x\nmine\n")
			a.With[0].Reason = "fine"
		}
		return a
	}, fiveEdits[:2]...)
	d.says(res, "changed a.go", "b.go changed on disk since you last read it")
	d.says(res[1:], "the user says: fine") // what they said is not lost with it
	d.holds(map[string]string{"a.go": "ONE\ntwo\nthree\n", "b.go": "x\nmine\n", "old.go": "gone\n"})
}

// Rules, modes and risks stay those of each call.
func TestWhatIsNotAskedTogether(t *testing.T) {
	deny, err := permission.ParseRule(permission.Deny, "edit_file(secret/**)")
	if err != nil {
		t.Fatal(err)
	}
	askRule, err := permission.ParseRule(permission.Ask, "edit_file(look/**)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		mode  permission.Mode
		calls []string
		with  []int // how many others each question showed
	}{
		{"a denied one ends it", "", []string{writeCall("a", "1"), writeCall("secret/b", "2"), writeCall("c", "3"), writeCall("d", "4")}, []int{0, 1}},
		{"HIGH is alone", "", []string{writeCall("a", "1"), writeCall(".envrc", "2"), writeCall("c", "3"), writeCall("d", "4")}, []int{0, 0, 1}},
		{"another rule", "", []string{writeCall("a", "1"), writeCall("b", "2"), writeCall("look/c", "3"), writeCall("look/d", "4")}, []int{1, 1}},
		{"a command between", "", []string{writeCall("a", "1"), `run_bash {"command":"true"}`, writeCall("c", "3"), writeCall("d", "4")}, []int{0, 1}},
		{"a read between", "", []string{writeCall("a", "1"), `list_dir {"path":"."}`, writeCall("c", "3"), writeCall("d", "4")}, []int{0, 1}},
		{"a folder that goes", "", []string{writeCall("a", "1"), `delete_file {"path":"dir"}`, writeCall("c", "3")}, []int{0, 0, 0}},
		{"what moved is not foreseen", "", []string{`move_file {"from":"dir/in","to":"out"}`, editCall("out", "in", "IN"), writeCall("c", "3")}, []int{1, 1}},
		{"a mode that does not ask", permission.ModeEdits, []string{writeCall("a", "1"), writeCall("b", "2")}, nil},
		{"one", "", []string{writeCall("a", "1")}, []int{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t, map[string]string{"dir/in": "in\n"})
			d.rules, d.mode = []permission.Rule{deny, askRule}, c.mode
			d.carryOut(yes, c.calls...)
			var with []int
			for _, r := range d.asked {
				with = append(with, len(r.With))
			}
			if !slices.Equal(with, c.with) {
				t.Errorf("questions with %v others, want %v", with, c.with)
			}
		})
	}
}

// The answer is for the modes and rules of when its turn comes.
func TestModeChangesWhileSeveralAreAsked(t *testing.T) {
	d := newDesk(t, ground())
	res := d.carryOut(func(r permission.Request) permission.Answer {
		d.guard.SetMode(permission.ModePlan)
		return yes(r)
	}, fiveEdits[:2]...)
	d.says(res, "plan mode is on", "plan mode is on")
	d.holds(ground())
	d = newDesk(t, ground())
	res = d.carryOut(func(r permission.Request) permission.Answer {
		d.guard.SetMode(permission.ModeEdits)
		a := yes(r)
		a.With[0] = permission.Answer{Reason: "not this"}
		return a
	}, fiveEdits[:2]...)
	d.says(res, "changed a.go", "declined and says: not this") // a no stays a no
	if len(d.asked) != 1 {
		t.Errorf("asked %d times", len(d.asked))
	}
}

// What is allowed for the session is so for all that were shown, and only if all of them
// were taken.
func TestGrantForSeveral(t *testing.T) {
	for _, whole := range []bool{true, false} {
		d := newDesk(t, ground())
		d.carryOut(func(r permission.Request) permission.Answer {
			a := yes(r)
			a.Scope = permission.ScopeSession
			if !whole {
				a.With[0] = permission.Answer{}
			}
			return a
		}, fiveEdits[0], writeCall("sub/a", "1"), `list_dir {"path":"."}`, writeCall("sub/b", "2"), fiveEdits[1])
		want := 2
		if whole {
			want = 1
		}
		if len(d.asked) != want {
			t.Errorf("whole %v: asked %d times", whole, len(d.asked))
		}
	}
}

// However batches of edits are answered, the files and what the model is told are the
// same whether all are answered at once or one by one.
func TestSeveralEditsAsOneByOne(t *testing.T) {
	asked, instead := 0, 0
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 7))
		files := map[string]string{}
		for i := range 3 {
			files[fmt.Sprintf("f%d", i)] = numbered(12 + r.IntN(20))
		}
		calls := randomCalls(r, files)
		answer := func(id string, changes []tools.Change) permission.Answer { return decided(seed, id, changes) }
		at := func(r permission.Request) permission.Answer { return answer(r.Call.ID, r.Effect.Changes) }
		single := newDesk(t, files)
		one := single.carryOut(at, calls...)
		joint := newDesk(t, files)
		taken := map[string]bool{}
		all := joint.carryOut(func(q permission.Request) permission.Answer { return reviewed(q, taken, answer) }, calls...)
		if !slices.Equal(one, all) || !maps.Equal(single.files(), joint.files()) {
			t.Fatalf("seed %d\ncalls %q\none by one %q\n%q\nat once    %q\n%q", seed, calls, one, single.files(), all, joint.files())
		}
		for _, e := range joint.ended {
			if len(e.Changes) > 0 && !taken[fmt.Sprint(e.ID, e.Changes)] {
				t.Errorf("seed %d: nobody took what landed by %s: %+v", seed, e.ID, e.Changes)
			}
		}
		asked, instead = asked+len(joint.asked), instead+len(single.asked)
	}
	if asked >= instead*2/3 {
		t.Errorf("asked %d times, one by one %d", asked, instead)
	}
}

// reviewed answers all of a question, each call on what is kept of those before it, and
// notes what was taken.
func reviewed(q permission.Request, taken map[string]bool, answer func(string, []tools.Change) permission.Answer) permission.Answer {
	kept := map[string][]tools.Change{}
	look := func(id string, proposed []tools.Change) permission.Answer {
		a := answer(id, proposed)
		switch {
		case !a.Allow:
			kept[id] = []tools.Change{}
		case a.Changes != nil:
			kept[id] = a.Changes
			taken[fmt.Sprint(id, a.Changes)] = true
		default:
			taken[fmt.Sprint(id, proposed)] = true
		}
		return a
	}
	a := look(q.Call.ID, q.Effect.Changes)
	for _, w := range q.With {
		p := permission.Answer{Open: true}
		for _, now := range q.Rework(kept) {
			if now.Call.ID == w.Call.ID && now.Err == nil {
				p = look(w.Call.ID, now.Effect.Changes)
				p.Shown = now.Effect.Changes
			}
		}
		a.With = append(a.With, p)
	}
	return a
}

// decided is what a person makes of a proposal: all of it, nothing, or the first hunk.
func decided(seed uint64, id string, changes []tools.Change) permission.Answer {
	n := seed
	for _, b := range id {
		n = n*31 + uint64(b)
	}
	switch n % 4 {
	case 0:
		return permission.Answer{Reason: "no " + id}
	case 1:
		c := changes[0]
		hunks := diff.Hunks(c.Before, c.After)
		if len(hunks) < 2 || c.Op == tools.Delete {
			break
		}
		c.After = diff.Apply(c.Before, hunks[:1])
		return permission.Answer{Allow: true, Changes: []tools.Change{c}}
	}
	return permission.Answer{Allow: true, Reason: fmt.Sprint("yes ", n%7)}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// randomCalls are edits, new files, files written anew, moved and deleted, many of which
// build on those before them.
func randomCalls(r *rand.Rand, files map[string]string) (calls []string) {
	name := func() string { return fmt.Sprintf("f%d", r.IntN(len(files)+1)) }
	line := func() string { return fmt.Sprintf("line %d\n", r.IntN(12)) }
	for range 2 + r.IntN(5) {
		switch n := r.IntN(10); {
		case n < 6:
			old := line()
			if r.IntN(4) == 0 {
				old = "new " + old
			}
			other := fmt.Sprintf("line %d\n", 11)
			calls = append(calls, editCall(name(), old, "new "+line(), other, "last "+other))
		case n < 8:
			calls = append(calls, writeCall(name(), numbered(r.IntN(15))+"end\n"))
		case n < 9:
			calls = append(calls, fmt.Sprintf(`delete_file {"path":%q}`, name()))
		default:
			calls = append(calls, fmt.Sprintf(`move_file {"from":%q,"to":%q}`, name(), name()))
		}
	}
	return calls
}

// A tool that knows nothing of plans works its call out on the files as they are. What
// an earlier call would leave is not passed off as that.
func TestAToolThatPlansNothing(t *testing.T) {
	plain := tools.Func("put", "puts", func(_ context.Context, _ tools.Call, in struct {
		Path string `json:"path"`
	}) (*tools.Invocation, error) {
		return &tools.Invocation{Effect: tools.Effect{Kind: tools.Write, Title: "put " + in.Path,
			Changes: []tools.Change{{Path: in.Path, Op: tools.Modify, Before: []byte("disk"), After: []byte("put")}}}, Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) { return tools.Result{}, nil }}, nil
	})
	reg, err := tools.NewRegistry(plain)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{Agent: New(Options{Exec: &tools.Executor{Tools: reg}})}
	call := func(id, path string) *job {
		return &job{call: tools.Call{ID: id, Name: "put", Input: fmt.Sprintf(`{"path":%q}`, path)}}
	}
	first := call("1", "a")
	r.prepare(t.Context(), first)
	got := r.behind(first, []*job{call("2", "b"), call("3", "a"), call("4", "c")})(t.Context(), nil)
	if len(got) != 1 || got[0].Call.ID != "2" {
		t.Errorf("%+v", got)
	}
}
