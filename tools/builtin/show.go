package builtin

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/sandbox"
)

// maxColumns is how much of one line is shown, in characters.
const maxColumns = 2000

// writeLine writes a line with its number, as every tool shows lines of a file.
func writeLine(b *strings.Builder, n int, line string) {
	fmt.Fprintf(b, "%5d\t%s\n", n, clipLine(line))
}

func clipLine(line string) string {
	if len(line) <= maxColumns {
		return line
	}
	n := utf8.RuneCountInString(line)
	if n <= maxColumns {
		return line
	}
	cut := 0
	for range maxColumns {
		_, size := utf8.DecodeRuneInString(line[cut:])
		cut += size
	}
	return fmt.Sprintf("%s… (%d more characters)", line[:cut], n-maxColumns)
}

// readable is a file as the model sees it: decoded, lines ending in LF. Bytes that
// are no text stay as they are.
func readable(data []byte) []byte {
	t, err := decode(data)
	if err != nil {
		return data
	}
	return []byte(flatten(t.body).s)
}

// around shows the lines a change left, each group with the lines around it, at
// most max lines in all.
func around(before, after []byte, max int) string {
	var b strings.Builder
	left := max
	for i, h := range diff.Hunks(readable(before), readable(after)) {
		if i > 0 {
			b.WriteString("   …\n")
		}
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				continue
			}
			if left--; left < 0 {
				b.WriteString("   … (more was changed; read the file to see it)\n")
				return b.String()
			}
			writeLine(&b, l.New, strings.TrimSuffix(l.Text, "\n"))
		}
	}
	return b.String()
}

// cutShort ends a text of changes that does not show all of them.
const cutShort = " more lines)"

// changesText shows hunks as unified text, at most max lines.
func changesText(hunks []diff.Hunk, max int) string {
	var b strings.Builder
	lines := strings.SplitAfter(diff.Unified("", "", hunks), "\n")
	if len(lines) > 2 {
		lines = lines[2:] // the two name lines
	}
	for i, l := range lines {
		if i == max {
			fmt.Fprintf(&b, "… (%d"+cutShort+"\n", len(lines)-i-1)
			break
		}
		if l != "" {
			b.WriteString(clipLine(strings.TrimRight(l, "\r\n")) + "\n")
		}
	}
	return b.String()
}

// missing says that p does not exist, and what there is with a similar name.
func (e *Env) missing(p sandbox.Path) error {
	dir, name := path.Dir(filepath.ToSlash(p.Abs)), path.Base(filepath.ToSlash(p.Abs))
	for {
		parent, err := e.Workspace.Resolve(dir)
		if err != nil {
			return fmt.Errorf("%s does not exist", p.Name)
		}
		es, err := e.Workspace.ReadDir(parent)
		if errors.Is(err, fs.ErrNotExist) {
			dir, name = path.Dir(dir), path.Base(dir)
			continue
		}
		var names []string
		for _, e := range es {
			names = append(names, e.Name())
		}
		near := tools.Nearest(name, names, 3)
		for i := range near {
			near[i] = path.Join(parent.Name, near[i])
		}
		what := p.Name + " does not exist"
		if path.Base(p.Name) != name {
			what += fmt.Sprintf(" (there is no %s in %s)", name, parent.Name)
		}
		if len(near) > 0 {
			return fmt.Errorf("%s; did you mean %s?", what, strings.Join(near, ", "))
		}
		return fmt.Errorf("%s; find it with glob, or look with list_dir %s", what, parent.Name)
	}
}

func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// shown is a file name as it stands in a list. One that holds a line end, another
// invisible character or bytes that are no text, or begins or ends with a blank,
// is quoted: it must not look like two names, or like a line of forge's own.
func shown(name string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if strings.ContainsFunc(name, odd) || strings.TrimSpace(name) != name {
		return strconv.Quote(name)
	}
	return name
}
