package ui

import (
	"context"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/dialog"
	"forge/ui/display"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Commands on the person's own terminal: there they can ask for a password, draw a menu or
// open an editor.

// Terminal makes a command to be run on the person's own terminal out of a line; whoever
// has run it calls ended with how it went.
type Terminal func(command string) (cmd *exec.Cmd, ended func(tools.Ran) tools.Result, err error)

// terminalMark is between the ! of a command of the person's own and one that is to have
// their terminal. A program of that name is run with a blank before it.
const terminalMark = "i"

// onTerminalIn is the command of a line that wants the terminal.
func onTerminalIn(line string) (command string, wants bool) {
	rest, own := strings.CutPrefix(line, "!"+terminalMark)
	if !own || rest != "" && !strings.ContainsAny(rest[:1], " \t\n") {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// loan is a command that waits for the terminal. It is begun once, or was given up before.
type loan struct {
	cmd  *exec.Cmd
	line string // as it is shown first
	over atomic.Bool
	came chan display.Relayed
}

// take is for whoever comes first.
func (l *loan) take() bool { return l.over.CompareAndSwap(false, true) }

// run runs the command on a terminal.
func (l *loan) run(in, out *os.File) display.Relayed {
	if runtime.GOOS != "windows" {
		_, _ = io.WriteString(out, "! "+l.line+"\n"+lang.T("(ctrl+\\ three times ends it, if nothing else does)")+"\n")
	}
	return display.Relay(l.cmd, in, out)
}

// lend lets it have the screen's terminal.
func (l *loan) lend() tea.Cmd {
	if !l.take() {
		return nil
	}
	return display.Lend(func(in, out *os.File) error {
		l.came <- l.run(in, out)
		return nil
	}, func(err error) tea.Msg {
		if err != nil {
			select {
			case l.came <- display.Relayed{Err: err}:
			default: // it ran: what failed is taking the terminal back
			}
		}
		return nil
	})
}

// withTerminal is a command on the person's terminal, as the agent has their own commands run:
// ask has somebody lend it. Nobody does any more once gone is closed.
func withTerminal(prepare Terminal, command string, ask func(*loan), gone <-chan struct{}) func(context.Context, io.Writer) (tools.Result, error) {
	return func(ctx context.Context, _ io.Writer) (tools.Result, error) {
		cmd, ended, err := prepare(command)
		if err != nil {
			return tools.Result{}, err
		}
		l := &loan{cmd: cmd, line: safe.Line(command), came: make(chan display.Relayed, 1)}
		began := time.Now()
		ask(l)
		var r display.Relayed
		select {
		case r = <-l.came:
		case <-ctx.Done():
			if l.take() {
				return tools.Result{}, ctx.Err()
			}
			select {
			case r = <-l.came:
			case <-gone:
				return tools.Result{}, errClosed
			}
		}
		return ended(tools.Ran{Said: safe.Output(r.Said), Missing: r.Cut, Kept: r.Kept, Screens: r.Screens, Took: time.Since(began), Err: r.Err}), nil
	}
}

// runOnTerminal hands the terminal to a command, whose output the model reads with the next
// prompt.
func (m *Model) runOnTerminal(command string) tea.Cmd {
	a, feed, prepare := m.o.Agent, m.o.Feed, m.o.OnTerminal
	return m.begin(func(ctx context.Context, sink agent.Sink) error {
		return a.Shell(ctx, command, withTerminal(prepare, command, func(l *loan) { feed.send(l) }, feed.closed), sink)
	})
}

// runCall asks whether the command of a card is to be run on the person's terminal. false: it
// is the card of no command that could.
func (m *Model) runCall(p pane) (tea.Cmd, bool) {
	c, ok := p.(*call)
	if !ok || !c.rerun() || m.o.OnTerminal == nil {
		return nil, false
	}
	command := c.effect.Command
	q := tools.Question{
		ID: "terminal", Source: "permission", Title: lang.T("Run this on your terminal?"),
		Body: lang.T("It gets your terminal until it ends, and runs with all your rights, as what you write after ! does: nothing confines it, and no rule is asked. What it says goes to the model with your next prompt.") +
			"\n\n" + command,
		Choices: []tools.Choice{{ID: "run", Label: lang.T("run it"), Key: "y"}, {ID: "no", Label: lang.T("do not run it"), Key: "n"}},
	}
	return m.dialogs.Push(dialog.NewQuestion(m.th, q, func(r tools.Reply) {
		if r.Choice == "run" {
			m.afterConsent = m.own("!" + terminalMark + " " + command)
		}
	})), true
}

// rerun reports whether a card is of a command that is over.
func (c *call) rerun() bool {
	return c.over() && c.effect.Kind == tools.Exec && c.effect.Command != "" && c.effect.Server == ""
}

// wantedTerminal reports whether the command of a card failed since it wanted a terminal.
func (c *call) wantedTerminal() bool {
	return c.state == callFailed && c.rerun() && tools.WantedTerminal(c.result.Text)
}

// terminalHint says, on the card of such a command, how it is run on the person's.
func (c *call) terminalHint(d *drawing, w int) []string {
	if !d.terminal || !c.wantedTerminal() {
		return nil
	}
	hint := d.keys.Named(lang.T("it wanted a terminal: tab, then T on this card, runs it on yours"), keymap.EmptyRead, keymap.ReadTerminal)
	return wrap(hint, w, d.th.Warn)
}

// terminalKey runs the command of the thing that is read on the person's terminal; of what
// is none it is a letter like any other.
func (m *Model) terminalKey(k tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := m.runCall(m.shown().focus); ok {
		return cmd
	}
	if k.Text != "" {
		return m.typeThrough(k)
	}
	return m.say(lang.T("this is no command that has ended"))
}
