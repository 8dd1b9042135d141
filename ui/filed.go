package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	mine "forge/agent/command"
	"forge/agent/mark"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// FromFiles is what the faces can do with commands of the person's own. Its functions are
// called off the loop.
type FromFiles struct {
	// List finds the commands as they are now, Taken's names left to forge.
	List func(ctx context.Context) mine.Set
	// Fill makes a prompt of a line. say hears of each command line before it runs.
	Fill func(ctx context.Context, line string, say func(string)) (agent.Prompt, error)
	// Branches are those of the repository, the one that moved last first; nil: none are
	// offered.
	Branches func(ctx context.Context) []string
}

// Taken reports whether a name after a slash is forge's own, on the screen or in lines.
func Taken(name string) bool {
	if slices.Contains([]string{"todo", "output", "sent", "key"}, name) {
		return true
	}
	return slices.ContainsFunc(commands(), func(c command) bool { return c.means(name) })
}

// filed is what the screen knows of them.
type filed struct {
	set    mine.Set
	told   map[string]bool // problems
	menu   bool            // a slash begins what is written
	sought string          // the line that commands were looked for, because it names none
}

type (
	filedRead struct {
		set  mine.Set
		then func(m *Model) tea.Cmd
	}
	// unfilled is why nothing became of a line.
	unfilled struct {
		line string
		error
	}
)

func (u unfilled) Unwrap() error { return u.error }

// readFiled finds the commands, off the loop, and goes on with then, which may be nil.
func (m *Model) readFiled(then func(m *Model) tea.Cmd) tea.Cmd {
	list := m.o.FromFiles.List
	ctx, cancel := m.context()
	return m.here(func() tea.Msg {
		defer cancel()
		msg := filedRead{then: then}
		_ = guard(func() error { msg.set = list(ctx); return nil }) // logged
		return msg
	})
}

// filedFound takes them into the table, and tells what is wrong with a file, once.
func (m *Model) filedFound(msg filedRead) tea.Cmd {
	m.filed.set = msg.set
	m.table = append(commands(), filedTable(msg.set)...)
	m.comp.SetCommands(m.menu())
	if m.filed.told == nil {
		m.filed.told = map[string]bool{}
	}
	for _, p := range msg.set.Problems {
		if text := saidProblem(p); !m.filed.told[text] {
			m.filed.told[text] = true
			m.tr.add(newNotice(text))
		}
	}
	if msg.then == nil {
		return nil
	}
	return msg.then(m)
}

// saidProblem is a problem in the person's language.
func saidProblem(p mine.Problem) string {
	p.Err = errors.New(lang.Said(p.Err.Error()))
	return p.Error()
}

// filedTable is the commands as lines of the slash table.
func filedTable(set mine.Set) (out []command) {
	for _, c := range set.Commands {
		whose := lang.T("yours")
		switch c.Scope {
		case mine.Project:
			whose = lang.T("project")
		case mine.Skill:
			whose = lang.T("skill")
		}
		out = append(out, command{
			name: c.Call, aliases: []string{c.Long()}, args: safe.Line(c.Hint), about: whose + lang.T(" · ") + safe.Line(c.About), filed: true, fill: true,
			run: func(m *Model, arg string) tea.Cmd { return m.sendFiled(strings.TrimSpace("/" + c.Call + " " + arg)) },
		})
	}
	return out
}

// lookForFiled finds them again when a slash is written: the menu shows those there are
// now.
func (m *Model) lookForFiled() tea.Cmd {
	was := m.filed.menu
	m.filed.menu = m.comp.Slash()
	if m.o.FromFiles == nil || was || !m.filed.menu {
		return nil
	}
	return m.readFiled(nil)
}

// seekFiled looks for the command a line means if no command has that name as it is known:
// its file may have come a moment ago.
func (m *Model) seekFiled(line string) (tea.Cmd, bool) {
	name, _, ok := mine.Typed(line)
	if m.o.FromFiles == nil || !ok || m.filed.sought == line || slices.ContainsFunc(m.table, func(c command) bool { return c.means(name) }) {
		m.filed.sought = ""
		return nil, false
	}
	m.filed.sought = line
	return m.readFiled(func(m *Model) tea.Cmd { return m.submit(line) }), true
}

