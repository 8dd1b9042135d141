package mcp

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
