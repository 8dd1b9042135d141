package ui

import (
	"strings"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// helpColumn is where the second column of help begins.
const helpColumn = 32

// helpRows lists the keys in force and the commands.
func helpRows(keys *keymap.Map, table []command) func(*theme.Theme, int) []string {
	return func(th *theme.Theme, w int) []string {
		var rows []string
		title := func(text string) {
			if len(rows) > 0 {
				rows = append(rows, "")
			}
			rows = append(rows, th.Title.Apply(safe.Truncate(text, w, "")))
		}
		for _, g := range keymap.Groups() {
			if !g.Short {
				continue
			}
			title(lang.T(g.Title))
			for _, r := range keys.Rows(g) {
				rows = append(rows, helpLine(th, w, strings.Join(r.Keys, "  "), lang.T(r.Help))...)
			}
		}
		title(lang.T("Commands"))
		for i, c := range table {
			if c.filed && !table[i-1].filed {
				title(lang.T("Commands from files"))
			}
			name := "/" + c.name
			args, about := c.said()
			if args != "" {
				name += " " + args
			}
			if len(c.aliases) > 0 && !c.filed {
				about += lang.T(" (also /%s)", strings.Join(c.aliases, ", /"))
			}
			rows = append(rows, helpLine(th, w, name, about)...)
		}
		return rows
	}
}

// helpLine is a name and what it does, side by side where there is room.
func helpLine(th *theme.Theme, w int, name, about string) (rows []string) {
	if w < helpColumn+20 {
		rows = append(rows, th.Key.Apply(safe.Truncate(name, w, "")))
		for _, r := range safe.Wrap(about, max(1, w-2)) {
			rows = append(rows, "  "+th.Muted.Apply(r))
		}
		return rows
	}
	if safe.Width(name) > helpColumn-2 { // a long one has a row of its own
		rows, name = append(rows, th.Key.Apply(safe.Truncate(name, w, ""))), ""
	}
	for _, r := range safe.Wrap(about, w-helpColumn) {
		rows = append(rows, th.Key.Apply(safe.Fit(name, helpColumn, ""))+th.Text.Apply(r))
		name = ""
	}
	return rows
}