// filedIn reads a line as a call of one of them, or of a file that would be one.
func (m *Model) filedIn(line string) (name, arg string, ok bool) {
	name, arg, ok = mine.Typed(line)
	if !ok || m.o.FromFiles == nil {
		return "", "", false
	}
	if slices.ContainsFunc(m.table, func(c command) bool { return c.filed && c.means(name) }) {
		return name, arg, true
	}
	if _, broken := m.filed.set.Broken(name); broken && !Taken(name) {
		return name, arg, true
	}
	if !strings.Contains(name, ":") || strings.Contains(line, "\n") {
		return "", "", false
	}
	_, near, found := findCommand(m.table, name)
	return name, arg, found || near != nil
}

// filedMissing says why a line that names one does not run; empty: it names none.
func (m *Model) filedMissing(name string) string {
	p, ok := m.filed.set.Broken(name)
	if !ok {
		return ""
	}
	return saidProblem(p)
}

// sendFiled fills a command in and sends what became of it. All of it is one job: it can be
// stopped, and what is written meanwhile waits.
func (m *Model) sendFiled(line string) tea.Cmd {
	if m.o.FirstRun != nil && m.status.model.ID == "" {
		m.giveBack(line)
		if m.errand == nil {
			return m.firstRun()
		}
		return m.say(m.o.Keys.Named(lang.T("there is no model yet; esc stops waiting"), keymap.Interrupt))
	}
	if m.changing > 0 { // it is for the conversation that opens
		m.behind = append(m.behind, line)
		return nil
	}
	m.sending, m.left = line, goOn{}
	fill, a := m.filling(line), m.o.Agent
	cmd := m.begin(func(ctx context.Context, sink agent.Sink) error {
		p, err := fill(ctx, sink)
		if err != nil {
			return err
		}
		return a.Run(ctx, p, sink)
	})
	m.job.talk = true
	return tea.Batch(m.remember(line), cmd)
}

// filling makes a prompt of a line, in a job. Its error is unfilled.
func (m *Model) filling(line string) func(ctx context.Context, sink agent.Sink) (agent.Prompt, error) {
	fill := m.o.FromFiles.Fill
	return func(ctx context.Context, sink agent.Sink) (agent.Prompt, error) {
		p, err := fill(ctx, line, func(what string) {
			sink(agent.Notice{Text: what})
			sink(agent.Waiting{For: what})
		})
		if err != nil {
			return agent.Prompt{}, unfilled{line, err}
		}
		sink(agent.Waiting{})
		return p, nil
	}
}

// newSent shows a line of the person's, and how much was sent for it; unfolded, all of
// that.
func newSent(line, text string, images int) pane {
	line, text = mark.Short(strings.TrimSpace(line)), mark.Short(strings.TrimSpace(text))
	images -= len(mark.In(text))
	return &whole{matter: matter{kind: isPrompted, title: lang.T("prompt"), text: safe.Output(text)}, draw: func(d *drawing, w int) []string {
		shown, end, hidden := foldPrompt(line, d.measure(), d.th.Glyphs.Ellipsis)
		rows := wrap(shown, d.measure(), d.th.User)
		if hidden != "" {
			rows = append(rows, d.th.Faint.Apply(lang.T("%s more", hidden)+d.unfolds()))
		}
		if end != "" {
			rows = append(rows, wrap(end, d.measure(), d.th.User)...)
		}
		if d.expanded {
			rows = append(rows, wrap(firstLines(text, 200, 32<<10), d.measure(), d.th.Faint)...)
		} else {
			rows = append(rows, d.th.Faint.Apply(lang.T("sent as %s", byteCount(len(text)))+d.unfolds()))
		}
		if images > 0 {
			rows = append(rows, d.th.Muted.Apply(plural(images, "image")))
		}
		return lead(d.th.Accent.Apply(promptGlyph(d.th)), rows)
	}}
}
