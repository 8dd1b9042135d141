package ui

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"forge/agent"
	"forge/ui/cockpit"
)

// fleet is two servers as main hands them in, and what was done to them.
type fleet struct {
	mu   sync.Mutex
	list []cockpit.Server
	did  []string
	feed *Feed
}

func (f *fleet) set(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	f.feed.ServersChanged()
}

func (f *fleet) act(what string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, what)
	return nil
}

func (f *fleet) done() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.did, ", ")
}

func (f *fleet) options() *Servers {
	return &Servers{
		Status: func() []cockpit.Server {
			f.mu.Lock()
			defer f.mu.Unlock()
			return append([]cockpit.Server(nil), f.list...)
		},
		Retry:   func(n string) error { return f.act("retry " + n) },
		Disable: func(n string) error { return errors.Join(f.act("disable "+n), errors.New("it does not want to")) },
		Approve: func(n, tool string) error { return f.act("approve " + n + " " + tool) },
		Switch:  func(n, tool string, on bool) error { return f.act("switch " + n + " " + tool) },
		Log:     func(n string) (string, error) { return "the log of it", nil },
		Login: func(ctx context.Context, n string, pasted io.Reader, say func(address, line string)) error {
			say("https://login.example/"+n, "")
			b := make([]byte, 100)
			k, err := pasted.Read(b)
			if err != nil {
				return err
			}
			return f.act("login " + strings.TrimSpace(string(b[:k])))
		},
	}
}

// The panel opens while a run is on, follows what changes, does what its keys say,
// and leaves the screen as it was.
func TestServersOnTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			return pause(ctx, time.Hour)
		}}
		o := testOptions(a)
		f := &fleet{feed: o.Feed, list: []cockpit.Server{
			{Name: "docs", State: cockpit.Starting, Tools: []cockpit.Tool{{Remote: "find", On: true, Switched: true}}},
			{Name: "files", State: cockpit.Failed, Reason: "no program files is found"}}}
		o.Servers = f.options()
		s := start(t, o, 80, 24)
		s.see("MCP: 1 failed")
		s.send("work\r")
		s.see("starting")
		s.send("/mcp\r")
		s.see("no program files is found")
		f.set(func() { f.list[0].State, f.list[0].Transport = cockpit.Ready, "stdio" })
		s.see("1 of 2 ready")
		s.send("d")
		s.see("it does not want to")
		s.send("\r")
		s.see("[tools 1]")
		s.send(" ")
		s.send("o")
		s.see("the log of it")
		s.send("q")
		s.see("[tools 1]")
		s.send("l")
		s.see("https://login.example/docs")
		s.send("\x1b[200~http://localhost/callback?code=1\x1b[201~")
		s.see("logged in to docs")
		if got := f.done(); got != "disable docs, switch docs find, login http://localhost/callback?code=1, retry docs" {
			t.Errorf("done: %s", got)
		}
		s.send("l")
		s.see("https://login.example/docs")
		s.send("\x1b")
		s.see("the login was stopped")
		f.set(func() { f.list = f.list[:1] })
		s.gone("MCP: 1 failed")
		s.send("\x1b")
		s.send("\x1b")
		s.see("ask for something")
		s.gone("[tools 1]")
		s.send("/mcp nothing\r")
		s.see("there are docs")
		s.send("\x1b") // the run
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
