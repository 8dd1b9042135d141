package cockpit

import (
	"forge/ui/keymap"
)

// Key takes a key, by its name, and says what it asks for.
func (c *Cockpit) Key(k string) Action {
	c.note, c.still = "", false
	a, s := c.Keys.Action(c.Context(), k), c.server()
	switch c.Context() {
	case keymap.Login:
		return c.loginKey(a)
	case keymap.Server:
		return c.openKey(a, s)
	}
	return c.listKey(a, s)
}

// serverKey takes the keys that do something to a server, in the list and beyond.
func (c *Cockpit) serverKey(k keymap.Action, s *Server) Action {
	do := func(w Want) Action { return Action{Want: w, Server: s.Name} }
	switch k {
	case keymap.ServersRetry, keymap.ServerRetry:
		return do(Retry)
	case keymap.ServersDisable, keymap.ServerDisable, keymap.ServersSwitch:
		if s.State == Disabled {
			return do(Retry)
		}
		return do(Disable)
	case keymap.ServersApprove, keymap.ServerApprove:
		return c.approve(s)
	case keymap.ServersLogin, keymap.ServerLogin:
		return do(LogIn)
	case keymap.ServersLog, keymap.ServerLog:
		return do(OpenLog)
	}
	return Action{}
}

func (c *Cockpit) listKey(k keymap.Action, s *Server) Action {
	switch {
	case k == keymap.ServersClose:
		return Action{Want: Close}
	case s == nil:
		return Action{}
	}
	switch k {
	case keymap.ServersUp:
		c.at = (c.at + len(c.servers) - 1) % len(c.servers)
	case keymap.ServersDown:
		c.at = (c.at + 1) % len(c.servers)
	case keymap.ServersTop:
		c.at = 0
	case keymap.ServersEnd:
		c.at = len(c.servers) - 1
	case keymap.ServersOpen:
		c.look()
	default:
		return c.serverKey(k, s)
	}
	return Action{}
}

func (c *Cockpit) openKey(k keymap.Action, s *Server) Action {
	switch {
	case k == keymap.ServerClose:
		return Action{Want: Close}
	case k == keymap.ServerBack:
		c.open = ""
		return Action{}
	case s == nil:
		return Action{}
	}
	n := c.items()
	switch k {
	case keymap.ServerPageBefore:
		c.pick(c.tab - 1)
	case keymap.ServerNextPage:
		c.pick(c.tab + 1)
	case keymap.ServerUp:
		c.step(-1, n)
	case keymap.ServerDown:
		c.step(1, n)
	case keymap.ServerPageUp:
		c.step(-max(1, c.page-1), n)
	case keymap.ServerPageDown:
		c.step(max(1, c.page-1), n)
	case keymap.ServerTop:
		c.item, c.top = 0, 0
	case keymap.ServerEnd:
		c.item, c.moved = max(0, n-1), true
		c.top = max(0, c.rows-c.page)
	case keymap.ServerSwitch:
		if c.tab == tabTools && c.item < n {
			t := s.Tools[c.item]
			if !t.Switched {
				c.note = t.Why
				return Action{}
			}
			return Action{Want: Switch, Server: s.Name, Tool: t.Remote, On: !t.On}
		}
		c.Scroll(max(1, c.page-1))
	default:
		return c.serverKey(k, s)
	}
	return Action{}
}

// Click moves to a server of the list, and looks at the one a click has moved to already;
// from one that is looked at, its first row leads back to all of them. The list stands
// still meanwhile, so that two clicks in one place mean one server.
func (c *Cockpit) Click(row int) {
	at := c.first + row - c.listed
	switch {
	case c.login != nil:
	case c.open != "" && row == 0:
		c.open = ""
	case c.open != "", row < c.listed, row >= c.listed+c.listRows, at >= len(c.servers):
	case c.still && c.at == at:
		c.still, c.note = false, ""
		c.look()
	default:
		c.still, c.at, c.note = true, at, ""
	}
}

func (c *Cockpit) step(by, n int) {
	if n == 0 {
		c.Scroll(by)
		return
	}
	c.item = max(0, min(c.item+by, n-1))
	c.moved = true
}

// approve asks for what waits: the change that is looked at, else all of them, else
// the start of the server.
func (c *Cockpit) approve(s *Server) Action {
	a := Action{Want: Approve, Server: s.Name}
	if c.open == "" && len(s.Changes) > 0 { // nothing is approved that was not shown
		c.look()
		return Action{}
	}
	if c.open != "" && len(s.Changes) > 0 && c.tab != tabChanges {
		c.pick(tabChanges)
		return Action{}
	}
	if c.item < len(s.Changes) {
		a.Tool = s.Changes[c.item].Tool
	}
	return a
}

func (c *Cockpit) loginKey(k keymap.Action) Action {
	a := Action{Server: c.login.Server}
	switch k {
	case keymap.LoginStop:
		a.Want = StopLogin
	case keymap.LoginOpen:
		a.Want = OpenPage
	case keymap.LoginCopy:
		a.Want = CopyPage
	}
	return a
}
