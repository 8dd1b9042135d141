package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stage is what an attack finds around it: a workspace, things beside it that
// must not be touched, and doors of this machine that must not open.
type stage struct {
	outer, ws, home string
	tcp, udp        int
	unix, datagram  string // paths of sockets
	abstract        string
	victim, forge   int
}

func (s stage) environ() []string {
	return []string{"A_OUTER=" + s.outer, "A_WS=" + s.ws, "A_TCP=" + strconv.Itoa(s.tcp), "A_UDP=" + strconv.Itoa(s.udp), "A_UNIX=" + s.unix,
		"A_DATAGRAM=" + s.datagram, "A_ABSTRACT=" + s.abstract, "A_VICTIM=" + strconv.Itoa(s.victim), "A_FORGE=" + strconv.Itoa(s.forge),
		"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(),
		// A child built with the race detector sleeps a second at its end otherwise.
		"GORACE=atexit_sleep_ms=0"}
}

func stageHere() stage {
	n := func(name string) int { v, _ := strconv.Atoi(os.Getenv(name)); return v }
	return stage{outer: os.Getenv("A_OUTER"), ws: os.Getenv("A_WS"), home: os.Getenv("HOME"), tcp: n("A_TCP"), udp: n("A_UDP"), unix: os.Getenv("A_UNIX"),
		datagram: os.Getenv("A_DATAGRAM"), abstract: os.Getenv("A_ABSTRACT"), victim: n("A_VICTIM"), forge: n("A_FORGE")}
}

// What an attempt comes to in one form. Where it succeeds in a confined form, it
// is something a command needs, or stands in the list of what is not enforced.
const (
	works = "works"
	fails = "fails"
)

// An attack is one attempt. try runs in the command, and reports whether it got
// what it wanted; landed asks the machine afterwards, and counts for more.
type attack struct {
	name            string
	landlock, bwrap string
	free            string // without a sandbox; empty: it is not tried, it would do harm
	root            bool   // only root gets that far without a sandbox
	try             func(stage) error
	landed          func(stage) bool
}

func put(path string) error { return os.WriteFile(path, []byte("evil\n"), 0o644) }

// files answers whether a file was made on the real machine, and removes it.
func there(path func(stage) string) func(stage) bool {
	return func(s stage) bool {
		_, err := os.Lstat(path(s))
		_ = os.Remove(path(s))
		return err == nil
	}
}

func outside(name string) func(stage) string {
	return func(s stage) string { return filepath.Join(s.outer, name) }
}

func victimChanged(s stage) bool {
	fi, err := os.Stat(filepath.Join(s.outer, "victim"))
	b, _ := os.ReadFile(filepath.Join(s.outer, "victim"))
	return err != nil || fi.Mode().Perm() != 0o644 || time.Since(fi.ModTime()) > 24*time.Hour || string(b) != "victim\n"
}

