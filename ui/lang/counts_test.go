package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// counting finds a number in front of a noun in the plural: "%d calls", "%d of the
// model's turns" it need not.
var counting = regexp.MustCompile(`%d (?:(?:more|earlier|other|open|new|old) )?([a-z]{3,}s)\b`)

// never is what no number of comes to one, or is no noun at all.
var never = map[string]string{
	"bytes": "limits and sizes", "tokens": "windows and requests", "pixels": "pictures", "seconds": "limits, and times from a second on", "minutes": "waits of five and more",
	"columns": "a terminal's", "checks": "there are many", "levels": "a limit", "characters": "a limit", "patterns": "a limit", "letters": "a form's bounds",
	"times": "it is told from the third on", "needs": "a verb", "has": "a verb", "is": "a verb", "was": "a verb", "answers": "a verb", "expects": "a verb", "stands": "a verb", "puts": "a verb", "does": "a verb", "tabs": "a run of many", "blanks": "a run of many", "newlines": "a run of many", "marks": "one has words of its own", "calls with": "a verb",
}

// seldom are texts in which a number is one so seldom, or where so little hangs on it,
// that they have one form: each with its reason.
var seldom = map[string]string{
	"[paste %d: %d lines]": "of twenty and more", "%s, %d columns and %d rows": "of a terminal", "make it larger: from %d columns and %d rows on everything has room": "of a terminal",
	"make all %d changes": "said of two and more", "%d changes of one answer, %d files": "of two and more", "%d changes of one answer, all in %s": "of two and more", "%d changes of one answer": "of two and more",
	"write these %d files": "said of two and more", "write %d of %d hunks": "of two and more", "write %d of %d hunks, %d as you edited them": "of two and more",
	"waiting until one of %d agents has ended\n":                                                                                             "a limit above one",
	"output, the last %d of %d lines; /output says all:":                                                                                     "of more than are said",
	"task: %d agents were started already; do the rest with your own tools":                                                                  "a limit",
	"%s holds more than %d files: what commands change in it cannot be taken back, what forge writes itself can":                             "a limit",
	"this server takes %d tools: %d are left out":                                                                                            "a limit",
	"%d jobs are running already (%s); end one with job_kill":                                                                                "a limit",
	"%s: only the first %d definitions are read":                                                                                             "a limit",
	"there are more than %d commands; this one and those behind it are left out":                                                             "a limit",
	"there are more than %d files here; what is behind is left out":                                                                          "a limit",
	"todo: %d items, at most %d are kept; put small steps together":                                                                          "past a limit",
	"%s: %d files are too many to be shown":                                                                                                  "past a limit",
	"the same lines were edited since, in %d places":                                                                                         "one has words of its own",
	"is copied, but of %s only %d of %d are gone: %w":                                                                                        "of many",
	"It was shortened %d times in the last %d turns and is nearly full again. What each turn reads may be too much for this model's window.": "of several",
}

// forModels are files whose texts only models, logs and other programs read.
var forModels = []string{"compact/", "agent/session/", "agent/aside", "tools/bound.go", "tools/builtin/", "tools/decode.go", "provider/demo/", "provider/sse/", "provider/raw.go", "mcp/schema.go", "mcp/wire.go"}

// countsIn lists the texts of a file that set a number before a noun in the plural and
// have no form for one of it.
func countsIn(t *testing.T, file string) (out []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	paired := map[*ast.BasicLit]bool{} // one of two forms
	ones := map[string]bool{}          // what is said of one
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if name, ok := callee(call, f.Name.Name == "lang"); (ok && name == "Count" || name == "counted") && len(call.Args) == 3 {
				for _, a := range call.Args[1:] {
					if lit, ok := a.(*ast.BasicLit); ok {
						paired[lit] = true
					}
				}
			}
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, _ := strconv.Unquote(lit.Value); strings.Contains(s, "1 ") {
				ones[s] = true
			}
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || paired[lit] {
			return true
		}
		text, _ := strconv.Unquote(lit.Value)
		for _, m := range counting.FindAllStringSubmatchIndex(text, -1) {
			noun := text[m[2]:m[3]]
			one := noun[:max(3, len(noun)-3)] // as in matches and entries
			hasOne := false
			for s := range ones {
				hasOne = hasOne || strings.Contains(s, "1 "+one)
			}
			if never[noun] == "" && seldom[text] == "" && !hasOne {
				out = append(out, set.Position(lit.Pos()).String()+": "+text)
				break
			}
		}
		return true
	})
	return out
}

// Where a number meets a noun, one of it is said as one: with lang.Count.
func TestCounts(t *testing.T) {
	look := func(file string) {
		name, _ := filepath.Rel(root, file)
		if slices.ContainsFunc(forModels, func(p string) bool { return strings.HasPrefix(filepath.ToSlash(name), p) }) {
			return
		}
		for _, text := range countsIn(t, file) {
			t.Errorf("%s: one of it is said in the plural: use lang.Count, or say why it is never one", text)
		}
	}
	for _, file := range spoken(t, append(faces, "agent", "compact", "mcp", "provider", "tools")...) {
		look(file)
	}
}

// The test that finds counts does find them.
func TestCountsFinds(t *testing.T) {
	got := countsIn(t, filepath.Join("testdata", "counts.go"))
	if len(got) != 2 {
		t.Errorf("found %q, not the two that are said in the plural", got)
	}
}
