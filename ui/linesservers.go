package ui

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"forge/tools"
	"forge/ui/cockpit"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// servers says how the MCP servers stand, or all of one, and does what was asked of it.
func (l *lines) servers(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	words := strings.Fields(arg)
	var list []cockpit.Server
	if l.now().Servers != nil {
		list = l.now().Servers.Status()
	}
	switch {
	case len(list) == 0:
		say(lang.T("no MCP server is configured: forge mcp add NAME COMMAND adds one"))
		return nil, nil
	case len(words) == 0:
		for _, s := range list {
			say(s.Line())
		}
		say(lang.T("/mcp and a name says all of one; retry, disable, approve, login, log, on TOOL or off TOOL behind it does that"))
		return nil, nil
	}
	var names []string
	for _, s := range list {
		names = append(names, s.Name)
	}
	at := slices.Index(names, words[0])
	if at < 0 {
		return nil, errors.New(lang.T("no MCP server %s; there are %s", safe.Line(words[0]), strings.Join(names, ", ")))
	}
	if len(words) == 1 {
		for _, line := range list[at].Lines() {
			say(line)
		}
		return nil, nil
	}
	if err := l.serverAct(ctx, list[at], words[1], strings.Join(words[2:], " "), say); err != nil {
		return nil, err
	}
	for _, s := range l.now().Servers.Status() {
		if s.Name == words[0] && words[1] != "log" {
			say(s.Line())
		}
	}
	return nil, nil
}

func (l *lines) serverAct(ctx context.Context, s cockpit.Server, what, tool string, say func(string)) error {
	o := l.now().Servers
	switch {
	case what == "retry":
		return l.settled(ctx, s, o.Retry)
	case what == "disable":
		return l.settled(ctx, s, o.Disable)
	case what == "approve":
		return l.approve(ctx, s, tool, say)
	case (what == "on" || what == "off") && tool != "":
		i := slices.IndexFunc(s.Tools, func(t cockpit.Tool) bool { return t.Remote == tool || t.Name == tool })
		switch {
		case i < 0:
			return errors.New(lang.T("no tool %s of %s", safe.Line(tool), s.Name))
		case !s.Tools[i].Switched:
			return errors.New(s.Tools[i].Why)
		}
		return o.Switch(s.Name, s.Tools[i].Remote, what == "on")
	case what == "log":
		text, err := o.Log(s.Name)
		if err == nil {
			say(strings.TrimRight(text, "\n"))
		}
		return err
	case what == "login":
		return l.logIn(ctx, s, say)
	}
	return errors.New(lang.T("/mcp %s takes retry, disable, approve, login, log, on TOOL or off TOOL", s.Name))
}

// settles is how long a server's next state is waited for before the one it has is said.
const settles = 10 * time.Second

// settled asks for another state of a server and waits until it has it.
func (l *lines) settled(ctx context.Context, was cockpit.Server, ask func(name string) error) error {
	if err := ask(was.Name); err != nil {
		return err
	}
	late := time.NewTimer(settles)
	defer late.Stop()
	for {
		for _, s := range l.now().Servers.Status() {
			if s.Name == was.Name && !s.Since.Equal(was.Since) && s.State != cockpit.Starting {
				return nil
			}
		}
		select {
		case <-l.stir:
		case <-late.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// approve says whole what is to be approved, and asks: nothing is approved that was not
// said. The start of a server is asked about by whoever starts it.
func (l *lines) approve(ctx context.Context, s cockpit.Server, tool string, say func(string)) error {
	waiting := s.Waiting(tool)
	if len(waiting) == 0 && tool != "" {
		return errors.New(lang.T("nothing waits for an approval"))
	}
	for _, line := range waiting {
		say(line)
	}
	if len(waiting) > 0 {
		r, err := l.now().Feed.AskQuestion(ctx, tools.Question{ID: "approve", Source: "forge", Title: lang.T("approve this?"),
			Choices: []tools.Choice{{ID: "yes", Label: lang.T("yes"), Key: "y"}, {ID: "no", Label: lang.T("no"), Key: "n"}}})
		if err != nil || r.Choice != "yes" {
			return err
		}
	}
	return l.now().Servers.Approve(s.Name, tool)
}

// logIn says the address to visit, and asks for the one the browser ends at, for whoever
// has it on another machine; the question goes when the login is through without it.
func (l *lines) logIn(ctx context.Context, s cockpit.Server, say func(string)) error {
	server := s.Name
	r, w := io.Pipe()
	defer r.Close()
	done, stop := context.WithCancel(ctx)
	defer stop()
	asked := false
	err := l.now().Servers.Login(ctx, server, r, func(address, line string) {
		if line != "" {
			say(lang.Said(line))
		}
		if address == "" || asked {
			return
		}
		asked = true
		say(lang.T("Visit this address:"))
		say(address)
		go guard(func() error {
			reply, err := l.now().Feed.AskQuestion(done, tools.Question{ID: "login", Source: "forge", Title: lang.T("Log in to %s", safe.Line(server)),
				Body:   lang.T("If your browser runs on another machine, paste the address it ends at here."),
				Fields: []tools.Field{{Name: "address", Label: lang.T("The address")}}})
			if err == nil && reply.Values["address"] != "" {
				_, err = io.WriteString(w, reply.Values["address"]+"\n")
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	say(lang.T("logged in to %s", safe.Line(server)))
	return l.settled(ctx, s, l.now().Servers.Retry)
}
