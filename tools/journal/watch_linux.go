package journal

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// A watch lets the kernel say which folders something happened in (inotify), so
// that a look at a large tree costs nothing for the others: stats of a hundred
// thousand files take a fifth of a second and more.
type watch struct {
	fd   int
	mu   sync.Mutex
	of   map[int32]*folder
	left int // watches that may still be made
	lost bool
}

// watched is what may be a change of a file, of names, or of permissions. A file
// that is mapped and written to tells of it when it is closed.
const watched = unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_ONLYDIR | unix.IN_EXCL_UNLINK

// newWatch returns nil where there is none. It leaves most of what a person may
// have of watches to their editor.
func newWatch() *watch {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return nil
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	return &watch{fd: fd, of: map[int32]*folder{}, left: most / 4}
}

// add watches a folder that is open as h. What happens in it from here on is told.
func (w *watch) add(f *folder, h handle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		return
	}
	wd, err := unix.InotifyAddWatch(w.fd, fmt.Sprintf("/proc/self/fd/%d", h.fd), watched)
	if err != nil {
		w.lost = true
		return
	}
	if w.of[int32(wd)] == nil {
		if w.left--; w.left < 0 {
			w.lost = true
		}
	}
	w.of[int32(wd)] = f
}

// told returns the folders in which something happened since it was last asked.
// ok is false where it cannot tell.
func (w *watch) told() (dirty map[*folder]bool, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		return nil, false
	}
	dirty = map[*folder]bool{}
	buf := make([]byte, 64<<10)
	whole := true
	for {
		n, err := again(func() (int, error) { return unix.Read(w.fd, buf) })
		if err == unix.EAGAIN || n == 0 && err == nil {
			return dirty, whole
		}
		if err != nil || n < 0 {
			w.lost = true
			return nil, false
		}
		for at := 0; at+unix.SizeofInotifyEvent <= n; {
			wd := int32(binary.NativeEndian.Uint32(buf[at:]))
			mask := binary.NativeEndian.Uint32(buf[at+4:])
			at += unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[at+12:]))
			f := w.of[wd]
			switch {
			case mask&unix.IN_Q_OVERFLOW != 0:
				whole = false
			case mask&(unix.IN_IGNORED|unix.IN_UNMOUNT) != 0:
				delete(w.of, wd)
				w.left++
				if mask&unix.IN_UNMOUNT != 0 {
					whole = false
				}
			case f != nil && !f.gone:
				dirty[f] = true
			}
		}
	}
}

// works says whether every folder is watched.
func (w *watch) works() bool {
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.lost
}

func (w *watch) close() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = true
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}
