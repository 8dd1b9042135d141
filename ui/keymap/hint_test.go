package keymap

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	m, wrong := New([]Entry{{"screen.interrupt", []string{"f1"}}, {"read.copy", []string{"ctrl+k"}}, {"read.leave", nil}, {"screen.leave", []string{"ctrl+q"}},
		{"ask.up", []string{"f3"}}, {"review.next", []string{"f4"}}, {"empty.recall", []string{"f5"}}})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for _, c := range []struct {
		text string
		acts []Action
		want string
	}{
		{"esc stops", []Action{Interrupt}, "f1 stops"},
		{"a thing; esc stops it", []Action{Interrupt}, "a thing; f1 stops it"},
		{"按 esc 停止", []Action{Interrupt}, "按 f1 停止"},
		{"再按esc停止", []Action{Interrupt}, "再按f1停止"},
		{"describe esc", []Action{Interrupt}, "describe f1"},
		{"escape, then esc", []Action{Interrupt}, "escape, then f1"},
		{"j k move  c copy  / find  esc back", []Action{ReadNext, ReadBefore, ReadCopy, ReadFind, ReadLeave}, "j k move  ctrl+k copy  / find  – back"},
		{"ctrl+c again leaves", []Action{Leave}, "ctrl+q again leaves"},
		{"ctrl+c", []Action{ReadCopy}, "ctrl+c"}, // c is a part of it
		{"nothing here", []Action{Interrupt}, "nothing here"},
		{"↑↓ end scroll", []Action{AskUp, AskDown, AskEnd}, "f3 ↓ end scroll"},
		{"←→ hunk", []Action{ReviewBefore, ReviewNext}, "← f4 hunk"},
		{"up takes it back", []Action{EmptyRecall}, "f5 takes it back"},
		{"↑ 取回", []Action{EmptyRecall}, "f5 取回"},
	} {
		if got := m.Named(c.text, c.acts...); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
		if got := (*Map)(nil).Named(c.text, c.acts...); got != c.text {
			t.Errorf("unchanged keys make %q of %q", got, c.text)
		}
	}
	if got := m.Together("← →", ReadCopy, ReadLeave); got != "ctrl+k –" {
		t.Error(got)
	}
	if got := m.Together("[ ]", ReadPromptBefore, ReadPromptNext); got != "[ ]" {
		t.Error(got)
	}
}

// plainHints are files whose hints name keys that are not the map's, each with its
// reason.
var plainHints = map[string]string{
	"lines.go":    "a terminal's own line has these keys",
	"vim.go":      "esc is vi's",
	"terminal.go": "told of the terminal, not of forge's keys",
	"picker.go":   "named where it is drawn",
}

// namedLater are fields and variables whose text goes through Named where it is drawn.
var namedLater = []string{"Help", "also", "help"}

// said is a text of the face in the code: T, N or the first of Count.
type said struct {
	at   token.Position
	text string
}

// hintsIn walks a file: each is called for the hints that name their actions, later for
// those that are named where they are drawn, and bare for texts that stand alone.
func hintsIn(t *testing.T, file string, each func(said, []Action), later, bare func(said)) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	texts := func(n ast.Node) (out []said) {
		ast.Inspect(n, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name := called(call); name == "T" || name == "N" || name == "Count" {
				for _, a := range call.Args {
					if lit, ok := a.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						text, _ := strconv.Unquote(lit.Value)
						out = append(out, said{set.Position(call.Pos()), text})
						if name != "Count" {
							break
						}
					}
				}
			}
			return true
		})
		return out
	}
	done := map[ast.Node]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := called(n); (name == "Named" || name == "name") && len(n.Args) > 1 {
				done[n.Args[0]] = true
				var acts []Action
				for _, a := range n.Args[1:] {
					if sel, ok := a.(*ast.SelectorExpr); ok {
						acts = append(acts, actionOf(t, sel.Sel.Name))
					}
				}
				for _, s := range texts(n.Args[0]) {
					each(s, acts)
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				name := ""
				switch l := l.(type) {
				case *ast.SelectorExpr:
					name = l.Sel.Name
				case *ast.Ident:
					name = l.Name
				}
				if slices.Contains(namedLater, name) && i < len(n.Rhs) && !done[n.Rhs[i]] {
					done[n.Rhs[i]] = true
					for _, s := range texts(n.Rhs[i]) {
						later(s)
					}
				}
			}
		case *ast.KeyValueExpr:
			if k, ok := n.Key.(*ast.Ident); ok && slices.Contains(namedLater, k.Name) {
				done[n.Value] = true
				for _, s := range texts(n.Value) {
					later(s)
				}
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || done[n] {
			return false
		}
		if call, ok := n.(*ast.CallExpr); ok {
			if name := called(call); name == "T" || name == "N" || name == "Count" {
				for _, s := range texts(call)[:min(1, len(texts(call)))] {
					bare(s)
				}
			}
		}
		return true
	})
}

