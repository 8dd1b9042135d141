package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Bounds of what GitDiff shows of new files, in bytes: of one, and of all.
const (
	freshFile = 100 << 10
	freshAll  = 1 << 20
)

// GitWork is a working tree as git is asked about it.
type GitWork struct {
	Top string   // its topmost folder, absolute
	env []string // settings, as git takes them there: a name in them may hold anything
}

// OpenGit finds the working tree that dir lies in. Its errors are those of Git, and
// ErrElsewhere where the repository's settings have git look at a folder it does not lie
// in: of that nothing is to be shown unasked.
func OpenGit(ctx context.Context, dir string) (*GitWork, error) {
	out, err := Git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	w := &GitWork{Top: filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))}
	if !oneFolder(w.Top, holds(dir)) {
		return nil, ErrElsewhere
	}
	// Filters run whenever a file is compared. One the repository itself has set up is
	// not used; the person's own, such as those of Git LFS, are.
	list, err := Git(ctx, dir, "config", "--show-scope", "--name-only", "-z", "--get-regexp", `^filter\..*\.(clean|process|required)$`)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1: // there is none, and git says nothing
		return w, nil
	case err != nil:
		return nil, err
	}
	n := 0
	for scope, key := range pairs(string(list)) {
		if scope != "local" && scope != "worktree" {
			continue
		}
		value := ""
		if strings.HasSuffix(key, ".required") {
			value = "false"
		}
		w.env = append(w.env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	w.env = append(w.env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
	return w, nil
}

// holds is the folder a repository that dir is in lies in: the nearest with a .git.
func holds(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func oneFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// pairs are the fields of a list with a zero behind each, by twos.
func pairs(list string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for at := strings.Split(list, "\x00"); len(at) > 1; at = at[2:] {
			if !yield(at[0], at[1]) {
				return
			}
		}
	}
}

// ask runs a command in the topmost folder, names as they are.
func (w *GitWork) ask(ctx context.Context, args ...string) ([]byte, error) {
	return runGit(ctx, gitBytes, w.Top, nil, w.env, append([]string{"-c", "core.quotePath=false", "-c", "diff.relative=false", "-c", "status.relativePaths=false"}, args...)...)
}

// Diff is what git diff prints of ends, which are commits or none, without what would run
// a program. Names are those from Top on.
func (w *GitWork) Diff(ctx context.Context, args ...string) (string, error) {
	out, err := w.ask(ctx, append([]string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--ignore-submodules=dirty"}, args...)...)
	return string(out), err
}

// Head is the commit the working tree stands on, or the tree without files where nothing
// was committed yet.
func (w *GitWork) Head(ctx context.Context) (string, error) {
	if _, err := Git(ctx, w.Top, "rev-parse", "--verify", "-q", "HEAD"); err == nil {
		return "HEAD", nil
	}
	empty, err := runGit(ctx, gitBytes, w.Top, []byte{}, nil, "hash-object", "-t", "tree", "--stdin")
	return strings.TrimSpace(string(empty)), err
}

// Status is a line for each file that is not as it was committed, new ones included.
func (w *GitWork) Status(ctx context.Context) (string, error) {
	out, err := w.ask(ctx, "status", "--short", "--untracked-files=all", "--ignore-submodules=dirty")
	return strings.TrimRight(string(out), "\n"), err
}

// New is the text of the files git does not know, from Top on, for a person.
func (w *GitWork) New(ctx context.Context) (string, error) {
	fresh, err := w.ask(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	if len(fresh) == 0 {
		return "", nil
	}
	top, err := os.OpenRoot(w.Top)
	if err != nil {
		return "", err
	}
	defer top.Close()
	var b strings.Builder
	left := freshAll
	for _, name := range strings.FieldsFunc(string(fresh), func(r rune) bool { return r == 0 }) {
		lines, note := newFile(top, name, min(left, freshFile))
		left -= len(lines)
		fmt.Fprintf(&b, "new file %s%s\n", onLine(name), note)
		for line := range strings.Lines(lines) {
			b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String(), nil
}

// GitDiff returns the changes of the working tree that dir lies in against the last
// commit, new files included, as text for a person. Its errors are those of OpenGit:
// ErrNoRepository where the folder is in none, ErrNoGit where nothing could be asked.
func GitDiff(ctx context.Context, dir string) (string, error) {
	w, err := OpenGit(ctx, dir)
	if err != nil {
		return "", err
	}
	base, err := w.Head(ctx)
	if err != nil {
		return "", err
	}
	text, err := w.Diff(ctx, base)
	if err != nil {
		return "", err
	}
	fresh, err := w.New(ctx)
	return text + fresh, err
}

// onLine is a name as it can stand behind "new file": one with letters that nobody sees, or
// that would begin another line, is quoted, and so is one that git's own "new file mode"
// would be taken for.
func onLine(name string) string {
	if q := strconv.Quote(name); q != `"`+name+`"` || strings.HasPrefix(name, "mode ") {
		return q
	}
	return name
}

// newFile is the text of a file git does not know, and in a word why it is not all of it.
// It is the file that git found or none: what takes its place meanwhile, such as a link to
// anywhere or a pipe, is not read.
func newFile(top *os.Root, name string, limit int) (text, note string) {
	name = filepath.FromSlash(name)
	info, err := top.Lstat(name)
	switch {
	case err != nil:
		return "", " (" + reason(err) + ")"
	case info.IsDir(): // git lists what is in any other
		return "", " (a repository of its own)"
	case info.Mode()&fs.ModeSymlink != 0: // it may lead anywhere
		to, _ := top.Readlink(name)
		return "", " (link to " + onLine(to) + ")"
	case !info.Mode().IsRegular():
		return "", ""
	case limit <= 0:
		return "", " (not shown: there are too many)"
	}
	b, err := beginning(top, name, info, limit)
	switch {
	case err != nil:
		return "", " (" + reason(err) + ")"
	case bytes.IndexByte(b, 0) >= 0:
		return "", " (binary)"
	case info.Size() > int64(len(b)):
		b = b[:bytes.LastIndexByte(b, '\n')+1]
		note = " (its beginning)"
	}
	return string(b), note
}

// beginning reads of the file that was looked at, if it still is the one of that name.
func beginning(top *os.Root, name string, was fs.FileInfo, limit int) ([]byte, error) {
	f, err := top.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if is, err := f.Stat(); err != nil || !is.Mode().IsRegular() || !os.SameFile(was, is) { // a number may be given anew
		return nil, errors.Join(err, ErrChanged)
	}
	return io.ReadAll(io.LimitReader(f, int64(limit)))
}

// reason is an error without the path, which stands before it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}
