package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/display"
	goldenfile "forge/ui/golden"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // a test makes a run crash
	os.Exit(m.Run())
}

// fakeAgent plays a script; what it was told is kept.
type fakeAgent struct {
	mu      sync.Mutex
	script  func(ctx context.Context, p agent.Prompt, sink agent.Sink) error
	compact func(ctx context.Context, sink agent.Sink) error
	history []agent.Event
	prompts []string
	steered []string
	running int
	most    int // runs at once
	soon    []func()
	whole   bool // nothing of its conversation was shortened
}

func (a *fakeAgent) Soon(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.soon = append(a.soon, f)
}

// step does what was handed in, as a run does before each model call.
func (a *fakeAgent) step() {
	a.mu.Lock()
	todo := a.soon
	a.soon = nil
	a.mu.Unlock()
	for _, f := range todo {
		f()
	}
}

func (a *fakeAgent) enter(prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompts = append(a.prompts, prompt)
	a.running++
	a.most = max(a.most, a.running)
}

func (a *fakeAgent) leave() { a.mu.Lock(); a.running--; a.mu.Unlock() }

func (a *fakeAgent) Run(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
	a.enter(p.Text)
	defer a.leave()
	sink(agent.UserMessage{Text: p.Text, Line: p.Line})
	err := a.script(ctx, p, sink)
	sink(agent.RunEnd{Err: err})
	return err
}

func (a *fakeAgent) Compact(ctx context.Context, focus string, sink agent.Sink) error {
	a.enter("compact " + focus)
	defer a.leave()
	return a.compact(ctx, sink)
}

func (a *fakeAgent) Uncompact(_ context.Context, sink agent.Sink) error {
	a.enter("uncompact")
	defer a.leave()
	if a.whole {
		return agent.ErrNotCompacted
	}
	sink(agent.Uncompacted{Before: 14_000, After: 92_000})
	return nil
}

func (a *fakeAgent) Replay(sink agent.Sink) {
	for _, e := range a.history {
		sink(e)
	}
}

func (a *fakeAgent) Shell(ctx context.Context, command string, run func(context.Context, io.Writer) (tools.Result, error), sink agent.Sink) error {
	a.enter("! " + command)
	defer a.leave()
	effect := tools.Effect{Kind: tools.Exec, Title: "! " + command, Command: command}
	sink(agent.ToolStart{ID: "own", Name: agent.OwnCommand, Effect: effect})
	sink(agent.ToolRunning{ID: "own"})
	res, err := run(ctx, sinkWriter(func(b []byte) { sink(agent.ToolOutput{ID: "own", Text: string(b)}) }))
	sink(agent.ToolEnd{ID: "own", Name: agent.OwnCommand, Result: res})
	sink(agent.RunEnd{Err: err})
	return err
}

type sinkWriter func([]byte)

func (w sinkWriter) Write(b []byte) (int, error) { w(b); return len(b), nil }

func (a *fakeAgent) Steer(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steered = append(a.steered, text)
}

func (a *fakeAgent) Unsent() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	texts := a.steered
	a.steered = nil
	return texts
}

func (a *fakeAgent) said() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.prompts, "|")
}

// pause waits in a run, until it is interrupted.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func testOptions(a Agent) Options {
	return Options{
		Agent: a, Feed: NewFeed(),
		Model: provider.Model{Provider: "demo", ID: "demo-1", Window: 100_000}, Effort: provider.EffortHigh,
		Mode: permission.ModeAsk, SetMode: func(permission.Mode) {},
		Cwd: "~/project", Version: "0.1", Theme: "dark", Getenv: func(string) string { return "" },
	}
}

// still is a model without a program, at a fixed time, for views and updates.
func still(t testing.TB, o Options, w, h int) *Model {
	t.Helper()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o.Now = func() time.Time { return now }
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	m := newModel(ctx, o)
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// tell folds events and does the work they ask for off the loop.
func tell(m *Model, es ...agent.Event) {
	for _, e := range es {
		work(m, m.event(e))
	}
}

// work runs a command and hands its messages back, those of the commands they
// cause included. It is only for commands that end at once.
func work(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			work(m, c)
		}
	default:
		_, next := m.Update(msg)
		work(m, next)
	}
}

func press(m *Model, keys ...string) {
	for _, k := range keys {
		m.Update(keyMsg(k))
	}
}

// keyMsg is the press a name like "ctrl+c" or a letter stands for.
func keyMsg(name string) tea.KeyPressMsg {
	k := tea.Key{}
	rest := name
	for {
		mod, tail, ok := strings.Cut(rest, "+")
		if !ok || tail == "" {
			break
		}
		switch mod {
		case "ctrl":
			k.Mod |= tea.ModCtrl
		case "alt":
			k.Mod |= tea.ModAlt
		case "shift":
			k.Mod |= tea.ModShift
		}
		rest = tail
	}
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "space": tea.KeySpace}
	if c, ok := codes[rest]; ok {
		k.Code = c
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(rest)[0]
	if k.Mod == 0 {
		k.Text = rest
	}
	return tea.KeyPressMsg(k)
}

