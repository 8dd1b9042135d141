package search

import (
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Where the kernel cannot confine a whole path, the last element is no link yet.
func TestTreeWithoutOpenat2(t *testing.T) {
	root := plant(t, map[string]string{"sub/deep/f": "text", "link -> sub": ""})
	tr, err := openTree(root)
	must(t, err)
	defer tr.close()
	for _, weak := range []bool{false, true} {
		tr.weak.Store(weak)
		d, err := tr.open("sub/deep")
		must(t, err)
		if got := string(d.small("f")); got != "text" {
			t.Errorf("read %q", got)
		}
		d.close()
		if d, err := tr.open("link"); err == nil {
			d.close()
			t.Errorf("weak %v: a link was followed", weak)
		}
	}
}

// A file system may list names without saying what they are; a pipe is none of
// the three kinds, and opening it does not block.
func TestTreeKinds(t *testing.T) {
	root := plant(t, map[string]string{"f": "", "d/": "", "l -> f": ""})
	must(t, syscall.Mkfifo(filepath.Join(root, "p"), 0o600))
	tr, err := openTree(root)
	must(t, err)
	defer tr.close()
	d, err := tr.open("")
	must(t, err)
	defer d.close()
	for name, want := range map[string]byte{"f": unix.DT_REG, "d": unix.DT_DIR, "l": unix.DT_LNK, "p": unix.DT_UNKNOWN, "none": unix.DT_UNKNOWN} {
		if got := d.kind(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	same(t, "listed", list(t, Scope{Root: root}), []string{"f", "l"})
	if got := d.small("p"); len(got) != 0 {
		t.Errorf("the pipe gave %q", got)
	}
}
