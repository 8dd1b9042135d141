package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/mcp"
	"forge/ui"
	"forge/ui/cockpit"
	"forge/ui/lang"
)

// panel joins the servers to the screen's panel of them.
type panel struct {
	s     *servers
	m     *mcp.Manager
	of    func(name string) (mcp.ServerConfig, bool)
	tools func() []ui.ToolChoice // with what each costs, as /tools and /context say it

	mu     sync.Mutex
	logins map[string]knownLogin // asking the keyring takes its time
}

type knownLogin struct {
	since time.Time // of the state it was asked in
	text  string
}

// servers is what the screen can do with them; nil: there can be none.
func (f *forge) servers() *ui.Servers {
	if f.mounted == nil {
		return nil
	}
	p := &panel{s: f.places, m: f.mounted, of: f.server, tools: f.toolList, logins: map[string]knownLogin{}}
	return &ui.Servers{
		Any: f.serves, Status: p.status, Retry: p.m.Retry, Disable: p.m.Disable, Switch: p.m.Switch, Log: p.log, Login: p.login,
		Approve: func(name, tool string) error {
			for _, st := range p.m.Status() {
				if st.Name == name && st.State == mcp.Unapproved { // it asks with its whole command
					return p.m.Retry(name)
				}
			}
			return p.m.Approve(name, tool)
		},
	}
}

func (p *panel) status() []cockpit.Server {
	words, list := p.m.Instructions(), p.m.Status()
	costs := map[string]int{}
	if slices.ContainsFunc(list, func(st mcp.Status) bool { return st.Tokens > 0 }) {
		for _, t := range p.tools() {
			costs[t.Name] = t.Tokens
		}
	}
	var out []cockpit.Server
	for _, st := range list {
		c, _ := p.of(st.Name)
		s := cockpit.Server{
			Name: st.Name, State: string(st.State), Reason: lang.Said(st.Reason), Since: st.Since, Protocol: st.About.Version, Modern: st.About.Modern(),
			Transport: st.About.Transport, About: strings.TrimSpace(st.About.Name + " " + st.About.Release), Command: st.Command,
			Source: st.Source.String(), Login: p.loggedIn(st), Remote: c.URL != "", Latency: st.Latency, Starts: st.Starts,
			Deferred: st.Defer, Notes: allSaid(st.Notes), Words: words[st.Name], Stderr: st.Stderr, Log: st.LogFile,
		}
		for _, t := range st.Tools {
			if n := costs[t.Name]; n > 0 && t.Tokens > 0 {
				t.Tokens = n
			}
			if t.On && !st.Defer {
				s.Tokens += t.Tokens
			}
			s.Tools = append(s.Tools, cockpit.Tool{Name: t.Name, Remote: t.Remote, About: t.Description, Tokens: t.Tokens, On: t.On, Why: lang.Said(t.Why),
				Switched: t.On || t.Why == mcp.ByYou, Warnings: allSaid(t.Warnings), ReadOnly: t.ReadOnly})
		}
		for _, c := range st.Changes {
			s.Changes = append(s.Changes, cockpit.Change(c))
		}
		for _, f := range st.Frames {
			s.Frames = append(s.Frames, cockpit.Frame{Time: f.Time, Out: f.Out, Method: f.Method, Size: f.Size, Took: f.Took, Text: f.Text})
		}
		out = append(out, s)
	}
	return out
}

// allSaid is a list of remarks in the person's language.
func allSaid(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = lang.Said(t)
	}
	return out
}

// loggedIn says in a few words how a server is logged in at.
func (p *panel) loggedIn(st mcp.Status) string {
	c, _ := p.of(st.Name)
	if c.Local() || st.State == mcp.NeedsLogin {
		return ""
	}
	for k := range c.Headers {
		if strings.EqualFold(k, "Authorization") {
			return lang.T("logged in by its header")
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	known, ok := p.logins[st.Name]
	if !ok || !known.since.Equal(st.Since) {
		if known = (knownLogin{since: st.Since}); mcp.LoggedIn(p.s.dirs.Secrets(), c) {
			known.text = lang.T("logged in")
		}
		p.logins[st.Name] = known
	}
	return known.text
}

// login logs in as forge mcp login does, and says what that would print.
func (p *panel) login(ctx context.Context, name string, pasted io.Reader, say func(address, line string)) error {
	c, _ := p.of(name)
	return mcp.Login(ctx, mcp.LoginOptions{Vault: p.s.dirs.Secrets(), Out: lines(func(l string) { say("", lang.Said(l)) }), In: pasted, Quiet: true,
		Open: func(address string) error { say(address, ""); return nil }}, name, c)
}

// lines is a writer that hands on what is written, line by line.
type lines func(string)

func (l lines) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" {
			l(line)
		}
	}
	return len(b), nil
}

// logTail is how much of a server's log is shown, in bytes.
const logTail = 256 << 10

// log reads the end of what a server wrote, with forge's remarks.
func (p *panel) log(name string) (string, error) {
	path := mcp.LogFile(p.s.dirs.State, name)
	for _, st := range p.m.Status() {
		if st.Name == name {
			path = st.LogFile
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if over := info.Size() - logTail; over > 0 {
		if _, err := f.Seek(over, io.SeekStart); err != nil {
			return "", err
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, logTail))
	return strings.ToValidUTF8(string(b), ""), err
}
