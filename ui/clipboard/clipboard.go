// Package clipboard puts text on the clipboard of the person who sits at the terminal.
//
// There are two ways, and neither says for sure that it worked, so both are taken:
// a sequence the terminal reads (OSC 52), which also works over ssh, and a program
// of the system where one can reach a clipboard. It owns neither; package ui sends
// what Sequence returns and calls Native off its loop.
package clipboard

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// MaxSequence is the longest text that is sent as a sequence, in bytes: terminals
// drop more (xterm's and tmux' bounds are near one megabyte in base64).
const MaxSequence = 700_000

// Sequence is what makes a terminal take text, or nothing where TERM says that it
// would print it or where text is too long. Inside tmux the sequence is also wrapped:
// tmux takes the plain one with set-clipboard on, and hands the wrapped one through
// with allow-passthrough on. GNU screen hands it through in pieces.
func Sequence(text string, getenv func(string) string) string {
	term := getenv("TERM")
	if len(text) > MaxSequence || term == "" || term == "dumb" || term == "linux" {
		return ""
	}
	seq := ansi.SetSystemClipboard(text)
	switch {
	case getenv("TMUX") != "":
		return seq + ansi.TmuxPassthrough(seq)
	case getenv("STY") != "" || strings.HasPrefix(term, "screen"):
		const piece = 240 // screen's buffer for one string is 256 bytes
		return ansi.ScreenPassthrough(seq, piece)
	}
	return seq
}

// ErrNone says that no program here reaches a clipboard.
var ErrNone = errors.New("no program for the clipboard was found: install wl-clipboard, xclip or xsel")

// wait is how long a program may take.
const wait = 3 * time.Second

// Native hands text to the system's program for it: the first that is there. Over
// ssh the system is not the one the person sits at, so none is tried, but for tmux,
// which passes text on to its terminal.
func Native(ctx context.Context, text string, getenv func(string) string) error {
	if !remote(getenv) {
		if err := direct(text); err == nil {
			return nil
		} else if !errors.Is(err, ErrNone) && len(writers(runtime.GOOS, getenv)) == 0 {
			return err
		}
	}
	for _, argv := range writers(runtime.GOOS, getenv) {
		path, err := pathsOf(getenv).look(argv[0])
		if err != nil {
			continue
		}
		patience := wait
		if argv[0] == powershell {
			patience = readWait
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, argv[1:]...)
		cmd.Stdin = strings.NewReader(text)
		var said bytes.Buffer
		cmd.Stderr = &said
		// xclip and wl-copy stay behind to serve the text and keep the pipe open.
		cmd.WaitDelay = 200 * time.Millisecond
		if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
			if s := strings.TrimSpace(said.String()); s != "" {
				return errors.New(argv[0] + ": " + s)
			}
			return errors.New(argv[0] + ": " + err.Error())
		}
		return nil
	}
	return ErrNone
}

// powershell takes text whatever its letters: clip.exe takes those of the country alone,
// and two bytes for one of them.
const (
	powershell = "powershell.exe"
	copyScript = `$m = New-Object IO.MemoryStream; [Console]::OpenStandardInput().CopyTo($m); Set-Clipboard -Value ([Text.Encoding]::UTF8.GetString($m.ToArray()))`
)

// Program is the program Native would take, or the system itself, if there is one; wanted says whether
// there is a clipboard here that a program could reach. look finds a program.
func Program(getenv func(string) string, look func(string) (string, error)) (name string, wanted bool) {
	if ofSystem != "" && !remote(getenv) {
		return ofSystem, true
	}
	all := writers(runtime.GOOS, getenv)
	for _, argv := range all {
		if _, err := look(argv[0]); err == nil {
			return argv[0], true
		}
	}
	return "", len(all) > 0
}

// writers lists what may be tried, the surest first, each as an argument list.
func writers(system string, getenv func(string) string) [][]string {
	var out [][]string
	if getenv("TMUX") != "" {
		out = append(out, []string{"tmux", "load-buffer", "-w", "-"})
	}
	if getenv("SSH_TTY") != "" || getenv("SSH_CONNECTION") != "" {
		return out
	}
	switch {
	case system == "darwin":
		out = append(out, []string{"pbcopy"})
	case system == "windows" || getenv("WSL_DISTRO_NAME") != "":
		out = append(out, []string{powershell, "-NoProfile", "-NonInteractive", "-Command", copyScript})
	}
	if getenv("WAYLAND_DISPLAY") != "" {
		out = append(out, []string{"wl-copy"})
	}
	if getenv("DISPLAY") != "" {
		out = append(out, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	if getenv("TERMUX_VERSION") != "" {
		out = append(out, []string{"termux-clipboard-set"})
	}
	return out
}
