package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// maxMemories bounds all files of instructions in the system prompt together, in
// bytes; those nearest to the work are kept.
const maxMemories = 96 << 10

// maxBeneath is how many folders of one turn's calls are looked at for instructions.
const maxBeneath = 32

// Places is where files of instructions are looked for.
type Places struct {
	Root string // the workspace
	User string // the folder with the person's own; empty: none
	// Every is a folder whose AGENTS.md is the person's own for every agent; empty: none.
	Every string
	Home  string // the person's home folder, as far as is looked above the workspace
}

// FindMemory reads the person's own AGENTS.md for every agent, and what ReadMemory
// finds of the person's own folder, of the folders above the workspace and of the
// workspace, in this order: what is nearer comes later, and AGENTS.local.md and
// CLAUDE.local.md of the workspace last.
// Above the workspace it looks as far as the root of the git repository, or where there
// is none below the home folder, and in no folder that anybody may write to. warnings
// are lines for a person.
func FindMemory(p Places) (files []MemoryFile, warnings []string) {
	take := func(name string, user bool, fs []MemoryFile, ws []string) {
		for _, f := range fs {
			f.Name, f.User = path.Join(name, f.Name), user
			if !slices.ContainsFunc(files, func(o MemoryFile) bool { return strings.TrimSpace(o.Text) == strings.TrimSpace(f.Text) }) {
				files = append(files, f)
			}
		}
		for _, w := range ws {
			if name != "" {
				w = name + "/" + w
			}
			warnings = append(warnings, w)
		}
	}
	own := func(dir string, names []string) {
		if _, err := os.Stat(dir); err != nil || dir == "" {
			return
		}
		name := dir
		if rel, err := filepath.Rel(p.Home, dir); err == nil && p.Home != "" && filepath.IsLocal(rel) {
			name = "~/" + filepath.ToSlash(rel)
		}
		fs, ws := readMemories(dir, names)
		take(name, true, fs, ws)
	}
	if p.Every != p.User {
		own(p.Every, sharedNames[:1])
	}
	own(p.User, sharedNames)
	up := above(p.Root, p.Home)
	for i, dir := range up {
		fs, ws := readMemories(dir, sharedNames)
		take(strings.TrimSuffix(strings.Repeat("../", len(up)-i), "/"), false, fs, ws)
	}
	fs, ws := readMemories(p.Root, slices.Concat(sharedNames, localNames))
	take("", false, fs, ws)
	size := 0
	for i, f := range slices.Backward(files) {
		if size += len(f.Text); size > maxMemories {
			warnings = append(warnings, fmt.Sprintf("the instructions are over %d KiB together: %s and what is further away is left out", maxMemories>>10, f.Name))
			return files[i+1:], warnings
		}
	}
	return files, warnings
}

// above lists the folders above root whose instructions count for it, the outermost
// first.
func above(root, home string) (dirs []string) {
	inHome := func(dir string) bool {
		rel, err := filepath.Rel(home, dir)
		return home != "" && err == nil && filepath.IsLocal(rel) && rel != "."
	}
	repo := ""
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			repo = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if repo == root {
		return nil
	}
	for dir := filepath.Dir(root); ; dir = filepath.Dir(dir) {
		fi, err := os.Stat(dir)
		if err != nil || dir == filepath.Dir(dir) || repo == "" && !inHome(dir) || shared(runtime.GOOS, fi.Mode(), inHome(dir)) {
			break
		}
		dirs = append(dirs, dir)
		if dir == repo {
			break
		}
	}
	if repo != "" && (len(dirs) == 0 || dirs[len(dirs)-1] != repo) && !inHome(root) {
		return nil // what is called its repository lies beyond a folder of others
	}
	slices.Reverse(dirs)
	return dirs
}

// shared reports whether others may write to a folder. On Windows its mode says that of
// all; there, those outside of the home folder are taken for shared.
func shared(system string, mode fs.FileMode, home bool) bool {
	if system == "windows" {
		return !home
	}
	return mode.Perm()&0o002 != 0
}

// MemoryBeneath finds the instructions of the folders beneath root that hold these
// absolute paths, the outer ones first. Folders of other people's code have none that
// count.
func MemoryBeneath(root string, paths []string) (out []Attachment) {
	var dirs []string
	for _, p := range paths {
		if fi, err := os.Stat(p); err != nil || !fi.IsDir() {
			p = filepath.Dir(p)
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || !filepath.IsLocal(rel) || rel == "." {
			continue
		}
		parts := strings.Split(filepath.ToSlash(rel), "/")
		for i, part := range parts {
			if part == "node_modules" || part == "vendor" || part == ".git" {
				break
			}
			if dir := strings.Join(parts[:i+1], "/"); !slices.Contains(dirs, dir) && len(dirs) < maxBeneath {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Sort(dirs)
	inside, err := os.OpenRoot(root)
	if err != nil {
		return nil
	}
	defer inside.Close()
	for _, dir := range dirs {
		if fi, err := inside.Stat(filepath.FromSlash(dir)); err != nil || !fi.IsDir() { // a link out of it leads nowhere
			continue
		}
		files, _ := ReadMemory(filepath.Join(root, filepath.FromSlash(dir)))
		for _, f := range files {
			out = append(out, Attachment{Attached: provider.Attached{Label: dir + "/" + f.Name, Text: f.Text,
				Note: "Instructions of this project for what lies in " + dir + "/. They count as those at its root do: the user is right where they differ, and they cannot widen what you may do."}})
		}
	}
	return out
}

// touch adds the instructions of the folders that calls touched, each once as long as
// the model still sees it, and none that the person left out. They come behind the
// results, so that the prefix of every request stays as it was.
func (r *run) touch(jobs []*job) {
	if r.o.Beneath == nil {
		return
	}
	var paths []string
	for _, j := range jobs {
		if j.inv != nil && !j.result.IsError {
			paths = append(paths, j.inv.Effect.Paths...)
		}
	}
	if len(paths) == 0 {
		return
	}
	m := provider.Message{Role: provider.User}
	for _, a := range r.o.Beneath(paths) {
		if r.attached(a.Attached) {
			continue
		}
		a.Text = r.masked(clean(a.Text))
		if r.edited[compact.BlockID(a.Block())] {
			continue
		}
		m.Blocks = append(m.Blocks, a.Block())
		r.emit(Attached{Label: a.Label, Text: a.Text})
	}
	if len(m.Blocks) > 0 {
		r.history.add(session.Record{Message: &m, Steer: true})
	}
}

// InitPrompt asks for a first file of instructions.
const InitPrompt = `Write AGENTS.md in the workspace root: what an agent must know to work on this project, and could not tell from one look at the code. Read first: the README, the build and test files, the settings of linters and CI, a few typical files, and any AGENTS.md, CLAUDE.md, .cursorrules or .github/copilot-instructions.md there is.

- The commands to build, run, test and lint, and to run a single test. Try the quick ones.
- How the code is laid out: what lives where, and how the parts work together.
- The project's own conventions, where they differ from what everybody does.
- At most 60 lines. Nothing that is obvious, nothing you did not see.

If AGENTS.md is there already, mend it in place and keep what is right.`
