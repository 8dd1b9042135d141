package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A literal of more than one word reaches a person, unless it stands where none looks:
// what texts are compared with, what a log is told, how a command is called. Errors are
// said when they are shown: TestNothingBareBelow has them. One word alone is told from a
// name only by what draws it, and by the fields that are drawn.
var (
	several = regexp.MustCompile(`[A-Za-z]{2,}[ ,:;][ ]?[A-Za-z(%]`)
	draws   = []string{"say", "wait", "goFor", "newNotice", "newError", "newMarker", "NewPicker", "Notice", "Count"}
	holds   = []string{"about", "About", "Title", "title", "Detail", "Help", "Placeholder", "Short", "Long", "note"}
	unseen  = []string{"Contains", "HasPrefix", "HasSuffix", "CutPrefix", "CutSuffix", "TrimPrefix", "TrimSuffix", "Index", "MustCompile", "Sscanf",
		"logged", "Debug", "Info", "Warn", "Error", "panic", "Errorf", "New", "As", "Unquote", "words"}
	written = []string{"Use", "Example", "Expr"} // of a command: what is typed, as it is typed; an expression
)

// bare lists the texts of a file that reach a person without the catalogue.
func bare(t *testing.T, file string) (out []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	add := func(lit *ast.BasicLit, s string) {
		out = append(out, set.Position(lit.Pos()).String()+": "+s)
	}
	text := func(e ast.Expr) (lit *ast.BasicLit, s string) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, _ = strconv.Unquote(lit.Value)
			return lit, s
		}
		return nil, ""
	}
	word := func(e ast.Expr) {
		if lit, s := text(e); lit != nil && !several.MatchString(s) && oneWord.MatchString(s) {
			add(lit, s)
		}
	}
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.CallExpr:
			if name, ok := callee(n, f.Name.Name == "lang"); ok && (name == "T" || name == "N" || name == "Count") {
				for _, a := range n.Args {
					if lit, _ := text(a); lit == nil {
						ast.Inspect(a, look) // two halves, each of which would be looked for as a whole
					}
				}
				return false
			}
			if slices.Contains(unseen, called(n)) {
				for _, a := range n.Args {
					if lit, _ := text(a); lit == nil {
						ast.Inspect(a, look)
					}
				}
				return false
			}
			if slices.Contains(draws, called(n)) {
				for _, a := range n.Args {
					word(a)
				}
			}
		case *ast.BinaryExpr:
			if n.Op != token.ADD { // compared
				return false
			}
		case *ast.CompositeLit: // what did not work, said before its error
			if typeName(n.Type) == "failed" && len(n.Elts) == 2 {
				word(n.Elts[0])
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(written, key.Name) {
				return false
			} else if ok && slices.Contains(holds, key.Name) {
				word(n.Value)
			}
		case *ast.BasicLit:
			if lit, s := text(n); lit != nil && several.MatchString(strings.TrimPrefix(s, "forge: %s")) && !typed.MatchString(s) && asTheyAre[strings.TrimSpace(s)] == "" {
				add(lit, s)
			}
		}
		return true
	}
	ast.Inspect(f, look)
	return out
}

// typed is what a person types as it stands, in a shell or in the file of another program.
var typed = regexp.MustCompile(`^(, )?(forge|chmod|sudo|brew|set|-H) `)

var oneWord = regexp.MustCompile(`^[A-Za-z]{3,}[.:!]?$`)

// english are files and folders whose texts are English on purpose, each with its reason.
var english = map[string]string{
	"feedback.go":      "a report, which goes to those who work on forge",
	"foldernews.go":    "what is told to the model",
	"moves.go":         "what is told to the model",
	"editornamed.go":   "what is told to the model",
	"goalwords.go":     "what is told to the model",
	"mentions.go":      "what is told to the model",
	"named_files.go":   "what is told to the model",
	"planning.go":      "what is told to the model",
	"reloadwords.go":   "what is told to the model",
	"reviewing.go":     "what is told to the model",
	"reviewed.go":      "what is told to the model",
	"undo.go":          "what the model is told of what was taken back",
	"serving.go":       "titles that other clients are told",
	"ui/answered.go":   "what the model is told of an answer",
	"ui/setup.go":      "names of servers",
	"ui/clipboard":     "what other programs say and are told",
	"ui/screentest":    "of tests",
	"ui/golden":        "of tests",
	"ui/print/json.go": "an output that programs read",
}

// asTheyAre are texts that stay as they are wherever they stand.
var asTheyAre = map[string]string{
	"this needs a permission and nobody is there to be asked; go on without it and say what was left out": "to the model",
	"the screen was closed":                        "to the model",
	"every change was turned down in the review.":  "to the model",
	"said of hunk %d of %d of %s, from line %d on": "to the model",
	", network open":                               "said when it is shown",
	", no network":                                 "said when it is shown",
	"Reply with: ok":                               "to the model",
	"exit code %d":                                 "an error that nobody is shown",
	"tools forge":                                  "a part of the request, compared",
	"[the whole output,":                           "how a result ends, looked for",
	"[the first":                                   "how a result ends, looked for",
	"; the whole is in":                            "how a result ends, looked for",
	"in the background":                            "how a title ends, looked for",
	"cancelled by the user":                        "how a result begins, looked for",
	"wl-clipboard, xclip":                          "names of programs",
	"Windows Terminal":                             "a name of a program",
	"\x1b]99;i=forge:d=0;":                         "a sequence",
	"\x1b\\\x1b]99;i=forge:p=body;":                "a sequence",
}

// No text reaches a person but through the catalogue.
func TestNothingBare(t *testing.T) {
	below := map[string]bool{} // lines with a text that is said when it is shown
	for _, at := range collect(t) {
		below[at[:strings.LastIndex(at, ":")]] = true
	}
	look := func(file string) {
		name, _ := filepath.Rel(root, file)
		for n := filepath.ToSlash(name); n != "."; n = path.Dir(n) {
			if english[n] != "" {
				return
			}
		}
		for _, text := range bare(t, file) {
			if at, _, _ := strings.Cut(text, ": "); below[at[:strings.LastIndex(at, ":")]] {
				continue
			}
			t.Errorf("%s: say it with lang.T, and give it a word in words/", text)
		}
	}
	for _, file := range spoken(t, faces...) {
		look(file)
	}
}

// The test that finds bare texts does find them, of each kind, and nothing else.
func TestBareFinds(t *testing.T) {
	var got []string
	for _, text := range bare(t, filepath.Join("testdata", "bare.go")) {
		_, s, _ := strings.Cut(text, ": ")
		got = append(got, s)
	}
	want := []string{"bare in a constant", "bare in a table", "this is bare", "half of ", "word", "halves of bare", "%d bare ones", "waiting",
		"bare in a variable", "bare in a row", "bare in an element", "bare in a builder", "%d are bare", "bare in a list", "open", "Short",
		"bare as well", "bare in a function"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, not %q", got, want)
	}
}
