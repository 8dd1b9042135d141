package ui

import (
	"context"
	"errors"
	"os"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/linear"
)

// onTerminal runs a command on the terminal the lines stand on, from which nothing is read
// meanwhile.
func (l *lines) onTerminal(ctx context.Context, command string, sink agent.Sink) error {
	if l.o.OnTerminal == nil || l.input == nil {
		return errors.New(lang.T("no command can have the terminal here"))
	}
	if command == "" {
		return errors.New(lang.T("write a command after the !"))
	}
	lend := func(b *loan) {
		if !b.take() {
			return
		}
		fence := make(linear.Fence) // what is said of its begin stands before it
		if l.o.Feed.send(fence) {
			select {
			case <-fence:
			case <-l.o.Feed.closed:
			}
		}
		release := l.input.Hold()
		defer release()
		b.came <- b.run(l.input.File(), os.Stdout)
	}
	said := func(e agent.Event) {
		if end, ok := e.(agent.ToolEnd); ok { // it stands there already
			end.Result.Text = ""
			e = end
		}
		sink(e)
	}
	return l.hold(ctx, func() error {
		return l.o.Agent.Shell(ctx, command, withTerminal(l.o.OnTerminal, command, lend, l.o.Feed.closed), said)
	})
}
