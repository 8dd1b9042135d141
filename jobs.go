package main

import (
	"sync"

	"forge/tools"
	"forge/tools/builtin"
	"forge/ui"
	"forge/ui/lang"
)

// watchJobs has the screen show how many commands run in the background, and say
// when one has ended.
func (f *forge) watchJobs(feed *ui.Feed) ui.Jobs {
	jobs := &f.hands.env.Jobs
	var mu sync.Mutex
	told := map[string]bool{} // whose end
	jobs.Changed = func() {
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for _, j := range jobs.List() {
			if j.Running {
				n++
			} else if !told[j.ID] {
				told[j.ID] = true
				feed.Notice(ended(j))
			}
		}
		feed.JobsRun(n)
	}
	return ui.Jobs{Output: jobs.Output, End: jobs.Kill, List: func() (out []ui.Job) {
		for _, j := range jobs.List() {
			out = append(out, ui.Job(j))
		}
		return out
	}}
}

func ended(j builtin.Job) string {
	return lang.T("%s in the background has ended, %s: %s", j.ID, lang.Said(j.Status), tools.Clip(j.Command, 100))
}
