package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestElsewhere(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	bin, usual := filepath.Join(dir, "bin"), filepath.Join(other, "bin")
	list := strings.Join([]string{bin, "", ".", "bin", usual, dir}, string(os.PathListSeparator))
	top := filepath.VolumeName(dir) + string(filepath.Separator)
	for _, c := range []struct{ dirs, want []string }{
		{nil, []string{bin, usual, dir}},
		{[]string{""}, []string{bin, usual, dir}},
		{[]string{dir}, []string{usual}},
		{[]string{dir, other}, nil},
		{[]string{filepath.Join(dir, "sub")}, []string{bin, usual, dir}},
		{[]string{top}, []string{bin, usual, dir}}, // as where forge is started in a container's
	} {
		if got := Elsewhere(list, c.dirs...); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.dirs, got)
		}
	}
}

// An environment loses what lies in the folders, and its PATH where nothing is left of it:
// an empty one would mean the folder that a program runs in.
func TestEnviron(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	const list = string(filepath.ListSeparator)
	env := []string{"A=1", "PATH=" + filepath.Join(dir, "bin") + list + "." + list + other, "PATHS=x"}
	if got := Environ(env, dir); strings.Join(got, "|") != "A=1|PATH="+other+"|PATHS=x" {
		t.Errorf("%q", got)
	}
	if got := Environ(env, dir, other); strings.Join(got, "|") != "A=1|PATHS=x" {
		t.Errorf("%q", got)
	}
	if !strings.HasPrefix(env[1], "PATH="+dir) {
		t.Error("the one that was given is changed")
	}
	for name, want := range map[string]string{"none-such": "", filepath.Join(dir, "x"): filepath.Join(dir, "x")} {
		if got, err := By(env, name); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
