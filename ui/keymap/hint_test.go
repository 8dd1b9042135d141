package keymap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestNamed(t *testing.T) {
	m, wrong := New([]Entry{{"screen.interrupt", []string{"f1"}}, {"read.copy", []string{"ctrl+k"}}, {"read.leave", nil}, {"screen.leave", []string{"ctrl+q"}}})
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
	"looks.go":    "lists name their keys themselves",
	"powers.go":   "lists name their keys themselves",
	"rewind.go":   "lists name their keys themselves",
	"sessions.go": "lists name their keys themselves",
	"jobs.go":     "lists name their keys themselves",
	"settings.go": "lists name their keys themselves",
	"picker.go":   "named where it is drawn",
	"diffs.go":    "the pager names it",
}

// Every hint that names a key goes through Named, so that it is true when the person
// chose another.
func TestHintsAreNamed(t *testing.T) {
	key := regexp.MustCompile(`(^|[ ;(])(esc|enter|tab|space|ctrl\+\w|alt\+\w|shift\+\w+) [a-z]`)
	found := 0
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
			return err
		}
		if plainHints[filepath.Base(file)] != "" || strings.Contains(file, "linear") || strings.Contains(file, "keymap") {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			return err
		}
		named := map[ast.Node]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch fun := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			case *ast.Ident:
				name = fun.Name
			}
			if (name == "Named" || name == "name") && len(call.Args) > 1 {
				named[call.Args[0]] = true
				found++
			}
			if name != "T" || len(call.Args) == 0 {
				return true
			}
			if lit, ok := call.Args[0].(*ast.BasicLit); ok {
				if text, _ := strconv.Unquote(lit.Value); key.MatchString(text) && !named[call] {
					t.Errorf("%s: %q names a key by hand: say it with Named", set.Position(call.Pos()), text)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 30 {
		t.Errorf("only %d hints were looked at", found)
	}
}
