//go:build unix

package child

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ends fails where a process does not end.
func ends(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if syscall.Kill(pid, 0) == syscall.ESRCH {
			return
		}
		if b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil && strings.Contains(string(b), ") Z ") { // nobody reaps it here
			return
		}
	}
	t.Errorf("process %d is still there", pid)
}

// What a server that ends by itself left in its group ends with it, also where it carries
// no mark, and before anybody asks.
func TestLeftInTheGroup(t *testing.T) {
	p, err := Start([]string{"/bin/sh", "-c", "env -i sleep 1000 >/dev/null 2>&1 & echo $!"}, "", os.Environ(), io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.End)
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	ends(t, pid)
}

// The number of a server that has ended may be another's when End is called.
func TestNumberOfAnother(t *testing.T) {
	other := exec.Command("sleep", "1000")
	other.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- other.Wait() }()
	t.Cleanup(func() { _ = other.Process.Kill() })
	p, err := Start([]string{"/bin/sh", "-c", ":"}, "", os.Environ(), io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	p.cmd.Process.Pid = other.Process.Pid
	if n := p.Memory(); n != 0 {
		t.Errorf("it holds %d bytes", n)
	}
	p.End()
	_ = other.Process.Signal(syscall.SIGUSR1) // which a sleep dies of, where nothing else ended it
	if err := <-over; err == nil || !strings.Contains(err.Error(), "user defined signal 1") {
		t.Errorf("the other ended by %v", err)
	}
}
