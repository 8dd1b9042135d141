package ui

import (
	"encoding/json"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/safe"
)

// scriptPause is the shortest time between two runs of the person's own command for the
// status line.
const scriptPause = 300 * time.Millisecond

// script is that command. It runs when something it is told of has changed, one at a
// time, and never at rest.
type script struct {
	command string
	line    string    // what it said, as safe.Coloured makes it
	ran     facts     // what it was told last
	at      time.Time // when it was started last
	running bool
	due     bool          // a timer will look again
	wrong   string        // why it failed, as it was said last
	gate    chan struct{} // held while it runs
}

// facts are what the command is told.
type facts struct {
	Hook      string         `json:"hook_event_name"`
	Session   string         `json:"session_id"`
	Title     string         `json:"session_name,omitempty"`
	Cwd       string         `json:"cwd"`
	Branch    string         `json:"branch,omitempty"`
	Model     modelFacts     `json:"model"`
	Effort    effortFacts    `json:"effort"`
	Workspace workspaceFacts `json:"workspace"`
	Version   string         `json:"version"`
	Mode      string         `json:"permission_mode"`
	Sandbox   string         `json:"sandbox,omitempty"`
	Running   bool           `json:"running"`
	Columns   int            `json:"columns"`
	Cost      costFacts      `json:"cost"`
	Window    windowFacts    `json:"context_window"`
}

type (
	modelFacts struct {
		ID       string `json:"id"`
		Name     string `json:"display_name"`
		Provider string `json:"provider,omitempty"`
	}
	effortFacts struct {
		Level string `json:"level,omitempty"`
	}
	workspaceFacts struct {
		Dir     string `json:"current_dir"`
		Project string `json:"project_dir"`
	}
	costFacts struct {
		USD   float64 `json:"total_cost_usd"`
		Known bool    `json:"known"`
	}
	windowFacts struct {
		Input     int `json:"total_input_tokens"`
		Output    int `json:"total_output_tokens"`
		CacheRead int `json:"cache_read_tokens"`
		Size      int `json:"context_window_size"`
		Used      int `json:"used_tokens"`
		Percent   int `json:"used_percentage"`
		Left      int `json:"remaining_percentage"`
	}
)

func (m *Model) facts() facts {
	s := &m.status
	name := s.model.Name
	if name == "" {
		name = s.model.ID
	}
	f := facts{
		Hook: "Status", Session: s.place.Session, Title: s.place.Title, Cwd: m.o.Dir, Branch: s.place.Branch,
		Model: modelFacts{s.model.ID, name, s.model.Provider}, Effort: effortFacts{string(s.effort)},
		Workspace: workspaceFacts{m.o.Dir, m.o.Dir}, Version: m.o.Version, Mode: string(s.mode), Sandbox: s.sandbox,
		Running: m.busy(), Columns: m.w, Cost: costFacts{s.cost, s.costKnown},
		Window: windowFacts{Input: s.usage.Input, Output: s.usage.Output, CacheRead: s.usage.CacheRead, Size: s.window, Used: s.used},
	}
	if s.window > 0 {
		f.Window.Percent = 100 * s.used / s.window
		if s.used > 0 {
			f.Window.Percent = max(1, f.Window.Percent) // as the line beneath has it
		}
		f.Window.Left = max(0, 100-f.Window.Percent)
	}
	return f
}

// Messages of the command.
type (
	scriptDue  struct{}
	scriptSaid struct {
		command, out string
		err          error
	}
)

// stirScript runs the command where what it is told has changed: at once, or when the
// last run is over and long enough ago.
func (m *Model) stirScript() tea.Cmd {
	s := &m.script
	if s.command == "" || m.o.RunStatus == nil || m.w < 1 || s.running || s.due {
		return nil
	}
	f := m.facts()
	if f == s.ran {
		return nil
	}
	now := m.o.Now()
	if wait := scriptPause - now.Sub(s.at); wait > 0 && !s.at.IsZero() {
		s.due = true
		return tea.Tick(wait, func(time.Time) tea.Msg { return scriptDue{} })
	}
	s.ran, s.at, s.running = f, now, true
	run, command, gate := m.o.RunStatus, s.command, s.gate
	ctx, cancel := m.context()
	return func() tea.Msg {
		defer cancel()
		gate <- struct{}{}
		defer func() { <-gate }()
		in, err := json.Marshal(f)
		out := ""
		if err == nil {
			err = guard(func() (err error) { out, err = run(ctx, command, append(in, '\n')); return err })
		}
		return scriptSaid{command, out, err}
	}
}

// scripted takes the messages of the command. The first line of what it wrote is shown:
// its colours, and nothing else that would reach the terminal.
func (m *Model) scripted(msg tea.Msg) (tea.Cmd, bool) {
	s := &m.script
	switch msg := msg.(type) {
	case placeRead:
		return m.placed(msg), true
	case scriptDue:
		s.due = false
		return nil, true
	case scriptSaid:
		s.running = false
		if msg.command != s.command { // it was changed meanwhile
			return nil, true
		}
		line, _, _ := strings.Cut(strings.TrimLeft(msg.out, "\r\n"), "\n")
		s.line = safe.Coloured(strings.TrimRight(line, "\r"))
		if msg.err == nil || s.line != "" {
			s.wrong = ""
			return nil, true
		}
		if wrong := oneLine(msg.err); wrong != s.wrong {
			s.wrong = wrong
			return m.say(lang.T("the command of the status line: %s", wrong)), true
		}
		return nil, true
	}
	return nil, false
}

// setScript takes another command; an empty one shows nothing.
func (m *Model) setScript(command string) {
	m.script = script{command: command, gate: m.script.gate, running: m.script.running, due: m.script.due, at: m.script.at}
}

// scriptRow is what the command said, as a row of w cells.
func (m *Model) scriptRow(w int) (row string, ok bool) {
	if m.script.line == "" {
		return "", false
	}
	return dyedRow(m.script.line, w, m.th, m.th.Status), true
}

// endScript waits until the command is gone, at most as long as ending one takes; its
// context has ended.
func (m *Model) endScript() {
	select {
	case m.script.gate <- struct{}{}:
	case <-time.After(quitWait):
	}
}
