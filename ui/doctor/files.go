package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"forge/ui/lang"
)

// File is a file whose rights matter. Private: it may hold a key, so that others
// are not to read it.
type File struct {
	ID, Path string
	Private  bool
}

// Rights looks whether others may write to a file that forge obeys, or read one that
// may hold keys. A file that is not there is nothing; one that cannot be read is.
func Rights(f File) []Finding {
	info, err := os.Stat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode().IsRegular() {
		var r *os.File
		if r, err = os.Open(f.Path); err == nil {
			r.Close()
		}
	}
	if err != nil {
		return []Finding{{f.ID, Fail, lang.T("%s cannot be read: %s", f.Path, reason(err)), lang.T("make it yours: %s", "chmod u+rw "+quote(f.Path))}}
	}
	if runtime.GOOS == "windows" { // rights are no bits there
		return nil
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022 != 0:
		return []Finding{{f.ID, Fail, lang.T("others may write to %s, and forge obeys it (%#o)", f.Path, mode), lang.T("take that from them: %s", "chmod go-w "+quote(f.Path))}}
	case f.Private && mode&0o044 != 0:
		return []Finding{{f.ID, Warn, lang.T("others may read %s, which may hold keys (%#o)", f.Path, mode), lang.T("take that from them: %s", "chmod go= "+quote(f.Path))}}
	}
	return nil
}

// quote makes a path one word of a shell, if it is not one.
func quote(path string) string {
	for _, r := range path {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '.' || r == '-' || r == '_' || r == '\\' || r == ':') {
			return fmt.Sprintf("%q", path)
		}
	}
	return path
}

// reason is an error without the path, which stands before it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Room left on a disk below which it is told, and below which nothing can be kept,
// in bytes.
const (
	little  = 500 << 20
	nothing = 10 << 20
)

// State are the checks of the folder forge keeps things in.
func State(dir string) []Check {
	return []Check{
		{ID: "state.write", Run: func(context.Context) []Finding { return writable(dir) }},
		{ID: "state.disk", Run: func(context.Context) []Finding { return disk(dir, volume) }},
	}
}

// writable tries what keeping a conversation needs: a file, its rights and a lock.
func writable(dir string) []Finding {
	made := beginning(dir)
	fix := lang.T("make it yours: %s", "chown -R \"$USER\" "+quote(made)) + lang.T("; ") + lang.T("or name another with XDG_STATE_HOME")
	probe := dir
	if made != dir { // it is made with the first conversation
		probe = made
	}
	f, err := os.CreateTemp(probe, ".forge-doctor-*")
	if err != nil {
		return []Finding{{"state.write", Fail, lang.T("nothing can be kept in %s: %s", dir, reason(err)), fix}}
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if _, err := f.WriteString("x"); err != nil {
		return []Finding{{"state.write", Fail, lang.T("nothing can be kept in %s: %s", dir, reason(err)), lang.T("make room on that disk, or name another folder with XDG_STATE_HOME")}}
	}
	out := []Finding{{"state.write", Ok, lang.T("%s can be written to", dir), ""}}
	if !locks(f) {
		out = append(out, Finding{"state.lock", Warn, lang.T("locks do not hold in %s: two forges could write to one conversation", dir), lang.T("name a folder on a local disk with XDG_STATE_HOME")})
	}
	if info, err := os.Stat(dir); err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		out = append(out, Finding{"state.rights", Warn, lang.T("others may look into %s, where conversations are kept (%#o)", dir, info.Mode().Perm()), lang.T("take that from them: %s", "chmod 700 "+quote(dir))})
	}
	return out
}

// beginning is the part of a path that is there.
func beginning(dir string) string {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return dir
		}
		dir = up
	}
}

// space is what is known of the disk of a folder.
type space struct {
	free    uint64 // bytes
	network string // the name of a file system over the network; empty: it is none
}

func disk(dir string, ask func(string) (space, bool)) []Finding {
	s, ok := ask(beginning(dir))
	if !ok {
		return nil
	}
	out := Finding{"state.disk", Ok, lang.T("%s are free there", Size(s.free)), ""}
	switch {
	case s.free < nothing:
		out.Level, out.Fix = Fail, lang.T("make room on that disk, or name another folder with XDG_STATE_HOME")
	case s.free < little:
		out.Level, out.Fix = Warn, lang.T("make room on that disk, or name another folder with XDG_STATE_HOME")
	}
	fs := []Finding{out}
	if s.network != "" {
		fs = append(fs, Finding{"state.network", Warn, lang.T("%s lies on %s: slow, and locks may not hold", dir, s.network), lang.T("name a folder on a local disk with XDG_STATE_HOME")})
	}
	return fs
}
