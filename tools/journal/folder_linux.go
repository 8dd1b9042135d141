package journal

import (
	"encoding/binary"
	"io"
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// A handle is one open folder. Raw calls, because a look is all calls: os.File
// and os.Root cost several times a stat.
type handle struct{ fd int }

func openRoot(dir string) (handle, error) {
	fd, err := again(func() (int, error) {
		return unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	})
	return handle{fd}, err
}

func (h handle) close() { unix.Close(h.fd) }

// sub opens a folder below h, without following a link on the way where the
// kernel can say so.
func (h handle) sub(rel string) (handle, error) {
	if rel == "" {
		rel = "."
	}
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := again(func() (int, error) {
		return unix.Openat2(h.fd, rel, &unix.OpenHow{Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS})
	})
	switch err {
	case unix.ENOSYS, unix.EPERM, unix.EINVAL: // a kernel before 5.6, or a filter
		fd, err = again(func() (int, error) { return unix.Openat(h.fd, rel, flags, 0) })
	}
	return handle{fd}, err
}

// self are the facts of the folder.
func (h handle) self() (facts, bool) {
	var st unix.Stat_t
	if unix.Fstat(h.fd, &st) != nil {
		return facts{}, false
	}
	return fromStat(&st), true
}

// names lists the folder, unsorted; buf is scratch.
func (h handle) names(buf []byte) ([]string, error) {
	var out []string
	for {
		n, err := again(func() (int, error) { return syscall.Getdents(h.fd, buf) })
		if err != nil || n <= 0 {
			return out, err
		}
		block := string(buf[:n]) // one copy; the names are parts of it
		for at := 0; at+19 < n; {
			size := int(binary.NativeEndian.Uint16(buf[at+16:]))
			if size < 19 || at+size > n {
				break
			}
			name := block[at+19 : at+size]
			for i := max(0, len(name)-8); i < len(name); i++ { // records are padded to 8 bytes
				if name[i] == 0 {
					name = name[:i]
					break
				}
			}
			at += size
			if name != "." && name != ".." {
				out = append(out, name)
			}
		}
	}
}

func (h handle) stat(name string) (facts, bool) {
	var st unix.Stat_t
	if unix.Fstatat(h.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return facts{}, false
	}
	return fromStat(&st), true
}

// born is when a file came to be, in nanoseconds since 1970; 0 if nobody knows.
func (h handle) born(name string) int64 {
	var st unix.Statx_t
	if unix.Statx(h.fd, name, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &st) != nil || st.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return st.Btime.Sec*1e9 + int64(st.Btime.Nsec)
}

// read reads a regular file of at most limit bytes. A pipe put in its place
// neither blocks nor yields anything.
func (h handle) read(name string, limit int64) ([]byte, error) {
	fd, err := again(func() (int, error) {
		return unix.Openat(h.fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fs.ErrInvalid
	}
	data := make([]byte, 0, min(st.Size, limit)+1)
	for {
		if int64(len(data)) > limit {
			return nil, errTooLarge
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := again(func() (int, error) { return unix.Read(fd, data[len(data):cap(data)]) })
		switch {
		case err != nil && err != io.EOF:
			return nil, err
		case n <= 0:
			return data, nil
		}
		data = data[:len(data)+n]
	}
}

func (h handle) readlink(name string) (string, error) {
	buf := make([]byte, 4096)
	n, err := again(func() (int, error) { return unix.Readlinkat(h.fd, name, buf) })
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func fromStat(st *unix.Stat_t) facts {
	f := facts{size: st.Size, mtime: st.Mtim.Nano(), ctime: st.Ctim.Nano(), ino: st.Ino, mode: fs.FileMode(st.Mode & 0o777)}
	for _, b := range []struct {
		bit  uint32
		mode fs.FileMode
	}{{unix.S_ISUID, fs.ModeSetuid}, {unix.S_ISGID, fs.ModeSetgid}, {unix.S_ISVTX, fs.ModeSticky}} {
		if st.Mode&b.bit != 0 {
			f.mode |= b.mode
		}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		f.kind = KindFile
	case unix.S_IFDIR:
		f.kind = KindDir
	case unix.S_IFLNK:
		f.kind = KindLink
	}
	return f
}

func again(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}