func shell(line string) error {
	out, err := exec.Command("bash", "-c", line).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func read1(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Read(make([]byte, 1))
	if n == 1 {
		return nil
	}
	return fmt.Errorf("nothing read: %w", err)
}

func socket(domain, kind, proto int, use func(fd int) error) error {
	fd, err := unix.Socket(domain, kind, proto)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return use(fd)
}

func loopback(port int) unix.Sockaddr {
	return &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
}

func made(int) error { return nil }

// eachThread tries something on every thread of forge: one of them is confined as
// the command is.
func eachThread(s stage, try func(tid int) error) error {
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", s.forge))
	if err != nil {
		return err
	}
	err = errors.New("no thread")
	for _, n := range names {
		tid, _ := strconv.Atoi(n.Name())
		if err = try(tid); err == nil {
			return nil
		}
	}
	return err
}

func raw(nr uintptr, a ...uintptr) error {
	a = append(a, 0, 0, 0, 0, 0, 0)
	if _, _, errno := unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// past tells a call that was refused at the door from one that was let in and then
// did not like what it was given.
func past(err error) error {
	if err == unix.EPERM || err == unix.ENOSYS || err == unix.EACCES {
		return err
	}
	return nil
}

var attacks = []attack{
	{name: "write inside", landlock: works, bwrap: works, free: works, try: func(s stage) error { return put(filepath.Join(s.ws, "inside")) }, landed: there(func(s stage) string { return filepath.Join(s.ws, "inside") })},
	{name: "mkdir and rename inside", landlock: works, bwrap: works, free: works, try: func(s stage) error {
		return shell(`mkdir -p a b && echo x >a/f && mv a/f b/f && ln b/f b/g && ln -s b/f l && mkfifo p && chmod 755 b/f && rm -r a b l p`)
	}},
	{name: "write outside", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return put(outside("new")(s)) }, landed: there(outside("new"))},
	{name: "mkdir outside", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return os.Mkdir(outside("newdir")(s), 0o755) }, landed: there(outside("newdir"))},
	{name: "link outside", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return os.Symlink("x", outside("newlink")(s)) }, landed: there(outside("newlink"))},
	{name: "delete outside", landlock: fails, bwrap: fails, try: func(s stage) error { return os.Remove(outside("victim")(s)) }, landed: victimChanged},
	{name: "write to /etc", landlock: fails, bwrap: fails, free: works, root: true, try: func(stage) error { return put("/etc/forge-attack") }, landed: there(func(stage) string { return "/etc/forge-attack" })},
	{name: "write to home", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return put(filepath.Join(s.home, "new")) }, landed: there(func(s stage) string { return filepath.Join(s.home, "new") })},
	{name: "symlink, then write", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		_ = os.Symlink(s.outer, "lnk")
		return put("lnk/through")
	}, landed: there(outside("through"))},
	{name: "hard link from outside", landlock: fails, bwrap: fails, try: func(s stage) error {
		if err := os.Link(outside("victim")(s), "hl"); err != nil {
			return err
		}
		return put("hl")
	}, landed: victimChanged},
	{name: "rename out", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		if err := put("r"); err != nil {
			return err
		}
		return os.Rename("r", outside("renamed")(s))
	}, landed: there(outside("renamed"))},
	{name: "truncate outside", landlock: fails, bwrap: fails, try: func(s stage) error { return os.Truncate(outside("victim")(s), 0) }, landed: victimChanged},
	{name: "open for writing outside", landlock: fails, bwrap: fails, try: func(s stage) error {
		f, err := os.OpenFile(outside("victim")(s), os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("evil!!\n")
		}
		return err
	}, landed: victimChanged},
	{name: "chmod outside", landlock: works, bwrap: fails, free: works, try: func(s stage) error { return os.Chmod(outside("victim")(s), 0o600) }, landed: victimChanged},
	{name: "touch outside", landlock: works, bwrap: fails, free: works, try: func(s stage) error {
		return os.Chtimes(outside("victim")(s), time.Unix(1e9, 0), time.Unix(1e9, 0))
	}, landed: victimChanged},
	{name: "write by /proc/self/cwd", landlock: fails, bwrap: fails, free: works, try: func(stage) error { return put("/proc/self/cwd/../proc1") }, landed: there(outside("proc1"))},
	{name: "write by /proc/self/root", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return put("/proc/self/root" + outside("proc2")(s)) }, landed: there(outside("proc2"))},
	{name: "write by forge's /proc", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return put(fmt.Sprintf("/proc/%d/root%s", s.forge, outside("proc3")(s)))
	}, landed: there(outside("proc3"))},
	{name: "read a secret", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return read1(filepath.Join(s.home, ".ssh", "id_test")) }},
	{name: "read a secret by a link", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		_ = os.Symlink(filepath.Join(s.home, ".ssh", "id_test"), "key")
		return read1("key")
	}},
	{name: "read a secret by forge's /proc", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return read1(fmt.Sprintf("/proc/%d/root%s", s.forge, filepath.Join(s.home, ".ssh", "id_test")))
	}},
	{name: "read a secret made later", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return read1(filepath.Join(s.home, ".aws", "credentials")) }},
	{name: "read what is no secret", landlock: works, bwrap: works, free: works, try: func(s stage) error { return read1(filepath.Join(s.home, ".gitconfig")) }},
	{name: "read the shadow file", landlock: fails, bwrap: fails, free: works, root: true, try: func(stage) error { return read1("/etc/shadow") }},
	{name: "read a disk", landlock: fails, bwrap: fails, try: func(stage) error {
		names, _ := os.ReadDir("/sys/block")
		err := errors.New("no disk")
		for _, n := range names {
			if err = read1("/dev/" + n.Name()); err == nil {
				return nil
			}
		}
		return err
	}},
	{name: "read forge's environment", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return read1(fmt.Sprintf("/proc/%d/environ", s.forge)) }},
	{name: "read a thread's environment", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error { return read1(fmt.Sprintf("/proc/%d/environ", tid)) })
	}},
	{name: "read a thread's memory", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error {
			maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", tid))
			if err != nil || len(maps) == 0 {
				return fmt.Errorf("no map: %w", err)
			}
			at, err := strconv.ParseInt(string(maps[:strings.IndexByte(string(maps), '-')]), 16, 64)
			if err != nil {
				return err
			}
			f, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.ReadAt(make([]byte, 8), at)
			return err
		})
	}},
	{name: "open forge's files", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error {
			dir := fmt.Sprintf("/proc/%d/fd", tid)
			names, err := os.ReadDir(dir)
			for _, n := range names {
				if _, err = os.Readlink(filepath.Join(dir, n.Name())); err == nil {
					return nil
				}
			}
			return err
		})
	}},
	{name: "connect by TCP", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Connect(fd, loopback(s.tcp)) })
	}},
	{name: "connect by MPTCP", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_INET, unix.SOCK_STREAM, 262, func(fd int) error { return unix.Connect(fd, loopback(s.tcp)) })
	}},
	// A network of its own has a loopback of its own.
	{name: "listen by TCP", landlock: fails, bwrap: works, free: works, try: func(stage) error {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err == nil {
			l.Close()
		}
		return err
	}},
	{name: "send by UDP", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_INET, unix.SOCK_DGRAM, 0, func(fd int) error { return unix.Sendto(fd, []byte("evil"), 0, loopback(s.udp)) })
	}, landed: func(stage) bool { return arrived(udpDoor) }},
	{name: "connect to a unix socket", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: s.unix}) })
	}},
	{name: "send to a unix socket", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0, func(fd int) error {
			return unix.Sendto(fd, []byte("evil"), 0, &unix.SockaddrUnix{Name: s.datagram})
		})
	}, landed: func(stage) bool { return arrived(unixDoor) }},
	{name: "send from a socket pair", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fds[0], []byte("evil"), 0, &unix.SockaddrUnix{Name: s.datagram})
	}, landed: func(stage) bool { return arrived(unixDoor) }},
	{name: "connect to an abstract socket", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return socket(unix.AF_UNIX, unix.SOCK_STREAM, 0, func(fd int) error { return unix.Connect(fd, &unix.SockaddrUnix{Name: s.abstract}) })
	}},
	{name: "socket pair", landlock: works, bwrap: works, free: works, try: func(stage) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		if _, err = unix.Write(fds[0], []byte("x")); err != nil {
			return err
		}
		_, err = unix.Read(fds[1], make([]byte, 1))
		return err
	}},
	{name: "netlink, audit", landlock: fails, bwrap: fails, free: works, try: func(stage) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT, made) }},
	{name: "raw packets", landlock: fails, bwrap: fails, free: works, root: true, try: func(stage) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0, made) }},
	{name: "raw IP", landlock: fails, bwrap: fails, free: works, root: true, try: func(stage) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, made) }},
	{name: "vsock", landlock: fails, bwrap: fails, try: func(stage) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0, made) }},
	{name: "signal a process outside", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return unix.Kill(s.victim, 0) }},
	{name: "signal forge", landlock: fails, bwrap: fails, free: works, try: func(s stage) error { return unix.Kill(s.forge, 0) }},
	{name: "signal a thread of forge", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error { return unix.Kill(tid, 0) })
	}},
	{name: "tgkill a thread of forge", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error { return unix.Tgkill(s.forge, tid, 0) })
	}},
	{name: "signal a thread by a handle", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		return eachThread(s, func(tid int) error {
			fd, err := unix.PidfdOpen(tid, unix.O_EXCL) // PIDFD_THREAD
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		})
	}},
	{name: "limit forge", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		var r unix.Rlimit
		return unix.Prlimit(s.forge, unix.RLIMIT_CPU, nil, &r)
	}},
	{name: "trace a process outside", landlock: fails, bwrap: fails, try: func(s stage) error { return unix.PtraceAttach(s.victim) }},
	{name: "trace a child", landlock: fails, bwrap: fails, try: func(stage) error { return raw(unix.SYS_PTRACE, unix.PTRACE_TRACEME) }},
	{name: "mount", landlock: fails, bwrap: fails, try: func(s stage) error { return unix.Mount("x", s.ws, "tmpfs", 0, "") }},
	{name: "new user namespace", landlock: fails, bwrap: fails, free: works, try: func(stage) error { return shell("unshare -U true") }},
	{name: "clone into namespaces", landlock: fails, bwrap: fails, free: works, try: func(stage) error {
		c := exec.Command("true")
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
		return c.Run()
	}},
	{name: "io_uring", landlock: fails, bwrap: fails, try: func(stage) error {
		var params [512]byte
		return raw(unix.SYS_IO_URING_SETUP, 2, uintptr(unsafe.Pointer(&params)))
	}},
	{name: "type into a terminal", landlock: fails, bwrap: fails, free: works, try: func(stage) error {
		b := byte('x')
		err := raw(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
		if err == unix.ENOTTY { // it was let through to a thing that is no terminal
			return nil
		}
		return err
	}},
	{name: "gain privileges again", landlock: fails, bwrap: fails, try: func(stage) error {
		v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		if err == nil && v == 0 {
			return nil
		}
		return errors.Join(err, unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0))
	}},
	{name: "signal forge's group", landlock: fails, bwrap: fails, free: works, try: func(s stage) error {
		group, err := unix.Getpgid(s.forge)
		if err != nil { // it is not to be seen
			return err
		}
		return unix.Kill(-group, 0)
	}},
	{name: "keep a key", landlock: fails, bwrap: fails, try: func(stage) error {
		_, err := unix.AddKey("user", "forge-attack", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	}},
	{name: "look at keys", landlock: fails, bwrap: fails, try: func(stage) error {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
		return err
	}},
	{name: "load a program into the kernel", landlock: fails, bwrap: fails, try: func(stage) error {
		var attr [128]byte
		return past(raw(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 128))
	}},
	{name: "measure others", landlock: fails, bwrap: fails, try: func(stage) error {
		attr := unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{}))}
		_, err := unix.PerfEventOpen(&attr, 0, -1, -1, 0)
		return past(err)
	}},
	{name: "handle faults", landlock: fails, bwrap: fails, try: func(stage) error { return past(raw(unix.SYS_USERFAULTFD, 0)) }},
	{name: "read another's memory", landlock: fails, bwrap: fails, try: func(s stage) error { return past(raw(unix.SYS_PROCESS_VM_READV, uintptr(s.victim))) }},
	{name: "take another's descriptor", landlock: fails, bwrap: fails, try: func(s stage) error {
		fd, err := unix.PidfdOpen(s.victim, 0)
		if err != nil {
			fd = 0
		}
		return past(raw(unix.SYS_PIDFD_GETFD, uintptr(fd), 0, 0))
	}},
	{name: "open by a handle", landlock: fails, bwrap: fails, try: func(s stage) error {
		var handle [64]byte
		return past(raw(unix.SYS_OPEN_BY_HANDLE_AT, ^uintptr(99), uintptr(unsafe.Pointer(&handle)), 0))
	}},
	{name: "mount by the new calls", landlock: fails, bwrap: fails, try: func(stage) error {
		_, err := unix.Fsopen("tmpfs", 0)
		return past(err)
	}},
	{name: "copy a mount", landlock: fails, bwrap: fails, try: func(stage) error {
		_, err := unix.OpenTree(unix.AT_FDCWD, "/", 1)
		return past(err)
	}},
	{name: "enter namespaces", landlock: fails, bwrap: fails, try: func(s stage) error { return past(unix.Setns(0, 0)) }},
	{name: "name the machine", landlock: fails, bwrap: fails, try: func(stage) error {
		name := []byte("x")
		return past(raw(unix.SYS_SETHOSTNAME, uintptr(unsafe.Pointer(&name[0])), 1<<20))
	}},
	{name: "clone by the new call", landlock: fails, bwrap: fails, try: func(stage) error {
		var args [88]byte
		args[3] = 0x10 // CLONE_NEWUSER, the lowest bits first; a length no kernel takes
		return past(raw(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 1))
	}},
	{name: "make a device", landlock: fails, bwrap: fails, free: works, root: true, try: func(s stage) error {
		defer os.Remove("dev")
		return unix.Mknod("dev", unix.S_IFBLK|0o600, int(unix.Mkdev(8, 0)))
	}},
	{name: "set the clock", landlock: fails, bwrap: fails, try: func(stage) error {
		var ts unix.Timespec
		_ = unix.ClockGettime(unix.CLOCK_REALTIME, &ts)
		return raw(unix.SYS_CLOCK_SETTIME, unix.CLOCK_REALTIME, uintptr(unsafe.Pointer(&ts)))
	}},
	{name: "change root", landlock: fails, bwrap: fails, free: works, root: true, try: func(stage) error { return unix.Chroot("/") }},
	{name: "write to a terminal", landlock: fails, bwrap: fails, try: func(stage) error {
		names, _ := filepath.Glob("/dev/pts/[0-9]*")
		err := errors.New("no terminal")
		for _, n := range append(names, "/dev/tty", "/dev/console") {
			var f *os.File
			if f, err = os.OpenFile(n, os.O_WRONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0); err == nil {
				f.Close()
				return nil
			}
		}
		return err
	}},
	{name: "git", landlock: works, bwrap: works, free: works, try: func(stage) error {
		defer os.RemoveAll("g")
		return shell("git init -q g && cd g && echo x >f && git add f && git -c user.email=a@b -c user.name=x commit -q -m x && git log --oneline")
	}},
	{name: "temporary file", landlock: works, bwrap: works, free: works, try: func(stage) error { return shell("f=$(mktemp) && echo x >$f && rm $f") }},
	{name: "write to /tmp", landlock: fails, bwrap: fails, free: works, try: func(stage) error { return put("/tmp/forge-attack") }, landed: there(func(stage) string { return "/tmp/forge-attack" })},
	{name: "devices", landlock: works, bwrap: works, free: works, try: func(stage) error {
		return shell("echo x >/dev/null && head -c1 /dev/zero >/dev/null && head -c1 /dev/urandom | cat >/dev/null && cat <(echo x) && echo y | tee /dev/stderr")
	}},
	{name: "shared memory", landlock: works, bwrap: works, free: works, try: func(stage) error {
		defer os.Remove("/dev/shm/forge-attack")
		return put("/dev/shm/forge-attack")
	}},
	{name: "threads and processes", landlock: works, bwrap: works, free: works, try: func(stage) error {
		return shell("sleep 0 & kill -0 $! && wait; (sleep 10 & kill $!; wait $!; test $? = 143)")
	}},
}

