package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"forge/sorting"
)

// A group is a command's processes: its session and process group, and those
// that left it but carry its mark. They are found in /proc, without making forge
// the reaper of orphans: that would be a state of the whole program.
type group struct{}

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:    true,            // no terminal: nothing can be typed into ours
		Pdeathsig: syscall.SIGKILL, // forge was killed: so is its child
	}
}

func (g *group) adopt(*exec.Cmd) {}
func (g *group) close()          {}

// members lists the living processes of the group.
func (g *group) members(pid int) []int {
	if syscall.Kill(-pid, 0) == syscall.ESRCH {
		return nil
	}
	var out []int
	for _, st := range processes() {
		if st.group == pid && st.alive() {
			out = append(out, st.pid)
		}
	}
	return out
}

// strays lists the living processes that carry the mark and, where pid is not 0,
// those that descend from pid or are in its group.
func (g *group) strays(pid int, mark string) []stray {
	all := processes()
	ours := map[int]bool{}
	if pid != 0 {
		ours[pid] = true
	}
	for grew := true; grew; {
		grew = false
		for _, st := range all {
			if !ours[st.pid] && pid != 0 && (ours[st.parent] || st.group == pid) {
				ours[st.pid], grew = true, true
			}
		}
	}
	var out []stray
	for _, st := range all {
		if st.alive() && st.pid != pid && (ours[st.pid] || marked(st.pid, mark)) {
			out = append(out, stray{st.pid, st.start})
		}
	}
	return out
}

// killAll kills processes that were found to be ours, unless they are gone and
// their number is another's.
func killAll(strays []stray) {
	for _, s := range strays {
		if st, ok := readStat(s.pid); ok && st.start == s.start && s.pid > 1 {
			_ = syscall.Kill(s.pid, syscall.SIGKILL)
		}
	}
}

// marked says whether the process was started with the mark in its environment.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(env, []byte(markName+"="+mark+"\x00"))
}

// markedProcesses lists the living processes with text in their environment.
func markedProcesses(text string) (out []stray) {
	for _, st := range processes() {
		if !st.alive() || st.pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(st.pid) + "/environ")
		if err == nil && bytes.Contains(env, []byte(text)) {
			out = append(out, stray{st.pid, st.start})
		}
	}
	return out
}

// A stat is what /proc tells of one process.
type stat struct {
	pid, parent, group int
	state              byte
	start              string // clock ticks since boot
}

func (s stat) alive() bool { return s.state != 'Z' && s.state != 'X' }

func processes() []stat {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var out []stat
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if st, ok := readStat(pid); ok {
			out = append(out, st)
		}
	}
	sorting.By(out, func(a, b stat) int { return a.pid - b.pid })
	return out
}

// readStat reads state, parent, group and start, which follow the name in parentheses;
// the name may hold anything.
func readStat(pid int) (stat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return stat{}, false
	}
	f := bytes.Fields(b[i+1:])
	if len(f) < 20 {
		return stat{}, false
	}
	parent, err1 := strconv.Atoi(string(f[1]))
	group, err2 := strconv.Atoi(string(f[2]))
	return stat{pid: pid, parent: parent, group: group, state: f[0][0], start: string(f[19])}, err1 == nil && err2 == nil
}
