package builtin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/tools"
	"forge/tools/sandbox"
)

const (
	maxRunningJobs = 16
	maxEndedJobs   = 32 // older ones are forgotten with their output
	maxJobText     = 40 << 10
)

// Jobs are the commands that run in the background. Its methods may be called
// from any goroutine; the zero value works. Close it when the session ends.
type Jobs struct {
	// Changed is told, in a goroutine of its own, of each job that begins or ends; nil:
	// nobody is. It is set before the first job.
	Changed func()

	mu     sync.Mutex
	last   int
	jobs   []*job
	front  []*front           // waited for
	begun  chan struct{}      // closed once another is; nil: nobody waits to hear
	behind []*sandbox.Process // ended, but something they started is still there
	closed bool
}

type job struct {
	id      string
	command string
	started time.Time
	proc    *sandbox.Process

	mu   sync.Mutex
	read int64 // how much of the output was told
	over bool  // its end was told
}

// Job is one job as a screen shows it.
type Job struct {
	ID      string
	Command string
	Took    time.Duration // so far
	Running bool
	Status  string // "running", "exit code 0", "ended by signal: killed", …
	Bytes   int64  // of output so far
}

// List lists the jobs, the oldest first.
func (j *Jobs) List() []Job {
	jobs := j.all()
	out := make([]Job, 0, len(jobs))
	for _, b := range jobs {
		out = append(out, Job{b.id, b.command, b.took(), b.running(), b.status(), b.proc.Written()})
	}
	return out
}

func (j *Jobs) all() []*job {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.jobs)
}

// Kill ends a job and all it started, and waits until it is gone.
func (j *Jobs) Kill(id string) error {
	b, err := j.find(id)
	if err != nil {
		return err
	}
	b.proc.Stop()
	<-b.proc.Done()
	b.proc.Sweep()
	return nil
}

// Close ends all jobs and what foreground commands left in the background. No
// job can be started after it.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.closed = true
	jobs, behind := j.jobs, j.behind
	j.behind = nil
	j.mu.Unlock()
	for _, b := range jobs {
		b.proc.Stop()
	}
	for _, p := range behind {
		p.Sweep()
	}
	for _, b := range jobs {
		<-b.proc.Done()
		b.proc.Sweep()
	}
}

// start starts a job; shown is its command as it is told of.
func (j *Jobs) start(c sandbox.Command, shown string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil, errors.New("the session ends; no command can be started")
	}
	running := 0
	for _, b := range j.jobs {
		if b.running() {
			running++
		}
	}
	if running >= maxRunningJobs {
		return nil, fmt.Errorf("%d jobs are running already (%s); end one with job_kill", running, strings.Join(j.ids(), ", "))
	}
	p, err := c.Start()
	if err != nil {
		return nil, err
	}
	j.last++
	b := &job{id: fmt.Sprintf("job%d", j.last), command: shown, started: time.Now(), proc: p}
	j.jobs = append(j.jobs, b)
	j.forget()
	j.follow(b)
	return b, nil
}

// forget drops the oldest of many ended jobs. The caller holds mu.
func (j *Jobs) forget() {
	over := len(j.jobs) - maxRunningJobs - maxEndedJobs
	j.jobs = slices.DeleteFunc(j.jobs, func(b *job) bool {
		if over <= 0 || b.running() {
			return false
		}
		over--
		j.behind = append(j.behind, b.proc)
		return true
	})
}

// remember keeps hold of what a foreground command left in the background.
func (j *Jobs) remember(p *sandbox.Process, r sandbox.Result) {
	if len(r.Left) == 0 {
		return
	}
	j.mu.Lock()
	closed := j.closed
	if !closed {
		j.behind = append(j.behind, p)
	}
	j.mu.Unlock()
	if closed {
		p.Sweep()
	}
}

func (j *Jobs) find(id string) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, b := range j.jobs {
		if b.id == id {
			return b, nil
		}
	}
	if len(j.jobs) == 0 {
		return nil, fmt.Errorf("there is no job %q, and no other; run_bash with background starts one", id)
	}
	return nil, fmt.Errorf("there is no job %q; there are %s", id, strings.Join(j.ids(), ", "))
}

// ids lists the jobs' ids. The caller holds mu.
func (j *Jobs) ids() []string {
	var ids []string
	for _, b := range j.jobs {
		ids = append(ids, b.id)
	}
	return ids
}

func (b *job) running() bool {
	select {
	case <-b.proc.Done():
		return false
	default:
		return true
	}
}

func (b *job) status() string {
	if b.running() {
		return "running"
	}
	r := b.proc.Result()
	if r.Cancelled {
		return "killed"
	}
	return ending(r, r.Took)
}

// told gives the output since it was last asked for, and how the job is.
func (b *job) told() tools.Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	running := b.running() // before the output is read: what ended has written all
	text, next, missed := b.proc.Since(b.read)
	written := next - b.read
	b.read = next
	if over := len(text) - maxJobText; over > 0 {
		cut := over + strings.IndexByte(text[over:], '\n') + 1
		text = text[cut:]
		missed = written - int64(len(text)) // what was not kept lies in what was cut
	}
	var out strings.Builder
	if missed > 0 {
		fmt.Fprintf(&out, "… (%d bytes left out) …\n", missed)
	}
	switch {
	case written > 0:
		writeOutput(&out, text, nil)
	case running:
		out.WriteString("(no new output)\n")
	default:
		out.WriteString("(no more output)\n")
	}
	took, status := b.took(), "running"
	if !running {
		status = b.status()
		b.over = true
	}
	fmt.Fprintf(&out, "[%s: %s, %s]\n", b.id, status, shortTime(took))
	if !running {
		for _, n := range b.proc.Result().Notes {
			fmt.Fprintf(&out, "[%s]\n", n)
		}
	}
	return tools.Result{Text: out.String(), Display: status + " · " + shortTime(took)}
}
