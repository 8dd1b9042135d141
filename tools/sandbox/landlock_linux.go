package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// minABI is the first version of Landlock that stops a file from being truncated.
const minABI = 3

const (
	fsRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsWrite = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	fsNever = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK // allowed nowhere
	fsFile  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV // what a rule for a file may hold
)

// devices are those every program may expect. Others, disks and terminals among
// them, cannot even be read.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// landlockABI is the version of Landlock this kernel has.
func landlockABI() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// A ruleset is a set of rules in the kernel. It is for the files that were there
// when it was made, so it knows which folders it looked through.
type ruleset struct {
	fd     int
	looked map[string]fileKey
	fs     uint64 // the rights it decides about
	tcp    bool   // it closes TCP
}

// fileKey tells whether a path still is what it was; changed is set for folders
// whose entries matter.
type fileKey struct {
	dev, ino uint64
	changed  unix.Timespec
}

func keyOf(path string, entries bool) (fileKey, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return fileKey{}, err
	}
	k := fileKey{dev: uint64(st.Dev), ino: st.Ino}
	if entries {
		k.changed = st.Mtim
	}
	return k, nil
}

func (r *ruleset) fresh() bool {
	if r == nil {
		return false
	}
	for path, was := range r.looked {
		now, err := keyOf(path, was.changed != unix.Timespec{})
		if err != nil && was != (fileKey{}) || err == nil && now != was {
			return false
		}
	}
	return true
}

func (r *ruleset) close() {
	if r != nil {
		_ = unix.Close(r.fd)
	}
}

// restrictFiles puts the rules on the calling thread; tcp closes that as well.
func (p *Policy) restrictFiles(tcp bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := &p.kernel.closed
	if p.network {
		at = &p.kernel.open
	}
	if !(*at).fresh() || (*at).tcp != tcp {
		made, err := p.rules(tcp)
		if err != nil {
			return err
		}
		(*at).close()
		*at = made
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr((*at).fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// rules makes the set of this policy.
func (p *Policy) rules(tcp bool) (*ruleset, error) {
	r := &ruleset{tcp: tcp, fs: fsRead | fsWrite | fsNever, looked: map[string]fileKey{}}
	attr := unix.LandlockRulesetAttr{}
	size := unsafe.Sizeof(attr.Handled_access_fs)
	if p.kernel.abi >= 4 {
		size += unsafe.Sizeof(attr.Handled_access_net)
		if tcp {
			attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
		}
	}
	if p.kernel.abi >= 5 {
		r.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if p.kernel.abi >= 6 {
		size += unsafe.Sizeof(attr.Scoped)
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	attr.Handled_access_fs = r.fs
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("make rules: %w", errno)
	}
	r.fd = int(fd)
	unix.CloseOnExec(r.fd)
	if err := p.fill(r); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (p *Policy) fill(r *ruleset) error {
	// Names can be listed everywhere; a rule cannot take away again what one above
	// it gives, so reading is given to what lies around the secrets.
	if err := r.allow("/", unix.LANDLOCK_ACCESS_FS_READ_DIR); err != nil {
		return err
	}
	if err := r.allowAround("/", append(slices.Clone(p.scope().hidden), "/dev")); err != nil {
		return err
	}
	for _, dir := range p.readable {
		if err := r.allow(dir, fsRead); err != nil {
			return err
		}
	}
	for _, d := range devices {
		if err := r.allow(d, fsFile); err != nil {
			return err
		}
	}
	// Semaphores and shared memory; nothing that could be run.
	shm := uint64(fsRead|fsWrite) &^ unix.LANDLOCK_ACCESS_FS_EXECUTE &^ unix.LANDLOCK_ACCESS_FS_MAKE_DIR
	if err := r.allow("/dev/shm", shm); err != nil {
		return err
	}
	for _, dir := range p.writable() {
		key, err := keyOf(dir, false)
		if err != nil {
			return fmt.Errorf("a folder of the workspace is gone: %w", err)
		}
		r.looked[dir] = key
		if err := r.allow(dir, fsRead|fsWrite); err != nil {
			return err
		}
	}
	return nil
}

// allow adds a rule; a path that is not there needs none.
func (r *ruleset) allow(path string, rights uint64) error {
	// All paths here are without links. Where one has one, a command put it there.
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS})
	for _, gone := range []error{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP} {
		if errors.Is(err, gone) {
			return nil // and so nothing that could be read either
		}
	}
	if err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK: // what it leads to has rules of its own
		return nil
	case unix.S_IFDIR:
	default:
		rights &= fsFile
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.fs, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("allow %s: %w", path, errno)
	}
	return nil
}

// allowAround lets everything in dir be read but what lies at or beneath the
// hidden paths, whether they are there or not.
func (r *ruleset) allowAround(dir string, hidden []string) error {
	within := hidden[:0:0]
	for _, h := range hidden {
		if h == dir {
			return nil
		}
		if beneath(dir, h) {
			within = append(within, h)
		}
	}
	if len(within) == 0 {
		return r.allow(dir, fsRead)
	}
	key, err := keyOf(dir, true)
	if err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) {
			r.looked[dir] = fileKey{} // when it comes, the rules are made anew
			return nil
		}
		return fmt.Errorf("look through %s: %w", dir, err)
	}
	r.looked[dir] = key
	f, err := os.Open(dir)
	var names []string
	if err == nil {
		names, err = f.Readdirnames(-1)
		f.Close()
	}
	if err != nil { // it cannot be listed; the way to the hidden ones is known all the same
		for _, h := range within {
			if rel, err := filepath.Rel(dir, h); err == nil {
				first, _, _ := cutPath(rel)
				names = append(names, first)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
	}
	for _, name := range names {
		if err := r.allowAround(filepath.Join(dir, name), within); err != nil {
			return err
		}
	}
	return nil
}

func cutPath(rel string) (first, rest string, found bool) {
	for i := range rel {
		if rel[i] == filepath.Separator {
			return rel[:i], rel[i+1:], true
		}
	}
	return rel, "", false
}
