package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/tools"
	"forge/tools/sandbox"
)

// front is a command that a run waits for, and that the person may send to the
// background.
type front struct {
	proc  *sandbox.Process
	limit time.Duration // that it was given; 0: none
	away  chan struct{} // closed once it is sent
	sent  bool
}

// Background sends the commands that are waited for to the background, where they go
// on as jobs without a time limit; it returns how many there were. While there is none,
// as in the moment between the yes to a command and its process, it waits for one until
// ctx ends. It may be called from any goroutine.
func (j *Jobs) Background(ctx context.Context) int {
	for {
		n, begun := j.sendAway()
		if n > 0 {
			return n
		}
		select {
		case <-begun:
		case <-ctx.Done():
			return 0
		}
	}
}

// sendAway sends what is waited for away. begun is closed once there is another command.
func (j *Jobs) sendAway() (n int, begun <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, f := range j.front {
		if !f.sent {
			f.sent = true
			close(f.away)
			n++
		}
	}
	if j.begun == nil {
		j.begun = make(chan struct{})
	}
	return n, j.begun
}

// MoreTime lets the commands that are waited for run longer, each by as much as it was
// given at first; it returns how many there were. It may be called from any goroutine.
func (j *Jobs) MoreTime() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, f := range j.front {
		if !f.sent && f.limit > 0 {
			f.proc.Extend(f.limit)
			n++
		}
	}
	return n
}

// waitFor notes a command that is waited for.
func (j *Jobs) waitFor(p *sandbox.Process, limit time.Duration) *front {
	f := &front{proc: p, limit: limit, away: make(chan struct{})}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.front = append(j.front, f)
	if j.begun != nil {
		close(j.begun)
		j.begun = nil
	}
	return f
}

// waited ends the waiting.
func (j *Jobs) waited(f *front) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.front = slices.DeleteFunc(j.front, func(o *front) bool { return o == f })
}

// adopt makes a command that was waited for a job; nil: there can be none, since the
// session ends or too many run.
func (j *Jobs) adopt(p *sandbox.Process, shown string, began time.Time) *job {
	j.mu.Lock()
	defer j.mu.Unlock()
	running := 0
	for _, b := range j.jobs {
		if b.running() {
			running++
		}
	}
	if j.closed || running >= maxRunningJobs {
		return nil
	}
	j.last++
	b := &job{id: fmt.Sprintf("job%d", j.last), command: shown, started: began, proc: p}
	j.jobs = append(j.jobs, b)
	j.forget()
	j.follow(b)
	return b
}

// sentAway is the result of a command that the person sent to the background: what
// it has written so far, and how to read on.
func (b *job) sentAway() tools.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, next, _ := b.proc.Since(0)
	b.read = next
	var out strings.Builder
	if next > 0 {
		writeOutput(&out, text, nil)
	} else {
		out.WriteString("(no output yet)\n")
	}
	took := shortTime(time.Since(b.started))
	fmt.Fprintf(&out, "[the user moved it to the background after %s; it goes on as %s, process %d: job_output reads what it writes next, job_kill ends it]\n",
		took, b.id, b.proc.Pid())
	return tools.Result{Text: out.String(), Display: "in the background as " + b.id + " · " + took}
}
