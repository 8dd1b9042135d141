//go:build unix

package display

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sizeChanges says when the size may be another one.
func sizeChanges() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}

const suspends = true

// suspend stops the whole job, as the terminal would at ctrl+z, until somebody
// continues it. Where there is no shell to do that, as for the first process of a
// container, the system does not stop it: then it goes on by itself.
func suspend() error {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGCONT)
	defer signal.Stop(c)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return err
	}
	select { // whoever was stopped comes here when it is over
	case <-c:
	case <-time.After(300 * time.Millisecond):
	}
	return nil
}
