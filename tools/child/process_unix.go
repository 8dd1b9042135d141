//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// A group is a server's session and process group.
type group struct{}

func (g *group) adopt(*exec.Cmd) {}

func (g *group) terminate(pid int) {
	signalGroup(pid, syscall.SIGTERM)
	signalGroup(pid, syscall.SIGCONT) // a stopped process hears TERM only when it goes on
}

func (g *group) kill(pid int) { signalGroup(pid, syscall.SIGKILL) }

// left kills what a server that has just ended left in its group.
func (g *group) left(pid int) { g.kill(pid) }

// sweep kills what left the group.
func (g *group) sweep(mark string) {
	for range 5 { // what forks while it is looked for is found the next time
		if killMarked(mark) == 0 {
			return
		}
	}
}

func signalGroup(pid int, sig syscall.Signal) {
	if pid > 1 {
		_ = syscall.Kill(-pid, sig)
	}
}

func signalOf(st *os.ProcessState) string {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return ws.Signal().String()
	}
	return ""
}