// The doors of the machine that an attack must not reach.
var udpDoor, unixDoor net.PacketConn

// arrived says whether something was sent to a door. What is sent on this machine
// is there before the sender's call returns.
func arrived(door net.PacketConn) bool {
	_ = door.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, _, err := door.ReadFrom(make([]byte, 100))
	return err == nil
}

// TestAttack is what runs in the command.
func TestAttack(t *testing.T) {
	name := os.Getenv("A_NAME")
	if name == "" {
		t.Skip("it runs in a command of TestAttacks")
	}
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
	if err := attacks[i].try(stageHere()); err != nil {
		fmt.Printf("A_RESULT fails %v\n", err)
		return
	}
	fmt.Println("A_RESULT works")
}

// base is a folder outside the places that a sandbox puts something over.
func base(t *testing.T) string {
	t.Helper()
	dir, err := os.UserCacheDir()
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return t.TempDir()
	}
	if dir, err = os.MkdirTemp(dir, "forge-sandbox-test-"); err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newStage(t *testing.T) stage {
	t.Helper()
	s := stage{outer: base(t), forge: os.Getpid(), abstract: fmt.Sprintf("\x00forge-%d-%s", os.Getpid(), t.Name())}
	s.abstract = "@" + strings.ReplaceAll(s.abstract[1:], "/", "-")
	s.ws, s.home = filepath.Join(s.outer, "ws"), filepath.Join(s.outer, "home")
	must(t, os.MkdirAll(filepath.Join(s.home, ".ssh"), 0o755))
	must(t, os.Mkdir(s.ws, 0o755))
	must(t, os.WriteFile(filepath.Join(s.home, ".ssh", "id_test"), []byte("key"), 0o600))
	must(t, os.WriteFile(filepath.Join(s.home, ".gitconfig"), []byte("[user]\n\tname = x\n"), 0o600))
	s.renew(t)
	self, err := os.Executable()
	must(t, err)
	copyFile(t, self, filepath.Join(s.ws, "attack"))

	l, err := net.Listen("tcp4", "127.0.0.1:0")
	must(t, err)
	s.tcp = l.Addr().(*net.TCPAddr).Port
	u, err := net.ListenPacket("udp4", "127.0.0.1:0")
	must(t, err)
	s.udp = u.LocalAddr().(*net.UDPAddr).Port
	s.unix, s.datagram = filepath.Join(s.outer, "s"), filepath.Join(s.outer, "d")
	p, err := net.Listen("unix", s.unix)
	must(t, err)
	d, err := net.ListenPacket("unixgram", s.datagram)
	must(t, err)
	a, err := net.Listen("unix", s.abstract)
	must(t, err)
	udpDoor, unixDoor = u, d
	for _, c := range []io.Closer{l, u, p, d, a} {
		t.Cleanup(func() { c.Close() })
	}
	victim := exec.Command("sleep", "1000")
	must(t, victim.Start())
	s.victim = victim.Process.Pid
	t.Cleanup(func() { victim.Process.Kill(); victim.Wait() })
	return s
}

