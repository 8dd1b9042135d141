package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"forge/tools/sandbox"
	"forge/ui"
)

// dictation is the person's own command that listens. It is from their own settings and
// none other.
func (f *forge) dictation() *ui.Dictation {
	return &ui.Dictation{Command: f.cfg.Dictate, Run: func(ctx context.Context, command []string, out io.Writer) error {
		return dictate(ctx, command, f.unattended(os.Environ()), f.hands.guardian, out)
	}}
}

// heardAtMost is how much a command that listens may write, in bytes: more than anybody
// says, and no more than a prompt is written on with at ease.
const heardAtMost = 1 << 20

// dictate runs a command that listens, unconfined as one they type behind ! is, in their
// home folder: nothing of the project's has a say in which program it is. env is what it
// has of the environment.
func dictate(ctx context.Context, command, env []string, guardian *sandbox.Guardian, out io.Writer) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	argv := append([]string(nil), command...)
	for i, a := range argv {
		if rest, ok := strings.CutPrefix(a, "~/"); ok {
			argv[i] = filepath.Join(home, rest)
		}
	}
	if strings.ContainsAny(argv[0], `/\`) && !filepath.IsAbs(argv[0]) {
		return fmt.Errorf("write the whole path of %s in editor.dictate", argv[0])
	}
	res, err := sandbox.Command{Argv: argv, Dir: home, Env: env, Guardian: guardian, Apart: true, Max: heardAtMost, Output: out}.Run(ctx)
	switch {
	case err != nil:
		return err
	case res.Cancelled, res.Ok():
		return nil
	}
	said := strings.TrimSpace(res.Errors)
	if said = strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]); said != "" {
		return errors.New(strings.ToValidUTF8(said[:min(len(said), 300)], "")) // no half of a letter
	}
	if res.Signal != "" {
		return fmt.Errorf("it was ended: %s", res.Signal)
	}
	return fmt.Errorf("exit status %d", res.ExitCode)
}
