package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"forge/agent"
	"forge/tools/sandbox"
	"forge/ui"
)

// Bounds of the person's own command for the status line.
const (
	statusTime  = 5 * time.Second
	statusBytes = 64 << 10 // of what it may write; its first line is shown
	statusWhy   = 200      // of the first line of its errors, where it failed
)

// runStatus runs the person's own command for the status line in their shell, in the
// folder of the work, with in on its standard input. It is from their own settings file
// and none other, and runs as a line they type behind ! does: unconfined.
func (f *forge) runStatus(ctx context.Context, command string, in []byte) (string, error) {
	shell := f.hands.env.Shell
	if shell == "" {
		shell = sandbox.FindShell(f.hands.workspace.Root())
	}
	var out headed
	res, err := sandbox.Command{Shell: command, With: shell, Dir: f.hands.workspace.Root(), Env: f.unattended(f.hands.env.Vars), Input: in,
		Apart: true, Guardian: f.hands.guardian, Timeout: statusTime, Max: 1 << 20, Output: &out}.Run(ctx) // what goes wrong is no status
	switch {
	case err != nil:
		return "", err
	case res.Cancelled, res.Ok():
		return out.kept.String(), nil
	case res.TimedOut:
		return out.kept.String(), fmt.Errorf("it took longer than %s", statusTime)
	case res.Signal != "":
		return out.kept.String(), fmt.Errorf("it was ended: %s", res.Signal)
	}
	why, _, _ := strings.Cut(strings.TrimSpace(res.Errors), "\n")
	if why = strings.TrimSpace(why); why == "" {
		return out.kept.String(), fmt.Errorf("exit status %d", res.ExitCode)
	}
	return out.kept.String(), fmt.Errorf("exit status %d: %s", res.ExitCode, strings.ToValidUTF8(why[:min(len(why), statusWhy)], ""))
}

// headed keeps the beginning of what is written.
type headed struct{ kept bytes.Buffer }

func (f *headed) Write(p []byte) (int, error) {
	f.kept.Write(p[:min(len(p), statusBytes-f.kept.Len())])
	return len(p), nil
}

// where is where the conversation is at.
func (f *forge) where() ui.Place {
	p := ui.Place{Branch: agent.GitBranch(f.hands.workspace.Root())}
	if s := f.agent.Session(); s != nil {
		p.Session, p.Title = s.ID(), strings.TrimSpace(s.Title())
	}
	return p
}
