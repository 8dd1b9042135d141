//go:build unix

package display

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

const (
	// restWait is how long the last output of a program is waited for that has ended,
	// and hangWait how long one may live that lost its terminal.
	restWait = 500 * time.Millisecond
	hangWait = 2 * time.Second
)

// Relay runs a program until it ends, on a terminal of its own that is as large as the
// person's, on in and out: their keys go to it, all of them, and what it writes to theirs.
// It is called while the terminal is lent. Whatever the program did, or whatever was done to
// it, afterwards the terminal is as it was, and keys nobody read are gone. The last key of
// three ctrl+\ in a row ends a program that nothing else ends.
func Relay(cmd *exec.Cmd, in, out *os.File) Relayed {
	master, slave, err := pty.Open()
	if err != nil {
		return Relayed{Err: err}
	}
	defer master.Close()
	_ = pty.InheritSize(out, master)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	keys, err := uv.NewCancelReader(in)
	if err != nil {
		slave.Close()
		return Relayed{Err: err}
	}
	state, err := term.MakeRaw(in.Fd())
	if err != nil {
		slave.Close()
		return Relayed{Err: err}
	}
	defer term.Restore(in.Fd(), state)
	changes, stop := sizeChanges()
	defer stop()
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(ends)

	err = cmd.Start()
	slave.Close()
	if err != nil {
		return Relayed{Err: err}
	}
	r := overheard{end: end{max: keptOutput}}
	wrote, typed, over := make(chan bool, 1), make(chan bool, 1), make(chan error, 1)
	go func() { wrote <- r.copy(out, master) }()
	go func() { typed <- forward(master, keys, r.asks) }()
	go func() { over <- cmd.Wait() }()

	var late <-chan time.Time // for a program that lost its terminal
	hang := func() {
		if late != nil {
			return
		}
		late = time.After(hangWait)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP)
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT)
	}
	quiet := false // it writes no more
	for running := true; running; {
		select {
		case <-changes:
			_ = pty.InheritSize(out, master)
		case <-ends:
			hang()
		case lost := <-typed:
			if typed = nil; lost {
				hang()
			}
		case lost := <-wrote:
			if wrote, quiet = nil, true; lost {
				hang()
			}
		case <-late:
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		case err = <-over:
			running = false
		}
	}
	keys.Cancel()
	if typed != nil {
		select {
		case <-typed:
		case <-time.After(hushAfter):
		}
	}
	_ = keys.Close() // what it holds beside the terminal
	if !quiet {
		select {
		case <-wrote:
		case <-time.After(restWait): // something it started goes on writing
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	rest := r.watch.undo()
	if !r.watch.alt && r.last != 0 && r.last != '\n' || r.watch.alt {
		rest += "\r\n"
	}
	_, _ = writeAll(out, []byte(rest))
	_ = flush(int(in.Fd())) // they were meant for it
	return r.result(err)
}

// copy hands on what the program writes, until it has no terminal any more. It reports
// whether the person's is gone.
func (r *overheard) copy(out io.Writer, master io.Reader) (lost bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := master.Read(buf)
		if n > 0 {
			if going, lost := r.hand(out, buf[:n]); !going {
				return lost
			}
		}
		if err != nil {
			return false
		}
	}
}

// hand hands on a piece.
func (r *overheard) hand(out io.Writer, b []byte) (going, lost bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done {
		return false, false
	}
	r.take(b)
	_, err := writeAll(out, b)
	return err == nil, err != nil
}

// lastKeys are the ways in which terminals send ctrl+\: as ever, by Kitty's protocol, and by
// xterm's.
var lastKeys = [...]string{"\x1c", "\x1b[92;5u", "\x1b[92;5:1u", "\x1b[27;5;92~"}

// forward hands keys on. It reports whether the program is to lose its terminal: the
// person's is gone, or they pressed ctrl+\ three times in a row.
//
// As long as the program has asked the terminal nothing, what the terminal says comes late,
// to whoever had it before, and is for nobody.
func forward(master io.Writer, keys io.Reader, asks func() bool) (lost bool) {
	buf := make([]byte, 4096)
	var held []byte
	pressed := 0
	for {
		n, err := keys.Read(buf)
		if n > 0 {
			b := buf[:n]
			if pressed = quits(b, pressed); pressed >= 3 {
				return true
			}
			if b = append(held, b...); asks() {
				held = nil
			} else {
				b, held = unasked(b)
			}
			if _, e := master.Write(b); e != nil {
				return false
			}
		}
		if err != nil {
			return true // where nobody ended the reading
		}
	}
}

// quits counts the ctrl+\ that came one after another, the last of them at the end.
func quits(b []byte, before int) int {
next:
	for len(b) > 0 {
		for _, k := range lastKeys {
			if bytes.HasPrefix(b, []byte(k)) {
				before++
				b = b[len(k):]
				continue next
			}
		}
		if rest, let := bytes.CutPrefix(b, []byte("\x1b[92;5:3u")); let { // it was let go
			b = rest
			continue
		}
		if before >= 3 {
			return before
		}
		before = 0
		b = b[1:]
	}
	return before
}
