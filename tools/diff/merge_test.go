package diff

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"nothing", "a\n", "a\n", "a\n", "a\n"},
		{"empty", "", "", "", ""},
		{"apart", "1\n2\n3\n4\n5\n", "X\n2\n3\n4\n5\n", "1\n2\n3\n4\nY\n", "X\n2\n3\n4\nY\n"},
		{"one line between", "1\n2\n3\n", "X\n2\n3\n", "1\n2\nY\n", "X\n2\nY\n"},
		{"the same twice", "1\n2\n", "1\nX\n", "1\nX\n", "1\nX\n"},
		{"the same, and more of ours", "1\n2\n3\n4\n5\n", "1\nX\n3\n4\nZ\n", "1\nX\n3\n4\n5\n", "1\nX\n3\n4\nZ\n"},
		{"deleted and changed elsewhere", "1\n2\n3\n4\n", "2\n3\n4\n", "1\n2\n3\n4!\n", "2\n3\n4!\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
		{"line ends of another line", "a\nb\nc\n", "a\r\nb\nc\n", "a\nb\nC\n", "a\r\nb\nC\n"},
		{"no last line end", "a\nb\nc", "A\nb\nc", "a\nb\nc\nd", "A\nb\nc\nd"},
		{"last line end added", "a\nb\nc", "a\nb\nc\n", "A\nb\nc", "A\nb\nc\n"},
		{"last line end taken", "a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc"},
		{"BOM", "\ufeffa\nb\nc\n", "\ufeffa\nb\nC\n", "\ufeffA\nb\nc\n", "\ufeffA\nb\nC\n"},
		{"bytes that are no text", "\x00\xff\n1\n\xfe\n", "\x00\xff!\n1\n\xfe\n", "\x00\xff\n1\n\xfe!\n", "\x00\xff!\n1\n\xfe!\n"},
	} {
		got, conflicts := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if len(conflicts) > 0 || string(got) != c.want {
			t.Errorf("%s: %q and %v, want %q", c.name, got, conflicts, c.want)
		}
		if back, _ := Merge([]byte(c.base), []byte(c.theirs), []byte(c.ours)); string(back) != c.want {
			t.Errorf("%s: the other way round %q", c.name, back)
		}
	}
}

func TestMergeConflicts(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs string
		want                     []Conflict
	}{
		{"one line", "1\n2\n3\n", "1\nX\n3\n", "1\nY\n3\n", []Conflict{{2, 3, "2\n", "X\n", "Y\n"}}},
		{"neighbours", "1\n2\n3\n", "1\nX\n3\n", "1\n2\nY\n", []Conflict{{2, 4, "2\n3\n", "X\n3\n", "2\nY\n"}}},
		{"put in at one place", "1\n", "0\n1\n", "9\n1\n", []Conflict{{1, 1, "", "0\n", "9\n"}}},
		{"both new", "", "a\n", "b\n", []Conflict{{1, 1, "", "a\n", "b\n"}}},
		{"deleted and changed", "1\n2\n3\n", "1\n3\n", "1\nY\n3\n", []Conflict{{2, 3, "2\n", "", "Y\n"}}},
		{"line ends alone", "a\n", "a\r\n", "a", []Conflict{{1, 2, "a\n", "a\r\n", "a"}}},
		{"last line end gone here, a line added there", "a\nb\n", "a\nb", "a\nb\nc\n", []Conflict{{2, 3, "b\n", "b", "b\nc\n"}}},
		{"one of two", "1\n2\n3\n4\n5\n", "X\n2\n3\n4\nP\n", "1\n2\n3\n4\nQ\n", []Conflict{{5, 6, "5\n", "P\n", "Q\n"}}},
	} {
		got, conflicts := Merge([]byte(c.base), []byte(c.ours), []byte(c.theirs))
		if got != nil || !slices.Equal(conflicts, c.want) {
			t.Errorf("%s: %q and %+v, want %+v", c.name, got, conflicts, c.want)
		}
	}
}

