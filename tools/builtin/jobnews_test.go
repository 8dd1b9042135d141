//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A model hears once of a job that ended while it did not look, and not at all of one
// whose end it has read.
func TestJobNews(t *testing.T) {
	r := newRig(t, nil)
	defer r.env.Jobs.Close()
	changed := make(chan struct{}, 8)
	r.env.Jobs.Changed = func() { changed <- struct{}{} }
	fifo := filepath.Join(r.dir, "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	r.must("run_bash", o{"command": "read x <go; echo $x; exit 4", "background": true})
	<-changed
	if got := r.env.Jobs.News(); got != nil {
		t.Errorf("news of a job that runs: %q", got)
	}
	if err := os.WriteFile(fifo, []byte("words\n"), 0); err != nil {
		t.Fatal(err)
	}
	<-changed
	if got := r.env.Jobs.News(); len(got) != 1 || !strings.Contains(got[0], "job1 is over: exit code 4") || !strings.Contains(got[0], "It ran: read x") {
		t.Errorf("news %q", got)
	}
	if got := r.env.Jobs.News(); got != nil {
		t.Errorf("told again: %q", got)
	}
	if text, err := r.env.Jobs.Output("job1"); err != nil || text != "words\n" {
		t.Errorf("output %q, %v", text, err)
	}
	if got := r.must("job_output", o{"id": "job1"}).Text; !strings.HasPrefix(got, "words\n") {
		t.Errorf("a person's look took from the model's: %q", got)
	}
	if _, err := r.env.Jobs.Output("job9"); err == nil {
		t.Error("output of no job")
	}
	r.must("run_bash", o{"command": "true", "background": true})
	r.must("job_output", o{"id": "job2", "wait": 20})
	if got := r.env.Jobs.News(); got != nil {
		t.Errorf("news of an end that was read: %q", got)
	}
	r.must("run_bash", o{"command": "sleep 60", "background": true})
	if err := r.env.Jobs.Kill("job3"); err != nil {
		t.Fatal(err)
	}
	if got := r.env.Jobs.News(); len(got) != 1 || !strings.Contains(got[0], "ended by the user") {
		t.Errorf("news %q", got)
	}
}
