package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// ask puts a question from the feed before the person. The reply channel has one
// slot and the dialog answers once, so that answering never blocks the loop.
func (m *Model) ask(q *ask) tea.Cmd {
	m.asked++
	m.gone.questions++
	id := fmt.Sprintf("ask-%d", m.asked)
	m.asks[q] = id
	m.crewAsks(q, 1)
	m.hold(q)
	m.status.wait(lang.T("waiting for your answer"), m.now)
	if q.question != nil && q.question.ID == agent.BudgetQuestion {
		m.status.wait(lang.T("the budget waits for your answer"), m.now)
	}
	call := m.notify(lang.T("waiting for your answer"))
	if q.question != nil {
		question := *q.question
		question.ID = id
		if len(question.Topics) > 0 {
			return tea.Batch(call, m.dialogs.Push(m.inquiry(question, q)))
		}
		d := dialog.NewQuestion(m.th, question, func(r tools.Reply) {
			m.settled(q)
			q.reply <- r
		})
		d.Open, d.Why = m.o.Browser, m.o.NoBrowser
		return tea.Batch(call, m.dialogs.Push(d))
	}
	request := *q.request
	request.ID = id
	d := dialog.NewAsk(m.th, request, func(a permission.Answer) {
		m.settled(q)
		q.answer <- a
	})
	d.Stop = func() { q.first = m.stopping() }
	if m.o.IDE != nil {
		d.EditorName, d.EditorAnswers = m.editorIn, m.editorAnswers
	}
	return tea.Batch(call, m.dialogs.Push(d.Liking(&m.side)))
}

// inquiry is the dialog for what a model wants to know. Words written into one that is
// closed go where nothing takes them away.
func (m *Model) inquiry(question tools.Question, q *ask) *dialog.Inquiry {
	d := dialog.NewInquiry(m.th, question, func(r tools.Reply) {
		m.settled(q)
		q.reply <- r
	})
	d.Kept = m.comp.Prepend
	return d
}

// settled notes that a question was answered.
func (m *Model) settled(q *ask) {
	m.hideInEditor(m.asks[q], "")
	delete(m.asks, q)
	m.crewAsks(q, -1)
	m.letGo(q)
	switch {
	case len(m.asks) > 0:
	case !m.busy():
		m.status.wait("", m.now)
	case !m.job.stopping:
		m.status.wait(lang.T("going on"), m.now)
	}
}

// hold takes the cards of the calls a question is about from running back to waiting:
// what was allowed is asked about once more where it is not as it was, and nobody works
// while the person thinks.
func (m *Model) hold(q *ask) {
	var paths [][]string
	switch {
	case q.request != nil:
		for _, r := range append([]permission.Request{*q.request}, q.request.With...) {
			paths = append(paths, append(slices.Clone(r.Effect.Under), r.Call.ID))
		}
	case len(q.question.Topics) > 0:
		paths = append(paths, []string{q.question.ID})
	}
	for _, path := range paths {
		c := m.talk.card(path)
		if c == nil || c.state != callRunning {
			continue
		}
		c.state = callReady
		c.version++
		q.held = append(q.held, c)
	}
}

// letGo lets the calls run that were held: nothing else tells that they do, since they
// had begun before.
func (m *Model) letGo(q *ask) {
	for _, c := range q.held {
		if c.state == callReady {
			c.running(m.now)
		}
	}
	q.held = nil
}

// withdraw takes a question back that nobody waits for. What was being written into
// it goes where nothing takes it away.
func (m *Model) withdraw(q *ask) tea.Cmd {
	id, open := m.asks[q]
	if !open {
		return nil
	}
	m.settled(q)
	words, cmd := m.dialogs.Withdraw(id)
	if words == "" {
		return cmd
	}
	m.comp.Prepend(words)
	return tea.Batch(cmd, m.draftChanged())
}
