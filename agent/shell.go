package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// OwnCommand is the name a command of the person's own has in events, where a
// call has its tool's: no tool is called so.
const OwnCommand = "!"

// Shell runs a command the person typed and makes it, with its output, a part of
// the conversation: the model reads both with its next call. run causes it and is
// given a context that ends when the person has enough; what it writes to out is
// for eyes. Nothing is asked of the model, and no provider is needed. Its events
// are those of a call named OwnCommand, and RunEnd.
//
// What the model is told is one user message:
//
//	The user ran a command in the workspace folder; this is no request.
//	<command>
//	go test ./...
//	</command>
//	<output>
//	ok  	forge/agent	0.8s
//	[exit code 0, 1.2 s]
//	</output>
//
// It is called like Run, between runs.
func (a *Agent) Shell(ctx context.Context, command string, run func(ctx context.Context, out io.Writer) (tools.Result, error), sink Sink) (err error) {
	r := a.newRun(sink)
	defer func() {
		if p := recover(); p != nil {
			slog.Error("command crashed", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("forge crashed: %v; the log has more, and the conversation can go on", p)
		}
		r.end(err)
	}()
	command = clean(strings.TrimSpace(command))
	if command == "" {
		return errors.New("the command is empty; write one after the exclamation mark")
	}
	command = a.masked(command)
	c := session.Shell{ID: r.history.claim(""), Command: command}
	r.emit(shellStart(c))
	r.emit(ToolRunning{c.ID})
	began := time.Now()
	var over atomic.Bool
	var seen looks
	res, err := run(ctx, output{r, c.ID, &over, &seen})
	over.Store(true)
	if err != nil {
		res = tools.Result{Text: err.Error(), IsError: true}
	}
	took := time.Since(began)
	res.Text = clean(res.Text)
	if a.o.Veil != nil {
		res.Text, res.Hidden = a.o.Veil.Mask(res.Text)
	}
	c.Looks = seen.of(res.Text)
	c.Display, c.Failed, c.Took = res.Display, res.IsError, took.Milliseconds()
	m := provider.UserText(shellMessage(command, res.Text))
	r.history.add(session.Record{Message: &m, Shell: &c})
	r.emit(ToolEnd{ID: c.ID, Name: OwnCommand, Result: res, Took: took})
	return nil
}

func shellStart(c session.Shell) ToolStart {
	first, rest, _ := strings.Cut(c.Command, "\n")
	if strings.TrimSpace(rest) != "" {
		first += " …"
	}
	return ToolStart{ID: c.ID, Name: OwnCommand,
		Effect: tools.Effect{Kind: tools.Exec, Title: OwnCommand + " " + tools.Clip(first, 100), Command: c.Command}}
}

const shellEnd = "\n</output>"

func shellBegin(command string) string {
	return compact.CommandMark + "\n<command>\n" + command + "\n</command>\n<output>\n"
}

func shellMessage(command, text string) string {
	return shellBegin(command) + strings.TrimRight(text, "\n") + shellEnd
}

// shellOutput is the output in a message of Shell's.
func shellOutput(c session.Shell, m provider.Message) string {
	return strings.TrimSuffix(strings.TrimPrefix(m.PlainText(), shellBegin(c.Command)), shellEnd)
}

// shell tells of a stored command of the person's own.
func (p *replay) shell(c session.Shell, m provider.Message) {
	p.endRun()
	p.sink(shellStart(c))
	p.sink(ToolEnd{ID: c.ID, Name: OwnCommand, Took: time.Duration(c.Took) * time.Millisecond,
		Result: tools.Result{Text: shellOutput(c, m), Display: c.Display, IsError: c.Failed, Looks: c.Looks}})
	p.sink(RunEnd{Totals: p.totals})
}
