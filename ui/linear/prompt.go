package linear

import (
	"context"
	"forge/ui/lang"
	"forge/ui/safe"
	"slices"
	"strings"
)

// plain is a line a command says, as it is.
type plain string

// line takes what the person wrote: an answer, a command, or a prompt.
func (f *face) line(ctx context.Context, line string) {
	if len(f.open) > 0 {
		f.answer(line)
		return
	}
	if more, ok := strings.CutSuffix(line, `\`); ok {
		f.held = append(f.held, more)
		return
	}
	text := strings.TrimSpace(strings.Join(append(f.held, line), "\n"))
	f.held = nil
	switch {
	case text == "":
	case f.cancel != nil && f.beside(ctx, text):
	case f.cancel != nil:
		f.queue = append(f.queue, text)
		f.say(lang.T("queued for after this, %d waiting; ctrl+c stops what is on", len(f.queue)))
	default:
		f.submit(ctx, text)
	}
}

func (f *face) submit(ctx context.Context, text string) {
	own, isOwn := strings.CutPrefix(text, "!")
	switch {
	case isOwn && f.o.Own != nil:
		f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, f.o.Own(ctx, own, f.o.Emit) })
	case isCommand(text):
		f.command(ctx, text)
	default:
		if f.o.Remember != nil {
			f.o.Remember(text)
		}
		f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, f.o.Prompt(ctx, text, f.o.Emit) })
	}
}

// isCommand reports whether a line is one; a path is a prompt.
func isCommand(text string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	return strings.HasPrefix(text, "/") && !strings.ContainsAny(name, "/.\n")
}

func (f *face) command(ctx context.Context, text string) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	name, arg = strings.ToLower(name), strings.TrimSpace(arg)
	if name == "help" || name == "" {
		f.help()
		return
	}
	if name == "output" {
		f.tell.output(arg)
		return
	}
	if name == "sent" {
		f.tell.whole()
		return
	}
	if c, ok := f.named(name); ok {
		f.begin(ctx, false, func(ctx context.Context) (*Choice, error) {
			return c.Run(ctx, arg, func(l string) { f.o.Send(plain(l)) })
		})
		return
	}
	if f.o.Filed != nil {
		if f.o.Remember != nil {
			f.o.Remember(text)
		}
		f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, f.o.Filed(ctx, text, f.o.Emit) })
		return
	}
	if near := f.near(name); len(near) > 0 {
		f.say(lang.T("no command /%s; did you mean /%s?", safe.Line(name), strings.Join(near, lang.T(" or /"))))
		return
	}
	f.say(lang.T("no command /%s here; /help lists them", safe.Line(name)))
}

// near are the commands of these lines that were probably meant by a name.
func (f *face) near(name string) (out []string) {
	if f.o.Near == nil {
		return nil
	}
	for _, n := range f.o.Near(name) {
		if c, ok := f.named(n); ok && !slices.Contains(out, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

func (f *face) named(name string) (Command, bool) {
	for _, c := range f.o.Commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c, true
		}
	}
	if f.o.Known != nil {
		known := f.o.Known(name)
		if i := slices.IndexFunc(f.o.Commands, func(c Command) bool { return known != "" && c.Name == known }); i >= 0 {
			return f.o.Commands[i], true
		}
	}
	return Command{}, false
}

// beside runs a command that need not wait for what is on, and reports whether the line
// is one.
func (f *face) beside(ctx context.Context, text string) bool {
	if !isCommand(text) {
		return false
	}
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	switch name = strings.ToLower(name); name {
	case "help", "output", "sent":
		f.command(ctx, text)
		return true
	}
	c, ok := f.named(name)
	if !ok || !c.Beside {
		return false
	}
	send := f.o.Send
	go guard(func() {
		if _, err := c.Run(ctx, strings.TrimSpace(arg), func(l string) { send(plain(l)) }); err != nil {
			send(plain(errorLine(err)))
		}
	})
	return true
}

func (f *face) help() {
	for _, l := range []string{
		lang.T("write a prompt and press enter; a line that ends with a backslash goes on with the next"),
		lang.T("ctrl+c stops what runs; ctrl+d, or /exit, leaves"),
		lang.T("! before a line runs it as a command of yours"),
		lang.T("!i before it gives it your terminal, where it can ask you something"),
		lang.T("/output says the whole output of the last tool, /output 2 that of the second last"),
		lang.T("/sent says what was sent for the last command from a file"),
	} {
		f.say(l)
	}
	for _, c := range f.o.Commands {
		f.say("/" + c.Name + ": " + lang.T(c.About))
	}
	if f.o.FiledHelp != nil {
		for _, l := range f.o.FiledHelp() {
			f.say(l)
		}
	}
}
