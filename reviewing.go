package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/agent"
	"forge/tools/sandbox"
	"forge/ui/lang"
)

// reviewName is the command that has changes reviewed.
const reviewName = "review"

// reviewOnly is what the model is told of a call that would change something meanwhile.
const reviewOnly = "this run only reviews and nothing may change: go on reading, and put what should be changed into your answer"

// reviewOrders are what a review is to do. What is reviewed comes behind them.
const reviewOrders = `Review the changes below, as the one whose word decides whether they go in. Nothing may be changed in this run: read, search, and run commands that only read; all else is refused.

# How
1. Find out what the change is for: its messages, the code around it, its tests.
2. Read each changed place in its file as it is now, not in the diff alone: what stands around it, who calls it, what it calls, what relied on how it was.
3. For each suspicion find the input, the state or the order of events with which it goes wrong, and follow that through the code. What you cannot follow to a wrong end is no finding: drop it, or ask.
4. In this order look for: wrong results and crashes (empty, missing, largest, negative, off by one, ignored errors, early returns, cleanup); lost or damaged data; races, deadlocks, leaks; input of strangers that reaches a command, a path, a query, a page; secrets; callers, formats, settings and systems that break; what had to change too and did not (other copies, tests, documentation); tests that cannot fail; slowness somebody would feel.
5. Leave out style, taste, praise, and what was wrong before, unless the change makes it worse.

# Answer
The findings, the gravest first, each of them so:
**SEVERITY path:line - what is wrong, in a few words**
then when it happens (the very input or state), what comes of it, and how to mend it, in a few lines.
SEVERITY is CRITICAL (data lost, a hole, nothing works), HIGH (wrong in ordinary use), MEDIUM (wrong in rare use) or LOW (small, and worth mending). Lines are those of the files as they are now. One fault is one finding, with all its places.
If there are none, say so plainly: do not make any up. Then your questions, if there are some; then in a sentence whether it may go in, and what you did not look at.
`

// reviewDiff is how much of a diff goes into the prompt, in bytes; of a longer one, its
// files do.
const reviewDiff = 60 << 10

// review makes the prompt of a review of what was typed: nothing, for what is not
// committed; a branch, for what this one has beyond it; a commit or a range. Words behind
// it say what to look at above all.
func (o *fileCommands) review(ctx context.Context, line, typed string) (agent.Prompt, error) {
	root := o.hands.workspace.Root()
	what, err := reviewed(ctx, root, typed)
	if err != nil {
		return agent.Prompt{}, err
	}
	text := reviewOrders + "\n# What is reviewed\n" + what.about + "\n"
	if what.focus != "" {
		text += "The user asks you to look at this above all: " + what.focus + "\n"
	}
	text += "\n" + what.stat + "\n"
	if len(what.diff) <= reviewDiff {
		text += "\n<diff>\n" + strings.TrimRight(strings.ReplaceAll(what.diff, "</diff>", "<\\/diff>"), "\n") + "\n</diff>\n"
	} else {
		text += fmt.Sprintf("\nThe diff has %d KB, too many to stand here: read it file by file, `%s -- PATH`. Leave no file out.\n", len(what.diff)>>10, what.command)
	}
	return agent.Prompt{Line: line, Text: text, Names: what.focus, Looks: true}, nil
}

// changes is something to review.
type changes struct {
	about, focus string
	stat, diff   string
	command      string // shows the diff
}

// reviewed finds out what is meant.
func reviewed(ctx context.Context, root, typed string) (changes, error) {
	if _, err := sandbox.Git(ctx, root, "rev-parse", "--git-dir"); err != nil {
		return changes{}, errors.New(lang.T("nothing can be reviewed: %s", lang.Said(err.Error())))
	}
	first, rest, more := strings.Cut(strings.TrimSpace(typed), " ")
	rest = strings.TrimSpace(rest)
	switch {
	case first == "":
	case strings.Contains(first, ".."):
		return rangeOf(ctx, root, first, rest)
	case commitOf(ctx, root, first) != "":
		if isBranch(ctx, root, first) {
			return beyond(ctx, root, first, rest)
		}
		return oneCommit(ctx, root, first, rest)
	case !more:
		return changes{}, errors.New(lang.T("no branch and no commit is named %s; /review alone reviews what is not committed", first))
	default:
		rest = strings.TrimSpace(typed)
	}
	diff, err := sandbox.GitDiff(ctx, root)
	if err != nil {
		return changes{}, err
	}
	if strings.TrimSpace(diff) == "" {
		return changes{}, errors.New(lang.T("nothing is uncommitted; /review BRANCH reviews what this branch has beyond another, /review COMMIT one commit"))
	}
	stat, err := sandbox.Git(ctx, root, "-c", "core.quotePath=false", "status", "--short", "--untracked-files=all")
	if err != nil {
		return changes{}, err
	}
	return changes{about: "What is not committed yet, new files included.", focus: rest, stat: string(bytes.TrimRight(stat, "\n")), diff: diff, command: "git diff HEAD"}, nil
}

