package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"forge/tools/sandbox"
	"forge/ui/lang"
)

// changes is something to review.
type changes struct {
	about, focus string
	stat         string
	diff         string // empty: it is too long to be had
	command      string // shows the diff
}

// reviewTree is where changes are looked for.
type reviewTree struct{ *sandbox.GitWork }

// ask asks git in the topmost folder.
func (t reviewTree) ask(ctx context.Context, args ...string) (string, error) {
	out, err := sandbox.Git(ctx, t.Top, append([]string{"-c", "core.quotePath=false"}, args...)...)
	return strings.TrimSpace(string(out)), err
}

// reviewed finds out what is meant.
func reviewed(ctx context.Context, t reviewTree, typed string) (changes, error) {
	typed = strings.TrimSpace(typed)
	first, rest := typed, ""
	if i := strings.IndexFunc(typed, unicode.IsSpace); i >= 0 {
		first, rest = typed[:i], strings.TrimSpace(typed[i:])
	}
	switch {
	case first == "":
		return t.uncommitted(ctx, "")
	case strings.Contains(first, ".."):
		ends, err := t.rangeOf(ctx, first)
		if err == nil {
			return t.ranged(ctx, first, ends, rest)
		}
		if rest == "" {
			return changes{}, err
		}
	case t.branch(ctx, first) != "":
		return t.beyond(ctx, first, rest)
	case t.commit(ctx, first) != "":
		return t.one(ctx, first, rest)
	case rest == "":
		return changes{}, noCommit(first)
	}
	return t.uncommitted(ctx, typed)
}

func noCommit(name string) error {
	return errors.New(lang.T("no branch and no commit is named %s; /review alone reviews what is not committed", name))
}

// uncommitted is what differs from the last commit.
func (t reviewTree) uncommitted(ctx context.Context, focus string) (changes, error) {
	base, err := t.Head(ctx)
	if err != nil {
		return changes{}, err
	}
	c := changes{about: "What is not committed yet, new files included.", focus: focus, command: "git diff HEAD"}
	if base != "HEAD" {
		c.command = "git diff --cached"
	}
	if c.stat, err = t.Status(ctx); err != nil {
		return c, err
	}
	if c.stat == "" {
		return c, errors.New(lang.T("nothing is uncommitted; /review BRANCH reviews what this branch has beyond another, /review COMMIT one commit"))
	}
	c.diff, err = t.withNew(ctx, base)
	return c, err
}

// withNew is what the working tree has beyond a commit, files git does not know included.
func (t reviewTree) withNew(ctx context.Context, base string) (string, error) {
	text, err := t.Diff(ctx, base)
	switch {
	case errors.Is(err, sandbox.ErrGitLong):
		return "", nil
	case err != nil:
		return "", err
	}
	fresh, err := t.New(ctx)
	return text + fresh, err
}

// commit is the full name of a commit; empty: nothing here has that name.
func (t reviewTree) commit(ctx context.Context, name string) string {
	out, err := t.ask(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return ""
	}
	return out
}

// branch is the commit a branch stands on; empty: none has that name.
func (t reviewTree) branch(ctx context.Context, name string) string {
	for _, at := range []string{"refs/heads/", "refs/remotes/"} {
		if id := t.commit(ctx, at+name); id != "" && !strings.ContainsAny(name, "^~@:{") {
			return id
		}
	}
	return ""
}

// beyond is what the working tree has beyond where it left a branch.
func (t reviewTree) beyond(ctx context.Context, branch, focus string) (changes, error) {
	from, err := t.ask(ctx, "merge-base", "HEAD", t.branch(ctx, branch))
	if err != nil {
		return changes{}, errors.New(lang.T("this branch and %s have nothing in common", branch))
	}
	c := changes{focus: focus, command: "git diff " + from}
	if c.stat, err = t.Diff(ctx, "--stat=200", from); err != nil {
		return c, err
	}
	status, err := t.Status(ctx)
	if err != nil {
		return c, err
	}
	for line := range strings.Lines(status) {
		if strings.HasPrefix(line, "?? ") {
			c.stat += line
		}
	}
	c.stat = strings.TrimRight(c.stat, "\n")
	if strings.TrimSpace(c.stat) == "" {
		return c, errors.New(lang.T("there is no difference to review"))
	}
	if c.diff, err = t.withNew(ctx, from); err != nil {
		return c, err
	}
	log, err := t.ask(ctx, "log", "--no-color", "--format=%h %s", "-n", "100", from+"..HEAD")
	if err != nil {
		return c, err
	}
	c.about = fmt.Sprintf("All that this branch has beyond %s, from where it left it (%.12s), what is not committed included.", branch, from)
	if log != "" {
		c.about += " Its commits:\n" + log
	}
	return c, nil
}

// one is what a commit changed.
func (t reviewTree) one(ctx context.Context, name, focus string) (changes, error) {
	id := t.commit(ctx, name)
	show := func(args ...string) (string, error) {
		return t.ask(ctx, append([]string{"show", "--no-color", "--no-ext-diff", "--no-textconv", "-m", "--first-parent"}, append(args, id)...)...)
	}
	message, err := show("--no-patch", "--format=%h %an %ad%n%B")
	if err != nil {
		return changes{}, err
	}
	c := changes{about: "One commit. The files may have changed since it.\n" + message, focus: focus, command: fmt.Sprintf("git show %.12s", id)}
	if c.stat, err = show("--stat=200", "--format="); err != nil {
		return c, err
	}
	if c.stat == "" {
		return c, errors.New(lang.T("there is no difference to review"))
	}
	if c.diff, err = show("--format="); errors.Is(err, sandbox.ErrGitLong) {
		c.diff, err = "", nil
	}
	return c, err
}

// rangeOf is a range with its commits' full names.
func (t reviewTree) rangeOf(ctx context.Context, name string) (string, error) {
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
		if ids[i] = t.commit(ctx, end); ids[i] == "" {
			return "", noCommit(end)
		}
	}
	return ids[0] + sep + ids[1], nil
}

// ranged is what lies between the two commits of a range, as git diff has it.
func (t reviewTree) ranged(ctx context.Context, name, ends, focus string) (c changes, err error) {
	c = changes{about: fmt.Sprintf("What changed in %s.", name), focus: focus, command: "git diff " + ends}
	if c.stat, err = t.Diff(ctx, "--stat=200", ends); err != nil {
		return c, err
	}
	if c.stat = strings.TrimSpace(c.stat); c.stat == "" {
		return c, errors.New(lang.T("there is no difference to review"))
	}
	if c.diff, err = t.Diff(ctx, ends); errors.Is(err, sandbox.ErrGitLong) {
		c.diff, err = "", nil
	}
	return c, err
}
