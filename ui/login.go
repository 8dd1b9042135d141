package ui

import (
	"context"
	"errors"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/tools"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Login is a provider that takes a key.
type Login struct {
	Name, Title string
	Env         string // the variable its key may stand in
	From        string // where its key comes from, in words; empty: it has none
	Kept        bool   // forge keeps it, and can forget it
}

// LoggedIn is a key that was taken, or given up. Take goes on without the old one, where
// nothing else uses the agent; it returns the model that answers then.
type LoggedIn struct {
	Said []string
	Take func() (provider.Model, error)
}

// OtherEndpoint is a server that the catalogue does not know. Wire, Key and Model may be
// empty.
type OtherEndpoint struct{ BaseURL, Wire, Key, Model string }

// Logins is how the person gives and takes back keys. In and At try one before they keep
// it. All are called off the loop.
type Logins struct {
	List func() []Login
	Find func(name string) (string, error) // the name of List that a word means
	In   func(ctx context.Context, name, key string) (LoggedIn, error)
	At   func(ctx context.Context, o OtherEndpoint) (LoggedIn, error)
	Out  func(name string) (LoggedIn, error)
}

type (
	// loginsRead lists the providers, for one of them, or for all.
	loginsRead struct {
		list []Login
		want string
		err  error
		out  bool
	}
	// loggedIn brings a key that was taken; first says that the screen had no model.
	loggedIn struct{ LoggedIn }
	// taken says that the conversation goes on with it.
	taken struct {
		model provider.Model
		said  []string
		n     int64
	}
)

// addressed checks the address of a server.
func addressed(s string) error {
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New(lang.T("write it with its scheme, like https://host/v1"))
	}
	return nil
}

// keyBehind says that something stands behind a provider's name where no key belongs.
func keyBehind(arg string) bool { return len(strings.Fields(arg)) > 1 || safe.LikeKey(arg) }

func (m *Model) cmdLogin(arg string) tea.Cmd  { return m.readLogins(arg, false) }
func (m *Model) cmdLogout(arg string) tea.Cmd { return m.readLogins(arg, true) }

func (m *Model) readLogins(arg string, out bool) tea.Cmd {
	l := m.o.Logins
	switch {
	case l == nil:
		return m.say(lang.T("keys cannot be given here: set them in the environment"))
	case keyBehind(arg):
		m.comp.Forget(arg)
		return tea.Batch(m.draftChanged(), m.say(lang.T("no key belongs behind /login: it is asked for, and hidden")))
	}
	m.ahead = typedAhead{on: !out}
	return func() tea.Msg {
		r := loginsRead{out: out}
		if err := guard(func() error {
			if r.list = l.List(); arg != "" {
				r.want, r.err = l.Find(arg)
			}
			return nil
		}); err != nil {
			r.err = err
		}
		return r
	}
}

// loginsRead lets one be chosen, or takes the one that was named.
func (m *Model) loginsRead(r loginsRead) tea.Cmd {
	switch {
	case r.err != nil:
		return m.openAhead(func() tea.Cmd { return m.say(r.err.Error()) })
	case r.out:
		return m.pickLogout(r)
	}
	return m.openAhead(func() tea.Cmd {
		for _, l := range r.list {
			if l.Name == r.want {
				return m.askLogin(l)
			}
		}
		return m.pickLogin(r.list)
	})
}

// pickLogin offers every provider, and an endpoint of the person's own.
func (m *Model) pickLogin(list []Login) tea.Cmd {
	other := dialog.Entry{Label: lang.T("Another endpoint"), Detail: lang.T("by its address; a key if it wants one")}
	p := dialog.NewPicker(m.th, lang.T("A key for which provider?"), append(loginEntries(list), other), func(i int) tea.Cmd {
		if i == len(list) {
			return m.askEndpoint(OtherEndpoint{})
		}
		return m.askLogin(list[i])
	})
	p.Leave = m.unlogged
	return m.dialogs.Push(p)
}

// unlogged goes back to where a key was wanted from: the choice of a first model.
func (m *Model) unlogged() tea.Cmd {
	if m.o.FirstRun == nil {
		return nil
	}
	return again
}

func loginEntries(list []Login) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, l := range list {
		entries[i] = dialog.Entry{Label: l.Title, Detail: l.From, Search: l.Name + " " + l.Env, Chosen: l.From != ""}
		if l.From == "" {
			entries[i].Detail = l.Name
		}
	}
	return entries
}

// askLogin asks for the key of a provider.
func (m *Model) askLogin(l Login) tea.Cmd {
	return m.askSecret(keyQuestion(l.Title), func(r tools.Reply) tea.Msg { return loginGiven{l, r.Values["key"]} })
}

// loginGiven is what somebody typed for a provider; an empty key: they thought better of
// it.
type loginGiven struct {
	login Login
	key   string
}

func (m *Model) giveKey(g loginGiven) tea.Cmd {
	if g.key == "" {
		return m.unlogged()
	}
	in, what := m.o.Logins.In, lang.T("the key for %s", g.login.Title)
	return m.tryLogin(lang.T("trying the key for %s", g.login.Title), what, func(ctx context.Context) (LoggedIn, error) {
		return in(ctx, g.login.Name, g.key)
	})
}

// tryLogin tries a key, and says so for as long as that takes.
func (m *Model) tryLogin(waiting, what string, try func(ctx context.Context) (LoggedIn, error)) tea.Cmd {
	first := m.o.FirstRun != nil
	return m.goFor(waiting, m.unlogged(), func(ctx context.Context) tea.Msg {
		l, err := try(ctx)
		switch {
		case err != nil && first:
			return failedFirst{what, err}
		case err != nil:
			return failed{what, err}
		}
		return loggedIn{l}
	})
}

