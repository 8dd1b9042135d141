//go:build !linux && !darwin

package sandbox

import (
	"os/exec"
	"runtime"
)

type kernel struct{}

func (c *core) choose(Form) (Form, string) { return None, "forge has no sandbox for " + runtime.GOOS }

func (c *core) release() {}

func (p *Policy) apply(*confinement, *exec.Cmd) error { return errNotConfined }

func onMainThread() bool { return false }

// renew has nothing to make again: each command gets a profile of its own.
func (c *core) renew() {}

func (c *core) ownLoopback() bool { return false }
