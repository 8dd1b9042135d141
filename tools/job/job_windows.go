package job

import (
	"os"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Job is a job object; the zero one holds nothing yet. Its methods may be called from any
// goroutine.
type Job struct {
	mu     sync.Mutex
	handle windows.Handle
}

// Adopt puts a process that was just started into a job of its own, which dies with its
// last handle. Where Windows has none to give, Kill ends that process alone.
func (j *Job) Adopt(pid int) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err == nil {
		err = assign(handle, pid)
	}
	if err != nil {
		windows.CloseHandle(handle)
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.handle = handle
}

func assign(handle windows.Handle, pid int) error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(p)
	return windows.AssignProcessToJobObject(handle, p)
}

// Kill ends all that is in the job; without one, the process that was to be in it.
func (j *Job) Kill(pid int) {
	if j.End() {
		return
	}
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// End ends all that is in the job, and reports false where there is none.
func (j *Job) End() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle == 0 {
		return false
	}
	_ = windows.TerminateJobObject(j.handle, 1)
	return true
}

// Close ends what is left in the job, and lets it go.
func (j *Job) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		windows.CloseHandle(j.handle)
		j.handle = 0
	}
}
