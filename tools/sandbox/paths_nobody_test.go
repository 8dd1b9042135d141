//go:build linux

package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Much that is refused to others is allowed to root: the rows run as both.
func TestPathCorpusAsNobody(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the rows run without root already")
	}
	dir, err := os.MkdirTemp("", "forge-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	out := asNobody(t, dir, "TestPathCorpus|TestReadOnlyFiles|TestWriteInPlace|TestDeleteInPart")
	if n := strings.Count(out, "--- PASS: TestPathCorpus/"); n < 538 {
		t.Errorf("only %d rows ran", n)
	}
	for _, name := range []string{"TestWriteInPlace", "TestDeleteInPart"} {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s did not run", name)
		}
	}
}

// asNobody runs tests of this package in a folder that is open to all, as somebody who
// owns nothing, and gives what they say.
func asNobody(t *testing.T, dir, tests string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "test")
	copyFile(t, self, bin)
	c := exec.Command(bin, "-test.run=^("+tests+")$", "-test.v")
	c.Dir = dir
	c.Env = []string{"TMPDIR=" + dir, "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
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
