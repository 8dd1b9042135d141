package lang_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// literalsBelow are the texts of the rooms that speak English alone, as one text.
func literalsBelow(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, dir := range []string{"agent", "compact", "ide", "lsp", "mcp", "provider", "tools"} {
		err := filepath.WalkDir(filepath.Join("..", "..", dir), func(file string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || strings.Contains(file, "testdata") {
				return err
			}
			for _, l := range literals(t, file, nil) {
				all.WriteString(l)
				all.WriteByte(0)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// literals lists the string literals of a file; of those keep drops, none.
func literals(t *testing.T, file string, keep func(stack []ast.Node, l string) bool) (out []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var stack []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		stack = append(stack, n)
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if keep == nil || keep(stack, s) {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// isBelow reports whether an entry's own words are all said below: between its verbs
// stands what a literal holds there.
func isBelow(below, entry string) bool {
	found := false
	for _, own := range verb.Split(entry, -1) {
		own = strings.Trim(own, " :;,.()\"'")
		if len(own) < 2 {
			continue
		}
		if !strings.Contains(below, own) {
			return false
		}
		found = true
	}
	return found
}
