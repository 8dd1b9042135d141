package linear

import (
	"bytes"
	"fmt"
	"strings"

	"forge/tools"
	"forge/tools/diff"
	"forge/ui/lang"
	"forge/ui/safe"
)

// file is one file of what would be written, decoded: one in UTF-16 is said as text.
type file struct {
	change tools.Change
	coding diff.Coding
	before []byte
	hunks  []diff.Hunk
}

// changed says what would be written, change by change, each with a number behind those
// that were said before.
func changed(changes []tools.Change, n int) (files []file, out []string) {
	for _, c := range changes {
		f := file{change: c}
		var after []byte
		f.before, after, f.coding = diff.Texts(c.Before, c.After)
		f.hunks = diff.Hunks(f.before, after)
		files = append(files, f)
		out = append(out, f.title())
		if isBinary(f.before) || isBinary(after) {
			out = append(out, lang.T("it is no text: %d bytes before, %d after", len(c.Before), len(c.After)))
		}
		for _, h := range f.hunks {
			n++
			out = append(out, lang.T("change %d, from line %d:", n, h.OldStart))
			for _, l := range h.Lines {
				text := indented(l.Text)
				switch l.Op {
				case diff.Insert:
					out = append(out, lang.T("added: %s", text))
				case diff.Delete:
					out = append(out, lang.T("removed: %s", text))
				default:
					out = append(out, lang.T("as it is: %s", text))
				}
			}
		}
		if len(f.hunks) == 0 {
			n++
			if c.Op == tools.Delete || c.Op == tools.Move {
				out = append(out, lang.T("change %d: all of it", n))
			} else {
				out = append(out, lang.T("change %d: no line of it changes", n))
			}
		}
	}
	return files, out
}

// indented is a line with what hides in it by name; the tabs it begins with stay tabs.
func indented(line string) string {
	line = strings.TrimRight(line, "\r\n")
	text := strings.TrimLeft(line, "\t")
	return line[:len(line)-len(text)] + safe.Prompt(text)
}

// isBinary judges by a NUL in the first bytes, as git does.
func isBinary(text []byte) bool { return bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 }

func (f file) title() string {
	path := safe.Prompt(f.change.Path)
	mode := ""
	if f.change.Mode != 0 {
		mode = lang.T(", mode %04o", f.change.Mode.Perm())
	}
	switch f.change.Op {
	case tools.Create:
		return lang.T("new file %s", path) + mode
	case tools.Delete:
		return f.gone(path)
	case tools.Move:
		if f.change.Thing == tools.Folder {
			return lang.T("folder %s is moved to %s, files in it: %d", safe.Prompt(f.change.From), path, f.change.Files)
		}
		return lang.T("file %s is moved to %s", safe.Prompt(f.change.From), path)
	}
	return lang.T("file %s is edited", path) + mode
}

// gone says what is deleted.
func (f file) gone(path string) string {
	switch c := f.change; c.Thing {
	case tools.Folder:
		return lang.T("folder %s is deleted, files in it: %d, bytes: %d", path, c.Files, c.Size)
	case tools.Link:
		return lang.T("link %s is deleted", path)
	case tools.Binary, tools.Large:
		return lang.T("file %s is deleted; what it holds is not shown, bytes: %d", path, c.Size)
	}
	return lang.T("file %s is deleted", path)
}

// hunks counts the changes; a file without a line that changes is one.
func hunks(files []file) (n int) {
	for _, f := range files {
		n += max(1, len(f.hunks))
	}
	return n
}

// part is what is left of the files where only some changes are kept. A deletion is
// whole or not at all.
func part(files []file, keep map[int]bool) (out []tools.Change, err error) {
	n := 0
	for _, f := range files {
		var some []diff.Hunk
		total := max(1, len(f.hunks))
		count := 0
		for i := range total {
			n++
			if !keep[n] {
				continue
			}
			count++
			if i < len(f.hunks) {
				some = append(some, f.hunks[i])
			}
		}
		c := f.change
		switch {
		case count == 0, count < total && c.Op == tools.Delete:
			continue
		case count < total:
			if c.After, err = f.coding.Encode(diff.Apply(f.before, some)); err != nil {
				return nil, fmt.Errorf("%s: %w", c.Path, err)
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s", lang.T("nothing of it is left"))
	}
	return out, nil
}
