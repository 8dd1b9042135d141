//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

// signalGroup sends sig to every process of the group; there may be none left.
func signalGroup(pid int, sig syscall.Signal) {
	if pid > 1 {
		_ = syscall.Kill(-pid, sig)
	}
}

func (g *group) interrupt(pid int) { signalGroup(pid, syscall.SIGINT) }
func (g *group) terminate(pid int) {
	signalGroup(pid, syscall.SIGTERM)
	signalGroup(pid, syscall.SIGCONT) // a stopped process hears TERM only when it goes on
}
func (g *group) kill(pid int) { signalGroup(pid, syscall.SIGKILL) }

func exitOf(st *os.ProcessState) (code int, signal string) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, ws.Signal().String()
	}
	return st.ExitCode(), ""
}
