package main

import (
	"context"
	"os"
	"time"

	"forge/agent/config"
	"forge/tools/sandbox"
	"forge/ui/cli"
)

// evaluation is what `forge eval` needs: itself, and a way to run the commands of
// checks, which run what a model wrote, as confined as the model's own.
func evaluation() cli.EvalOptions {
	return cli.EvalOptions{Program: os.Executable, Check: checked}
}

// checkTime bounds one command of a check.
const checkTime = 2 * time.Minute

// checked runs a command in a folder, in a sandbox where there is one.
func checked(ctx context.Context, dir, command string) (string, bool, error) {
	dirs, err := config.Paths()
	if err != nil {
		return "", false, err
	}
	w, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		return "", false, err
	}
	defer w.Close()
	p, err := sandbox.NewPolicy(sandbox.PolicyOptions{Want: sandbox.Auto, Roots: w.WritableRoots(), Cache: dirs.Cache, Private: []string{dirs.State, dirs.Config}})
	if err != nil {
		return "", false, err
	}
	defer func() { logged("sandbox not cleaned up", p.Close()) }()
	r, err := sandbox.Command{Shell: command, Dir: w.Root(), Timeout: checkTime, Policy: p, Head: 16 << 10, Tail: 16 << 10}.Run(ctx)
	return r.Output, err == nil && r.Ok(), err
}
