package mcp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/lazy"
	"forge/tools"
)

// permit says whether a project's server may run: its whole command must have been
// approved as it is. Where it was not, the person is asked; the reason why not is
// returned.
func (m *Manager) permit(ctx context.Context, s *server) (why string) {
	item, hash := "mcp:"+s.name, s.cfg.Identity()
	if m.o.Approvals == nil {
		return "nobody can approve it here"
	}
	if m.o.Approvals.Approved(m.o.Workspace, item, hash) {
		return ""
	}
	if m.o.Asker == nil {
		return "start forge with its screen once, to look at its command and approve it"
	}
	s.set(Unapproved, waitingForAnswer)
	done, err := m.turnToAsk(ctx)
	if err != nil {
		return err.Error()
	}
	defer done()
	r, err := m.o.Asker.Ask(ctx, s.cfg.question(s.name))
	switch {
	case err != nil:
		return "not approved: " + err.Error()
	case r.Choice != "start":
		return "you did not approve it; retry asks again"
	}
	if err := m.o.Approvals.Approve(m.o.Workspace, item, hash); err != nil {
		s.log.printf("forge: the approval is not kept: %v", err)
	}
	return ""
}

// waitingForAnswer is why a server is not approved about which somebody is asked now.
const waitingForAnswer = "waiting for your answer"

// asking says whether somebody is asked about the server now.
func (s *server) asking() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == Unapproved && s.reason == waitingForAnswer
}

// turnToAsk waits for its turn: one dialog at a time.
func (m *Manager) turnToAsk(ctx context.Context) (done func(), err error) {
	select {
	case m.dialogs <- struct{}{}:
		return func() { <-m.dialogs }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// question shows all that would be started, nothing of it cut.
func (c ServerConfig) question(name string) tools.Question {
	var b strings.Builder
	if c.Local() {
		fmt.Fprintf(&b, "It would run, with your rights and outside of any sandbox:\n\n  %s\n", visible(c.Line()))
		if c.Cwd != "" {
			fmt.Fprintf(&b, "\nin %s\n", visible(c.Cwd))
		}
	} else {
		fmt.Fprintf(&b, "It would be connected to, and get what its tools are called with:\n\n  %s\n", visible(c.URL))
	}
	for _, part := range []struct {
		what string
		m    map[string]string
	}{{"environment", c.Env}, {"headers", c.Headers}, {"other names for its tools", c.Aliases}} {
		if len(part.m) > 0 {
			fmt.Fprintf(&b, "\n%s:\n", part.what)
			for _, k := range slices.Sorted(maps.Keys(part.m)) {
				fmt.Fprintf(&b, "  %s = %s\n", visible(k), visible(part.m[k]))
			}
		}
	}
	for _, w := range c.dangers() {
		fmt.Fprintf(&b, "\nCareful: %s.\n", w)
	}
	fmt.Fprintf(&b, "\nIt stands in %s. The answer holds until that changes.", c.Source)
	return tools.Question{
		ID: "mcp:" + name, Source: "mcp", Title: fmt.Sprintf("This project wants to start the MCP server %q", visible(name)), Body: b.String(),
		Choices: []tools.Choice{{ID: "start", Label: "Start it", Key: "y"}, {ID: "no", Label: "Do not start it", Key: "n"}},
	}
}

var dangers = []struct {
	what string
	re   *lazy.Regexp
}{
	{"it runs as another user (sudo)", &lazy.Regexp{Expr: `(^|[\s;&|/])(sudo|doas|su|pkexec)\b`}},
	{"it deletes files", &lazy.Regexp{Expr: `\brm\s+(-\w*[rf]|--recursive|--force)|\bdel\s+/|\bformat\b\s+\w:`}},
	{"it runs what it fetches from the network", &lazy.Regexp{Expr: `\b(curl|wget|iwr|Invoke-WebRequest)\b[^|;&]*\|\s*\S*(sh|bash|zsh|python\d?|node|perl|iex)\b|\beval\b.*\b(curl|wget)\b|<\(\s*(curl|wget)`}},
	{"it is a line for a shell, which can do anything", &lazy.Regexp{Expr: `(^|[\s/])(ba|z|da|k|fi)?sh(\.exe)?\s+(-\w*c)\b|\b(cmd(\.exe)?\s+/c|powershell|pwsh)\b`}},
	{"it reads places where secrets lie", &lazy.Regexp{Expr: `\.(ssh|aws|gnupg|kube|netrc)\b|/etc/(passwd|shadow)`}},
	{"it takes a secret of your environment", &lazy.Regexp{Expr: `\$\{[A-Z0-9_]*(KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)[A-Z0-9_]*`}},
}

// dangers says what is dangerous about a command, in words.
func (c ServerConfig) dangers() []string {
	text := c.Command + " " + strings.Join(c.Args, " ")
	for _, m := range []map[string]string{c.Env, c.Headers} {
		for k, v := range m {
			text += " " + k + "=" + v
		}
	}
	text += " " + c.URL
	var out []string
	for _, d := range dangers {
		if d.re.Get().MatchString(text) {
			out = append(out, d.what)
		}
	}
	if hidden(text) {
		out = append(out, "it holds invisible letters, shown here as <U+…>")
	}
	if strings.HasPrefix(c.URL, "http://") && !strings.Contains(c.URL, "://localhost") && !strings.Contains(c.URL, "://127.") && !strings.Contains(c.URL, "://[::1]") {
		out = append(out, "it is reached without encryption")
	}
	return out
}
