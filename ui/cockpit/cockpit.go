// Package cockpit is the panel of a person's MCP servers: how each stands and why,
// its tools with what they cost, what waits for an approval, what it said last.
//
// It owns what is shown and which row has the keys, and nothing of the servers: it is
// given plain values and gives back what the person wants done. It is a child of the
// screen on the Bubble Tea loop, does no I/O, and knows no protocol: whoever has
// servers of any kind may fill it.
package cockpit

import (
	"slices"
	"time"

	"forge/ui/keymap"
)

// The states it tells apart; any other is shown as it is.
const (
	Ready      = "ready"
	Idle       = "idle"
	Starting   = "starting"
	Failed     = "failed"
	NeedsLogin = "needs-login"
	Unapproved = "unapproved"
	Disabled   = "disabled"
)

// Server is all that is shown of one.
type Server struct {
	Name      string
	State     string
	Reason    string // one line; empty where the state says all
	Since     time.Time
	Protocol  string // its version; empty: not agreed on yet
	Modern    bool   // it was agreed on with server/discover
	Transport string // stdio, http or sse
	About     string // name and release, by its own word
	Command   string // or the address
	Source    string // where it is configured
	Login     string // how it is logged in at; empty: there is nothing to say
	Remote    bool   // a login is possible
	Latency   time.Duration
	Starts    int
	Tools     []Tool
	Tokens    int // what its tools cost each request, about
	Deferred  bool
	Notes     []string
	Changes   []Change
	Words     string // its instructions for the model, as that gets them
	Stderr    string
	Frames    []Frame
	Log       string // the file of it
}

// Tool is one of a server's.
type Tool struct {
	Name, Remote, About string
	Tokens              int
	On                  bool
	Why                 string // why it is off
	Switched            bool   // the person may turn it on and off
	Warnings            []string
	ReadOnly            bool
}

// Change is a definition that waits for an approval.
type Change struct {
	Tool string // empty: the server's instructions
	Diff string // unified
	New  bool
}

// Frame is one message.
type Frame struct {
	Time   time.Time
	Out    bool
	Method string
	Size   int
	Took   time.Duration
	Text   string
}

// Login is a login that is waited for.
type Login struct {
	Server  string
	URL     string   // empty: not known yet
	Lines   []string // what was said of it
	Browser bool     // it could be opened here
	Why     string   // why it could not
}

// What a person may want done.
type Want int

// The wants. Of Switch, On says which way.
const (
	Nothing Want = iota
	Close
	Retry
	Disable
	Approve // Tool empty: all that waits, the start of the server included
	Switch
	LogIn
	OpenLog
	StopLogin
	OpenPage
	CopyPage
)

// Action is what a key asks for.
type Action struct {
	Want         Want
	Server, Tool string
	On           bool
}

// A Cockpit is the open panel.
type Cockpit struct {
	Keys    *keymap.Map // nil: those nobody changed
	servers []Server
	at      int    // the row of the list
	open    string // the server that is looked at closely; empty: the list
	tab     int
	item    int // the row of the tab that has the keys
	top     int // first row shown of the tab
	rows    int // rows of the tab, and of its window
	page    int
	moved   bool // the item was moved: the window follows it
	login   *Login
	note    string

	// first is the server the last View began the list with, in its row listed; it had
	// listRows rows. still: that stays so, until a key is pressed.
	first, listed, listRows int
	still                   bool
}

// The tabs of one server.
const (
	tabTools = iota
	tabChanges
	tabStderr
	tabFrames
	tabAbout
	tabs
)

// New returns the panel with these servers; name, if it is one of them, is opened.
func New(servers []Server, name string) *Cockpit {
	c := &Cockpit{}
	c.Set(servers)
	for i, s := range servers {
		if s.Name == name {
			c.at = i
			c.look()
		}
	}
	return c
}

// Has says whether there is a server of this name.
func (c *Cockpit) Has(name string) bool {
	return slices.ContainsFunc(c.servers, func(s Server) bool { return s.Name == name })
}

// Set takes what has become of the servers; the row with the keys stays on its own.
func (c *Cockpit) Set(servers []Server) {
	name := ""
	if c.at < len(c.servers) {
		name = c.servers[c.at].Name
	}
	c.servers = servers
	for i, s := range servers {
		if s.Name == name {
			c.at = i
		}
	}
	c.at = max(0, min(c.at, len(servers)-1))
	if c.open != "" && !c.Has(c.open) {
		c.open = ""
	}
	c.item = max(0, min(c.item, c.items()-1))
}

// SetLogin shows a login that is waited for; nil: none is.
func (c *Cockpit) SetLogin(l *Login) { c.login = l }

// Login is the login that is waited for; nil: none is.
func (c *Cockpit) Login() *Login { return c.login }

// Say shows a line until the next key.
func (c *Cockpit) Say(line string) { c.note = line }

// LoggingIn is the server a login is waited for at; empty: none.
func (c *Cockpit) LoggingIn() string {
	if c.login == nil {
		return ""
	}
	return c.login.Server
}

// Context is what the keys belong to: the list, one server, or a login.
func (c *Cockpit) Context() keymap.Context {
	switch {
	case c.login != nil:
		return keymap.Login
	case c.open != "":
		return keymap.Server
	}
	return keymap.Servers
}

// server is the one the keys are about; nil: there is none.
func (c *Cockpit) server() *Server {
	if c.at >= len(c.servers) {
		return nil
	}
	return &c.servers[c.at]
}

func (c *Cockpit) look() {
	s := c.server()
	if s == nil {
		return
	}
	c.open = s.Name
	c.pick(tabTools)
	switch {
	case len(s.Changes) > 0:
		c.pick(tabChanges)
	case s.State == Failed && s.Stderr != "":
		c.pick(tabStderr)
	}
}

func (c *Cockpit) pick(tab int) {
	c.tab, c.item, c.top, c.moved = (tab+tabs)%tabs, 0, 0, true
	if c.tab == tabStderr || c.tab == tabFrames {
		c.top = 1 << 30 // what was last is what is looked for
	}
}

// items is how many rows of the open tab can have the keys.
func (c *Cockpit) items() int {
	s := c.server()
	switch {
	case s == nil || c.open == "":
		return 0
	case c.tab == tabTools:
		return len(s.Tools)
	case c.tab == tabChanges:
		return len(s.Changes)
	}
	return 0
}

// Scroll moves what is shown by rows.
func (c *Cockpit) Scroll(by int) {
	if c.open == "" {
		c.at = max(0, min(c.at+by, len(c.servers)-1))
		return
	}
	c.top = max(0, min(c.top+by, c.rows-c.page))
}

// Page is the address a login is waited for at.
func (c *Cockpit) Page() string {
	if c.login == nil {
		return ""
	}
	return c.login.URL
}
