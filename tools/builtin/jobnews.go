package builtin

import (
	"fmt"
	"time"
)

// follow tells of a job's beginning and, when it is over, of its end.
func (j *Jobs) follow(b *job) {
	if j.Changed == nil {
		return
	}
	go func() {
		j.Changed()
		<-b.proc.Done()
		j.Changed()
	}()
}

// News says which jobs have ended since it was last asked, of those whose end nobody
// has read yet: a model that waits for none learns of it all the same.
func (j *Jobs) News() (out []string) {
	for _, b := range j.all() {
		if text := b.news(); text != "" {
			out = append(out, text)
		}
	}
	return out
}

func (b *job) news() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || b.running() {
		return ""
	}
	b.over = true
	r := b.proc.Result()
	how := ending(r, r.Took)
	if r.Cancelled {
		how = "ended by the user"
	}
	return fmt.Sprintf("The background job %s is over: %s, after %s. It ran: %s\njob_output reads what it wrote.", b.id, how, shortTime(r.Took), oneLine(b.command))
}

// Output is what a job has written so far, as far as it is kept; it does not count as
// read by the model.
func (j *Jobs) Output(id string) (string, error) {
	b, err := j.find(id)
	if err != nil {
		return "", err
	}
	text, _, _ := b.proc.Since(0)
	return text, nil
}

// took is how long a job has run, or ran.
func (b *job) took() time.Duration {
	if b.running() {
		return time.Since(b.started)
	}
	return b.proc.Result().Took
}
