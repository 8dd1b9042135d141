package cli

import (
	"bytes"
	"testing"
)

// forge changelog prints what the build brings, under both its names; a build that
// brings nothing has no such command.
func TestChangelog(t *testing.T) {
	for _, name := range []string{"changelog", "release-notes"} {
		var out bytes.Buffer
		root := Root(Options{Out: &out, Err: &out, Changelog: "# Changelog\n\n- 新\n\n"})
		root.SetArgs([]string{name})
		if err := root.Execute(); err != nil || out.String() != "# Changelog\n\n- 新\n" {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
	if c, _, err := Root(Options{}).Find([]string{"changelog"}); err == nil && c.Name() == "changelog" {
		t.Error("there is nothing to print")
	}
}
