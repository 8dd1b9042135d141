package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
)

// sandboxExec is the program of macOS that puts a profile on a command.
const sandboxExec = "/usr/bin/sandbox-exec"

type kernel struct{}

func (c *core) choose(form Form) (Form, string) {
	if form != "" && form != Seatbelt {
		return None, fmt.Sprintf("%s is not for this system", form)
	}
	if _, err := os.Stat(sandboxExec); err != nil {
		return None, sandboxExec + " is missing"
	}
	return Seatbelt, ""
}

func (c *core) release() {}

func (p *Policy) apply(_ *confinement, cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	cmd.Args = slices.Concat([]string{sandboxExec, "-p", p.seatbelt(), "--", cmd.Path}, cmd.Args[1:])
	cmd.Path = sandboxExec
	return nil
}

func onMainThread() bool { return false }

// renew has nothing to make again: each command gets a profile of its own.
func (c *core) renew() {}

func (c *core) ownLoopback() bool { return false }
