package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// ServerPrompt is a prompt a server offers as a command of the person's.
type ServerPrompt struct {
	Server, Name, About string
	Args                []PromptArg
}

// PromptArg is one value of a ServerPrompt.
type PromptArg struct {
	Name, About string
	Required    bool
}

// Prompts is what the screen can do with servers' prompts. Each function is called off
// the loop.
type Prompts struct {
	List func(ctx context.Context) []ServerPrompt
	// Fill asks the server for the prompt with these values.
	Fill func(ctx context.Context, p ServerPrompt, args map[string]string) (agent.Prompt, error)
	// Complete asks it what a value may become; known are the values before it.
	Complete func(ctx context.Context, p ServerPrompt, arg, value string, known map[string]string) []string
}

type (
	promptsRead  struct{ list []ServerPrompt }
	promptFilled struct {
		line   string
		prompt agent.Prompt
		err    error
	}
)

// Command is what it is written as, without the slash.
func (p ServerPrompt) Command() string {
	return strings.Join(strings.Fields(p.Server+":"+p.Name), "_")
}

// Named says whether a word means it: as the menu has it, or as other agents do.
func (p ServerPrompt) Named(word string) bool {
	return word == p.Command() || word == strings.Join(strings.Fields("mcp__"+p.Server+"__"+p.Name), "_")
}

// Hint is what may stand behind the command.
func (p ServerPrompt) Hint() string {
	var args []string
	for _, a := range p.Args {
		word := a.Name
		if !a.Required {
			word = "[" + word + "]"
		}
		args = append(args, word)
	}
	return strings.Join(args, " ")
}

// Read gives the values of what was typed behind the command, and the question about all
// of them where one that is required is missing; it has no fields where none is.
func (p ServerPrompt) Read(typed string) (args map[string]string, missing tools.Question) {
	args, _ = p.values(splitArgs(typed))
	missing = tools.Question{ID: "prompt:" + p.Command(), Title: "/" + p.Command(), Body: p.About, Choices: []tools.Choice{{ID: "send"}}}
	if !slices.ContainsFunc(p.Args, func(a PromptArg) bool { return a.Required && strings.TrimSpace(args[a.Name]) == "" }) {
		return args, missing
	}
	for _, a := range p.Args {
		missing.Fields = append(missing.Fields, tools.Field{Name: a.Name, Label: a.Name, Note: a.About, Required: a.Required, Default: args[a.Name]})
	}
	return args, missing
}

// readPrompts reads what servers offer, off the loop.
func (m *Model) readPrompts() tea.Cmd {
	if m.o.Prompts == nil {
		return nil
	}
	list := m.o.Prompts.List
	ctx, cancel := m.context()
	return m.here(func() tea.Msg {
		defer cancel()
		var msg promptsRead
		_ = guard(func() error { msg.list = list(ctx); return nil }) // logged
		return msg
	})
}

// promptMenu is the prompts as the composer lists them.
func (m *Model) promptMenu() []composer.Command {
	var out []composer.Command
	apart := m.apart()
	for _, p := range m.prompts {
		if slices.ContainsFunc(m.table, func(c command) bool { return c.name == p.Command() }) {
			continue // a file has that name; mcp__SERVER__PROMPT still means this one
		}
		c := composer.Command{Name: p.Command(), About: p.About, Args: p.Hint()}
		if len(p.Args) > 0 {
			c.Search = func(typed string) []composer.Found { return apart.completeArgs(p, typed) }
		}
		out = append(out, c)
	}
	return out
}

// completeArgs completes the value that is being written. It runs off the loop.
func (m *Model) completeArgs(p ServerPrompt, typed string) []composer.Found {
	words := splitArgs(typed)
	last := ""
	if n := len(words); n > 0 && !strings.HasSuffix(typed, " ") {
		words, last = words[:n-1], words[n-1]
	}
	known, rest := p.values(words)
	name, value, assigned := strings.Cut(last, "=")
	i := slices.IndexFunc(p.Args, func(a PromptArg) bool { return a.Name == name })
	if !assigned || i < 0 {
		value = last
		if i = slices.IndexFunc(p.Args, func(a PromptArg) bool { _, given := known[a.Name]; return !given }); i < 0 || rest {
			return nil
		}
	}
	ctx, cancel := m.context()
	defer cancel()
	before := strings.TrimSuffix(typed, last)
	if !strings.HasSuffix(typed, last) { // it is being quoted: no menu would know how to go on
		return nil
	}
	open := false
	for _, a := range p.Args {
		_, given := known[a.Name]
		open = open || a.Required && !given && a.Name != p.Args[i].Name
	}
	var out []composer.Found
	for _, v := range m.o.Prompts.Complete(ctx, p, p.Args[i].Name, value, known) {
		word := quoteArg(v)
		if assigned {
			word = p.Args[i].Name + "=" + word
		}
		if open {
			word += " "
		}
		out = append(out, composer.Found{Text: before + word, About: p.Args[i].Name, Open: open})
	}
	return out
}

