package display

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"reflect"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Attributes is what a terminal answers when it is asked what it is (DA1). Bubble Tea
// hands it to models as it comes.
type Attributes = uv.PrimaryDeviceAttributesEvent

// open finds the terminal and says how Bubble Tea is to be run on it: with the renderer
// that draws nothing, with its clock at the slowest, and without input: input reads.
func open(ctx context.Context, t Terminal) (*screen, []tea.ProgramOption, error) {
	s := &screen{w: t.Output, env: t.Env, modes: modes{cursor: true}}
	if s.w == nil {
		s.w = os.Stdout
	}
	if s.env == nil {
		s.env = os.Environ()
	}
	s.konsole = konsole(s.env)
	in := t.Input
	if in == nil {
		in = os.Stdin
	}
	w, h := t.Width, t.Height
	if s.tty = newTTY(in, s.w, s.env); s.tty != nil {
		var err error
		if w, h, err = s.tty.size(); err != nil {
			return nil, nil, fmt.Errorf("read the terminal's size: %w", err)
		}
		s.tty.w, s.tty.h = w, h
	}
	s.input = input{from: in, term: uv.Environ(s.env).Getenv("TERM")}
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithoutSignalHandler(), tea.WithFPS(1), tea.WithFilter(s.filter),
		tea.WithInput(nil), tea.WithOutput(s), tea.WithEnvironment(s.env), tea.WithWindowSize(w, h),
		tea.WithColorProfile(colorprofile.Detect(s.w, s.env)),
	}
	return s, options, nil
}

// guarded is a model whose views go to the screen, and whose panics leave the terminal
// as it was before they are told.
type guarded struct {
	tea.Model
	s *screen
}

func (g guarded) Init() tea.Cmd {
	defer g.s.rescue()
	g.s.still()
	return g.s.guard(g.Model.Init())
}

func (g guarded) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer g.s.rescue()
	m, cmd := g.Model.Update(msg)
	g.Model = m
	return g, g.s.guard(cmd)
}

func (g guarded) View() tea.View {
	defer g.s.rescue()
	if p, ok := g.Model.(Printer); ok {
		g.s.print(p.Above())
	}
	g.s.show(g.Model.View())
	return tea.View{}
}

// Printer is a model that leaves rows in the terminal, above its frame on the main
// screen. Above is asked before every View and returns what is new of them; they are
// written together with the frame of that view, so that nothing is seen twice. At the end
// the frame of such a model goes, and the rows stay.
type Printer interface{ Above() []string }

// Marks a Printer may put around what a person asked: terminals jump from one to the next
// by them (OSC 133). The first stands at the very begin of its first row. The other one is
// written at the begin of the row behind the last, since of two in one row Kitty knows only
// the later: at the very end of the last row, so that the terminal knows at once that no
// prompt waits, and again at the very begin of the next row, which is written over what
// stood there meanwhile. Kitty and Ghostty
// would take a prompt away when the window changes its size, for a shell to draw it
// again, unless they are told that nobody does.
var (
	PromptBegins = ansi.FinalTermPrompt("redraw=0")
	PromptEnds   = ansi.FinalTermCmdExecuted()
)

// print takes rows to be left above the frame.
func (s *screen) print(rows []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prints = true
	s.above = append(s.above, rows...)
}

// rescue is deferred where a panic may pass: Bubble Tea prints it, which nobody would
// see on the alternate screen. The stack stays as it was.
func (s *screen) rescue() {
	if r := recover(); r != nil {
		s.leave()
		panic(r)
	}
}

var cmdsType = reflect.TypeFor[[]tea.Cmd]()

// guard is a command whose panic is rescued from, too; so are those of the commands it
// brings, of which Bubble Tea has two kinds, and one of them without a name.
func (s *screen) guard(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		defer s.rescue()
		msg := cmd()
		if v := reflect.ValueOf(msg); v.IsValid() && v.Kind() == reflect.Slice && v.CanConvert(cmdsType) {
			cmds := v.Convert(cmdsType).Interface().([]tea.Cmd) // the same elements
			for i, c := range cmds {
				cmds[i] = s.guard(c)
			}
		}
		return msg
	}
}

