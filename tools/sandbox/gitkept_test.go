package sandbox

import (
	"path/filepath"
	"strings"
	"testing"
)

// Nothing of a file that may not be read is left of a difference, by whatever line names
// it, and everything of the others is.
func TestWithoutKept(t *testing.T) {
	open := "diff --git a/a.go b/a.go\nindex 1..2 100644\n--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n-diff --git a/x b/x\n+new file y\n+++ b/secret.env\n"
	for name, diff := range map[string]string{
		"changed":           "diff --git a/secret.env b/secret.env\nindex 1..2 100644\n--- a/secret.env\n+++ b/secret.env\n@@ -1 +1 @@\n-KEY\n+KEY2\n",
		"deleted":           "diff --git a/secret.env b/secret.env\ndeleted file mode 100644\n--- a/secret.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-KEY\n",
		"renamed away":      "diff --git a/secret.env b/open.txt\nsimilarity index 60%\nrename from secret.env\nrename to open.txt\n--- a/secret.env\n+++ b/open.txt\n@@ -1 +1 @@\n KEY\n",
		"without its sides": "diff --cc secret.env\nindex 1,2..3\n--- a/secret.env\n+++ b/secret.env\n@@@ -1,1 -1,1 +1,1 @@@\n- KEY\n",
		"quoted":            "diff --git \"a/s\\303\\244/secret.env\" \"b/s\\303\\244/secret.env\"\nindex 1..2\n--- \"a/s\\303\\244/secret.env\"\n+++ \"b/s\\303\\244/secret.env\"\n@@ -1 +1 @@\n-KEY\n",
		"with blanks":       "diff --git a/a b/secret.env b/a b/secret.env\nindex 1..2\n--- a/a b/secret.env\t\n+++ b/a b/secret.env\t\n@@ -1 +1 @@\n-KEY\n",
		"new":               "new file secret.env\n+KEY\n",
		"new, quoted":       "new file \"a\\nb/secret.env\" (its beginning)\n+KEY\n",
		"new, in part":      "new file secret.env (its beginning)\n+KEY\n",
	} {
		got := WithoutKept(open+diff+open, func(path string) bool { return filepath.Base(path) == "secret.env" })
		if strings.Contains(got, "KEY") || strings.Count(got, open) != 2 || !strings.Contains(got, "a rule keeps this file from being read") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if got := WithoutKept(open+"new file b.txt\n+x\n", func(string) bool { return false }); got != open+"new file b.txt\n+x\n" {
		t.Errorf("nothing is kept:\n%s", got)
	}
}
