package sandbox

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"unsafe"

	"forge/lazy"

	"golang.org/x/sys/unix"
)

// sockets says which sockets a command may make.
type sockets int

const (
	// localSockets: pairs of its own, and local ones that connect to nothing. This
	// closes the network without a network of its own.
	localSockets sockets = iota
	// netSockets: the internet, in whatever network it stands in. Local ones are
	// closed, since nobody could tell where they connect to: the sockets of Docker,
	// of the session bus and of key agents are doors out.
	netSockets
)

// auditArch is what the kernel calls the processors the filter was written for:
// little endian, and with one system call for one thing.
var auditArch = lazy.Value[map[string]uint32]{Of: func() map[string]uint32 {
	return map[string]uint32{
		"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
	}
}}

// denied calls change the machine, look into other processes, or go past the
// other rules.
var deniedCalls = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_CHROOT, unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
}

const (
	bpfLoad  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	bpfEqual = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	bpfLess  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K // with the ways swapped
	bpfBits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	bpfAnd   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	bpfRet   = unix.BPF_RET | unix.BPF_K

	offsetCall = 0
	offsetArch = 4

	retKill  = uint32(0x80000000) // the whole process
	retAllow = uint32(0x7fff0000)
	retErrno = uint32(0x00050000)

	x32 = 0x40000000 // set in the numbers of a second table of calls

	tioclinux = 0x541c

	newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP
)

// offsetArg is where the low half of an argument lies.
func offsetArg(n uint32) uint32 { return 16 + 8*n }

// A program is a filter as it is being written.
type program []unix.SockFilter

func (p *program) do(code uint16, k uint32) { *p = append(*p, unix.SockFilter{Code: code, K: k}) }

func (p *program) jump(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, K: k, Jt: yes, Jf: no})
}

func (p *program) fail(errno unix.Errno) { p.do(bpfRet, retErrno|uint32(errno)) }

// on writes what is done for one call; the number is in the accumulator before,
// and body must end with a return.
func (p *program) on(call uint32, body func(*program)) {
	var b program
	body(&b)
	p.jump(bpfEqual, call, 0, uint8(len(b)))
	*p = append(*p, b...)
}

// filter is the program for a command's system calls. Where a thread of forge
// starts it, self and thread are forge's: the thread is confined as the command
// is, and so the one thing of forge the other rules let it reach. 0: there is none.
func filter(s sockets, self, thread int) []unix.SockFilter {
	var p program
	p.do(bpfLoad, offsetArch)
	p.jump(bpfEqual, archHere(), 1, 0)
	p.do(bpfRet, retKill) // a program for another processor, whose calls have other numbers
	p.do(bpfLoad, offsetCall)
	p.jump(bpfLess, x32, 0, 1)
	p.fail(unix.ENOSYS)
	for _, call := range deniedCalls {
		p.on(call, func(b *program) { b.fail(unix.EPERM) })
	}
	// Its flags stand in memory, where a filter cannot look; programs go on with
	// clone then.
	p.on(unix.SYS_CLONE3, func(b *program) { b.fail(unix.ENOSYS) })
	p.on(unix.SYS_CLONE, func(b *program) {
		b.do(bpfLoad, offsetArg(0))
		b.jump(bpfBits, newNamespaces, 0, 1)
		b.fail(unix.EPERM)
		b.do(bpfRet, retAllow)
	})
	p.on(unix.SYS_SOCKET, func(b *program) { b.socket(s) })
	// A datagram socket sends to any name, connected or not.
	p.on(unix.SYS_SOCKETPAIR, func(b *program) { b.stream() })
	if s == localSockets {
		p.on(unix.SYS_CONNECT, func(b *program) { b.fail(unix.EPERM) })
	}
	p.on(unix.SYS_IOCTL, func(b *program) { // typing into a terminal
		b.do(bpfLoad, offsetArg(1))
		b.jump(bpfEqual, unix.TIOCSTI, 1, 0)
		b.jump(bpfEqual, tioclinux, 0, 1)
		b.fail(unix.EPERM)
		b.do(bpfRet, retAllow)
	})
	p.on(unix.SYS_PRLIMIT64, func(b *program) { // of others
		b.do(bpfLoad, offsetArg(0))
		b.jump(bpfEqual, 0, 1, 0)
		b.fail(unix.EPERM)
		b.do(bpfRet, retAllow)
	})
	if thread != 0 {
		for _, call := range []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_PIDFD_OPEN} {
			p.on(call, func(b *program) { b.spare(0, self, thread) })
		}
		for _, call := range []uint32{unix.SYS_TGKILL, unix.SYS_RT_TGSIGQUEUEINFO} {
			p.on(call, func(b *program) { b.spare(1, self, thread) })
		}
	}
	p.do(bpfRet, retAllow)
	return p
}

// spare refuses a call whose argument names forge or its thread.
func (p *program) spare(arg uint32, self, thread int) {
	p.do(bpfLoad, offsetArg(arg))
	p.jump(bpfEqual, uint32(self), 1, 0)
	p.jump(bpfEqual, uint32(thread), 0, 1)
	p.fail(unix.EPERM)
	p.do(bpfRet, retAllow)
}

// socket decides about socket(domain, type, protocol).
func (p *program) socket(s sockets) {
	p.do(bpfLoad, offsetArg(0))
	if s == localSockets {
		p.jump(bpfEqual, unix.AF_UNIX, 1, 0)
		p.fail(unix.EPERM)
		p.stream()
		return
	}
	p.jump(bpfEqual, unix.AF_INET, 5, 0)
	p.jump(bpfEqual, unix.AF_INET6, 4, 0)
	p.jump(bpfEqual, unix.AF_NETLINK, 0, 2) // how programs ask for the machine's addresses
	p.do(bpfLoad, offsetArg(2))
	p.jump(bpfEqual, unix.NETLINK_ROUTE, 1, 0)
	p.fail(unix.EPERM)
	p.do(bpfRet, retAllow)
}

// stream allows a socket or a pair of them that is no datagram socket.
func (p *program) stream() {
	p.do(bpfLoad, offsetArg(1))
	p.do(bpfAnd, 0xf)
	p.jump(bpfEqual, unix.SOCK_STREAM, 2, 0)
	p.jump(bpfEqual, unix.SOCK_SEQPACKET, 1, 0)
	p.fail(unix.EPERM)
	p.do(bpfRet, retAllow)
}

// installFilter puts a filter on the calling thread alone.
func installFilter(p []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

// filterBytes is a filter as bubblewrap reads it.
func filterBytes(p []unix.SockFilter) []byte {
	var b bytes.Buffer
	for _, f := range p {
		_ = binary.Write(&b, binary.NativeEndian, f)
	}
	return b.Bytes()
}

func archHere() uint32 { return auditArch.Get()[runtime.GOARCH] }
