//go:build unix

package display

import (
	"os"
	"os/signal"
	"syscall"
)

// sizeChanges says when the size may be another one.
func sizeChanges() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}

const suspends = true

// suspend stops the whole job, as the terminal would at ctrl+z, until somebody
// continues it.
func suspend() error {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	defer signal.Stop(c)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	<-c
	return nil
}
