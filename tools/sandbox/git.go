package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
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

// Git runs a reading git command in dir with everything switched off that would
// let the repository run a program, and returns what it printed. It is for
// forge's own questions, not for commands of a model. It takes at most ten
// seconds.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "git", append(append([]string{}, gitSafe...), args...)...)
	c.Dir = dir
	c.Env = append(Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_PAGER=cat")
	c.WaitDelay = time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		if line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n"); line != "" {
			return nil, fmt.Errorf("git %s: %s", args[0], line)
		}
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

// GitDiff returns the changes of the working tree against the last commit, and
// new files as a list, as text for a person. A folder without a repository is an
// error.
func GitDiff(ctx context.Context, dir string) (string, error) {
	base := "HEAD"
	if _, err := Git(ctx, dir, "rev-parse", "--verify", "-q", "HEAD"); err != nil {
		base = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" // the empty tree: nothing was committed yet
	}
	text, err := Git(ctx, dir, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", base)
	if err != nil {
		return "", err
	}
	fresh, err := Git(ctx, dir, "ls-files", "--others", "--exclude-standard")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Write(text)
	for _, name := range strings.FieldsFunc(string(fresh), func(r rune) bool { return r == '\n' }) {
		fmt.Fprintf(&b, "new file %s\n", name)
	}
	return b.String(), nil
}
