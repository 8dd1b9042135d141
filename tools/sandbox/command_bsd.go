//go:build unix && !linux

package sandbox

import (
	"os/exec"
	"syscall"
)

// A group is a command's session and process group. What left it (setsid) is not
// found here.
type group struct{}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func (g *group) adopt(*exec.Cmd) {}
func (g *group) close()          {}

// members names the group itself while anything is in it.
func (g *group) members(pid int) []int {
	if syscall.Kill(-pid, 0) == nil {
		return []int{pid}
	}
	return nil
}

func (g *group) strays(pid int, _ string) []stray {
	if pid == 0 {
		return nil
	}
	var out []stray
	for _, pid := range g.members(pid) {
		out = append(out, stray{pid: pid})
	}
	return out
}

// markedProcesses: what another process has in its environment is not to be read
// here.
func markedProcesses(string) []stray { return nil }

func killAll(strays []stray) {
	for _, s := range strays {
		signalGroup(s.pid, syscall.SIGKILL)
	}
}
