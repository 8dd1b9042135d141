package ui

import (
	"strings"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// helpColumn is where what a key does begins. Where it is wide, sections stand side by
// side, each helpWide cells at least; one may be helpOver rows higher than its share, and a section
// begins at the foot of one only with helpLeast rows of it.
const (
	helpColumn = 32
	helpWide   = 78
	helpGap    = 4
	helpOver   = 4
	helpLeast  = 6
)

// helpRows lists the keys in force and the commands.
func helpRows(keys *keymap.Map, table []command) func(*theme.Theme, int) []string {
	return func(th *theme.Theme, whole int) []string {
		var sections [][]string
		var rows []string
		n := max(1, min(3, (whole+helpGap)/(helpWide+helpGap)))
		w := (whole+helpGap)/n - helpGap
		title := func(text string) {
			if len(rows) > 0 {
				sections = append(sections, rows)
			}
			rows = []string{th.Title.Apply(safe.Truncate(text, w, ""))}
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
		return columns(append(sections, rows), n, w)
	}
}

// columns lays sections out in n columns of w cells, about as high as each other; one that
// does not end in a column goes on in the next.
func columns(sections [][]string, n, w int) []string {
	var all []string
	for _, s := range sections {
		if len(all) > 0 {
			all = append(all, "")
		}
		all = append(all, s...)
	}
	if n == 1 {
		return all
	}
	high := (len(all) + n - 1) / n
	parts := make([][]string, 1, n)
	for i, s := range sections {
		last := &parts[len(parts)-1]
		full := len(*last)+len(s) > high+helpOver && high-len(*last) < helpLeast
		if full && len(parts) < n {
			parts = append(parts, nil)
			last = &parts[len(parts)-1]
		}
		if i > 0 && len(*last) > 0 {
			*last = append(*last, "")
		}
		for len(*last)+len(s) > high+helpOver && len(parts) < n { // else one would be far higher: the commands are a section, and half of it all
			room := max(1, high-len(*last))
			*last = append(*last, s[:room]...)
			parts = append(parts, nil)
			last, s = &parts[len(parts)-1], s[room:]
		}
		*last = append(*last, s...)
	}
	var rows []string
	for y := 0; ; y++ {
		row, more := "", false
		for i, p := range parts {
			if y < len(p) {
				more = true
				if fill := i*(w+helpGap) - safe.Width(row); fill > 0 {
					row += safe.Blanks(fill)
				}
				row += p[y]
			}
		}
		if !more {
			return rows
		}
		rows = append(rows, row)
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
