package ui

import (
	"bytes"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/diff"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// Coming back after a while: one line of what forge knows itself of the time in between,
// and where that is wanted a recap. Nothing waits or counts meanwhile: how long it was is
// worked out when something tells of the return.

const (
	awayLineSetting = "screen.away_line"
	recapSetting    = "screen.recap_after"
)

// awayLeast is how long somebody was away before a line tells of it: who only looked
// something up still knows what was there.
const awayLeast = 5 * time.Minute

// mostHeld bounds the texts of changed files that are held to count their lines when
// somebody is back, in bytes. Of more, files alone are counted.
const mostHeld = 4 << 20

// absence is the time since the person was last known to be there, and what happened in
// it.
type absence struct {
	since time.Time // by the clock on the wall: a machine that slept counts too
	told  bool      // the terminal has said where its person looks
	cost  float64   // of the conversation by then, US dollars

	answers, failures, questions int
	files                        map[string]*awayFile
	held                         int // bytes
}

// awayFile is a file that was changed meanwhile: as it was before, and as it is now.
type awayFile struct {
	before, after []byte
	counted       bool // it is a text of which both are held
}

// awayFacts is what the line tells.
type awayFacts struct {
	gone                       time.Duration
	seen                       bool // the terminal saw them leave; else they only did nothing here
	answers, failures, waiting int
	files, added, removed      int
	lines                      bool // added and removed are known
	cost                       float64
}

// awayTold brings the facts once the lines are counted.
type awayTold awayFacts

// begin notes that the person is there, or was until now.
func (a *absence) begin(now time.Time, cost float64) {
	*a = absence{since: now.Round(0), told: a.told, cost: cost}
}

// news reports whether something happened that a person who was away wants to know.
func (a *absence) news() bool { return a.answers+a.failures+a.questions > 0 }

// changed takes what a call has written, the sub-agents' included.
func (a *absence) changed(e agent.Event) {
	for {
		n, ok := e.(agent.Nested)
		if !ok {
			break
		}
		e = n.Event
	}
	end, ok := e.(agent.ToolEnd)
	if !ok {
		return
	}
	for _, ch := range end.Changes {
		if a.files == nil {
			a.files = map[string]*awayFile{}
		}
		if ch.From != "" {
			delete(a.files, ch.From)
		}
		f := a.files[ch.Path]
		text := ch.Thing == tools.Text && ch.Op != tools.Move
		if f == nil {
			f = &awayFile{before: ch.Before, counted: text}
			a.files[ch.Path] = f
			a.held += len(ch.Before)
		}
		a.held += len(ch.After) - len(f.after)
		f.after, f.counted = ch.After, f.counted && text
		if a.held > mostHeld {
			f.before, f.after, f.counted = nil, nil, false
		}
	}
}

// leftFor takes the word of a terminal that its person looks elsewhere.
func (m *Model) leftFor() {
	if !m.away {
		m.gone.begin(m.now, m.status.cost)
	}
	m.gone.told = true
}

// looksHere takes its word that they look here.
func (m *Model) looksHere() (cmd tea.Cmd) {
	if m.away || !m.gone.told {
		cmd = m.cameAfter()
	}
	m.gone.told = true
	m.gone.begin(m.now, m.status.cost)
	return cmd
}

// touched notes that the person did something here. Of a terminal that says nothing of
// where they look that is the only sign; one that said they look elsewhere may have kept
// their return to itself.
func (m *Model) touched() (cmd tea.Cmd) {
	if m.away || !m.gone.told {
		cmd = m.cameAfter()
	}
	m.gone.begin(m.now, m.status.cost)
	return cmd
}

// runOver notes how a run ended, unless somebody stopped it.
func (a *absence) runOver(answered, broken bool) {
	switch {
	case broken:
		a.failures++
	case answered:
		a.answers++
	}
}

// cameAfter tells a person who is back what happened meanwhile.
func (m *Model) cameAfter() tea.Cmd {
	a := &m.gone
	gone := m.now.Round(0).Sub(a.since)
	var cmds []tea.Cmd
	if gone >= awayLeast && !m.o.NoAwayLine {
		cmds = append(cmds, m.tellAway(gone))
	}
	if least := m.o.RecapAfter; least > 0 && gone >= least && a.news() {
		cmds = append(cmds, m.recapBack())
	}
	return tea.Batch(cmds...)
}

// tellAway counts off the loop what has to be compared.
func (m *Model) tellAway(gone time.Duration) tea.Cmd {
	a := &m.gone
	facts := awayFacts{gone: gone, seen: a.told, answers: a.answers, failures: a.failures, waiting: len(m.asks)}
	if a.questions == 0 { // they knew of it before
		facts.waiting = 0
	}
	if m.status.costKnown {
		facts.cost = max(0, m.status.cost-a.cost)
	}
	files := a.files
	if len(files) == 0 {
		m.awayLine(awayTold(facts))
		return nil
	}
	return func() tea.Msg {
		err := guard(func() error { facts.count(files); return nil })
		if err != nil { // logged
			return nil
		}
		return awayTold(facts)
	}
}

// count compares what files held before with what they hold now.
func (f *awayFacts) count(files map[string]*awayFile) {
	f.lines = true
	for _, file := range files {
		if file.counted && bytes.Equal(file.before, file.after) {
			continue
		}
		f.files++
		if !file.counted {
			f.lines = false
			continue
		}
		added, removed := diff.Stats(diff.Hunks(file.before, file.after))
		f.added += added
		f.removed += removed
	}
}

// awayLine shows the line, if there is anything to tell.
func (m *Model) awayLine(told awayTold) {
	if text := awayFacts(told).text(); text != "" {
		m.tr.add(newNotice(text))
	}
}

// text is the line; empty: nothing happened.
func (f awayFacts) text() string {
	var parts []string
	if f.answers > 0 {
		parts = append(parts, lang.Count(f.answers, "1 answer", "%d answers"))
	}
	if f.failures > 0 {
		parts = append(parts, lang.Count(f.failures, "1 run ended with an error", "%d runs ended with an error"))
	}
	if f.files > 0 {
		text := lang.Count(f.files, "1 file changed", "%d files changed")
		if f.lines && f.added+f.removed > 0 {
			text += " " + lang.T("+%d −%d", f.added, f.removed)
		}
		parts = append(parts, text)
	}
	if f.waiting > 0 {
		parts = append(parts, lang.Count(f.waiting, "1 question waiting", "%d questions waiting"))
	}
	if len(parts) == 0 {
		return ""
	}
	if f.cost > 0 {
		parts = append(parts, lang.T("cost %s", ledger.Money(f.cost)))
	}
	since := lang.T("since you were last here (%s)", awhile(f.gone))
	if f.seen {
		since = lang.T("while you were away (%s)", awhile(f.gone))
	}
	return since + lang.T(": ") + strings.Join(parts, lang.T(", "))
}

// awhile is a time of minutes and more, in a few letters.
func awhile(d time.Duration) string {
	switch minutes := int(d.Minutes()); {
	case minutes < 60:
		return lang.T("%d min", minutes)
	case minutes < 48*60:
		return lang.T("%d h %02d min", minutes/60, minutes%60)
	default:
		return lang.Count(minutes/60/24, "1 day", "%d days")
	}
}