// commitOf is the full name of a commit; empty: nothing here has that name.
func commitOf(ctx context.Context, root, name string) string {
	out, err := sandbox.Git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

func isBranch(ctx context.Context, root, name string) bool {
	for _, at := range []string{"refs/heads/", "refs/remotes/"} {
		if _, err := sandbox.Git(ctx, root, "show-ref", "--verify", "--quiet", at+name); err == nil {
			return true
		}
	}
	return false
}

// beyond is what the working tree has beyond where it left a branch.
func beyond(ctx context.Context, root, branch, focus string) (changes, error) {
	base, err := sandbox.Git(ctx, root, "merge-base", "HEAD", commitOf(ctx, root, branch))
	if err != nil {
		return changes{}, errors.New(lang.T("this branch and %s have nothing in common", branch))
	}
	from := strings.TrimSpace(string(base))
	c, err := between(ctx, root, from)
	if err != nil {
		return c, err
	}
	log, err := sandbox.Git(ctx, root, "log", "--no-color", "--format=%h %s", "-n", "100", from+"..HEAD")
	if err != nil {
		return c, err
	}
	c.about = fmt.Sprintf("All that this branch has beyond %s, from where it left it (%.12s), what is not committed included.", branch, from)
	if text := strings.TrimSpace(string(log)); text != "" {
		c.about += " Its commits:\n" + text
	}
	c.focus = focus
	return c, nil
}

// oneCommit is what a commit changed.
func oneCommit(ctx context.Context, root, name, focus string) (changes, error) {
	id := commitOf(ctx, root, name)
	show := func(args ...string) (string, error) {
		out, err := sandbox.Git(ctx, root, append([]string{"-c", "core.quotePath=false", "show", "--no-color", "--no-ext-diff", "--no-textconv", "-m", "--first-parent"}, append(args, id)...)...)
		return strings.TrimSpace(string(out)), err
	}
	message, err := show("--no-patch", "--format=%h %an %ad%n%B")
	if err != nil {
		return changes{}, err
	}
	stat, err := show("--stat=200", "--format=")
	if err != nil {
		return changes{}, err
	}
	diff, err := show("--format=")
	if err != nil {
		return changes{}, err
	}
	return changes{about: "One commit. The files may have changed since it.\n" + message, focus: focus, stat: stat, diff: diff, command: fmt.Sprintf("git show %.12s", id)}, nil
}

// rangeOf is what lies between two commits, as git diff has it.
func rangeOf(ctx context.Context, root, name, focus string) (changes, error) {
	sep := ".."
	if strings.Contains(name, "...") {
		sep = "..."
	}
	from, to, _ := strings.Cut(name, sep)
	ids := []string{"", ""}
	for i, end := range []string{from, to} {
		if end == "" {
			end = "HEAD"
		}
		if ids[i] = commitOf(ctx, root, end); ids[i] == "" {
			return changes{}, errors.New(lang.T("no branch and no commit is named %s; /review alone reviews what is not committed", end))
		}
	}
	c, err := between(ctx, root, ids[0]+sep+ids[1])
	c.about, c.focus = fmt.Sprintf("What changed in %s.", name), focus
	return c, err
}

// between is a diff with its statistics.
func between(ctx context.Context, root, ends string) (changes, error) {
	diff := func(args ...string) (string, error) {
		out, err := sandbox.Git(ctx, root, append(append([]string{"-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short"}, args...), ends)...)
		return strings.TrimSpace(string(out)), err
	}
	stat, err := diff("--stat=200")
	if err != nil {
		return changes{}, err
	}
	text, err := diff()
	if err == nil && text == "" {
		err = errors.New(lang.T("there is no difference to review"))
	}
	return changes{stat: stat, diff: text, command: fmt.Sprintf("git diff %s", ends)}, err
}

// onlyLook lets nothing change until end is called.
func (f *forge) onlyLook() (end func()) { return f.hands.guard.OnlyLook(reviewOnly) }
