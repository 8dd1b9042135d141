package ui

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/cockpit"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Servers is what the screen can do with the person's MCP servers. Each function is
// called off the loop and may block.
type Servers struct {
	Any            func() bool // whether one is configured; nil: there is one
	Status         func() []cockpit.Server
	Retry, Disable func(name string) error
	Approve        func(name, tool string) error // tool empty: all that waits
	Switch         func(name, tool string, on bool) error
	// Login logs in at a server. say hears of the address to visit, and of lines for the
	// person; pasted brings what they pasted.
	Login func(ctx context.Context, name string, pasted io.Reader, say func(address, line string)) error
	Log   func(name string) (string, error) // the end of what a server wrote
}

// servers is what the screen knows of them, and the panel over the transcript.
type servers struct {
	panel   *cockpit.Cockpit // nil: closed
	list    []cockpit.Server
	reading bool // the list is being read
	stale   bool // and has changed since
	ticking bool
	logins  int
	cancel  context.CancelFunc // of the login that is waited for
	paste   *io.PipeWriter
}

type (
	serversChanged struct{}
	serversRead    struct{ list []cockpit.Server }
	serversTick    struct{}
	serverDone     struct {
		server string
		err    error
	}
	loginNews struct {
		n             int
		address, line string
	}
	loginDone struct {
		n      int
		server string
		err    error
	}
	serverLog struct {
		server, text string
		err          error
	}
)

// ServersChanged says that a server's state is another. It tells the screen once,
// however often it is called before that looks; any goroutine may call it.
func (f *Feed) ServersChanged() {
	if f.stirred.CompareAndSwap(false, true) {
		f.send(serversChanged{})
	}
}

// cmdMCP opens the panel, at a server if one is named.
func (m *Model) cmdMCP(name string) tea.Cmd {
	if s := m.o.Servers; s == nil || s.Any != nil && !s.Any() {
		return m.say(lang.T("no MCP server is configured: forge mcp add NAME COMMAND adds one"))
	}
	if name != "" {
		match := m.completeServer(name)
		if i := slices.Index(match, name); i >= 0 {
			match = match[i : i+1]
		}
		if len(match) != 1 {
			return m.say(lang.T("no MCP server %s; there are %s", name, strings.Join(m.completeServer(""), ", ")))
		}
		name = match[0]
	}
	m.servers.panel = cockpit.New(m.servers.list, name)
	m.servers.panel.Keys = m.o.Keys
	return tea.Batch(m.readServers(), m.tickServers())
}

func (m *Model) completeServer(prefix string) []string {
	var names []string
	for _, s := range m.servers.list {
		names = append(names, s.Name)
	}
	return beginning(names, prefix)
}

// readServers reads how the servers stand, off the loop; one reading at a time.
func (m *Model) readServers() tea.Cmd {
	if m.o.Servers == nil || m.o.Servers.Status == nil {
		return nil
	}
	if m.servers.reading {
		m.servers.stale = true
		return nil
	}
	m.servers.reading, m.servers.stale = true, false
	read := m.o.Servers.Status
	return m.here(func() tea.Msg {
		var msg serversRead
		_ = guard(func() error { msg.list = read(); return nil }) // logged
		return msg
	})
}

// tickServers looks again every second while the panel is open: latencies, frames and
// what is written to stderr change without a change of state.
func (m *Model) tickServers() tea.Cmd {
	if m.servers.panel == nil || m.servers.ticking {
		return nil
	}
	m.servers.ticking = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return serversTick{} })
}

// served takes the messages of the panel.
func (m *Model) served(msg tea.Msg) (tea.Cmd, bool) {
	s := &m.servers
	switch msg := msg.(type) {
	case serversRead:
		s.reading, s.list = false, msg.list
		m.status.servers = troubles(msg.list)
		if s.panel != nil {
			s.panel.Set(msg.list)
		}
		if s.stale {
			return m.readServers(), true
		}
	case serversTick:
		s.ticking = false
		if s.panel == nil {
			return nil, true
		}
		return tea.Batch(m.readServers(), m.tickServers()), true
	case serverDone:
		if msg.err != nil {
			m.note(oneLine(msg.err))
		}
		return m.readServers(), true
	case loginNews:
		m.loginNews(msg)
	case loginDone:
		return m.loggedIn(msg), true
	case serverLog:
		if msg.err != nil {
			m.note(oneLine(msg.err))
			return nil, true
		}
		m.pager = &pager{title: lang.T("log of %s", msg.server), text: msg.text, file: "server.log", top: 1 << 30, draw: func(th *theme.Theme, w int) []string {
			return wrap(strings.TrimRight(msg.text, "\n"), w, th.Text)
		}}
	default:
		return nil, false
	}
	return nil, true
}

// note says a line in the panel, or where that is closed in the transcript.
func (m *Model) note(line string) {
	if m.servers.panel == nil {
		m.tr.add(newNotice(line))
		return
	}
	m.servers.panel.Say(line)
}

// troubles is what the status line says of servers: how many failed, how many wait
// for the person.
func troubles(list []cockpit.Server) string {
	failed, waiting := 0, 0
	for _, s := range list {
		switch {
		case s.State == cockpit.Failed:
			failed++
		case s.State == cockpit.NeedsLogin, s.State == cockpit.Unapproved, len(s.Changes) > 0:
			waiting++
		}
	}
	switch {
	case failed > 0 && waiting > 0:
		return lang.T("MCP: %d failed, %d waiting", failed, waiting)
	case failed > 0:
		return lang.T("MCP: %d failed", failed)
	case waiting > 0:
		return lang.T("MCP: %d waiting", waiting)
	}
	return ""
}

