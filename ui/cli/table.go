package cli

import (
	"fmt"
	"io"
	"strings"

	"forge/ui/safe"
)

// table prints rows in columns two blanks apart, by the cells they take: a Chinese
// letter takes two. Every row but a shorter one's has the same columns.
func table(w io.Writer, rows [][]string) error {
	var wide []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], safe.Width(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", wide[i]-safe.Width(cell)+2))
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}

// padded is a cell with blanks behind it, at least one.
func padded(s string, cells int) string {
	return s + strings.Repeat(" ", max(1, cells-safe.Width(s)))
}
