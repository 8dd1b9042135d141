//go:build unix

package sandbox

import (
	"os/signal"
	"syscall"
)

// guards says whether a guardian is needed: no kernel of these ends a whole tree of
// processes by itself.
const guards = true

// ownSession keeps the terminal's signals and its end from a process.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// ignoreSignals lets a guardian live until forge is gone, whatever the terminal or
// a person sends to all of forge's processes.
func ignoreSignals() {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGTSTP, syscall.SIGUSR1, syscall.SIGUSR2)
}
