package ui

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// What runs in the background is counted in the status line, listed, read and ended.
func TestJobsOnTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		running, output := true, "listening on 8080"
		o.Jobs = Jobs{
			List: func() []Job {
				status := "running"
				if !running {
					status = "killed"
				}
				return []Job{{ID: "job1", Command: "npm run dev", Status: status, Running: running, Took: 70 * time.Second, Bytes: 17}}
			},
			Output: func(id string) (string, error) { return output, nil },
			End: func(id string) error {
				if id != "job1" {
					return errors.New("another job was ended")
				}
				running = false
				return nil
			},
		}
		s := start(t, o, 80, 24)
		o.Feed.JobsRun(1)
		s.see("1 in the background")
		s.send("/jobs\r")
		s.see("npm run dev")
		s.see("job1 · running · 1 m 10 s · 17 B")
		s.send("\r")
		s.see("listening on 8080")
		output = "a request came"
		s.send("r")
		s.see("a request came")
		s.gone("listening")
		s.send("q")
		s.send("/jobs\r")
		s.see("ctrl+x end it")
		s.send("\x18")
		s.see("killed")
		s.send("\x18")
		s.see("job1 has ended already")
		s.send("\x1b")
		s.gone("ctrl+x end it")
		o.Feed.JobsRun(2)
		s.see("2 in the background")
		o.Feed.JobsRun(0)
		s.gone("in the background")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// While one is being ended another may have begun, which stands before it: the pointer stays
// at the one it was at, so that a second press ends no other.
func TestJobsListKeepsItsPlace(t *testing.T) {
	o := testOptions(&fakeAgent{})
	all := []Job{{ID: "job1", Status: "running", Running: true}, {ID: "job2", Status: "running", Running: true}}
	var ended []string
	o.Jobs = Jobs{List: func() []Job { return all }, End: func(id string) error {
		ended = append(ended, id)
		all = append(all, Job{ID: "job3", Status: "running", Running: true})
		return nil
	}}
	m := still(t, o, 80, 24)
	work(m, m.cmdJobs(""))
	press(m, "down") // job1
	work(m, m.key(keyMsg("ctrl+x")))
	has(t, shot(m), "job3", "❯ job1")
	work(m, m.key(keyMsg("ctrl+x")))
	if got := strings.Join(ended, " "); got != "job1 job1" || !m.dialogs.Active() {
		t.Errorf("ended %s\n%s", got, shot(m))
	}
}
