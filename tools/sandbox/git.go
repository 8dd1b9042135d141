package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// gitSafe are settings that keep a repository from running a program of its own
// when git is only asked to read: each of these has run code on a plain status
// or diff.
var gitSafe = []string{
	"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit",
	"-c", "protocol.ext.allow=never", "-c", "log.showSignature=false", "-c", "core.pager=cat", "--no-pager",
}

// Why there is nothing of git to be told.
var (
	ErrNoRepository = errors.New("this folder is in no git repository")
	ErrNoGit        = errors.New("git is not installed")
)

// Git runs a reading git command in dir with everything switched off that would
// let the repository run a program, and returns what it printed. It is for
// forge's own questions, not for commands of a model. It takes at most ten
// seconds.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return runGit(ctx, dir, nil, args...)
}

func runGit(ctx context.Context, dir string, in []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "git", append(append([]string{}, gitSafe...), args...)...)
	c.Dir = dir
	c.Env = append(Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_PAGER=cat", "LANGUAGE=en")
	c.WaitDelay = time.Second
	if in != nil {
		c.Stdin = bytes.NewReader(in)
	}
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		switch line = strings.TrimPrefix(line, "fatal: "); {
		case errors.Is(err, exec.ErrNotFound):
			return nil, ErrNoGit
		case strings.HasPrefix(line, "not a git repository"):
			return nil, ErrNoRepository
		case line != "":
			return nil, fmt.Errorf("git %s: %s", verbOf(args), line)
		}
		return nil, fmt.Errorf("git %s: %w", verbOf(args), err)
	}
	return out.Bytes(), nil
}

// verbOf is what git was asked to do: the first word behind its settings.
func verbOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// GitWith is Git with an input. It fetches nothing that is missing from a
// repository that holds only a part.
func GitWith(ctx context.Context, dir string, in []byte, args ...string) ([]byte, error) {
	return runGit(ctx, dir, in, args...)
}

// Bounds of what GitDiff shows of new files, in bytes: of one, and of all.
const (
	freshFile = 100 << 10
	freshAll  = 1 << 20
)

// GitDiff returns the changes of the working tree against the last commit, new
// files included, as text for a person. Its errors are those of Git: ErrNoRepository
// where the folder is in none, ErrNoGit where nothing could be asked.
func GitDiff(ctx context.Context, dir string) (string, error) {
	if _, err := Git(ctx, dir, "rev-parse", "--git-dir"); err != nil { // diff would warn, and compare nothing
		return "", err
	}
	base := "HEAD"
	if _, err := Git(ctx, dir, "rev-parse", "--verify", "-q", "HEAD"); err != nil { // nothing was committed yet
		empty, err := runGit(ctx, dir, []byte{}, "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return "", err
		}
		base = strings.TrimSpace(string(empty))
	}
	text, err := Git(ctx, dir, "-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", base)
	if err != nil {
		return "", err
	}
	fresh, err := Git(ctx, dir, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Write(text)
	left := freshAll
	for _, name := range strings.FieldsFunc(string(fresh), func(r rune) bool { return r == 0 }) {
		lines, note := newFile(filepath.Join(dir, name), min(left, freshFile))
		left -= len(lines)
		fmt.Fprintf(&b, "new file %s%s\n", name, note)
		for line := range strings.Lines(lines) {
			b.WriteString("+" + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String(), nil
}

// newFile is the text of a file git does not know, and in a word why it is not
// all of it.
func newFile(path string, limit int) (text, note string) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", " (" + reason(err) + ")"
	case info.IsDir(): // git lists what is in any other
		return "", " (a repository of its own)"
	case info.Mode()&fs.ModeSymlink != 0: // it may lead anywhere
		to, _ := os.Readlink(path)
		return "", " (link to " + to + ")"
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return "", ""
	case limit <= 0:
		return "", " (not shown: there are too many)"
	}
	f, err := os.Open(path)
	if err != nil {
		return "", " (" + reason(err) + ")"
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(limit)))
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

// reason is an error without the path, which stands before it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}
