package ui

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// What runs in the background is counted in the status line, listed, read and ended.
func TestJobsOnTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		var mu sync.Mutex
		running, output := true, "listening on 8080"
		wrote := func(text string) {
			mu.Lock()
			defer mu.Unlock()
			output = text
		}
		o.Jobs = Jobs{
			List: func() []Job {
				status := "running"
				if !running {
					status = "killed"
				}
				return []Job{{ID: "job1", Command: "npm run dev", Status: status, Running: running, Took: 70 * time.Second, Bytes: 17}}
			},
			Output: func(id string) (string, error) {
				mu.Lock()
				defer mu.Unlock()
				return output, nil
			},
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
		s.see("it runs; what it writes appears here")
		wrote("a request came") // it is followed
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

// A job that is looked at is read once a second while it runs, and no more when it has
// ended or is looked at no longer. Who reads above its end stays there.
func TestAJobIsFollowed(t *testing.T) {
	o := testOptions(&fakeAgent{})
	job, text := Job{ID: "job1", Status: "running", Running: true}, strings.Repeat("line\n", 100)
	o.Jobs = Jobs{List: func() []Job { return []Job{job} }, Output: func(string) (string, error) { return text, nil }}
	m := still(t, o, 80, 24)
	next := func(cmd tea.Cmd) tea.Cmd { // a second later
		t.Helper()
		if cmd == nil {
			t.Fatal("it is not followed")
		}
		read, err := m.jobRead(job)()
		if err != nil {
			t.Fatal(err)
		}
		return m.followed(jobFollowed{m.pager, read})
	}
	cmd := m.showJob(jobOutputMsg{job, text})
	text += "the newest"
	cmd = next(cmd)
	has(t, shot(m), "the newest", "it runs; what it writes appears here")
	press(m, "g")
	text += "\nthe one after"
	cmd = next(cmd)
	hasNot(t, shot(m), "the one after")
	press(m, "G")
	has(t, shot(m), "the one after")
	job.Running = false
	text += "\nits last word"
	if next(cmd) != nil {
		t.Error("it is followed after its end")
	}
	has(t, shot(m), "its last word")
	hasNot(t, shot(m), "it runs;")
	job.Running = true
	cmd = m.showJob(jobOutputMsg{job, text})
	in := m.pager
	press(m, "q")
	if m.followed(jobFollowed{in, jobOutputMsg{job, text}}) != nil || m.pager != nil || cmd == nil {
		t.Error("it is followed though nobody looks")
	}
}
