package permission

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"forge/plainfile"
	"forge/tools"
)

// facts are what a person relied on when they answered, beside the call itself: the
// directory it runs in, as the system knows it, and what the files of the workspace
// hold that it obeys.
type facts struct {
	dir   string
	cwd   os.FileInfo // nil: not there
	files map[string]string
}

// maxHashed bounds the part of a file that is hashed, in bytes; of a longer one its
// size and time count as well.
const maxHashed = 16 << 20

func observe(dir string, files []string) facts {
	f := facts{dir: dir, files: map[string]string{}}
	if dir != "" {
		f.cwd, _ = os.Stat(dir)
	}
	for _, p := range files {
		f.files[p] = digest(p)
	}
	return f
}

// digest is what a file holds: its hash, or why there is none.
func digest(p string) string {
	r, fi, err := plainfile.Open(p)
	switch {
	case os.IsNotExist(err):
		return "missing"
	case err != nil:
		return "unreadable"
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, maxHashed))
	if err != nil {
		return "unreadable"
	}
	if n == maxHashed {
		fmt.Fprint(h, fi.Size(), fi.ModTime().UnixNano())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// since says what is not as it was: the words a person is asked again with.
func (f facts) since(old facts) []string {
	var out []string
	if f.dir != old.dir || (f.cwd == nil) != (old.cwd == nil) || f.cwd != nil && !os.SameFile(f.cwd, old.cwd) {
		out = append(out, "the folder it runs in is another one now")
	}
	var names []string
	for p := range f.files {
		names = append(names, p)
	}
	slices.Sort(names)
	for _, p := range names {
		if was, known := old.files[p]; !known {
			out = append(out, p+" is obeyed now")
		} else if was != f.files[p] {
			out = append(out, changedInto(p, was, f.files[p]))
		}
	}
	return out
}

func changedInto(path, was, is string) string {
	switch {
	case was == "missing":
		return path + " is there now"
	case is == "missing":
		return path + " is gone"
	}
	return path + " holds something else now"
}

// bound is what a grant is bound to: one hash of all files a command obeys; empty
// where it obeys none that is there.
func bound(files []string) string {
	h := sha256.New()
	any := false
	for _, p := range files {
		d := digest(p)
		any = any || d != "missing"
		fmt.Fprintf(h, "%s\x00%s\x00", p, d)
	}
	if !any {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// facts are those of a call as it stands.
func (m *Manager) facts(e tools.Effect, j judgement) facts {
	if e.Kind != tools.Exec {
		return facts{}
	}
	return observe(m.cwd(e), j.files)
}

// still is what tools.Verdict.Still calls: what changed since these facts. What nobody
// was asked about must be such that nobody need be asked.
func (m *Manager) still(call tools.Call, e tools.Effect, old facts, asked bool) func() string {
	if e.Kind != tools.Exec {
		return nil
	}
	return func() string {
		j := m.judge(call, e)
		changed := m.facts(e, j).since(old)
		if !asked && j.decision != allow {
			changed = append(changed, "it could run without a question before, and cannot now")
		}
		return strings.Join(changed, "; ")
	}
}