func called(c *ast.CallExpr) string {
	switch fun := c.Fun.(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.Ident:
		return fun.Name
	}
	return ""
}

// actionOf finds an action by its name in the code.
func actionOf(t *testing.T, name string) Action {
	t.Helper()
	a, ok := actions(t)[name]
	if !ok {
		t.Fatalf("there is no action %s", name)
	}
	return a
}

var actions = func() func(*testing.T) map[string]Action {
	var out map[string]Action
	return func(t *testing.T) map[string]Action {
		if out != nil {
			return out
		}
		out = map[string]Action{}
		files, err := filepath.Glob("*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 && len(v.Names) == 1 {
					if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Action" {
						if lit, ok := v.Values[0].(*ast.BasicLit); ok {
							text, _ := strconv.Unquote(lit.Value)
							out[v.Names[0].Name] = Action(text)
						}
					}
				}
				return true
			})
		}
		return out
	}
}()

// shownFiles are the files of the screen: the face in plain lines has a terminal's own
// line and keys.
func shownFiles(t *testing.T) (out []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		for _, not := range []string{"testdata", "linear", "keymap", "/cli/"} {
			if strings.Contains(filepath.ToSlash(file), not) {
				return nil
			}
		}
		if plainHints[filepath.Base(file)] == "" {
			out = append(out, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every hint that names a key goes through Named, so that it is true when the person
// chose another.
func TestHintsAreNamed(t *testing.T) {
	key := regexp.MustCompile(`(?i)(^|[ ;(·])(esc|enter|tab|space|ctrl\+\w|alt\+\w|shift\+\w+) [a-z]|(^|· |[;:·] )([b-zB-HJ-Z<>/?]|up|down) [a-z]|[←→↑↓] ?[a-z]`)
	also := regexp.MustCompile(`^(/ is|[;:] )`)
	found := 0
	for _, file := range shownFiles(t) {
		hintsIn(t, file, func(said, []Action) { found++ }, func(said) {}, func(s said) {
			if key.MatchString(s.text) && !also.MatchString(s.text) && !typed[s.text] {
				t.Errorf("%s: %q names a key by hand: say it with Named", s.at, s.text)
			}
		})
	}
	if found < 60 {
		t.Errorf("only %d hints were looked at", found)
	}
}

// typed are texts in which what looks like a key is a character of a line.
var typed = map[string]bool{}

// A hint follows the keys a person chose, in every language: a translation names the
// same keys in the same order, by their names.
func TestHintsFollowInEveryLanguage(t *testing.T) {
	words := map[string]map[string]string{"": nil}
	files, err := filepath.Glob("../lang/words/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		tag, _, _ := strings.Cut(filepath.Base(file), ".")
		if words[tag] == nil {
			words[tag] = map[string]string{}
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		one := map[string]string{}
		if err := json.Unmarshal(b, &one); err != nil {
			t.Fatal(file, err)
		}
		maps.Copy(words[tag], one)
	}
	looked := 0
	byName := regexp.MustCompile(`\b(esc|enter|tab|space|(ctrl|alt|shift)\+\w+|^[a-z])\b`)
	for _, file := range shownFiles(t) {
		hintsIn(t, file, func(s said, acts []Action) {
			if len(acts) == 0 || s.text == "" {
				return
			}
			var entries []Entry
			for i, a := range acts {
				if !slices.ContainsFunc(acts[:i], func(b Action) bool { return a == b }) {
					entries = append(entries, Entry{string(a), []string{"f" + strconv.Itoa(2+i)}})
				}
			}
			m := rebound(entries)
			for tag, list := range words {
				text, ok := list[s.text]
				if tag == "" {
					text, ok = s.text, true
				}
				if !ok {
					continue
				}
				looked++
				got := m.Named(text, acts...)
				for i, a := range acts {
					if want := m.First(a); standing(got, want) < 0 {
						t.Errorf("%s: %q (%s): the key of %s stays what it was: %q", s.at, text, tag, acts[i], got)
					}
				}
			}
		}, func(s said) {
			for tag, list := range words {
				if text, ok := list[s.text]; ok && !slices.Equal(byName.FindAllString(s.text, -1), byName.FindAllString(text, -1)) {
					t.Errorf("%s: %q names other keys in %s: %q", s.at, s.text, tag, text)
				}
			}
		}, func(said) {})
	}
	if looked < 100 {
		t.Errorf("only %d hints were looked at", looked)
	}
}

// rebound is a map in which some actions have other keys, whatever else has those.
func rebound(entries []Entry) *Map {
	keys := map[Action][]string{}
	for _, b := range bindings() {
		keys[b.Action] = b.Keys
	}
	for _, e := range entries {
		keys[Action(e.Action)] = e.Keys
	}
	return build(keys)
}
