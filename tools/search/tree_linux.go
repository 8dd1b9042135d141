package search

import (
	"encoding/binary"
	"io"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A tree opens what lies under one folder and nothing else: each path is walked
// by the kernel beneath the root's descriptor, and a link on the way, also one
// put there after the walk saw a folder, is an error. Raw calls, because a walk
// is all calls: os.File costs twice the time of a folder's listing.
type tree struct {
	fd   int
	weak atomic.Bool // no openat2 here (kernel before 5.6, or forbidden): only the last element is checked
}

func openTree(root string) (*tree, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	return &tree{fd: fd}, nil
}

func (t *tree) close() { unix.Close(t.fd) }

// sub opens the tree under one of the folders.
func (t *tree) sub(path string) (*tree, error) {
	d, err := t.open(path)
	if err != nil {
		return nil, err
	}
	return &tree{fd: d.fd}, nil
}

// open opens the folder path, which is relative to the root; "" is the root.
func (t *tree) open(path string) (*dir, error) {
	name := path
	if name == "" {
		name = "."
	}
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	if !t.weak.Load() {
		how := unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
		fd, err := ignoringEINTR(func() (int, error) { return unix.Openat2(t.fd, name, &how) })
		switch err {
		case nil:
			return &dir{path: path, fd: fd}, nil
		case unix.ENOSYS, unix.EPERM, unix.EINVAL:
			t.weak.Store(true)
		default:
			return nil, err
		}
	}
	fd, err := ignoringEINTR(func() (int, error) { return unix.Openat(t.fd, name, flags, 0) })
	if err != nil {
		return nil, err
	}
	return &dir{path: path, fd: fd}, nil
}

// A dir is one open folder of a tree.
type dir struct {
	path string // relative to the tree's root
	fd   int
}

func (d *dir) close() { unix.Close(d.fd) }

// list reads the folder's entries, appended to into; buf is scratch.
func (d *dir) list(into []entry, buf []byte) ([]entry, error) {
	for {
		n, err := ignoringEINTR(func() (int, error) { return syscall.Getdents(d.fd, buf) })
		if err != nil {
			return into, err
		}
		if n <= 0 {
			return into, nil
		}
		block := string(buf[:n]) // one copy; the names are parts of it
		for at := 0; at+19 < n; {
			size := int(binary.NativeEndian.Uint16(buf[at+16:]))
			if size < 19 || at+size > n {
				break
			}
			kind, name := block[at+18], block[at+19:at+size]
			at += size
			name = name[:len(name)-padding(name)]
			if name == "." || name == ".." {
				continue
			}
			if kind == unix.DT_UNKNOWN {
				kind = d.kind(name)
			}
			switch kind {
			case unix.DT_REG:
				into = append(into, entry{name, kindFile})
			case unix.DT_DIR:
				into = append(into, entry{name, kindDir})
			case unix.DT_LNK:
				into = append(into, entry{name, kindLink})
			}
		}
	}
}

// padding counts the bytes from the first NUL on.
func padding(name string) int {
	for i := max(0, len(name)-8); i < len(name); i++ { // records are padded to 8 bytes
		if name[i] == 0 {
			return len(name) - i
		}
	}
	return 0
}

// kind asks for what the file system left out of its listing.
func (d *dir) kind(name string) byte {
	var st unix.Stat_t
	if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return unix.DT_UNKNOWN
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return unix.DT_REG
	case unix.S_IFDIR:
		return unix.DT_DIR
	case unix.S_IFLNK:
		return unix.DT_LNK
	}
	return unix.DT_UNKNOWN
}

// modTime is when name was last changed, in nanoseconds since 1970; 0 if unknown.
func (d *dir) modTime(name string) int64 {
	var st unix.Stat_t
	if unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return 0
	}
	return st.Mtim.Nano()
}

// openFile opens a regular file of the folder. A pipe put in its place neither
// blocks nor yields anything.
func (d *dir) openFile(name string) (file, error) {
	fd, err := ignoringEINTR(func() (int, error) {
		return unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	return file{fd}, err
}

// A file is open for reading.
type file struct{ fd int }

func (f file) close() { unix.Close(f.fd) }

// Read reads as io.Reader asks.
func (f file) Read(b []byte) (int, error) {
	n, err := ignoringEINTR(func() (int, error) { return unix.Read(f.fd, b) })
	if n > 0 {
		return n, nil
	}
	if err == nil {
		err = io.EOF
	}
	return 0, err
}

func ignoringEINTR(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
