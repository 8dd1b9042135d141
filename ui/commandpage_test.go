package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/keys.md has a row for each command, with its other names and the star of those
// that run while the model works, and no row for one that there is not; the names other
// agents have stand beneath.
func TestEveryCommandHasItsRow(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	text = text[strings.Index(text, "\n## Commands\n"):]
	named := regexp.MustCompile("`/([a-z-]+)[^`]*`( \\*)?")
	stars := map[string]bool{}
	for row := range strings.Lines(text) {
		if !strings.HasPrefix(row, "| `/") {
			continue
		}
		first, _, _ := strings.Cut(strings.ReplaceAll(row, `\|`, "-")[2:], " | ")
		all := named.FindAllStringSubmatch(first, -1)
		for _, m := range all {
			stars[m[1]] = all[len(all)-1][2] != ""
		}
	}
	beneath := text[strings.Index(text, "Names that other agents have"):]
	for _, c := range commands() {
		for _, name := range append([]string{c.name}, c.aliases...) {
			star, there := stars[name]
			delete(stars, name)
			if len(name) == 1 {
				continue // a beginning
			}
			if !there {
				t.Errorf("/%s has no row", name)
			} else if star != c.busy {
				t.Errorf("/%s: runs during a run %v, and its row says %v", name, c.busy, star)
			}
		}
		for _, name := range c.known {
			if !strings.Contains(beneath, "`/"+name+"`") {
				t.Errorf("/%s (%s) is not among the names of other agents", name, c.name)
			}
		}
	}
	var left []string
	for name := range stars {
		left = append(left, name)
	}
	if slices.Sort(left); len(left) > 0 {
		t.Errorf("rows of no command: %q", left)
	}
}