func typeText(m *Model, s string) {
	for _, r := range s {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

// shot draws the view on a terminal emulator and returns its text.
func shot(m *Model) string {
	em := vt.NewEmulator(max(1, m.w), max(1, m.h))
	em.WriteString(strings.ReplaceAll(m.View().Content, "\n", "\r\n"))
	return trimmed(em.String())
}

func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \r")
	}
	return strings.Join(lines, "\n")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	goldenfile.Same(t, goldenfile.Of(name), got+"\n")
}

// screen is the whole program on a terminal emulator, inside a synctest bubble:
// its clock is the bubble's, so that waiting costs nothing.
type screen struct {
	t    *testing.T
	mu   sync.Mutex
	em   *vt.Emulator
	raw  bytes.Buffer
	keys *io.PipeWriter
	done chan error
	stop context.CancelFunc
	read func(written []byte) // what the terminal does with it beside; nil: nothing
}

// Write is the terminal's end of the program's output.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw.Write(b)
	taken := len(b)
	// Without a terminal for input the program leaves it to the line discipline to
	// turn a line feed into a new line.
	if runtime.GOOS != "windows" { // where a line feed is none anyway
		b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
	}
	s.em.Write(b)
	if s.read != nil {
		s.read(b)
	}
	return taken, nil
}

// start runs the program; call it in a bubble and end it with leave or wait.
func start(t *testing.T, o Options, w, h int) *screen {
	t.Helper()
	return startOn(t, o, w, h, []string{"TERM=xterm-256color", "COLORTERM=truecolor", "CLICOLOR_FORCE=1"}, nil)
}

// startOn is start on a terminal of one's own: its environment, and what it answers to
// what is written, as if it was typed.
func startOn(t *testing.T, o Options, w, h int, env []string, answer func(written []byte) string) *screen {
	t.Helper()
	in, keys := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	s := &screen{t: t, em: vt.NewEmulator(w, h), keys: keys, done: make(chan error, 1), stop: cancel}
	go io.Copy(io.Discard, s.em) // the emulator's replies
	if answer != nil {
		answers := make(chan string, 1000)
		t.Cleanup(func() { close(answers) })
		go func() {
			for a := range answers {
				if _, err := io.WriteString(keys, a); err != nil {
					return
				}
			}
		}()
		s.read = func(b []byte) {
			if a := answer(b); a != "" {
				answers <- a
			}
		}
	}
	o.Terminal = display.Terminal{Input: in, Output: s, Width: w, Height: h, NoSignals: true, Env: env}
	go func() {
		err := Run(ctx, o)
		in.Close()
		s.done <- err
	}()
	t.Cleanup(s.close)
	for range 2000 { // a question at the start stands where the prompt would
		if strings.ContainsAny(s.text(), "›▲") {
			return s
		}
		time.Sleep(glance)
	}
	t.Fatalf("neither a prompt nor a question:\n%s", s.text())
	return s
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return trimmed(s.em.String())
}

// glance is how often the screen is looked at: never at the moment a timer of the
// program runs out, after which what is seen would depend on who is first.
const glance = 9973 * time.Microsecond

// see waits until text is on the screen.
func (s *screen) see(text string) {
	s.t.Helper()
	for range 2000 {
		if strings.Contains(s.text(), text) {
			return
		}
		time.Sleep(glance)
	}
	s.t.Fatalf("no %q on the screen:\n%s", text, s.text())
}

// gone waits until text is not on the screen.
func (s *screen) gone(text string) {
	s.t.Helper()
	for range 2000 {
		if !strings.Contains(s.text(), text) {
			return
		}
		time.Sleep(glance)
	}
	s.t.Fatalf("still %q on the screen:\n%s", text, s.text())
}

func (s *screen) send(bytes string) {
	if _, err := io.WriteString(s.keys, bytes); err != nil {
		s.t.Errorf("keys: %v", err)
	}
	time.Sleep(200 * time.Millisecond) // longer than the rest of an escape sequence is waited for
}

// wait returns how the program ended and checks that it left the terminal as it
// found it.
func (s *screen) wait() error {
	s.t.Helper()
	var err error
	select {
	case err = <-s.done:
	case <-time.After(30 * time.Second):
		s.t.Fatalf("the program did not end:\n%s", s.text())
	}
	s.close()
	raw := s.raw.String()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?2004h": "\x1b[?2004l", "\x1b[?1002h": "\x1b[?1002l"} {
		if strings.LastIndex(raw, on) > strings.LastIndex(raw, off) {
			s.t.Errorf("the terminal was left with %q on", on)
		}
	}
	synctest.Wait()
	return err
}

// close ends what start began, also after a failed test.
func (s *screen) close() {
	s.stop()
	s.keys.Close()
	if replies, ok := s.em.InputPipe().(io.Closer); ok {
		replies.Close() // Emulator.Close races with its Read
	}
	synctest.Wait()
	time.Sleep(2 * flashTime) // timers of the screen run out
}

func bubble(t *testing.T, f func(t *testing.T)) { t.Helper(); synctest.Test(t, f) }

func long(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func plainRows(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

func cellsOf(s string) int { return ansi.StringWidth(s) }

func benchModel(w, h int) *Model {
	o := testOptions(&fakeAgent{})
	m := newModel(context.Background(), o)
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}
