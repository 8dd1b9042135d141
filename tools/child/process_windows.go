package child

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"forge/tools/job"
)

// A group is a job: what a server starts stays in it, and ends when forge does.
type group struct{ job job.Job }

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

func (g *group) adopt(cmd *exec.Cmd) { g.job.Adopt(cmd.Process.Pid) }

// terminate does nothing: there is no second way to ask.
func (g *group) terminate(int) {}

func (g *group) kill(pid int) { g.job.Kill(pid) }

// left ends what a server that has just ended left in its job.
func (g *group) left(int) { g.job.End() }

// sweep lets the job go, with what is left in it.
func (g *group) sweep(string) { g.job.Close() }

func signalOf(*os.ProcessState) string { return "" }

// descendants finds nothing here: the job holds all that a server started.
func descendants(int) []kin { return nil }

func killAll([]kin) {}

// memoryOf is not known here.
func memoryOf(int) int64 { return 0 }
