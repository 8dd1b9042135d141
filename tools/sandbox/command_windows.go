package sandbox

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: what a command starts stays in it, and ends when forge
// does.
type group struct {
	mu  sync.Mutex
	job windows.Handle
}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if len(cmd.Args) == 5 && cmd.Args[3] == "/c" { // cmd takes its line as it stands
		cmd.SysProcAttr.CmdLine = `"` + cmd.Args[0] + `" /d /s /c "` + cmd.Args[4] + `"`
	}
}

// adopt puts the process into a job that dies with its last handle.
func (g *group) adopt(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	defer windows.CloseHandle(h)
	if windows.AssignProcessToJobObject(job, h) != nil {
		windows.CloseHandle(job)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.job = job
}

func (g *group) interrupt(pid int) {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(pid))
}

// terminate does nothing: there is no second way to ask.
func (g *group) terminate(int) {}

func (g *group) kill(pid int) {
	g.mu.Lock()
	job := g.job
	g.mu.Unlock()
	if job != 0 {
		_ = windows.TerminateJobObject(job, 1)
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// close ends what is left in the job.
func (g *group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

// members and strays are not listed here: the job knows them.
func (g *group) members(int) []int          { return nil }
func (g *group) strays(int, string) []stray { return nil }

func killAll([]stray) {}

func exitOf(st *os.ProcessState) (code int, signal string) { return st.ExitCode(), "" }
