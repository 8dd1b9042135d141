package permission

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// findRuns takes the commands that find runs for what it finds out of its arguments. ok
// is false where one of them is not harmless, whatever is found: from is where it looks.
func (s *scan) findRuns(from, args []word) (rest []word, ok bool) {
	for i := 0; i < len(args); i++ {
		if t := args[i].text; !args[i].lit || t != "-exec" {
			rest = append(rest, args[i])
			continue
		}
		end, many := i+1, false
		for ; end < len(args); end++ {
			t := args[end]
			if many = t.lit && t.text == "+" && args[end-1].lit && args[end-1].text == "{}"; many || t.lit && t.text == ";" {
				break
			}
		}
		names := namesOf(rest)
		if joined(args) {
			names = nil
		}
		if end == len(args) || !s.readsFound(from, names, args[i+1:end], many) {
			return nil, false
		}
		i = end
	}
	return rest, true
}

// readsFound reports whether a command that find runs only reads what was found.
func (s *scan) readsFound(from []word, names []string, argv []word, many bool) bool {
	if len(argv) == 0 || !argv[0].lit || !s.apart(argv[0].text) {
		return false
	}
	inner := slices.Clone(argv)
	for i, w := range inner {
		switch {
		case w.lit && w.text == "{}":
			inner[i] = word{src: "{}", text: "./{}", path: unknown, glob: true, found: true, one: !many}
		case strings.Contains(w.text, "{}"):
			return false
		}
	}
	s.a.inner = append(s.a.inner, texts(argv))
	return s.vouched(inner) && s.tame(from, names)
}

// apart reports whether a program is the same one where no shell starts it.
func (s *scan) apart(name string) bool {
	if slices.Contains([]string{"cd", "type", "command", ":", "exit"}, name) || strings.Contains(name, "/") {
		return false
	}
	return len(s.w.path) == 0 || !ownCommands.Get()[name] // the shell's own is not what runs
}

// tame reports whether everything that find may find is a file, folder or link inside,
// and none of them a secret, of what matches every one of names.
func (s *scan) tame(from []word, names []string) bool {
	if len(from) == 0 {
		from = []word{literal(".")}
	}
	left := mostNames
	for _, w := range from {
		if !w.lit || strings.HasPrefix(w.text, "@") || strings.Contains(w.text, "=") {
			return false
		}
		fine := s.below(w.text, &left, func(p string, d fs.DirEntry) bool {
			switch {
			case slices.ContainsFunc(names, func(n string) bool { return !matchesName(n, d.Name()) }):
				return true
			case secretFile(p):
				return false
			case d.Type()&fs.ModeSymlink == 0:
				return true
			}
			to, in := s.w.reach(filepath.Dir(p), d.Name())
			return in && !secretFile(to)
		})
		if !fine {
			return false
		}
	}
	return true
}

// joined reports whether tests are joined by anything but and.
func joined(args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool {
		return slices.Contains([]string{"-o", "-or", "!", "-not", "(", ")", ","}, w.text)
	})
}

// namesOf are the patterns that every name matches which these tests let pass.
func namesOf(tests []word) (names []string) {
	kinds := findTests.kinds()
	for i := 0; i < len(tests); i++ {
		switch kinds[tests[i].text] {
		case ":", "@":
			if i+1 < len(tests) && tests[i].text == "-name" && tests[i+1].lit {
				names = append(names, tests[i+1].text)
			}
			i++
		}
	}
	return names
}

// matchesName reports whether a name may match a pattern of find's.
func matchesName(pattern, name string) bool {
	if strings.ContainsAny(pattern, "[\\") {
		return true
	}
	ok, err := path.Match(pattern, name)
	return ok || err != nil
}
