package diff

import (
	"fmt"
	"strings"
)

// Unified writes hunks as patch and git apply read them. It is empty if there is
// no hunk.
func Unified(oldName, newName string, hunks []Hunk) string {
	if len(hunks) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	for _, h := range hunks {
		b.WriteString(h.String())
	}
	return b.String()
}

// Header is the line that says where a hunk stands: "@@ -3,7 +3,8 @@".
func (h Hunk) Header() string {
	return "@@ -" + span(h.OldStart, h.OldCount) + " +" + span(h.NewStart, h.NewCount) + " @@"
}

func span(start, count int) string {
	if count == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// String writes one hunk, its header first.
func (h Hunk) String() string {
	var b strings.Builder
	b.WriteString(h.Header() + "\n")
	for _, l := range h.Lines {
		b.WriteByte(byte(l.Op))
		b.WriteString(l.Text)
		if !strings.HasSuffix(l.Text, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
	return b.String()
}
