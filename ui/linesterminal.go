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
	if l.now().OnTerminal == nil || l.input == nil {
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
		if l.now().Feed.send(fence) {
			select {
			case <-fence:
			case <-l.now().Feed.closed:
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
		return l.now().Agent.Shell(ctx, command, withTerminal(l.now().OnTerminal, command, lend, l.now().Feed.closed), said)
	})
}
