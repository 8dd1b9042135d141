package child

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A group is a job object: what a server starts stays in it, and ends when forge
// does.
type group struct {
	mu  sync.Mutex
	job windows.Handle
}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

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
	h, openErr := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if openErr == nil {
		defer windows.CloseHandle(h)
		openErr = windows.AssignProcessToJobObject(job, h)
	}
	if err != nil || openErr != nil {
		windows.CloseHandle(job)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.job = job
}

// terminate does nothing: there is no second way to ask.
func (g *group) terminate(int) {}

func (g *group) kill(pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// sweep ends what is left in the job.
func (g *group) sweep(int, string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		windows.CloseHandle(g.job)
		g.job = 0
	}
}

func signalOf(*os.ProcessState) string { return "" }

// descendants finds nothing here: the job holds all that a server started.
func descendants(int) []kin { return nil }

func killAll([]kin) {}

// memoryOf is not known here.
func memoryOf(int) int64 { return 0 }
