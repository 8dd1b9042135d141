package builtin

import (
	"bytes"
	"fmt"
	"strings"

	"forge/tools"
	"forge/tools/diff"
)

// landed tells what a written change did, and how that differs from what was
// proposed: differs is that part alone, empty where all landed as it was.
func (p proposal) landed(c tools.Change) (text, differs string) {
	verb := map[tools.Op]string{tools.Create: "created", tools.Modify: "changed", tools.Delete: "deleted", tools.Move: "moved"}[c.Op]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", verb, told(c))
	if c.Path == p.change.Path && !bytes.Equal(c.After, p.change.After) {
		differs = p.differs(c)
		b.WriteString(differs + "the file now:\n")
		if c.Op == tools.Create {
			b.WriteString(around(nil, c.After, maxShown))
		}
	}
	if c.Op == tools.Modify {
		b.WriteString(around(c.Before, c.After, maxShown))
	}
	return b.String(), differs
}

// differs tells hunk by hunk what became of the proposal: what was refused, and
// what the reviewer wrote instead.
func (p proposal) differs(c tools.Change) string {
	if p.change.Conflicts > 0 {
		return "the user settled the conflict; this is how the file differs from your version:\n" +
			changesText(diff.Hunks(readable(p.model), readable(c.After)), maxShown)
	}
	f := diff.Compare(readable(p.change.Before), readable(p.change.After), readable(c.After))
	parts := []string{fmt.Sprintf("%d of %s landed as proposed", f.Landed, plural(f.Hunks, "hunk"))}
	if f.Refused > 0 {
		parts = append(parts, fmt.Sprintf("%d refused", f.Refused))
	}
	if f.Changed > 0 {
		parts = append(parts, fmt.Sprintf("%d changed by the user", f.Changed))
	}
	var b strings.Builder
	b.WriteString(strings.Join(parts, ", ") + ":\n")
	if len(f.Missing) > 0 {
		b.WriteString("the user refused this, and the file does not have it:\n" + changesText(f.Missing, maxShown))
	}
	if len(f.Own) > 0 {
		b.WriteString("the user changed your version (- as you proposed it, + as it landed):\n" + changesText(f.Own, maxShown))
	}
	return b.String()
}
