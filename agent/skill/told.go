package skill

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/lazy"
)

// listBytes bounds what every request carries of skills, in bytes.
const listBytes = 6 << 10

// shorter are the characters a description may have, from one try to the next, until the
// list is short enough.
var shorter = []int{maxAbout, 400, 200, 100, 50}

// list tells a model which skills there are, a line each, in not more than listBytes.
// Equal skills give equal bytes.
func list(skills []Skill) string {
	var lines []string
	for _, n := range shorter {
		lines = lines[:0]
		size := 0
		for _, k := range skills {
			lines = append(lines, "\n"+k.Name+": "+clip(k.About, n))
			size += len(lines[len(lines)-1])
		}
		if size <= listBytes {
			return strings.Join(lines, "")
		}
	}
	left := listBytes - 100 // for the word about the rest
	for i, l := range lines {
		if left -= len(l); left < 0 {
			return strings.Join(lines[:i], "") + fmt.Sprintf("\n(%d more have no room here; the user may name one)", len(lines)-i)
		}
	}
	return strings.Join(lines, "")
}

// Text is a skill as a model gets it whole. text is its file, args what a person typed
// behind its name. The error is one of the file.
func (s Skill) Text(text []byte, args string) (string, error) {
	_, body, line, err := parse(text, path.Base(path.Dir(s.Path)))
	if err != nil {
		if line > 0 {
			return "", fmt.Errorf("%s:%d: %w", s.Show, line, err)
		}
		return "", fmt.Errorf("%s: %w", s.Show, err)
	}
	args, body = strings.TrimSpace(args), seen(body)
	filled := strings.ReplaceAll(body, "$ARGUMENTS", args)
	var b strings.Builder
	fmt.Fprintf(&b, "<skill name=%q folder=%q>\n%s\n</skill>\n", s.Name, s.Dir, strings.ReplaceAll(filled, "</skill>", "<\\/skill>"))
	if files := beside(s.Dir); files != "" {
		b.WriteString("Beside it, from that folder on: " + files + "\n")
	}
	if args != "" && filled == body {
		b.WriteString("\n" + args + "\n")
	}
	return b.String(), nil
}

// seen is a text without what a person who read it did not see: it was trusted as it
// looked.
func seen(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t', r == '\u200c', r == '\u200d': // the last two join letters and emoji
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r >= 0xe0100 && r <= 0xe01ef:
			return -1
		}
		return r
	}, text)
}

// Bounds of the list of a skill's files.
const (
	maxBeside = 40
	maxLooked = 500
)

// beside names the files of a skill.
func beside(dir string) string {
	var names []string
	looked, more := 0, false
	_ = fs.WalkDir(os.DirFS(dir), ".", func(at string, e fs.DirEntry, err error) error {
		switch {
		case err != nil: // of the folder itself there is no entry then
			return fs.SkipDir
		case at == ".":
			return nil
		case looked >= maxLooked || len(names) >= maxBeside:
			more = true
			return fs.SkipAll
		}
		looked++
		switch name := e.Name(); {
		case strings.HasPrefix(name, ".") || name == "node_modules" || name == "__pycache__":
			if e.IsDir() {
				return fs.SkipDir
			}
		case !e.IsDir() && !strings.EqualFold(at, "SKILL.md"):
			names = append(names, plain(at))
		}
		return nil
	})
	slices.Sort(names)
	if more {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

var opened = lazy.Regexp{Expr: `^<skill name="([^"\s]+)" folder="`}

// Loaded names the skill whose whole text this is; empty: it is none's. What stands further
// down in a text is what a file says, and no sign that anybody loaded one.
func Loaded(text string) string {
	if m := opened.Get().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
