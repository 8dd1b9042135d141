//go:build unix

package sandbox_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"forge/tools/permission"
)

// step does one thing of a row's set-up, or notes it.
func (s *scene) step(step string) error {
	verb, rest, _ := strings.Cut(step, " ")
	two := func(sep string) (string, string) { a, b, _ := strings.Cut(rest, sep); return a, b }
	switch verb {
	case "":
		return nil
	case "dir":
		return os.MkdirAll(rest, 0o755)
	case "file":
		p, text := two("=")
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		return os.WriteFile(p, []byte(text), 0o644)
	case "link":
		p, to := two(" -> ")
		return os.Symlink(to, p)
	case "hard":
		p, to := two(" -> ")
		return os.Link(to, p)
	case "fifo":
		return syscall.Mkfifo(rest, 0o644)
	case "sock":
		// The name of a socket may be 108 bytes long: bind it from inside its folder.
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: rest, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	case "mode":
		p, octal := two(" ")
		m, err := strconv.ParseUint(octal, 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(p, fs.FileMode(m))
	case "root":
		s.root = rest
		return nil
	case "allowdir":
		s.allow = append(s.allow, rest)
		return nil
	case "denyrule":
		r, err := permission.ParseRule(permission.Deny, "*("+rest+")")
		s.rules = append(s.rules, r)
		return err
	case "after":
		s.after = append(s.after, rest)
		return nil
	case "rename":
		from, to := two(" ")
		return os.Rename(from, to)
	}
	return fmt.Errorf("unknown step %q", step)
}

// judge checks what a row expects of how its operation ended, and of what is there then.
func judge(t *testing.T, r row, s *scene, path string, got *result) {
	t.Helper()
	what := fmt.Sprintf("%s %.60q (%s)", r.op, path, r.why)
	refused := got.err != nil || got.denied
	switch r.expect {
	case "allow":
		if refused || got.ask {
			t.Errorf("%s: must work: %+v", what, got)
		}
	case "deny":
		if !refused {
			t.Errorf("%s: must be refused: %+v", what, got)
		}
	case "notfound":
		if !errors.Is(got.err, fs.ErrNotExist) {
			t.Errorf("%s: must not be found: %+v", what, got)
		}
	case "ask", "askoralow":
		if !got.ask {
			t.Errorf("%s: must be asked about: %+v", what, got)
		}
	case "either":
	default:
		t.Errorf("unknown expectation %s", r.expect)
	}
	out := filepath.Join(s.base, "out")
	if got.err != nil && strings.Contains(got.err.Error(), out) && !strings.Contains(path, out) {
		t.Errorf("%s: the error tells what lies outside: %v", what, got.err)
	}
	if got.err != nil && len(got.err.Error()) > 1000+2*len(path) {
		t.Errorf("%s: an error of %d bytes", what, len(got.err.Error()))
	}
	for c := range strings.SplitSeq(r.check, " ; ") {
		if c = strings.TrimSpace(s.fill(c)); c != "" {
			s.verify(t, what, c, got)
		}
	}
}

func (s *scene) verify(t *testing.T, what, c string, got *result) {
	t.Helper()
	verb, rest, _ := strings.Cut(c, " ")
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %s", what, c, fmt.Sprintf(format, args...))
	}
	switch verb {
	case "content":
		p, text, _ := strings.Cut(rest, "=")
		if data, err := os.ReadFile(p); err != nil || string(data) != text {
			fail("it holds %q, %v (%+v)", data, err, got)
		}
	case "absent":
		if fi, err := os.Lstat(rest); err == nil {
			fail("it is there: %v", fi.Mode())
		}
	case "islink", "isdir":
		fi, err := os.Lstat(rest)
		if err != nil || fi.IsDir() != (verb == "isdir") || (fi.Mode()&fs.ModeSymlink != 0) != (verb == "islink") {
			fail("%v, %v", fi, err)
		}
	case "mode":
		p, octal, _ := strings.Cut(rest, " ")
		if fi, err := os.Lstat(p); err != nil || fmt.Sprintf("%04o", fi.Mode().Perm()) != octal {
			fail("%v, %v", fi, err)
		}
	case "noworldwrite":
		if fi, err := os.Lstat(rest); err != nil || fi.Mode().Perm()&0o002 != 0 {
			fail("%v, %v", fi, err)
		}
	case "notemp":
		es, err := os.ReadDir(rest)
		if err != nil {
			fail("%v", err)
		}
		for _, e := range es {
			if strings.HasSuffix(e.Name(), ".tmp") {
				fail("%s is left", e.Name())
			}
		}
	case "nosee":
		if strings.Contains(got.seen, rest) {
			fail("it was shown: %q", got.seen)
		}
	default:
		fail("unknown check")
	}
}
