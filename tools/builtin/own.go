package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

// RunOwn runs a line the person typed, as run_bash runs a model's: in the
// workspace folder, in a process group of its own, without a terminal and with
// bounded output. No sandbox confines it and no clock ends it, since it is the
// person who asked and who can stop it: it runs until it, or ctx, ends.
func (e *Env) RunOwn(ctx context.Context, command string, out io.Writer) (tools.Result, error) {
	switch {
	case strings.ContainsRune(command, 0):
		return tools.Result{}, errors.New("the command holds a NUL byte")
	case len(command) > maxCommand:
		return tools.Result{}, fmt.Errorf("the command is %s long, at most %s work", size(int64(len(command))), size(maxCommand))
	}
	res, _, err := e.runBash(ctx, sandbox.Command{Shell: command, With: e.Shell, Dir: e.Workspace.Root(), Env: e.Vars, Guardian: e.Guardian}, out)
	return res, err
}
