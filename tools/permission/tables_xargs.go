package permission

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// xargs makes words of what another command prints. That is harmless where what it
// prints are names of files that were looked at, each of which is one word and no flag,
// and the command only reads them.

// listing is what a command prints that lists files.
type listing struct {
	dirs  []word   // where they lie
	zero  bool     // each ends with a NUL
	names []string // patterns that all of them match
}

// lists is what a harmless command prints, where that is nothing but names of files.
func (s *scan) lists(argv []word, f feed) *listing {
	name, args := argv[0].text, argv[1:]
	k := known{operands: harmless.Get()[name].operands, flags: harmless.Get()[name].flags}
	switch name {
	case "rg":
		u, ok := k.split(s, args)
		plain := u.has("--files") || u.has("-l", "--files-with-matches", "--files-without-match")
		if !ok || !plain || u.has("--json", "--stats", "-p", "--pretty", "--color", "--colors", "--debug", "--vimgrep", "--heading") {
			return nil
		}
		dirs := u.operands
		if !u.has("--files") && !u.has("-e", "--regexp", "-f", "--file") && len(dirs) > 0 {
			dirs = dirs[1:]
		}
		return &listing{dirs: dirs, zero: u.has("-0", "--null")}
	case "grep", "egrep", "fgrep":
		u, ok := k.split(s, args)
		if ok && f.names != nil && !f.names.zero && len(u.operands) == 1 && !slices.ContainsFunc(u.flags, func(f flag) bool { return !slices.Contains([]string{"-v", "-i", "-E", "-F", "-w", "-x"}, f.name) }) {
			return f.names // the lines that match
		}
		if !ok || !u.has("-l", "-L", "--files-with-matches", "--files-without-match") || u.has("--color", "--colour", "--label", "-c", "--count") {
			return nil
		}
		dirs := u.operands
		if !u.has("-e", "--regexp", "-f", "--file") && len(dirs) > 0 {
			dirs = dirs[1:]
		}
		return &listing{dirs: dirs, zero: u.has("-Z", "--null")}
	case "fd":
		u, ok := k.split(s, args)
		if !ok || u.has("--color", "-a", "--absolute-path", "-p", "--full-path") {
			return nil
		}
		return &listing{dirs: u.operands[min(1, len(u.operands)):], zero: u.has("-0", "--print0")}
	case "find":
		return s.finds(args)
	case "head", "tail", "sort", "uniq": // the same lines, or some of them
		u, ok := k.split(s, args)
		if ok && f.names != nil && !f.names.zero && len(u.operands) == 0 && !u.has("-c", "--bytes", "--count", "-z", "--zero-terminated", "-v", "--verbose", "--group", "--all-repeated", "-D") {
			return f.names
		}
	}
	return nil
}

// finds is the listing that find prints.
func (s *scan) finds(args []word) *listing {
	l := &listing{}
	i := 0
	for ; i < len(args); i++ {
		t := args[i].text
		if strings.HasPrefix(t, "-") || t == "(" || t == "!" {
			break
		}
		l.dirs = append(l.dirs, args[i])
	}
	ends := 0
	for _, w := range args[i:] {
		switch w.text {
		case "-printf", "-ls", "-exec", "-L", "-H", "-P":
			return nil
		case "-print0":
			l.zero = true
			ends++
		case "-print":
			ends++
		}
	}
	if ends > 1 { // of two kinds, perhaps
		return nil
	}
	if tests := args[i:]; !joined(tests) {
		// What stands behind a print filters nothing.
		if end := slices.IndexFunc(tests, func(w word) bool { return strings.HasPrefix(w.text, "-print") }); end >= 0 {
			tests = tests[:end]
		}
		l.names = namesOf(tests)
	}
	return l
}

// quietly reports whether nothing of a statement but what it prints goes where that
// goes.
func quietly(st *syntax.Stmt) bool {
	return !slices.ContainsFunc(st.Redirs, func(r *syntax.Redirect) bool {
		return r.Op != syntax.RdrOut || r.N == nil || r.N.Value != "2" || r.Word.Lit() != "/dev/null"
	})
}

var xargsFlags = known{flags: "-0r -n: -P: -I: -d: --null --no-run-if-empty --max-args: --max-procs: --delimiter:"}

// xargsReads accepts xargs with a command that only reads the files it is told of.
func (s *scan) xargsReads(args []word, f feed) bool {
	end := 0
	for end < len(args) && args[end].lit && strings.HasPrefix(args[end].text, "-") {
		end++
		if t := args[end-1].text; slices.Contains([]string{"-n", "-P", "-I", "-d", "--max-args", "--max-procs", "--delimiter"}, t) {
			end++
		}
	}
	if end >= len(args) || f.names == nil {
		return false
	}
	u, ok := xargsFlags.split(s, args[:end])
	if !ok || len(u.operands) > 0 {
		return false
	}
	zero := u.has("-0", "--null")
	lines := u.value("-d", "--delimiter")
	mark := u.value("-I")
	for _, n := range []string{u.value("-n", "--max-args"), u.value("-P", "--max-procs")} {
		if n != "" && !number(n) {
			return false
		}
	}
	if zero != f.names.zero || lines != "" && lines != `\n` || mark != "" && mark != "{}" || u.has("-I") && mark == "" {
		return false
	}
	inner := slices.Clone(args[end:])
	if !inner[0].lit || !s.apart(inner[0].text) || inner[0].text == "xargs" {
		return false
	}
	found := word{src: "{}", text: "./{}", path: unknown, glob: true, found: true, one: mark != "" || u.value("-n", "--max-args") == "1"}
	if mark == "" {
		inner = append(inner, found)
	}
	for i, w := range args[end:] {
		switch {
		case mark != "" && w.lit && w.text == mark:
			inner[i] = found
		case mark != "" && strings.Contains(w.text, mark):
			return false
		}
	}
	s.a.inner = append(s.a.inner, texts(args[end:]))
	return s.vouched(inner) && s.plainNames(*f.names)
}

// plainNames reports whether everything that a listing may name is a file inside whose
// name is one word and no flag, and no secret. Hidden ones count: a repository's own
// .ignore may say that they are listed. It looks at 20,000 names and gives up beyond.
func (s *scan) plainNames(l listing) bool {
	dirs, left := l.dirs, 20_000
	if len(dirs) == 0 {
		dirs = []word{literal(".")}
	}
	for _, w := range dirs {
		if !w.lit || strings.ContainsAny(w.text, " \t\n'\"\\=@") || strings.HasPrefix(w.text, "-") {
			return false
		}
		for _, dir := range s.cwds {
			top, in := s.w.reach(dir, w.text)
			if !in {
				return false
			}
			err := filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
				if left--; left < 0 {
					return os.ErrInvalid
				}
				name := d.Name()
				switch {
				case err != nil && !os.IsNotExist(err):
					return err
				case err != nil || p == top && d.IsDir():
					return nil
				case slices.ContainsFunc(l.names, func(n string) bool { return !matchesName(n, name) }):
					return nil
				}
				rel := strings.TrimPrefix(strings.TrimPrefix(p, top), "/")
				if rel = filepath.ToSlash(rel); strings.HasPrefix(rel, "-") || strings.ContainsAny(rel, " \t\n\r\v\f'\"\\=@") || secretFile(p) {
					return os.ErrPermission
				}
				if d.Type()&os.ModeSymlink != 0 {
					if to, in := s.w.reach(filepath.Dir(p), name); !in || secretFile(to) {
						return os.ErrPermission
					}
				}
				return nil
			})
			if err != nil {
				return false
			}
		}
	}
	return true
}
