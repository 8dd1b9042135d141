package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/lazy"
)

// depths are the programs a grant may be given for as a family, and how many
// words of theirs are the sub-command. A program that is not here is granted
// word for word.
var depths = lazy.Value[map[string]int]{Of: func() map[string]int {
	return map[string]int{
		"git": 1, "git/remote": 2, "git/stash": 2, "git/worktree": 2, "git/submodule": 2, "git/notes": 2, "git/bisect": 2, "git/config": 9, "git/clone": 9, "git/fetch": 9, "git/pull": 9, "git/checkout": 9, "git/merge": 9, "git/rebase": 9, "git/switch": 9,
		"go": 1, "go/mod": 2, "go/work": 2, "go/tool": 9, "go/get": 9, "go/generate": 1, "go/run": 9, "go/install": 9, "gofmt": 0,
		"cargo": 1, "npm": 1, "npm/run": 2, "npm/run-script": 2, "npm/install": 9, "pnpm": 1, "pnpm/run": 2, "pnpm/install": 9, "yarn": 1, "yarn/run": 2, "yarn/add": 9, "bun": 1, "bun/run": 2, "bun/add": 9,
		"make": 9, "pytest": 0, "jest": 0, "vitest": 0, "mkdir": 0, "touch": 0, "cp": 0, "mv": 0, "rm": 0, "rmdir": 0, "ls": 0, "cat": 0, "grep": 0, "rg": 0, "head": 0, "tail": 0, "wc": 0, "tsc": 0, "eslint": 0, "prettier": 0, "black": 0, "goimports": 0, "rustfmt": 0,
		"dotnet": 1, "gradle": 9, "mvn": 9, "cmake": 9, "ninja": 9, "bazel": 9, "swift": 1, "mix": 1, "rake": 9, "just": 9, "task": 9,
	}
}}

// scopeMark stands between what a grant runs and where. The dots are for operands.
const scopeMark = " … in "

// flow are the shell's own words that only say where it goes on: they leave nothing
// behind, so that nobody need allow them.
var flow = []string{"exit", "return", "break", "continue"}

// grant notes the shape by which a command could be allowed again, or that it
// cannot be. needless is a command that wants no permission.
func (s *scan) grant(argv []word, assigns bool) (shape string, needless bool) {
	if !assigns && allLiteral(argv) && slices.Contains(flow, argv[0].text) {
		return "", true
	}
	if !assigns && allLiteral(argv) && !strings.ContainsAny(argv[0].text, "/") && argv[0].text != "cd" && !fetches(texts(argv)) {
		shape = s.shape(argv)
	}
	if shape == "" {
		s.ungrantable = true
		return "", false
	}
	if !slices.Contains(s.shapes, shape) {
		s.shapes = append(s.shapes, shape)
	}
	return shape, false
}

// fetches reports whether a command runs a program that it may first fetch, by a
// name: to grant one is to grant whatever stands under that name tomorrow.
func fetches(argv []string) bool {
	var words []string
	for _, a := range argv[1:] {
		if !strings.HasPrefix(a, "-") {
			words = append(words, a)
		}
	}
	first := ""
	if len(words) > 0 {
		first = words[0]
	}
	switch argv[0] {
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		return true
	case "npm", "pnpm", "yarn", "bun":
		return slices.Contains([]string{"exec", "x", "dlx", "create", "init"}, first)
	case "uv", "poetry", "pipenv", "pdm", "hatch", "rye":
		return slices.Contains([]string{"run", "tool", "shell"}, first)
	}
	return false
}

// shape is the program, its sub-command and its flags, and where its operands may
// lie: "go test -race … in the workspace". What is no family is all its words.
func (s *scan) shape(argv []word) string {
	exact := make([]string, len(argv))
	for i, w := range argv {
		exact[i] = quote(w.text)
	}
	name := argv[0].text
	if testModule(name, argv[1:]) != "" {
		return exact[0] + " -m " + s.shape(argv[2:])
	}
	depth, ok := depths.Get()[name]
	if !ok {
		return strings.Join(exact, " ")
	}
	var words, flags []string
	var rest []word
	for i, w := range argv[1:] {
		if w.text == "--" {
			rest = append(rest, argv[i+2:]...)
			break
		}
		if strings.HasPrefix(w.text, "-") {
			// A flag counts with its value: -o x is not -o y.
			flags = append(flags, quote(w.text))
			continue
		}
		if len(rest) == 0 && len(words) < depth {
			// Behind a flag it may be that one's value, and what comes then the sub-command:
			// go -C sub test would stand for go -C sub get. So may cargo's +nightly.
			if len(flags) > 0 || strings.HasPrefix(w.text, "+") {
				return strings.Join(exact, " ")
			}
			words = append(words, w.text)
			if d, ok := depths.Get()[strings.Join(append([]string{name}, words...), "/")]; ok {
				depth = d
			}
			continue
		}
		rest = append(rest, w)
	}
	if depth == 9 {
		return strings.Join(exact, " ")
	}
	scope := s.scope(rest)
	if scope == "" {
		return strings.Join(exact, " ")
	}
	slices.Sort(flags)
	head := append([]string{name}, words...)
	return strings.Join(append(head, slices.Compact(flags)...), " ") + scopeMark + scope
}

// scope is where all operands lie: the one directory of the workspace they are
// in, or the workspace. "" where one lies outside, or is a secret.
func (s *scan) scope(ops []word) string {
	if len(ops) == 0 {
		ops = []word{literal(".")}
	}
	for _, w := range ops {
		if !s.readable(strings.TrimSuffix(w.text, "...")) && w.text != "" {
			return ""
		}
	}
	top := ""
	for _, w := range ops {
		p, _ := s.w.reach(s.cwds[0], strings.TrimSuffix(w.text, "..."))
		dir, _, deep := strings.Cut(s.relative(p), "/")
		if fi, err := os.Stat(p); !deep && (err != nil || !fi.IsDir() || dir == ".") || top != "" && top != dir {
			return "the workspace"
		}
		top = dir
	}
	return top + "/"
}

func (s *scan) relative(p string) string {
	for _, r := range s.w.real {
		if rel, err := filepath.Rel(r, p); err == nil && within(r, p) {
			return filepath.ToSlash(rel)
		}
	}
	return p
}
