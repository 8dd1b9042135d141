package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

// RunOwn runs a line the person typed, as run_bash runs a model's: in the
// workspace folder, in a process group of its own, without a terminal and with
// bounded output. No sandbox confines it and no clock ends it, since it is the
// person who asked and who can stop it: it runs until it, or ctx, ends.
func (e *Env) RunOwn(ctx context.Context, command string, out io.Writer) (tools.Result, error) {
	if err := runnable(command); err != nil {
		return tools.Result{}, err
	}
	res, _, err := e.runBash(ctx, sandbox.Command{Shell: command, With: e.Shell, Dir: e.Workspace.Root(), Env: e.Vars, Guardian: e.Guardian}, out)
	return res, err
}

func runnable(command string) error {
	switch {
	case strings.ContainsRune(command, 0):
		return errors.New("the command holds a NUL byte")
	case len(command) > maxCommand:
		return fmt.Errorf("the command is %s long, at most %s work", size(int64(len(command))), size(maxCommand))
	}
	return nil
}

// OnTerminal is a command to be run on the person's own terminal, where it can ask them
// something: in the workspace folder and in their environment, with nothing confined.
// Whoever runs it calls ended with how it went.
func (e *Env) OnTerminal(command string) (cmd *exec.Cmd, ended func(tools.Ran) tools.Result, err error) {
	if err := runnable(command); err != nil {
		return nil, nil, err
	}
	if e.Veil != nil {
		if held, err := e.Veil.Held(command); len(held) > 0 || err != nil {
			return nil, nil, errors.New("the command holds the placeholder of a secret: write it with the value yourself")
		}
	}
	cmd, err = sandbox.Command{Shell: command, With: e.Shell, Dir: e.Workspace.Root()}.OnTerminal()
	if err != nil {
		return nil, nil, err
	}
	return cmd, func(ran tools.Ran) tools.Result {
		r := sandbox.Ended(cmd, ran.Err, ran.Took)
		if cmd.ProcessState == nil && ran.Err != nil {
			return tools.Result{Text: "it could not be started: " + ran.Err.Error(), IsError: true}
		}
		return tools.Result{Text: terminalText(ran, r), IsError: !r.Ok(), Display: ending(r, 0) + " · " + shortTime(ran.Took)}
	}, nil
}

// terminalText is what a model is told of such a command: the end of what it said.
func terminalText(ran tools.Ran, r sandbox.Result) string {
	var b strings.Builder
	said, missing := ran.Said, ran.Missing
	if over := len(said) - bashHead - bashTail; over > 0 {
		cut := strings.ToValidUTF8(said[over:], "")
		if i := strings.IndexByte(cut, '\n'); i >= 0 {
			cut = cut[i+1:]
		}
		missing += int64(len(said) - len(cut))
		said = cut
	}
	if missing > 0 {
		fmt.Fprintf(&b, "[the first %s are left out]\n", size(missing))
	}
	switch said = strings.TrimRight(said, "\n"); {
	case !ran.Kept:
		b.WriteString("(what it said on the user's terminal is not kept)\n")
	case strings.TrimSpace(said) != "":
		b.WriteString(said + "\n")
	case !ran.Screens:
		b.WriteString("(no output)\n")
	}
	if ran.Screens {
		b.WriteString("(what it drew in full-screen mode is left out)\n")
	}
	fmt.Fprintf(&b, "[it ran on the user's own terminal]\n[%s, %s]\n", ending(r, 0), shortTime(r.Took))
	return b.String()
}
