package secrets_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"testing"
	"unicode/utf8"

	"forge/tools/secrets"
)

// TestTree measures on a tree of somebody's own what would be masked in it, since
// what is no secret there is a fault: FORGE_SECRETS_TREE=$(go env GOMODCACHE).
func TestTree(t *testing.T) {
	root := os.Getenv("FORGE_SECRETS_TREE")
	if root == "" {
		t.Skip("no tree is named by FORGE_SECRETS_TREE")
	}
	var files, bytes, found int
	by := map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil || len(b) > 4<<20 || !utf8.Valid(b) {
			return nil
		}
		files++
		bytes += len(b)
		for _, f := range secrets.Find(string(b)) {
			found++
			by[f.Kind]++
			fmt.Printf("%s\t%s\t%.60q\t…%.80q\n", f.Kind, path, f.Value, f.Before)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]string, 0, len(by))
	for k, n := range by {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
	}
	sort.Strings(kinds)
	t.Logf("%d files, %d MB: %d values: %v", files, bytes>>20, found, kinds)
}
