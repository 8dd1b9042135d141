package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Jobs are the commands that run in the background. The functions are called off the
// loop; a nil List means that there can be none.
type Jobs struct {
	List   func() []Job // the oldest first
	Output func(id string) (string, error)
	End    func(id string) error // returns when it is gone
}

// Job is one of them.
type Job struct {
	ID, Command string
	Took        time.Duration // so far
	Running     bool
	Status      string // "running", or how it ended, in English
	Bytes       int64  // of output so far
}

// jobsRun says how many commands run in the background now.
type jobsRun struct{ n int }

// JobsRun tells the screen how many commands run in the background.
func (f *Feed) JobsRun(n int) { f.send(jobsRun{n}) }

// jobsMsg brings the list that /jobs shows.
type jobsMsg struct{ list []Job }

// jobOutputMsg brings what a job has written.
type jobOutputMsg struct {
	job  Job
	text string
}

func (m *Model) cmdJobs(string) tea.Cmd {
	list := m.o.Jobs.List
	if list == nil {
		return m.say(lang.T("nothing can run in the background here"))
	}
	return func() tea.Msg { return jobsMsg{list()} }
}

// pickJob lists the commands; what was started last stands first.
func (m *Model) pickJob(list []Job) tea.Cmd {
	if len(list) == 0 {
		return m.say(m.o.Keys.Named(lang.T("nothing runs in the background; ctrl+b sends a command there"), keymap.Background))
	}
	list = newestFirst(list)
	var p *dialog.Picker
	at := list[0].ID
	put := func(now []Job) {
		list = newestFirst(now)
		p.Renew(jobEntries(list))
		p.Point(slices.IndexFunc(list, func(j Job) bool { return j.ID == at })) // others may stand before it now
	}
	p = dialog.NewPicker(m.th, lang.T("In the background"), jobEntries(list), func(i int) tea.Cmd { return m.readJob(list[i]) })
	p.Chosen = func(i int) { at = list[i].ID }
	end, read, turns := m.o.Jobs.End, m.o.Jobs.List, &switching{}
	p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListDelete: func(i int) tea.Cmd {
		j := list[i]
		if !j.Running {
			return m.say(lang.T("%s has ended already", j.ID))
		}
		return turns.do(j.ID, func() error { return end(j.ID) }, func() func() {
			now := read()
			return func() { put(now) }
		})
	}}
	p.Help = strings.Join([]string{lang.T("enter what it wrote"), lang.T("ctrl+x end it"), lang.T("esc close")}, lang.T(" · "))
	return m.dialogs.Push(p)
}

// cmdStop ends all that runs in the background.
func (m *Model) cmdStop(string) tea.Cmd {
	jobs := m.o.Jobs
	if jobs.List == nil {
		return m.say(lang.T("nothing can run in the background here"))
	}
	return func() tea.Msg {
		said, err := jobs.stop()
		if err != nil {
			return failed{lang.T("end what runs in the background"), err}
		}
		return flashMsg{said}
	}
}

// stop ends all of them, and says how many there were. It is called off the loop.
func (j Jobs) stop() (said string, err error) {
	n := 0
	for _, job := range j.List() {
		if !job.Running {
			continue
		}
		if e := j.End(job.ID); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", job.ID, e))
			continue
		}
		n++
	}
	if n == 0 {
		return lang.T("nothing runs in the background"), err
	}
	return lang.Count(n, "1 command in the background was ended", "%d commands in the background were ended"), err
}

func newestFirst(list []Job) []Job {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func jobEntries(list []Job) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, j := range list {
		entries[i] = dialog.Entry{Label: strings.Join([]string{j.ID, lang.Said(j.Status), seconds(j.Took), byteCount(int(j.Bytes))}, lang.T(" · ")), Detail: safe.Line(j.Command)}
	}
	return entries
}

// readJob reads what a job has written, to be shown.
func (m *Model) readJob(j Job) tea.Cmd {
	get := m.jobRead(j)
	return func() tea.Msg {
		o, err := get()
		if err != nil {
			return failed{j.ID, err}
		}
		return o
	}
}

// jobRead reads it off the loop, and how the job stands.
func (m *Model) jobRead(j Job) func() (jobOutputMsg, error) {
	read, list := m.o.Jobs.Output, m.o.Jobs.List
	return func() (jobOutputMsg, error) {
		for _, now := range list() { // before the output, so that of one that has ended all is read
			if now.ID == j.ID {
				j = now
			}
		}
		text, err := read(j.ID)
		return jobOutputMsg{j, text}, err
	}
}

// showJob shows what a job has written, from its end, and follows it while it runs.
func (m *Model) showJob(o jobOutputMsg) tea.Cmd {
	p := &pager{title: fmt.Sprintf("%s %s", o.job.ID, safe.Line(o.job.Command)), file: "output.txt",
		resume: func() tea.Cmd { return m.readJob(o.job) }, anytime: true, top: 1 << 30}
	p.tells(o)
	m.pager = p
	return m.followJob(p, o)
}

// tells shows what a job has written by now. Whoever is at its end stays there, whoever
// reads above it stays where they are.
func (p *pager) tells(o jobOutputMsg) {
	text := o.text
	if strings.TrimSpace(text) == "" {
		text = lang.T("it has written nothing")
	}
	if p.note = ""; o.job.Running {
		p.note = lang.T("it runs; what it writes appears here")
	}
	if text == p.text {
		return
	}
	if p.top+p.h >= len(p.list) {
		p.top = 1 << 30
	}
	p.text, p.list = text, nil
	p.draw = func(th *theme.Theme, w int) []string { return wrap(safe.Output(text), w, th.Text) }
}

// jobFollowed brings what the job that a pager shows has written since.
type jobFollowed struct {
	in  *pager
	out jobOutputMsg
}

// followJob looks again in a second, while the job runs and is looked at.
func (m *Model) followJob(p *pager, o jobOutputMsg) tea.Cmd {
	if m.pager != p || !o.job.Running {
		return nil
	}
	read := m.jobRead(o.job)
	return tea.Tick(time.Second, func(time.Time) tea.Msg {
		now, err := read()
		if err != nil { // it is forgotten; what was shown stays
			now = o
			now.job.Running = false
		}
		return jobFollowed{p, now}
	})
}

// followed takes it.
func (m *Model) followed(msg jobFollowed) tea.Cmd {
	if m.pager != msg.in {
		return nil
	}
	msg.in.tells(msg.out)
	return m.followJob(msg.in, msg.out)
}

// endingJobs says what runs in the background and ends with forge.
func (m *Model) endingJobs() (out []string) {
	if m.o.Jobs.List == nil {
		return nil
	}
	for _, j := range m.o.Jobs.List() {
		if j.Running {
			out = append(out, lang.T("ended with forge, in the background: %s", safe.Line(j.Command)))
		}
	}
	return out
}
