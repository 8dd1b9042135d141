package doctor

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Here is the machine as the checks see it; nil functions are the system's.
type Here struct {
	Getenv func(string) string
	Look   func(program string) (path string, err error)
	// Output runs a program without a shell and returns what it wrote.
	Output func(ctx context.Context, argv ...string) (string, error)
}

func (h Here) getenv(name string) string {
	if h.Getenv != nil {
		return h.Getenv(name)
	}
	return os.Getenv(name)
}

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
