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