// endpointQuestion asks for a server that the catalogue does not know, with what was
// written before; a key is written anew.
func endpointQuestion(o OtherEndpoint) tools.Question {
	wire := o.Wire
	if wire == "" {
		wire = "openai"
	}
	return tools.Question{ID: "endpoint", Title: lang.T("Another endpoint"), Fields: []tools.Field{
		{Name: "base_url", Label: lang.T("its address"), Default: o.BaseURL, Note: lang.T("as https://host/v1"), Required: true, Check: addressed},
		{Name: "wire", Label: lang.T("what it speaks"), Default: wire, Options: []tools.Option{{Value: "openai", Label: "OpenAI"}, {Value: "anthropic", Label: "Anthropic"}}},
		{Name: "key", Label: lang.T("its key, if it wants one"), Secret: true},
		{Name: "model", Label: lang.T("the model's ID"), Default: o.Model, Note: lang.T("empty: the first it lists")},
	}}
}

// askEndpoint asks where another server is.
func (m *Model) askEndpoint(o OtherEndpoint) tea.Cmd {
	return m.askSecret(endpointQuestion(o), func(r tools.Reply) tea.Msg {
		return endpointGiven{OtherEndpoint{r.Values["base_url"], r.Values["wire"], r.Values["key"], r.Values["model"]}}
	})
}

// endpointGiven is a server somebody named; without an address they thought better of it.
type endpointGiven struct{ OtherEndpoint }

func (m *Model) tryAt(g endpointGiven) tea.Cmd {
	if g.BaseURL == "" {
		return m.unlogged()
	}
	at := m.o.Logins.At
	return m.goFor(lang.T("asking %s", g.BaseURL), m.unlogged(), func(ctx context.Context) tea.Msg {
		l, err := at(ctx, g.OtherEndpoint)
		if err != nil {
			return endpointFailed{g.OtherEndpoint, err}
		}
		return loggedIn{l}
	})
}

// endpointFailed is a server that was not taken: what was written is there again, to be
// mended.
type endpointFailed struct {
	OtherEndpoint
	err error
}

func (m *Model) askAgain(e endpointFailed) tea.Cmd {
	shown := m.show(failed{e.BaseURL, e.err})
	if m.covered() {
		return shown
	}
	return tea.Batch(shown, m.askEndpoint(e.OtherEndpoint))
}

// askSecret puts a question the person asked for; take makes a message of the answer.
func (m *Model) askSecret(q tools.Question, take func(tools.Reply) tea.Msg) tea.Cmd {
	reply := make(chan tools.Reply, 1)
	push := m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) { reply <- r })})
	ctx, cancel := m.context()
	return tea.Batch(push, func() tea.Msg {
		defer cancel()
		select {
		case r := <-reply:
			return take(r)
		case <-ctx.Done():
			return nil
		}
	})
}

// tookKey goes on with a key: at once, or before the next step of the run that is on.
func (m *Model) tookKey(l loggedIn) tea.Cmd {
	sets := &m.sets
	take := func() tea.Msg {
		n := sets.Add(1)
		model, err := l.Take()
		if err != nil {
			return failed{strings.Join(l.Said, lang.T("; ")), err}
		}
		return taken{model, l.Said, n}
	}
	if m.busy() {
		return m.soon(take)
	}
	return m.between(take)
}

// taken shows what answers now. What is said of a key stays in the conversation's view,
// since where it is kept may be wanted later.
func (m *Model) taken(t taken) tea.Cmd {
	for _, line := range t.said {
		m.tr.add(newNotice(line))
	}
	if t.n < m.set || t.model.ID == "" {
		return nil
	}
	same := m.status.model.ID == t.model.ID && m.status.model.Provider == t.model.Provider
	m.set, m.o.FirstRun = t.n, nil
	m.models = nil // another provider has some now
	if same {
		return nil
	}
	m.status.model, m.status.effort, m.coming = t.model, t.model.Default, provider.Model{}
	m.status.window = t.model.Window
	return m.say(lang.T("now with %s", t.model.ID))
}

// pickLogout offers the keys forge keeps, or forgets the one that was named.
func (m *Model) pickLogout(r loginsRead) tea.Cmd {
	out := m.o.Logins.Out
	forget := func(name string) tea.Cmd {
		return look(func() tea.Msg {
			l, err := out(name)
			if err != nil {
				return failed{"", err}
			}
			return loggedIn{l}
		})
	}
	if r.want != "" {
		return forget(r.want)
	}
	kept := keptLogins(r.list)
	if len(kept) == 0 {
		return m.say(lang.T("forge keeps no key"))
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Forget which key?"), loginEntries(kept), func(i int) tea.Cmd { return forget(kept[i].Name) }))
}

func keptLogins(list []Login) []Login {
	var kept []Login
	for _, l := range list {
		if l.Kept {
			kept = append(kept, l)
		}
	}
	return kept
}

// searchLogin completes the name of a provider, off the loop.
func (m *Model) searchLogin(prefix string) []composer.Found {
	if m.o.Logins == nil {
		return nil
	}
	var out []composer.Found
	for _, l := range m.o.Logins.List() {
		if strings.HasPrefix(l.Name, prefix) && l.Name != prefix {
			out = append(out, composer.Found{Text: l.Name, About: l.From})
		}
	}
	return out
}