// said is what a program may tell the terminal with a text of its own, by the type of
// the message, which is that text.
var said = map[reflect.Type]func(text string) string{
	reflect.TypeOf(tea.SetClipboard("")()):        ansi.SetSystemClipboard,
	reflect.TypeOf(tea.SetPrimaryClipboard("")()): ansi.SetPrimaryClipboard,
	reflect.TypeOf(tea.RequestCapability("")()):   func(name string) string { return ansi.RequestTermcap(name) },
}

// asked is what a program may ask of the terminal.
var asked = []struct {
	msg tea.Msg
	seq string
}{
	{tea.RequestBackgroundColor(), ansi.RequestBackgroundColor},
	{tea.RequestForegroundColor(), ansi.RequestForegroundColor},
	{tea.RequestCursorColor(), ansi.RequestCursorColor},
	{tea.RequestCursorPosition(), ansi.RequestCursorPositionReport},
	{tea.RequestTerminalVersion(), ansi.RequestNameVersion},
	{tea.ReadClipboard(), ansi.RequestSystemClipboard},
	{tea.ReadPrimaryClipboard(), ansi.RequestPrimaryClipboard},
	{tea.RequestProgramStatusSupport(), ansi.RequestProgramStatusSupport},
}

var clearScreen = tea.ClearScreen()

// filter sees every message before the model, and does what Bubble Tea's renderer would
// have done with it. What Bubble Tea would write itself at a tick of its clock is written
// here, too: there is no such tick.
func (s *screen) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if s.konsole {
		if k, ok := msg.(tea.KeyboardEnhancementsMsg); ok && k.Flags != 0 { // it tells keys apart by itself
			s.konsole = false
		}
		msg = shiftEnter(msg)
	}
	if msg = s.console.key(msg); msg == nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if s.tty != nil {
			msg = s.tty.truly(msg)
		}
		s.resize(msg.Width, msg.Height)
		return msg
	case tea.ColorProfileMsg:
		s.colours(msg.Profile)
	case tea.ModeReportMsg:
		s.answered(msg)
	case tea.CursorPositionMsg:
		return s.located(msg)
	case measureMsg:
		s.ask()
		return nil
	case wideMsg:
		s.wider(bool(msg))
		return nil
	case tea.RawMsg:
		s.say(fmt.Sprint(msg.Msg))
		return nil
	case tea.SuspendMsg:
		if !suspends {
			return nil
		}
		_ = s.turn(suspend) // it goes on, suspended or not
		return tea.ResumeMsg{}
	case lendMsg:
		s.then(msg.then, s.turn(func() error { return s.lend(msg.use) }))
		return nil
	case execMsg:
		s.then(msg.then, s.turn(func() error { return s.run(msg.cmd) }))
		return nil
	default:
		if msg == clearScreen {
			s.clear()
			return msg
		}
		if seq := said[reflect.TypeOf(msg)]; seq != nil {
			s.say(seq(fmt.Sprint(msg)))
			return nil
		}
		for _, a := range asked {
			if msg == a.msg {
				s.say(a.seq)
				return nil
			}
		}
	}
	return msg
}

type execMsg struct {
	cmd  *exec.Cmd
	then func(error) tea.Msg
}

// Exec lets another program have the terminal until it ends; then is called with its
// error and may return a message. The screen stands still meanwhile.
func Exec(cmd *exec.Cmd, then func(error) tea.Msg) tea.Cmd {
	return func() tea.Msg { return execMsg{cmd, then} }
}

// run runs a program on the terminal.
func (s *screen) run(cmd *exec.Cmd) error {
	if s.tty != nil {
		cmd.Stdin, cmd.Stdout = s.tty.in, s.tty.out
	}
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// turn is somebody else's time with the terminal. The program's loop waits for its end,
// and nobody reads keys meanwhile.
func (s *screen) turn(what func() error) error {
	s.input.hush()
	s.leave()
	err := what()
	if e := s.enter(); err == nil {
		err = e
	}
	if e := s.input.listen(s.rescue); err == nil {
		err = e
	}
	if s.tty != nil {
		go s.tell() // it may have been resized
	}
	return err
}

// then tells the program how a turn ended, after what is being done in its loop now.
func (s *screen) then(tell func(error) tea.Msg, err error) {
	if tell != nil {
		go func() {
			defer s.rescue()
			s.send(tell(err))
		}()
	}
}
