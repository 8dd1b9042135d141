//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// anEditor is a client that others wrote, with the real program at the other end.
type anEditor struct {
	*acp.ClientSideConnection
	t    *testing.T
	p    *program
	cmd  *exec.Cmd
	in   io.WriteCloser
	errs bytes.Buffer
	ask  func(ctx context.Context, r acp.RequestPermissionRequest) string // the option it chooses; empty: cancelled

	mu      sync.Mutex
	updates []acp.SessionNotification
	seen    func(acp.SessionNotification) // hears of each, if not nil
	asked   []acp.RequestPermissionRequest
}

func (e *anEditor) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	e.mu.Lock()
	e.updates = append(e.updates, n)
	seen := e.seen
	e.mu.Unlock()
	if seen != nil {
		seen(n)
	}
	return nil
}

// hears sets what hears of each update, answers what chooses an option.
func (e *anEditor) hears(seen func(acp.SessionNotification)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = seen
}

func (e *anEditor) answers(ask func(ctx context.Context, r acp.RequestPermissionRequest) string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ask = ask
}

func (e *anEditor) RequestPermission(ctx context.Context, r acp.RequestPermissionRequest) (acp.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	ask := e.ask
	e.mu.Unlock()
	if id := ask(ctx, r); id != "" {
		return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(acp.PermissionOptionId(id))}, nil
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

var errNotOffered = errors.New("this editor offers no such thing")

func (e *anEditor) ReadTextFile(context.Context, acp.ReadTextFileRequest) (r acp.ReadTextFileResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) WriteTextFile(context.Context, acp.WriteTextFileRequest) (r acp.WriteTextFileResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) CreateTerminal(context.Context, acp.CreateTerminalRequest) (r acp.CreateTerminalResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) KillTerminal(context.Context, acp.KillTerminalRequest) (r acp.KillTerminalResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) TerminalOutput(context.Context, acp.TerminalOutputRequest) (r acp.TerminalOutputResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (r acp.ReleaseTerminalResponse, err error) {
	return r, errNotOffered
}
func (e *anEditor) WaitForTerminalExit(context.Context, acp.WaitForTerminalExitRequest) (r acp.WaitForTerminalExitResponse, err error) {
	return r, errNotOffered
}

// openEditor starts forge acp with a script, initialized.
func openEditor(t *testing.T, p *program, script string, args ...string) *anEditor {
	t.Helper()
	e := &anEditor{t: t, p: p, ask: func(context.Context, acp.RequestPermissionRequest) string { return "allow-once" }}
	args = append([]string{"acp"}, args...)
	if script != "" {
		file := filepath.Join(t.TempDir(), "acp.script")
		p.write(t, file, script)
		args = append(args, "--demo="+file)
	}
	e.cmd = p.command(args...)
	e.cmd.Stderr = &e.errs
	in, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if e.cmd.ProcessState == nil {
			_ = e.cmd.Process.Kill()
			_ = e.cmd.Wait()
		}
	})
	e.in = in
	e.ClientSideConnection = acp.NewClientSideConnection(e, in, out)
	e.SetLogger(slog.New(slog.DiscardHandler))
	r, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber, ClientInfo: &acp.Implementation{Name: "test", Version: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	c := r.AgentCapabilities
	if r.ProtocolVersion != 1 || !c.LoadSession || !c.PromptCapabilities.Image || !c.PromptCapabilities.EmbeddedContext || c.PromptCapabilities.Audio || !c.McpCapabilities.Http || !c.McpCapabilities.Sse {
		t.Fatalf("initialized as %+v", r)
	}
	return e
}

// leave closes stdin, as an editor does, and waits for the end.
func (e *anEditor) leave() {
	e.t.Helper()
	e.in.Close()
	if err := e.cmd.Wait(); err != nil {
		e.t.Errorf("it ended with %v\n%s", err, e.errs.String())
	}
}

func (e *anEditor) begin(servers ...acp.McpServer) acp.NewSessionResponse {
	e.t.Helper()
	if servers == nil {
		servers = []acp.McpServer{}
	}
	s, err := e.NewSession(e.t.Context(), acp.NewSessionRequest{Cwd: e.p.dir, McpServers: servers})
	if err != nil {
		e.t.Fatalf("%v\n%s", err, e.errs.String())
	}
	return s
}

// say sends a prompt and gives the reason it ended for.
func (e *anEditor) say(id acp.SessionId, blocks ...acp.ContentBlock) acp.StopReason {
	e.t.Helper()
	r, err := e.Prompt(e.t.Context(), acp.PromptRequest{SessionId: id, Prompt: blocks})
	if err != nil {
		e.t.Fatalf("%v\n%s", err, e.errs.String())
	}
	return r.StopReason
}

// told is what was told of a conversation since it was asked for last, in short lines.
func (e *anEditor) told(id acp.SessionId) (lines []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last, text := "", ""
	flush := func() {
		if text != "" {
			lines = append(lines, last+": "+strings.TrimSpace(text))
		}
		last, text = "", ""
	}
	say := func(kind string, b acp.ContentBlock) {
		if kind != last {
			flush()
		}
		last = kind
		if b.Text != nil {
			text += b.Text.Text
		} else if b.Image != nil {
			text += "[" + b.Image.MimeType + "]"
		}
	}
	content := func(cs []acp.ToolCallContent) (s string) {
		for _, c := range cs {
			switch {
			case c.Diff != nil:
				old := "-"
				if c.Diff.OldText != nil {
					old = strconv.Quote(*c.Diff.OldText)
				}
				s += " diff " + filepath.Base(c.Diff.Path) + " " + old + " " + strconv.Quote(c.Diff.NewText)
			case c.Content != nil && c.Content.Content.Text != nil:
				s += " text " + strconv.Quote(c.Content.Content.Text.Text)
			}
		}
		return s
	}
	var rest []acp.SessionNotification
	for _, n := range e.updates {
		if n.SessionId != id {
			rest = append(rest, n)
			continue
		}
		u := n.Update
		switch {
		case u.AgentMessageChunk != nil:
			say("says", u.AgentMessageChunk.Content)
			continue
		case u.AgentThoughtChunk != nil:
			say("thinks", u.AgentThoughtChunk.Content)
			continue
		case u.UserMessageChunk != nil:
			say("user", u.UserMessageChunk.Content)
			continue
		case u.AvailableCommandsUpdate != nil: // at any time, also in the midst of what is said
			continue
		}
		flush()
		switch {
		case u.ToolCall != nil:
			lines = append(lines, "call "+string(u.ToolCall.ToolCallId)+" "+string(u.ToolCall.Kind)+" "+string(u.ToolCall.Status)+content(u.ToolCall.Content))
		case u.ToolCallUpdate != nil:
			l := "call " + string(u.ToolCallUpdate.ToolCallId)
			if u.ToolCallUpdate.Title != nil {
				l += " «" + *u.ToolCallUpdate.Title + "»"
			}
			if u.ToolCallUpdate.Kind != nil {
				l += " " + string(*u.ToolCallUpdate.Kind)
			}
			if u.ToolCallUpdate.Status != nil {
				l += " " + string(*u.ToolCallUpdate.Status)
			}
			for _, at := range u.ToolCallUpdate.Locations {
				l += " at " + filepath.Base(at.Path)
				if at.Line != nil {
					l += ":" + strconv.Itoa(*at.Line)
				}
			}
			lines = append(lines, l+content(u.ToolCallUpdate.Content))
		case u.Plan != nil:
			l := "plan"
			for _, x := range u.Plan.Entries {
				l += " [" + string(x.Status) + " " + x.Content + "]"
			}
			lines = append(lines, l)
		case u.CurrentModeUpdate != nil:
			lines = append(lines, "mode "+string(u.CurrentModeUpdate.CurrentModeId))
		case u.SessionInfoUpdate != nil && u.SessionInfoUpdate.Title != nil:
			lines = append(lines, "titled "+*u.SessionInfoUpdate.Title)
		case u.UsageUpdate != nil:
			lines = append(lines, "usage")
		}
	}
	flush()
	e.updates = rest
	return lines
}

func (e *anEditor) has(id acp.SessionId, want ...string) {
	e.t.Helper()
	lines := e.told(id)
	at := 0
	for _, w := range want {
		i := slices.IndexFunc(lines[at:], func(l string) bool { return strings.Contains(l, w) })
		if i < 0 {
			e.t.Errorf("%q was not told, or not in its place. Told was:\n%s", w, strings.Join(lines, "\n"))
			return
		}
		at += i
	}
}
