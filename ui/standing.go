package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/bridge"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/safe"
	"forge/ui/theme"
)

// standing is what /status tells: how things stand, each a name and words. It asks the
// ledger and the servers, so it is called off the loop.
func standing(o Options, s status) [][2]string {
	var out [][2]string
	add := func(name, text string) {
		if text != "" {
			out = append(out, [2]string{name, safe.Line(text)})
		}
	}
	add(lang.T("version"), o.Version)
	model := s.model.ID
	if model == "" {
		model = lang.T("none yet")
	} else if s.effort != provider.EffortDefault {
		model += lang.T(" · ") + string(s.effort)
	}
	add(lang.T("model"), model)
	if o.Logins != nil {
		for _, l := range o.Logins.List() {
			if l.From != "" {
				add(lang.T("key"), l.Title+lang.T(", ")+l.From)
			}
		}
	}
	add(lang.T("mode"), modeName(s.mode))
	sandbox := s.sandbox
	if sandbox != "" && s.network {
		sandbox += lang.T(", ") + lang.T("network open")
	}
	add(lang.T("sandbox"), sandbox)
	add(lang.T("folder"), o.Cwd)
	if o.Folders != nil {
		add(lang.T("also open"), strings.Join(o.Folders.List(), lang.T(", ")))
	}
	if o.IDE != nil {
		add(lang.T("editor"), bridge.State(o.IDE.Now(), o.Dir))
	}
	if o.Goal != nil {
		add(lang.T("goal"), o.Goal.Said())
	}
	if o.Loops != nil {
		now := time.Now()
		for _, l := range o.Loops.List() {
			add(lang.T("loop"), loopLine(l, now))
		}
	}
	if o.Ledger != nil {
		u := o.Ledger.Usage()
		add(lang.T("this conversation"), u.Session.Words())
		if u.Size > 0 {
			add(lang.T("window"), lang.T("%s of %s tokens", ledger.Count(u.Used), ledger.Count(u.Size)))
		}
	}
	if o.Servers == nil {
		return out
	}
	name := lang.T("servers")
	for _, server := range o.Servers.Status() {
		out = append(out, [2]string{name, server.Line()})
	}
	return out
}

type standingRead struct{ facts [][2]string }

func (m *Model) cmdStatus(string) tea.Cmd {
	o, s := m.o, m.status
	return look(func() tea.Msg { return standingRead{standing(o, s)} })
}

func (m *Model) standingRead(facts [][2]string) {
	var text strings.Builder
	for _, f := range facts {
		text.WriteString(f[0] + lang.T(": ") + f[1] + "\n")
	}
	m.pager = &pager{title: lang.T("How things stand"), plain: text.String(), draw: func(th *theme.Theme, w int) (rows []string) {
		for _, f := range facts {
			rows = append(rows, helpLine(th, w, f[0], f[1])...)
		}
		return rows
	}}
}
