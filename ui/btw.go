package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/theme"
)

// btw is a question beside the work and its answer, which lies over the transcript
// and is no part of it.
type btw struct {
	id       int
	question string
	answer   *answer
	done     bool
	err      error
}

type (
	btwText struct {
		id   int
		text string
	}
	btwDone struct {
		id     int
		totals agent.Totals
		err    error
	}
)

// cmdBtw asks a question beside the work, or shows the last one again.
func (m *Model) cmdBtw(question string) tea.Cmd {
	ask := m.o.Btw
	switch {
	case ask == nil:
		return m.say(lang.T("nothing can be asked here"))
	case question == "" && m.btw == nil:
		return m.say(lang.T("write the question behind it: /btw why is this file needed?"))
	case question == "":
		m.pager = m.btw.pager()
		return nil
	}
	id := 1
	if m.btw != nil {
		id = m.btw.id + 1
	}
	m.btw = &btw{id: id, question: question, answer: newAnswer()}
	m.pager = m.btw.pager()
	ctx, cancel := m.context()
	feed := m.o.Feed
	return tea.Batch(m.remember("/btw "+question), func() tea.Msg {
		defer cancel()
		done := btwDone{id: id}
		done.err = guard(func() (err error) {
			done.totals, err = ask(ctx, question, func(text string) { feed.send(btwText{id, text}) })
			return err
		})
		feed.send(done)
		return nil
	})
}

// btwSaid takes more of the answer, or its end. One whose question another has
// followed is nobody's.
func (m *Model) btwSaid(v any) {
	b := m.btw
	switch v := v.(type) {
	case btwText:
		if b != nil && b.id == v.id {
			b.answer.add(v.text)
		}
	case btwDone:
		m.usedBeside(v.totals)
		if b != nil && b.id == v.id {
			b.done, b.err = true, v.err
			b.answer.finish()
		}
	}
	if m.pager != nil {
		m.pager.list = nil
	}
}

func (b *btw) pager() *pager {
	return &pager{title: lang.T("beside the work"), draw: func(th *theme.Theme, w int) []string {
		rows := wrap(b.question, max(1, w-gutter), th.User)
		rows = append(indent(rows, gutter), "")
		said := b.answer.all(&drawing{th: th, w: w, expanded: true})
		rows = append(rows, indent(said, gutter)...)
		switch {
		case b.err != nil && isCancel(b.err):
			rows = append(rows, "", th.Muted.Apply(lang.T("stopped")))
		case b.err != nil:
			text := oneLine(b.err)
			if h := hint(b.err); h != "" {
				text += lang.T(" - ") + lang.Said(h)
			}
			rows = append(rows, indent(wrap(text, max(1, w-gutter), th.Error), gutter)...)
		case !b.done && len(said) == 0:
			rows = append(rows, indent([]string{th.Faint.Apply(lang.T("asking; the work goes on"))}, gutter)...)
		}
		return rows
	}}
}
