package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"forge/ui/terminal"
)

// Here is the machine as the checks see it; nil functions are the system's.
type Here struct {
	Getenv func(string) string
	Look   func(program string) (path string, err error)
	// Output runs a program without a shell and returns what it wrote.
	Output func(ctx context.Context, argv ...string) (string, error)
	System string // as runtime.GOOS has it; empty: that one
}

// getenv is the environment with a TERM where the system sets none.
func (h Here) getenv(name string) string { return terminal.Environ(h.system(), h.given)(name) }

// given is the environment as it is.
func (h Here) given(name string) string {
	if h.Getenv != nil {
		return h.Getenv(name)
	}
	return os.Getenv(name)
}

func (h Here) system() string { return cmp.Or(h.System, runtime.GOOS) }

func (h Here) look(program string) (string, error) {
	if h.Look != nil {
		return h.Look(program)
	}
	return exec.LookPath(program)
}

func (h Here) output(ctx context.Context, argv ...string) (string, error) {
	if h.Output != nil {
		return h.Output(ctx, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = 200 * time.Millisecond // of what it started and left behind
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil && text != "" {
		line, _, _ := strings.Cut(text, "\n")
		err = errors.New(line)
	}
	return text, err
}
