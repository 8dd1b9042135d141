//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// unprivileged runs forge as somebody from whom files can be kept: as ourselves,
// unless that is root.
func (p *program) unprivileged(t *testing.T) func(args ...string) (stdout, stderr string, code int) {
	if os.Getuid() != 0 {
		return func(args ...string) (string, string, int) { return p.run(t, args...) }
	}
	const nobody = 65534
	// The way to the folders, the program and the person's files must be open.
	bin := filepath.Join(t.TempDir(), "forge")
	from, err := exec.LookPath("forge")
	if err != nil {
		t.Fatal(err)
	}
	copyFile(t, from, bin)
	for _, dir := range []string{p.dir, p.home, filepath.Dir(bin)} {
		for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chmod(p.home, 0o777); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (string, string, int) {
		c := p.command(args...)
		c.Path, c.Err = bin, nil
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		var out, errOut bytes.Buffer
		c.Stdout, c.Stderr = &out, &errOut
		err := c.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return out.String(), errOut.String(), c.ProcessState.ExitCode()
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	syscall.ForkLock.RLock() // see writeFile
	defer syscall.ForkLock.RUnlock()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
