package sandbox

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"

	"forge/tools/job"
)

// A group is a job: what a command starts stays in it, and ends when forge does.
type group struct{ job job.Job }

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if len(cmd.Args) == 5 && cmd.Args[3] == "/c" { // cmd takes its line as it stands
		cmd.SysProcAttr.CmdLine = `"` + cmd.Args[0] + `" /d /s /c "` + cmd.Args[4] + `"`
	}
}

func (g *group) adopt(cmd *exec.Cmd) { g.job.Adopt(cmd.Process.Pid) }

func (g *group) interrupt(pid int) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid))
}

// terminate does nothing: there is no second way to ask.
func (g *group) terminate(int) {}

func (g *group) kill(pid int) { g.job.Kill(pid) }

// close ends what is left in the job.
func (g *group) close() { g.job.Close() }

// members and strays are not listed here: the job knows them.
func (g *group) members(int) []int          { return nil }
func (g *group) strays(int, string) []stray { return nil }

func killAll([]stray) {}

func exitOf(st *os.ProcessState) (code int, signal string) { return st.ExitCode(), "" }