// mergeLaws holds a merge to what is true of any.
func mergeLaws(t *testing.T, base, ours, theirs []byte) {
	t.Helper()
	for _, c := range []struct{ base, ours, theirs, want []byte }{
		{base, ours, base, ours}, {base, base, theirs, theirs}, {base, ours, ours, ours},
	} {
		if got, conflicts := Merge(c.base, c.ours, c.theirs); len(conflicts) > 0 || !bytes.Equal(got, c.want) {
			t.Fatalf("%q, %q, %q: %q, %v; want %q", c.base, c.ours, c.theirs, got, conflicts, c.want)
		}
	}
	got, conflicts := Merge(base, ours, theirs)
	back, turned := Merge(base, theirs, ours)
	if !bytes.Equal(got, back) || len(conflicts) != len(turned) || (got == nil) != (len(conflicts) > 0) {
		t.Fatalf("%q, %q, %q: %q, %v; the other way round %q, %v", base, ours, theirs, got, conflicts, back, turned)
	}
	at := 0
	for _, c := range conflicts {
		if c.Start <= at && at > 0 || c.Ours == c.Theirs || c.Ours == c.Base || c.Theirs == c.Base ||
			strings.Join(split(string(base))[c.Start-1:c.End-1], "") != c.Base {
			t.Fatalf("%q, %q, %q: %+v", base, ours, theirs, conflicts)
		}
		at = c.End
	}
	// No line that one of the three has is glued to another.
	known := map[string]bool{}
	for _, s := range [][]byte{base, ours, theirs} {
		for _, l := range split(string(s)) {
			known[l] = true
		}
	}
	for _, l := range split(string(got)) {
		if !known[l] {
			t.Fatalf("%q, %q, %q: %q in %q is a line of none", base, ours, theirs, l, got)
		}
	}
}

func TestMergeLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		base := randomText(r, r.IntN(40))
		mergeLaws(t, []byte(base), []byte(mutate(r, base)), []byte(mutate(r, base)))
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("a\nb\n", "a\nB\n", "A\nb\n")
	f.Add("a\r\nb", "a\r\nb\r\n", "b")
	f.Add("", "x", "y\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		mergeLaws(t, []byte(base), []byte(ours), []byte(theirs))
	})
}

// Where the lines of the text before are told apart there is one way to compare
// them, and git must have come to the same.
func TestMergeAsGitDoes(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	r := rand.New(rand.NewPCG(9, 10))
	dir := t.TempDir()
	clean, clashed := 0, 0
	for n := range 60 {
		var b strings.Builder
		for i := range 3 + r.IntN(40) {
			fmt.Fprintf(&b, "line %d%s", i, []string{"\n", "\n", "\r\n"}[r.IntN(3)])
		}
		if n%3 == 0 {
			b.WriteString("the last")
		}
		texts := [3]string{b.String()}
		for i, who := range []string{"ours", "theirs"} {
			lines := split(texts[0])
			for range 1 + r.IntN(2) {
				at := r.IntN(len(lines))
				switch r.IntN(3) {
				case 0:
					lines = append(lines[:at:at], append([]string{fmt.Sprintf("%s %d\n", who, at)}, lines[at:]...)...)
				case 1:
					lines = append(lines[:at:at], lines[at+1:]...)
				case 2:
					lines[at] = who + " changed " + lines[at]
				}
				if len(lines) == 0 {
					break
				}
			}
			texts[i+1] = strings.Join(lines, "")
		}
		var names []string
		for i, s := range texts {
			names = append(names, filepath.Join(dir, fmt.Sprint(i)))
			if err := os.WriteFile(names[i], []byte(s), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c := exec.Command(git, "merge-file", "-p", names[1], names[0], names[2])
		c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		c.Dir = dir
		want, err := c.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		got, conflicts := Merge([]byte(texts[0]), []byte(texts[1]), []byte(texts[2]))
		switch {
		case (err != nil) != (len(conflicts) > 0):
			t.Fatalf("case %d: git says %v, we say %+v\n%q\n%q\n%q", n, err, conflicts, texts[0], texts[1], texts[2])
		case err == nil && !bytes.Equal(got, want):
			t.Fatalf("case %d: %q, git has %q", n, got, want)
		case err == nil:
			clean++
		default:
			clashed++
		}
	}
	if clean < 10 || clashed < 10 {
		t.Errorf("%d clean and %d not: the cases show too little", clean, clashed)
	}
}
