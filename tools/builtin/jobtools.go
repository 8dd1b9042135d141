package builtin

import (
	"context"
	"fmt"
	"io"
	"time"

	"forge/tools"
	"forge/tools/sandbox"
)

// runJob starts a command in the background; shown is how it is told of.
func (e *Env) runJob(c sandbox.Command, shown string) (tools.Result, error) {
	b, err := e.Jobs.start(c, shown)
	if err != nil {
		return tools.Result{}, err
	}
	return tools.Result{
		Text:    fmt.Sprintf("%s runs in the background as process %d; job_output reads what it says, job_kill ends it", b.id, b.proc.Pid()),
		Display: b.id + " started",
	}, nil
}

type jobOutputInput struct {
	ID   string `json:"id"`
	Wait int    `json:"wait,omitempty" description:"seconds to wait for its end, at most 600"`
}

func newJobOutput(e *Env) tools.Tool {
	return tools.Func("job_output", "Read what a background job wrote since the last reading, and whether it runs.",
		func(_ context.Context, _ tools.Call, in jobOutputInput) (*tools.Invocation, error) {
			if in.Wait < 0 || in.Wait > int(maxTimeout.Seconds()) {
				return nil, fmt.Errorf("job_output: wait is %d, must be 0 to %d seconds", in.Wait, int(maxTimeout.Seconds()))
			}
			b, err := e.Jobs.find(in.ID)
			if err != nil {
				return nil, fmt.Errorf("job_output: %w", err)
			}
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: fmt.Sprintf("output of %s: %s", b.id, oneLine(b.command))},
				Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
					if err := b.wait(ctx, time.Duration(in.Wait)*time.Second); err != nil {
						return tools.Result{}, err
					}
					return b.told(), nil
				},
			}, nil
		})
}

// wait waits for the end of the job, at most so long.
func (b *job) wait(ctx context.Context, atMost time.Duration) error {
	if atMost == 0 {
		return nil
	}
	t := time.NewTimer(atMost)
	defer t.Stop()
	select {
	case <-b.proc.Done():
	case <-t.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

type jobKillInput struct {
	ID string `json:"id"`
}

func newJobKill(e *Env) tools.Tool {
	return tools.Func("job_kill", "End a background job and all it started.",
		func(_ context.Context, _ tools.Call, in jobKillInput) (*tools.Invocation, error) {
			b, err := e.Jobs.find(in.ID)
			if err != nil {
				return nil, fmt.Errorf("job_kill: %w", err)
			}
			return &tools.Invocation{
				Effect: tools.Effect{Kind: tools.Internal, Title: fmt.Sprintf("end %s: %s", b.id, oneLine(b.command))},
				Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
					if err := e.Jobs.Kill(b.id); err != nil {
						return tools.Result{}, err
					}
					return b.told(), nil
				},
			}, nil
		})
}
