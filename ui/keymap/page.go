package keymap

import "strings"

// Page is the table of a group for docs/keys.md: keys, what they do, and the name the
// setting keys knows that by.
func Page(g Group) string {
	var b strings.Builder
	b.WriteString("| key | does | action |\n|---|---|---|\n")
	for _, l := range g.Lines {
		list := l.Keys
		if l.Action == "" {
			list = Default().named(list)
		}
		shown := make([]string, len(list))
		for i, k := range list {
			shown[i] = "`" + strings.ReplaceAll(Shown(k), "|", "\\|") + "`"
			if k == "`" {
				shown[i] = "`` ` ``"
			}
		}
		name := ""
		if l.Action != "" {
			name = "`" + string(l.Action) + "`"
		}
		b.WriteString("| " + strings.Join(shown, " ") + " | " + l.Help + " | " + name + " |\n")
	}
	return b.String()
}