// panelKey takes every key while the panel is open.
func (m *Model) panelKey(k tea.KeyPressMsg) tea.Cmd {
	context := m.servers.panel.Context()
	switch m.o.Keys.Action(context, k.String()) {
	case "":
		if k.Text != "" && context != keymap.Login {
			return m.typeThrough(k)
		}
	case keymap.ServersRedraw, keymap.ServerRedraw, keymap.LoginRedraw:
		return tea.ClearScreen
	case keymap.ServersSuspend, keymap.ServerSuspend, keymap.LoginSuspend:
		return tea.Suspend
	}
	return m.panelAct(m.servers.panel.Key(k.String()))
}

// panelAct does what a key of the panel asks for.
func (m *Model) panelAct(a cockpit.Action) tea.Cmd {
	o, p := m.o.Servers, m.servers.panel
	do := func(f func() error) tea.Cmd {
		return func() tea.Msg { return serverDone{a.Server, guard(f)} }
	}
	switch a.Want {
	case cockpit.Close:
		m.servers.panel = nil
	case cockpit.Retry:
		return do(func() error { return o.Retry(a.Server) })
	case cockpit.Disable:
		return do(func() error { return o.Disable(a.Server) })
	case cockpit.Approve:
		return do(func() error { return o.Approve(a.Server, a.Tool) })
	case cockpit.Switch:
		return do(func() error { return o.Switch(a.Server, a.Tool, a.On) })
	case cockpit.OpenLog:
		return func() tea.Msg {
			msg := serverLog{server: a.Server}
			msg.err = guard(func() (err error) { msg.text, err = o.Log(a.Server); return err })
			return msg
		}
	case cockpit.LogIn:
		return m.logIn(a.Server)
	case cockpit.StopLogin:
		m.endLogin()
		p.Say(lang.T("the login was stopped"))
	case cockpit.CopyPage:
		if p.Page() != "" {
			p.Say(lang.T("copied, where the terminal allows it"))
			return tea.SetClipboard(p.Page())
		}
	case cockpit.OpenPage:
		open, page := m.o.Browser, p.Page()
		if open == nil || page == "" {
			p.Say(m.o.Keys.Named(lang.T("no browser can be opened here; c copies the address"), keymap.LoginCopy))
			return nil
		}
		p.Say(lang.T("opening the browser"))
		return func() tea.Msg { return serverDone{a.Server, guard(func() error { return open(page) })} }
	}
	return nil
}

// logIn begins a login. Its address is shown, and nothing is opened unasked.
func (m *Model) logIn(server string) tea.Cmd {
	m.endLogin()
	s := &m.servers
	s.logins++
	n, login, feed := s.logins, m.o.Servers.Login, m.o.Feed
	ctx, cancel := m.context()
	r, w := io.Pipe()
	s.cancel, s.paste = cancel, w
	s.panel.SetLogin(&cockpit.Login{Server: server, Browser: m.o.Browser != nil, Why: m.o.NoBrowser})
	return func() tea.Msg {
		defer cancel()
		defer r.Close()
		err := guard(func() error {
			return login(ctx, server, r, func(address, line string) { feed.send(loginNews{n, address, line}) })
		})
		return loginDone{n, server, err}
	}
}

func (m *Model) loginNews(msg loginNews) {
	s := &m.servers
	if msg.n != s.logins || s.cancel == nil || s.panel == nil {
		return
	}
	l := s.panel.Login()
	if l == nil {
		return
	}
	if msg.address != "" {
		l.URL = msg.address
	}
	if msg.line != "" {
		l.Lines = append(l.Lines, msg.line)
	}
}

// loggedIn takes how a login went; one that worked makes the server try again.
func (m *Model) loggedIn(msg loginDone) tea.Cmd {
	if msg.n != m.servers.logins || m.servers.cancel == nil {
		return nil // it was stopped
	}
	m.endLogin()
	if msg.err != nil {
		m.note(oneLine(msg.err))
		return nil
	}
	m.note(lang.T("logged in to %s", msg.server))
	retry := m.o.Servers.Retry
	return func() tea.Msg { return serverDone{msg.server, guard(func() error { return retry(msg.server) })} }
}

func (m *Model) endLogin() {
	s := &m.servers
	if s.cancel == nil {
		return
	}
	s.cancel()
	s.paste.Close()
	s.cancel, s.paste = nil, nil
	if s.panel != nil {
		s.panel.SetLogin(nil)
	}
}

// panelPaste hands the login what was pasted: the address the browser ended at.
func (m *Model) panelPaste(text string) tea.Cmd {
	w := m.servers.paste
	if w == nil || m.servers.panel.LoggingIn() == "" {
		return nil
	}
	line := safe.Line(text)
	return func() tea.Msg {
		_, _ = io.WriteString(w, line+"\n") // it has ended where this fails, and says so itself
		return nil
	}
}

// covered says whether something lies over the transcript and has the keys.
func (m *Model) covered() bool { return m.pager != nil || m.servers.panel != nil || m.window != nil }
