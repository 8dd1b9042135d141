package search

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// repoRules are the ignore rules a whole repository shares, stronger ones first:
// its own info/exclude, then the person's excludes file.
type repoRules struct {
	top    *level // the level of the repository's root
	shared [][]rule
	depth  int    // as in level, of the repository's root
	base   string // as in level, of the repository's root
	fold   bool
}

func (r *repoRules) relative(path string) string {
	if r.base != "" {
		return r.base + path
	}
	return path[r.depth:]
}

// maxIgnoreFile is the most that is read of one ignore or configuration file.
const maxIgnoreFile = 4 << 20

// readSmall reads a regular file; nil if there is none or it is too large.
func readSmall(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}

// readOwn is readSmall without following a link: like git, which does not let a
// tree's ignore file point out of the tree.
func readOwn(path string) []byte {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return readSmall(path)
}

// newRepo reads the shared rules of the repository whose root is dir. global is
// what the configuration of machine and person says.
func newRepo(dir string, global gitConfig) *repoRules {
	gitDir, common := gitDirs(dir)
	conf := global
	conf.read(filepath.Join(common, "config"), 0)
	r := &repoRules{fold: conf.fold}
	if data := readSmall(filepath.Join(common, "info", "exclude")); data != nil {
		r.shared = append(r.shared, parseIgnore(data, r.fold))
	} else if data := readSmall(filepath.Join(gitDir, "info", "exclude")); data != nil {
		r.shared = append(r.shared, parseIgnore(data, r.fold))
	}
	if data := readSmall(conf.excludes(dir)); data != nil {
		r.shared = append(r.shared, parseIgnore(data, r.fold))
	}
	return r
}

// gitDirs finds the git folder of a work tree and the one its worktrees share.
// A submodule or a linked worktree has a .git file that names the first; the
// first's commondir names the second.
func gitDirs(dir string) (gitDir, common string) {
	gitDir = filepath.Join(dir, ".git")
	if to, ok := strings.CutPrefix(string(readSmall(gitDir)), "gitdir:"); ok {
		gitDir = from(dir, strings.TrimSpace(to))
	}
	common = gitDir
	if to := bytes.TrimSpace(readSmall(filepath.Join(gitDir, "commondir"))); len(to) > 0 {
		common = from(gitDir, string(to))
	}
	return gitDir, common
}

// from resolves a path that may be relative to dir.
func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// isRepo says whether dir is the root of a work tree.
func isRepo(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// gitConfig is what two keys of git's configuration say.
type gitConfig struct {
	excludesFile string
	set          bool // excludesFile was given, perhaps as empty: no file
	fold         bool // core.ignoreCase
}

// globalConfig reads the configuration of machine and person.
func globalConfig() gitConfig {
	c := gitConfig{fold: runtime.GOOS == "windows" || runtime.GOOS == "darwin"}
	if system, ok := os.LookupEnv("GIT_CONFIG_SYSTEM"); ok {
		c.read(system, 0)
	} else if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" && runtime.GOOS != "windows" {
		c.read("/etc/gitconfig", 0)
	}
	if global, ok := os.LookupEnv("GIT_CONFIG_GLOBAL"); ok {
		c.read(global, 0)
		return c
	}
	if dir := xdgConfig(); dir != "" {
		c.read(filepath.Join(dir, "git", "config"), 0)
	}
	if home, err := os.UserHomeDir(); err == nil {
		c.read(filepath.Join(home, ".gitconfig"), 0)
	}
	return c
}

func xdgConfig() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return dir
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".config")
	}
	return ""
}

// excludes is the path of the person's excludes file for a repository at dir.
func (c *gitConfig) excludes(dir string) string {
	if !c.set {
		if x := xdgConfig(); x != "" {
			return filepath.Join(x, "git", "ignore")
		}
		return ""
	}
	if c.excludesFile == "" {
		return ""
	}
	return from(dir, home(c.excludesFile))
}

func home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	return path
}

// read takes core.excludesFile, core.ignoreCase and include.path from one file;
// what comes later wins, as with git. includeIf is not followed.
func (c *gitConfig) read(path string, depth int) {
	if depth > 9 || path == "" {
		return
	}
	section := ""
	text := strings.ReplaceAll(string(readSmall(path)), "\\\n", "")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, after, ok := strings.Cut(rest, "]")
			if !ok {
				continue
			}
			section = strings.ToLower(strings.TrimSpace(name))
			line = strings.TrimSpace(after)
		}
		if line == "" || line[0] == '#' || line[0] == ';' || section != "core" && section != "include" {
			continue
		}
		key, value, given := strings.Cut(line, "=")
		value = configValue(value)
		switch section + "." + strings.ToLower(strings.TrimSpace(key)) {
		case "core.excludesfile":
			c.excludesFile, c.set = value, true
		case "core.ignorecase":
			v := strings.ToLower(value)
			c.fold = !given || v == "true" || v == "yes" || v == "on" || v == "1"
		case "include.path":
			c.read(from(filepath.Dir(path), home(value)), depth+1)
		}
	}
}

// configValue takes quotes, escapes and a comment off a value.
func configValue(s string) string {
	s = strings.TrimSpace(s)
	var b strings.Builder
	quoted, keep := false, 0 // keep: the length that trailing blanks cannot be cut below
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
			keep = b.Len()
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
			keep = b.Len()
		case (c == '#' || c == ';') && !quoted:
			i = len(s)
		default:
			b.WriteByte(c)
			if quoted {
				keep = b.Len()
			}
		}
	}
	out := b.String()
	return out[:keep] + strings.TrimRight(out[keep:], " \t")
}
