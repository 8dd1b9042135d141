package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"forge/programs"
)

// GitQuiet are settings that keep a repository from running a program of its own when git
// is only asked to read: each of these has run code on a plain status, diff or show.
// Filters and the drivers of diffs are not among them: those have names of their own.
func GitQuiet() [][2]string {
	return [][2]string{
		{"core.fsmonitor", "false"}, {"core.hooksPath", os.DevNull}, {"safe.bareRepository", "explicit"}, {"protocol.ext.allow", "never"}, {"log.showSignature", "false"},
		{"diff.submodule", "short"}, // the other forms have a repository within say what to run
	}
}

// GitQuietEnv is the environment that goes with them: no pager, no editor, no question, and
// nothing that is missing is fetched, by which a repository can name a program, too.
func GitQuietEnv() []string {
	return []string{"GIT_PAGER=cat", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=false", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}
}

// gitPlain are settings for forge's own eyes: names in diffs are what WithoutKept knows.
var gitPlain = [][2]string{
	{"core.pager", "cat"}, {"diff.noprefix", "false"}, {"diff.mnemonicPrefix", "false"}, {"diff.srcPrefix", "a/"}, {"diff.dstPrefix", "b/"},
}

// Why there is nothing of git to be told.
var (
	ErrNoRepository = errors.New("this folder is in no git repository")
	ErrNoGit        = errors.New("git is not installed")
	ErrGitLong      = errors.New("git had more to say than can be taken")
	ErrElsewhere    = errors.New("git looks at another folder from here (core.worktree); start forge in that one")
)

// Bounds of one git command.
const (
	gitTime  = 10 * time.Second
	gitBytes = 32 << 20
)

// Git runs a reading git command in dir with everything switched off that would
// let the repository run a program, and returns what it printed. It is for
// forge's own questions, not for commands of a model. It takes at most ten
// seconds; of more than 32 MB the error is ErrGitLong.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return runGit(ctx, gitBytes, dir, nil, nil, args...)
}

func runGit(ctx context.Context, most int, dir string, in []byte, env []string, args ...string) ([]byte, error) {
	asked := ctx
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	argv := []string{"--no-pager"}
	for _, kv := range slices.Concat(GitQuiet(), gitPlain) {
		argv = append(argv, "-c", kv[0]+"="+kv[1])
	}
	program, err := programs.Find("git", dir)
	if err != nil {
		return nil, ErrNoGit
	}
	c := exec.CommandContext(ctx, program, append(argv, args...)...)
	c.Dir = dir
	// What the person has git run, such as git-lfs, is none of the folder's either.
	c.Env = slices.Concat(programs.Environ(Environ(), dir), GitQuietEnv(), []string{"LANGUAGE=en"}, env)
	c.WaitDelay = time.Second
	if in != nil {
		c.Stdin = bytes.NewReader(in)
	}
	out, errs := capped{left: most, full: cancel}, capped{left: 64 << 10}
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		switch {
		case out.over:
			return nil, fmt.Errorf("git %s: %w", verbOf(args), ErrGitLong)
		case asked.Err() == nil && ctx.Err() != nil:
			return nil, fmt.Errorf("git %s: it took more than %d seconds", verbOf(args), int(gitTime.Seconds()))
		}
		line, _, _ := strings.Cut(strings.TrimSpace(errs.kept.String()), "\n")
		switch line = strings.TrimPrefix(line, "fatal: "); {
		case strings.HasPrefix(line, "not a git repository"):
			return nil, ErrNoRepository
		case line != "":
			return nil, fmt.Errorf("git %s: %s", verbOf(args), line)
		}
		return nil, fmt.Errorf("git %s: %w", verbOf(args), err)
	}
	return out.kept.Bytes(), nil
}

// capped keeps the beginning of what is written, and calls full when more comes. It has
// no other way in than Write, which what copies to it would prefer.
type capped struct {
	kept bytes.Buffer
	left int
	full func()
	over bool
}

func (c *capped) Write(b []byte) (int, error) {
	keep := b[:min(len(b), c.left)]
	c.left -= len(keep)
	c.kept.Write(keep)
	if len(keep) < len(b) && !c.over {
		if c.over = true; c.full != nil {
			c.full()
		}
	}
	return len(b), nil
}

// verbOf is what git was asked to do: the first word behind its settings.
func verbOf(args []string) string {
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// GitWith is Git with an input, for a caller that asks for what it knows the size of: of
// more than 1 GB the error is ErrGitLong. It fetches nothing that is missing from a
// repository that holds only a part.
func GitWith(ctx context.Context, dir string, in []byte, args ...string) ([]byte, error) {
	return runGit(ctx, 1<<30, dir, in, nil, args...)
}