func (s stage) renew(t *testing.T) {
	must(t, os.RemoveAll(filepath.Join(s.outer, "victim")))
	must(t, os.WriteFile(filepath.Join(s.outer, "victim"), []byte("victim\n"), 0o644))
	must(t, os.Chmod(filepath.Join(s.outer, "victim"), 0o644))
}

// policyFor gives a policy of one form, or skips with the reason why not.
func policyFor(t testing.TB, o PolicyOptions) *Policy {
	t.Helper()
	if o.Form == None {
		return nil
	}
	p, err := NewPolicy(o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func TestAttacks(t *testing.T) {
	for _, form := range []Form{None, Landlock, Bubblewrap} {
		t.Run(string(form), func(t *testing.T) {
			s := newStage(t)
			p := policyFor(t, PolicyOptions{Form: form, Roots: []string{s.ws}, Home: s.home})
			first := true
			for _, a := range attacks {
				want := map[Form]string{None: a.free, Landlock: a.landlock, Bubblewrap: a.bwrap}[form]
				if a.name == "read what is no secret" && form == Bubblewrap && (beneath("/tmp", s.outer) || beneath("/var/tmp", s.outer)) {
					want = fails // it has a /tmp of its own
				}
				if a.name == "listen by TCP" && form == Landlock && p.ownLoopback() {
					want = works
				}
				if want == "" || form == None && a.root && os.Geteuid() != 0 {
					continue
				}
				t.Run(a.name, func(t *testing.T) {
					r := run(t, Command{Argv: []string{"./attack", "-test.run=^TestAttack$"}, Dir: s.ws, Env: append(s.environ(), "A_NAME="+a.name), Policy: p})
					_, said, ok := strings.Cut(r.Output, "A_RESULT ")
					if !ok {
						t.Fatalf("it did not get to the attempt: %+v", r)
					}
					got, _, _ := strings.Cut(strings.Fields(said)[0], " ")
					if a.landed != nil {
						got = fails
						if a.landed(s) {
							got = works
						}
						s.renew(t)
					}
					if got != want {
						t.Errorf("it %s, want that it %s: %s", got, want, said)
					}
					_ = os.Remove(filepath.Join(s.ws, "lnk"))
					_ = os.Remove(filepath.Join(s.ws, "key"))
				})
				if first { // a secret that comes while the policy is there
					first = false
					must(t, os.Mkdir(filepath.Join(s.home, ".aws"), 0o755))
					must(t, os.WriteFile(filepath.Join(s.home, ".aws", "credentials"), []byte("key"), 0o600))
				}
			}
		})
	}
}
