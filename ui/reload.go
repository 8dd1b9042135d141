package ui

import (
	"context"
	"errors"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/linear"
)

// Reloaded is what the face itself takes up of settings that were read anew; an empty word
// stays as it is.
type Reloaded struct {
	Lang, Theme string
	Settings    map[string]string // those of the names the face takes, and what they are now; empty: unset
	Rekeyed     bool              // Keys are the keys from now on; nil: those nobody changed
	Keys        *keymap.Map
}

// keysSetting is taken up as a whole, by Reloaded.Rekeyed.
const keysSetting = "keys"

// cmdReload reads anew what can be. It may ask, so it is a job as a run is.
func (m *Model) cmdReload(string) tea.Cmd {
	read, feed := m.o.Reload, m.o.Feed
	if read == nil {
		return m.say(lang.T("nothing can be read anew here"))
	}
	return m.begin(func(ctx context.Context, sink agent.Sink) error {
		return read(ctx, append(atOnce(), keysSetting), func(text string) { sink(agent.Notice{Text: text}) }, func(r Reloaded) {
			got := reloading{r, make(chan struct{})}
			if !feed.send(got) {
				return
			}
			select {
			case <-got.done:
			case <-feed.closed:
			case <-ctx.Done():
			}
		})
	})
}

// reloading is what was read anew on its way to the screen, which closes done when it has
// taken it up.
type reloading struct {
	Reloaded
	done chan struct{}
}

// reloaded takes up language, theme and what else holds at once.
func (m *Model) reloaded(r Reloaded) tea.Cmd {
	if r.Rekeyed {
		m.rekey(r.Keys)
	}
	var cmds []tea.Cmd
	for _, name := range slices.Sorted(maps.Keys(r.Settings)) {
		cmd, _ := m.takeSetting(settingKept{name, r.Settings[name]})
		cmds = append(cmds, cmd)
	}
	return tea.Batch(append(cmds, m.reloadedLooks(r))...)
}

// rekey has keys of the person's own hold from now on. Dialogs get theirs when they open.
func (m *Model) rekey(keys *keymap.Map) {
	m.o.Keys, m.dialogs.Keys, m.status.keys, m.tr.d.keys = keys, keys, keys, keys
	m.comp.SetKeys(keys)
	m.retheme() // rows that name a key are kept
}

func (m *Model) reloadedLooks(r Reloaded) tea.Cmd {
	if r.Lang != "" && r.Lang != lang.Tag() {
		if err := lang.Use(r.Lang); err != nil {
			return m.show(failed{"", err})
		}
		m.speak()
	}
	if r.Theme == "" || r.Theme == m.o.Theme {
		return nil
	}
	m.o.Theme = r.Theme
	return m.readTheme(r.Theme, setTheme)
}

func (l *lines) reload(ctx context.Context, _ string, say func(string)) (*linear.Choice, error) {
	var unknown error
	err := l.now().Reload(ctx, nil, say, func(r Reloaded) {
		if r.Lang != "" {
			unknown = lang.Use(r.Lang)
		}
	})
	return nil, errors.Join(err, unknown)
}
