package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"forge/agent"
	"forge/tools/sandbox"
	"forge/ui/lang"
	"forge/ui/safe"
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

// Bounds of what stands beside a diff, in bytes.
const (
	reviewStat  = 16 << 10
	reviewAbout = 8 << 10
)

// review makes the prompt of a review of what was typed: nothing, for what is not
// committed; a branch, for what this one has beyond it; a commit or a range. Words behind
// it say what to look at above all.
func (o *fileCommands) review(ctx context.Context, line, typed string) (agent.Prompt, error) {
	root := o.hands.workspace.Root()
	tree, err := sandbox.OpenGit(ctx, root)
	if err != nil {
		return agent.Prompt{}, errors.New(lang.T("nothing can be reviewed: %s", lang.Said(err.Error())))
	}
	what, err := reviewed(ctx, reviewTree{tree}, typed)
	if err != nil {
		return agent.Prompt{}, err
	}
	what.diff = sandbox.WithoutKept(what.diff, func(name string) bool { return o.forbidden(filepath.Join(tree.Top, name)) })
	text := reviewOrders + "\n# What is reviewed\n" + bounded(what.about, reviewAbout) + "\n"
	if what.focus != "" {
		text += "The user asks you to look at this above all: " + what.focus + "\n"
	}
	at := "PATH"
	if up := above(root, tree.Top); up != "" {
		text += fmt.Sprintf("The names below are those from the top of the repository on, which is %s from here.\n", up)
		at = ":/PATH"
	}
	text += "\n" + bounded(what.stat, reviewStat) + "\n"
	if what.diff != "" && len(what.diff) <= reviewDiff {
		text += "\n<diff>\n" + strings.TrimRight(strings.ReplaceAll(what.diff, "</diff>", "<\\/diff>"), "\n") + "\n</diff>\n"
	} else {
		size := "more than can be shown"
		if what.diff != "" {
			size = fmt.Sprintf("%d KB, too many to stand here", len(what.diff)>>10)
		}
		text += fmt.Sprintf("\nThe diff has %s: read it file by file, `%s -- %s`, and new files (??) as they are. Leave no file out.\n", size, what.command, at)
	}
	return agent.Prompt{Line: line, Text: text, Names: what.focus, Looks: true}, nil
}

// bounded is the beginning of a text, in whole lines where it has some.
func bounded(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head := text[:limit]
	if i := strings.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n(more: %d)", strings.ToValidUTF8(head, ""), strings.Count(text[len(head):], "\n"))
}

// above is the way from a folder to one it lies in; empty: it is that one.
func above(root, top string) string {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	rel, err := filepath.Rel(root, top)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// maxBranches is how many branches are offered.
const maxBranches = 500

// branches are the names of the branches there are, the one that moved last first. Those
// that do not look as they are written are left out.
func (o *fileCommands) branches(ctx context.Context) (out []string) {
	list, err := sandbox.Git(ctx, o.hands.workspace.Root(), "for-each-ref", "--sort=-committerdate", "--count="+strconv.Itoa(maxBranches), "--format=%(refname:short)%00%(symref)", "refs/heads", "refs/remotes")
	logged("branches not found", err)
	for line := range strings.Lines(string(list)) {
		name, link, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		if link == "" && name == safe.Line(name) {
			out = append(out, name)
		}
	}
	return out
}

// onlyLook lets nothing change until end is called.
func (f *forge) onlyLook() (end func()) { return f.hands.guard.OnlyLook(reviewOnly) }

// The words of tools/sandbox about git for a person, for lang to find.
var _ = [...]string{
	lang.N("git looks at another folder from here (core.worktree); start forge in that one"),
	lang.N("git had more to say than can be taken"),
}
