package ui

import (
	"fmt"
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
	n := len(list)
	at := func(i int) Job { return list[n-1-i] }
	entries := make([]dialog.Entry, n)
	for i := range entries {
		j := at(i)
		entries[i] = dialog.Entry{Label: strings.Join([]string{j.ID, lang.Said(j.Status), seconds(j.Took), byteCount(int(j.Bytes))}, lang.T(" · ")), Detail: safe.Line(j.Command)}
	}
	p := dialog.NewPicker(m.th, lang.T("In the background"), entries, func(i int) tea.Cmd { return m.readJob(at(i)) })
	p.Keys = map[keymap.Action]func(int) tea.Cmd{keymap.ListDelete: func(i int) tea.Cmd { return m.endJob(at(i)) }}
	p.Help = strings.Join([]string{lang.T("enter what it wrote"), lang.T("ctrl+x end it"), lang.T("esc close")}, lang.T(" · "))
	return m.dialogs.Push(p)
}

// readJob reads what a job has written, to be shown.
func (m *Model) readJob(j Job) tea.Cmd {
	read := m.o.Jobs.Output
	return func() tea.Msg {
		text, err := read(j.ID)
		if err != nil {
			return failed{j.ID, err}
		}
		return jobOutputMsg{j, text}
	}
}

// showJob shows what a job has written, from its end; r reads it anew.
func (m *Model) showJob(o jobOutputMsg) {
	text := o.text
	if strings.TrimSpace(text) == "" {
		text = lang.T("it has written nothing")
	}
	m.pager = &pager{title: fmt.Sprintf("%s %s", o.job.ID, safe.Line(o.job.Command)), text: text, file: "output.txt",
		resume: func() tea.Cmd { return m.readJob(o.job) }, anytime: true, also: lang.T("r reads it anew"), top: len(text),
		draw: func(th *theme.Theme, w int) []string { return wrap(safe.Output(text), w, th.Text) }}
}

// endJob ends a job that runs, and shows the list as it is then.
func (m *Model) endJob(j Job) tea.Cmd {
	if !j.Running {
		return m.say(lang.T("%s has ended already", j.ID))
	}
	end, list := m.o.Jobs.End, m.o.Jobs.List
	return func() tea.Msg {
		if err := end(j.ID); err != nil {
			return failed{j.ID, err}
		}
		return jobsMsg{list()}
	}
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
