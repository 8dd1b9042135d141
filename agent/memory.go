package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// MemoryFile is a file of standing instructions; Name is relative to the
// workspace root, or where it is the person's own, to their home folder.
type MemoryFile struct {
	Name, Text string
	User       bool // the person's own, for every project
}

// maxMemory bounds one file of instructions, in bytes: it is part of every
// request.
const maxMemory = 32 << 10

// ReadMemory reads AGENTS.md and CLAUDE.md of one folder, in this order, or GEMINI.md
// where it has neither.
// A file that is another name of one that was read, says the same, or only
// points at it is read once. Links out of the folder are not followed: the
// text goes to a model. warnings are lines for a person.
func ReadMemory(root string) (files []MemoryFile, warnings []string) {
	return readMemories(root, sharedNames)
}

// sharedNames are the files of instructions that a project is kept with, localNames
// those that one person has beside them.
var (
	sharedNames = []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md"}
	localNames  = []string{"AGENTS.local.md", "CLAUDE.local.md"}
)

// readMemories is ReadMemory for files of these names.
func readMemories(root string, names []string) (files []MemoryFile, warnings []string) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, []string{fmt.Sprintf("instructions of the project not read: %v", err)}
	}
	defer r.Close()
	var seen []os.FileInfo
	found := false // AGENTS.md or CLAUDE.md
next:
	for _, name := range names {
		if name == "GEMINI.md" && found {
			continue
		}
		fi, err := r.Stat(name)
		if os.IsNotExist(err) {
			continue
		}
		found = true
		if err == nil && !fi.Mode().IsRegular() {
			err = errors.New("it is not a regular file")
		}
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s not read: %s", name, unreadable(root, name, err)))
			continue
		}
		for _, other := range seen {
			if os.SameFile(fi, other) {
				continue next
			}
		}
		text, cut, err := readMemory(r, name)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s not read: %s", name, unreadable(root, name, err)))
			continue
		}
		if cut {
			warnings = append(warnings, fmt.Sprintf("%s is over %d KiB: only its beginning is read", name, maxMemory>>10))
		}
		seen = append(seen, fi)
		bare := strings.TrimSpace(text)
		if bare == "" || bare == "@AGENTS.md" {
			continue
		}
		for _, f := range files {
			if strings.TrimSpace(f.Text) == bare {
				continue next
			}
		}
		files = append(files, MemoryFile{Name: name, Text: text})
	}
	return files, warnings
}

// unreadable says why a file of instructions was not read. What os.Root answers for
// a link that leads out has no error of its own to be known by.
func unreadable(root, name string, err error) string {
	var pe *fs.PathError
	if !errors.As(err, &pe) {
		return err.Error()
	}
	if errors.Is(err, fs.ErrPermission) {
		return pe.Err.Error()
	}
	if to, e := os.Readlink(filepath.Join(root, name)); e == nil {
		if fi, e := os.Stat(filepath.Join(root, name)); e == nil && fi.Mode().IsRegular() {
			return "it is a link that leads out of the workspace (" + to + "); copy the file to use it"
		}
	}
	return pe.Err.Error()
}

func readMemory(r *os.Root, name string) (text string, cut bool, err error) {
	f, err := r.Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxMemory+1))
	if err != nil {
		return "", false, err
	}
	if cut = len(b) > maxMemory; cut {
		b = b[:maxMemory]
		if i := bytes.LastIndexByte(b, '\n'); i > 0 {
			b = b[:i]
		}
		for len(b) > 0 {
			if r, n := utf8.DecodeLastRune(b); r != utf8.RuneError || n > 1 {
				break
			}
			b = b[:len(b)-1]
		}
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(b, 0) >= 0 || !utf8.Valid(b) {
		return "", false, errors.New("it is not UTF-8 text; save it as UTF-8")
	}
	text = strings.ReplaceAll(string(b), "\r\n", "\n")
	if cut {
		text += "\n(the rest was left out)"
	}
	return text, cut, nil
}

// GitBranch names the branch the repository around dir is on: "main", or
// "detached at 1a2b3c4"; empty where there is none. It reads .git itself, since
// git may run a repository's own programs.
func GitBranch(dir string) string {
	for {
		if git := gitDir(filepath.Join(dir, ".git")); git != "" {
			head := firstLine(filepath.Join(git, "HEAD"))
			if ref, ok := strings.CutPrefix(head, "ref: "); ok {
				return strings.TrimPrefix(ref, "refs/heads/")
			}
			if len(head) >= 7 {
				return "detached at " + head[:7]
			}
			return ""
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// gitDir follows the file that stands for .git in a worktree or a submodule.
func gitDir(path string) string {
	fi, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if fi.IsDir() {
		return path
	}
	to, ok := strings.CutPrefix(firstLine(path), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(path), to)
	}
	return to
}

func firstLine(path string) string {
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}
