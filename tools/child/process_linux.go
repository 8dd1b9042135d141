package child

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func (g *group) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:    true,            // no terminal: it can neither paint on ours nor read from it
		Pdeathsig: syscall.SIGKILL, // forge was killed: so is its server
	}
}

// killMarked kills the processes that carry the mark in their environment and
// tells how many there were.
func killMarked(mark string) int {
	dir, err := os.Open("/proc")
	if err != nil {
		return 0
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	n := 0
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid <= 1 {
			continue
		}
		env, err := os.ReadFile("/proc/" + name + "/environ")
		if err == nil && bytes.Contains(env, []byte(markName+"="+mark+"\x00")) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			n++
		}
	}
	return n
}

// descendants are the processes that pid started, and those that these did. A mark in
// the environment finds them, too, but not one that was given another environment.
func descendants(pid int) []kin {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	children := map[int][]kin{}
	for _, name := range names {
		if child, err := strconv.Atoi(name); err == nil {
			if parent, began := parentOf(child); began != "" {
				children[parent] = append(children[parent], kin{child, began})
			}
		}
	}
	var all []kin
	for next := children[pid]; len(next) > 0; next = next[1:] {
		all = append(all, next[0])
		next = append(next, children[next[0].pid]...)
	}
	return all
}

// parentOf reads who started a process, and when; empty: it is gone.
func parentOf(pid int) (parent int, began string) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, ""
	}
	// The name, in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, ""
	}
	parent, err = strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0, ""
	}
	return parent, string(fields[19])
}

func killAll(list []kin) {
	for _, k := range list {
		if _, began := parentOf(k.pid); began == k.began {
			_ = syscall.Kill(k.pid, syscall.SIGKILL)
		}
	}
}

// memoryOf is what a process holds in memory, in bytes; 0: it is gone.
func memoryOf(pid int) int64 {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := bytes.Fields(b)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
