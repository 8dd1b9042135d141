package lang_test

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

// draws are functions whose texts a person reads, and fields that hold such texts.
var (
	draws = map[string]bool{"say": true, "wait": true, "goFor": true, "newNotice": true, "newError": true, "newMarker": true,
		"NewPicker": true, "Notice": true, "tell": true, "row": true, "progress": true, "Fprintln": true, "Fprintf": true, "Printf": true, "Println": true,
		"Apply": true, "choice": true, "StringVar": true, "StringVarP": true, "BoolVar": true, "BoolVarP": true, "IntVar": true}
	holds = map[string]bool{"about": true, "About": true, "Title": true, "title": true, "Label": true, "Detail": true, "Help": true,
		"Placeholder": true, "Short": true, "Long": true, "Body": true, "note": true}
	waits = map[string]bool{"wait": true, "goFor": true} // of which one word is enough
	words = regexp.MustCompile(`[A-Za-z]{2,}[ ,:;][ ]?[A-Za-z(%]`)
)

// bare lists the texts of a file that reach a person without the catalogue: literals
// of more than one word among the arguments of what draws, or in a field that is
// drawn.
func bare(t *testing.T, file string) (out []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := func(e ast.Expr) {
		ast.Inspect(e, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false // looked at by itself
			case *ast.CallExpr: // what another function makes of it is that one's
				fun, ok := n.Fun.(*ast.SelectorExpr)
				return ok && fun.Sel.Name == "Sprintf"
			case *ast.BasicLit:
				if s, _ := strconv.Unquote(n.Value); n.Kind == token.STRING && words.MatchString(strings.TrimPrefix(s, "forge: %s")) {
					out = append(out, set.Position(n.Pos()).String()+": "+s)
				}
			}
			return true
		})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			name := ""
			switch fun := n.Fun.(type) {
			case *ast.Ident:
				name = fun.Name
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			}
			if lit, ok := first(n.Args).(*ast.BasicLit); ok && waits[name] && lit.Value != `""` && !words.MatchString(lit.Value) {
				out = append(out, set.Position(lit.Pos()).String()+": "+lit.Value)
			}
			if draws[name] {
				for _, a := range n.Args {
					found(a)
				}
			}
		case *ast.CompositeLit: // what did not work, said before its error
			if of, ok := n.Type.(*ast.Ident); ok && of.Name == "failed" && len(n.Elts) == 2 {
				if lit, ok := n.Elts[0].(*ast.BasicLit); ok && lit.Value != `""` {
					out = append(out, set.Position(lit.Pos()).String()+": "+lit.Value)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && holds[key.Name] {
				found(n.Value)
			}
		}
		return true
	})
	return out
}

// english are files whose texts are English on purpose, each with its reason.
var english = map[string]string{
	"mentions.go": "what is told to the model",
	"undo.go":     "what the model is told of what was taken back",
	"serving.go":  "titles that other clients are told",
	"ui/setup.go": "names of servers",
}

// No text reaches a person but through the catalogue.
func TestNothingBare(t *testing.T) {
	root := filepath.Join("..", "..")
	look := func(file string) {
		name, _ := filepath.Rel(root, file)
		if _, ok := english[filepath.ToSlash(name)]; ok {
			return
		}
		for _, text := range bare(t, file) {
			t.Errorf("%s: say it with lang.T, and give it a word in words/", text)
		}
	}
	top, _ := filepath.Glob(filepath.Join(root, "*.go"))
	for _, file := range top {
		if !strings.HasSuffix(file, "_test.go") {
			look(file)
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "ui"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata") {
			look(file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The test that finds bare texts does find them.
func TestBareFinds(t *testing.T) {
	got := bare(t, filepath.Join("testdata", "bare.go"))
	if len(got) != 5 {
		t.Errorf("found %q, not the five that are bare", got)
	}
}
