package permission

import (
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/lazy"
)

// recipes are the files that tell programs what to do, which look for them where
// they are started and above.
var recipes = lazy.Value[map[string][]string]{Of: func() map[string][]string {
	return map[string][]string{
		"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"}, "bmake": {"makefile", "Makefile"},
		"npm": {"package.json"}, "pnpm": {"package.json"}, "yarn": {"package.json"}, "bun": {"package.json"}, "npx": {"package.json"},
		"just": {"justfile", "Justfile", ".justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"}, "rake": {"Rakefile", "rakefile"},
		"gradle": {"build.gradle", "build.gradle.kts", "settings.gradle"}, "mvn": {"pom.xml"}, "ant": {"build.xml"}, "cmake": {"CMakeLists.txt"}, "ninja": {"build.ninja"},
		"tox": {"tox.ini"}, "nox": {"noxfile.py"}, "invoke": {"tasks.py"}, "inv": {"tasks.py"}, "fab": {"fabfile.py"}, "gulp": {"gulpfile.js"}, "grunt": {"Gruntfile.js"},
		"composer": {"composer.json"}, "deno": {"deno.json", "deno.jsonc"}, "mix": {"mix.exs"}, "poe": {"pyproject.toml"}, "docker-compose": {"docker-compose.yml", "compose.yaml"},
	}
}}

// maxObeyed is how many files of one line are looked at, maxNested how many brackets one
// may have for Obeys.
const (
	maxObeyed = 64
	maxNested = 500
)

// Obeys lists the files below roots that decide what a command line does when it is run
// in dir: scripts it names, a Makefile, a package.json. Absolute; some may not exist.
// What npx looks for lies in no file of these. ok is false where it cannot be told.
func Obeys(line, dir string, roots []string) (out []string, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("looking for what a command line obeys", "panic", p)
			out, ok = nil, false
		}
	}()
	if strings.Count(line, "(")+strings.Count(line, "`")+strings.Count(line, "{") > maxNested {
		return nil, false // it would be read for seconds
	}
	s := newScan(world{dir: dir, roots: roots}.filled())
	s.read(line)
	for _, file := range s.a.Files {
		if filepath.Base(file) == "package.json" && !slices.ContainsFunc(s.a.Parsed, func(argv []string) bool {
			return len(argv) > 0 && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, filepath.Base(argv[0]))
		}) {
			continue
		}
		out = append(out, file)
	}
	return out, true
}

// obeys notes the files of the workspace that decide what a command does: one named
// as the program, a script an interpreter is given, the recipes of a Makefile. An
// answer is bound to what they hold.
func (c *command) obeys(program word) {
	if strings.Contains(program.text, "/") {
		c.noteFile(program.path)
	}
	if module := testModule(c.name, c.args); module != "" { // one of the workspace comes before python's own
		c.noteFile(module + ".py")
		c.noteFile(module + "/__init__.py")
		c.noteFile(module + "/__main__.py")
		return
	}
	script := interpreter(c.name) != "" || c.name == "source" || c.name == "."
	if script || slices.Contains([]string{"awk", "gawk", "mawk", "sed"}, c.name) {
		for i, a := range c.args {
			if !script && (i == 0 || c.args[i-1].text != "-f" && c.args[i-1].text != "--file") && !strings.HasPrefix(a.text, "--file=") {
				continue
			}
			name := a.path
			if _, v, ok := strings.Cut(name, "="); ok && strings.HasPrefix(name, "-") {
				name = v
			}
			c.noteFile(name)
		}
	}
	names, ok := recipes.Get()[c.name]
	if !ok {
		return
	}
	dirs := []string{"."}
	for i, a := range c.args {
		value := ""
		if i+1 < len(c.args) {
			value = c.args[i+1].path
		}
		switch {
		case slices.Contains([]string{"-C", "--directory", "--prefix", "--cwd", "-d", "--working-directory"}, a.text):
			dirs = append(dirs, value)
		case slices.Contains([]string{"-f", "--file", "--makefile", "-t", "--taskfile", "--justfile"}, a.text):
			c.noteFile(value)
		case strings.HasPrefix(a.text, "-"):
			if _, v, ok := strings.Cut(a.text, "="); ok {
				dirs = append(dirs, v)
				c.noteFile(v)
			}
		}
	}
	for _, dir := range dirs {
		for _, at := range c.s.places(dir, true) {
			for ; c.s.inside(at); at = path.Dir(at) {
				for _, n := range names {
					c.s.note(path.Join(at, n))
				}
			}
		}
	}
}

// noteFile notes a word that names a file of the workspace, whether it is there or
// not.
func (c *command) noteFile(p string) {
	if p == "" || strings.HasPrefix(p, "-") || strings.Contains(p, unknown) || len(p) > 4096 {
		return
	}
	for _, at := range c.s.places(p, true) {
		if fi, err := os.Stat(at); c.s.inside(at) && (err == nil && fi.Mode().IsRegular() || os.IsNotExist(err)) {
			c.s.note(at)
		}
	}
}

func (s *scan) note(p string) {
	p = filepath.Clean(p)
	if len(s.obeyed) < maxObeyed && !slices.Contains(s.obeyed, p) {
		s.obeyed = append(s.obeyed, p)
	}
	if len(s.a.Files) < maxObeyed && !slices.Contains(s.a.Files, p) {
		s.a.Files = append(s.a.Files, p)
	}
}
