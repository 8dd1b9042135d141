package ui

import (
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/markdown"
	"forge/ui/safe"
	"forge/ui/terminal"
)

// What is said to the terminal beside the screen, and what stays in it when the
// screen is gone.

// out is where the screen is drawn.
func (o *Options) out() io.Writer {
	if o.Terminal.Output != nil {
		return o.Terminal.Output
	}
	return os.Stdout
}

// titled reports whether the window's title is ours to set.
func (m *Model) titled() bool { return !m.o.NoTitle && terminal.Titled(m.o.Getenv) }

// dress says in a view what concerns the window around the screen.
func (m *Model) dress(v *tea.View) {
	if m.titled() {
		v.WindowTitle = m.title()
	}
	v.ReportFocus = m.o.Notify != "off" && !terminal.Plain(m.o.Getenv)
	if m.o.NoProgress || !terminal.Progressing(m.o.Getenv) {
		return
	}
	switch {
	case len(m.asks) > 0:
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarWarning, 100)
	case m.busy():
		v.ProgressBar = tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
	}
}

// notify tells a person who looks elsewhere, and nobody else. A terminal that never
// says where its person looks is taken for one that is looked at.
func (m *Model) notify(text string) tea.Cmd {
	if !m.away {
		return nil
	}
	seq := terminal.Notify(m.o.Notify, "forge", safe.Line(text), m.o.Getenv)
	if seq == "" {
		return nil
	}
	return tea.Raw(seq)
}

// enter is said before the screen begins.
func (m *Model) enter() {
	if m.titled() {
		io.WriteString(m.o.out(), terminal.PushTitle)
	}
}

// leave is said when it is gone: the title that was there before, and what was said
// last, so that it outlives the alternate screen.
func (m *Model) leave() {
	w := m.o.out()
	if m.titled() {
		io.WriteString(w, terminal.PopTitle)
	}
	if m.o.Inline { // all of it is there, but for this
		for _, row := range m.rest() {
			fmt.Fprintln(w, row)
		}
		return
	}
	if text := m.parting(); text != "" {
		fmt.Fprintln(w, text)
	}
	for _, line := range append(m.endingJobs(), m.endingLoops()...) {
		fmt.Fprintln(w, line)
	}
}

// parting is the last answer, or everything, as plain text.
func (m *Model) parting() string {
	panes := m.tr.panes
	switch m.o.Parting {
	case "none":
		return ""
	case "all":
	default:
		at := -1
		for i, p := range panes {
			if mt := matterOf(p); mt.kind == isAnswered && mt.text != "" {
				at = i
			}
		}
		if at < 0 {
			return ""
		}
		panes = panes[at : at+1]
	}
	var out []string
	for _, p := range panes {
		mt := matterOf(p)
		switch {
		case mt.text == "" && mt.kind != isCalled:
		case mt.kind == isAnswered:
			out = append(out, m.plainly(mt.text))
		case mt.kind == isPrompted:
			out = append(out, "> "+strings.ReplaceAll(mt.text, "\n", "\n> "))
		case mt.kind == isCalled:
			out = append(out, "* "+mt.title)
		}
	}
	return strings.Join(out, "\n\n")
}

// plainly is markdown as rows without colours.
func (m *Model) plainly(text string) string {
	rows := markdown.Render(m.th, max(20, min(m.w, markdown.Measure)), text)
	plain := make([]string, len(rows))
	for i, r := range rows {
		plain[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(plain, "\n")
}
