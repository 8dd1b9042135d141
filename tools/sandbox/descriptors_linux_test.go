package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What forge was started with beside the three usual descriptors is not handed on: a
// file open for writing is a way out that no rule about names closes.
func TestDescriptorsAreNotHandedOn(t *testing.T) {
	if os.Getenv("FD_CHILD") == "" { // in a process that has sealed nothing yet
		secret := filepath.Join(t.TempDir(), "outside")
		f, err := os.Create(secret)
		must(t, err)
		defer f.Close()
		self, err := os.Executable()
		must(t, err)
		left, err := unix.Dup(int(f.Fd())) // without close-on-exec, as a parent's would be
		must(t, err)
		defer unix.Close(left)
		r, w, err := os.Pipe()
		must(t, err)
		defer r.Close()
		p, err := os.StartProcess(self, []string{self, "-test.run=^TestDescriptorsAreNotHandedOn$", "-test.v"},
			&os.ProcAttr{Env: append(os.Environ(), "FD_CHILD=1"), Files: []*os.File{nil, w, w, f, f, f}})
		w.Close()
		must(t, err)
		out, _ := readAll(r)
		if st, err := p.Wait(); err != nil || !st.Success() {
			t.Fatalf("%v\n%s", err, out)
		}
		if b, _ := os.ReadFile(secret); len(b) > 0 {
			t.Errorf("it wrote %q outside", b)
		}
		return
	}
	forms(t, func(t *testing.T, form Form) {
		ws := t.TempDir()
		p := policyFor(t, PolicyOptions{Form: form, Roots: []string{ws}})
		r := run(t, Command{Shell: "for f in 3 4 5 6 7 8 9; do echo out >&$f; done 2>/dev/null; ls -l /proc/self/fd", Dir: ws, Policy: p})
		if strings.Contains(r.Output, "outside") {
			t.Errorf("%s", r.Output)
		}
	})
}

func readAll(f *os.File) (string, error) {
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := f.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String(), err
		}
	}
}