// values gives the words to the arguments: by name, else in their order. rest says that
// there were more words than arguments.
func (p ServerPrompt) values(words []string) (out map[string]string, rest bool) {
	out = map[string]string{}
	var free []string
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if ok && slices.ContainsFunc(p.Args, func(a PromptArg) bool { return a.Name == name }) {
			out[name] = value
			continue
		}
		free = append(free, w)
	}
	last := ""
	for _, a := range p.Args {
		if _, given := out[a.Name]; given {
			continue
		}
		if len(free) == 0 {
			return out, false
		}
		out[a.Name], last = free[0], a.Name
		free = free[1:]
	}
	if len(free) > 0 && last != "" { // the last one takes all there is
		out[last] += " " + strings.Join(free, " ")
	}
	return out, len(free) > 0
}

// splitArgs splits at blanks outside of double quotes.
func splitArgs(s string) (words []string) {
	var b strings.Builder
	quoted, any := false, false
	for _, r := range s {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\n' || r == '\t'):
			if any {
				words = append(words, b.String())
			}
			b.Reset()
			any = false
		default:
			b.WriteRune(r)
			any = true
		}
	}
	if any {
		words = append(words, b.String())
	}
	return words
}

func quoteArg(v string) string {
	if strings.ContainsAny(v, " \t\n") {
		return `"` + strings.ReplaceAll(v, `"`, "'") + `"`
	}
	return v
}

// serverPrompt finds the prompt a line means. known is false where it names a server
// and nothing that has.
func (m *Model) serverPrompt(line string) (p ServerPrompt, args string, ok, known bool) {
	word, args, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if !strings.HasPrefix(line, "/") || strings.Contains(word, "/") {
		return p, "", false, true
	}
	for _, p := range m.prompts {
		if p.Named(word) {
			return p, args, true, true
		}
	}
	server, _, colon := strings.Cut(word, ":")
	if colon && len(m.completeServer(server)) > 0 {
		return p, "", false, !slices.Contains(m.completeServer(server), server)
	}
	return p, "", false, true
}

// askPrompt fills a server's prompt in and sends it. What is required and was not
// given is asked for.
func (m *Model) askPrompt(line string, p ServerPrompt, typed string) tea.Cmd {
	args, q := p.Read(typed)
	if len(q.Fields) == 0 {
		return m.fillPrompt(line, p, args)
	}
	replies := make(chan tools.Reply, 1)
	push := m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) { replies <- r })})
	ctx, cancel := m.context()
	return tea.Batch(push, func() tea.Msg {
		defer cancel()
		select {
		case r := <-replies:
			return promptAnswered{line, p, r}
		case <-ctx.Done():
			return nil
		}
	})
}

type promptAnswered struct {
	line  string
	p     ServerPrompt
	reply tools.Reply
}

func (m *Model) fillPrompt(line string, p ServerPrompt, args map[string]string) tea.Cmd {
	fill := m.o.Prompts.Fill
	back := func() tea.Msg { return promptFilled{line: line, err: context.Canceled} }
	return m.goFor(lang.T("asking %s", p.Server), back, func(ctx context.Context) tea.Msg {
		prompt, err := fill(ctx, p, args)
		return promptFilled{line, prompt, err}
	})
}

// prompted takes the messages of servers' prompts.
func (m *Model) prompted(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case promptsRead:
		m.prompts = msg.list
		m.comp.SetCommands(m.menu())
	case promptAnswered:
		if msg.reply.Choice == "" {
			m.giveBack(msg.line)
			return nil, true
		}
		return m.fillPrompt(msg.line, msg.p, msg.reply.Values), true
	case promptFilled:
		switch {
		case msg.err != nil:
			m.giveBack(msg.line)
			if !isCancel(msg.err) {
				return m.show(failed{"", msg.err}), true
			}
		case m.busy(): // something was sent meanwhile
			m.giveBack(msg.line)
			return m.say(m.o.Keys.Named(lang.T("the prompt waits for the end of the run; esc stops it"), keymap.Interrupt)), true
		default:
			return m.sendPrompt(msg.prompt), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// giveBack puts a line that was not sent where it can be mended, unless something else
// is written there by now.
func (m *Model) giveBack(line string) {
	if m.comp.Empty() {
		m.comp.SetValue(line)
	}
}

// unknownPrompt says which prompts a server has.
func (m *Model) unknownPrompt(line string) tea.Cmd {
	word, _, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	server, _, _ := strings.Cut(word, ":")
	var names []string
	for _, p := range m.prompts {
		if p.Server == server {
			names = append(names, "/"+p.Command())
		}
	}
	m.comp.SetValue(line)
	if names == nil {
		return m.say(lang.T("%s has no prompts", server))
	}
	return m.say(lang.T("no prompt %s; there are %s", "/"+word, fmt.Sprint(strings.Join(names, ", "))))
}
