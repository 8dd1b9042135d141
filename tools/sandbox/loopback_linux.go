package sandbox

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ownNet says whether commands of the landlock form have a network of their own
// while the real one is closed: nothing but a loopback, the same for all commands
// of a session, so that one can speak to a server another has started.
//
// It takes a thread that may make namespaces. Rights for that come with a user
// namespace to everybody else, but a thread cannot enter one alone, and forge
// starts no second program before each command; there loopback stays closed.
type ownNet int

const (
	netUnknown ownNet = iota // not tried yet
	netOwn
	netNone
)

// mayOwnNet says whether this process has the rights it takes.
func mayOwnNet() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if unix.Capget(&head, &data[0]) != nil {
		return false
	}
	const needed = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_NET_ADMIN
	return data[0].Effective&needed == needed
}

// enterOwnNet puts the calling thread into the network of its own and says whether
// there is one. The first thread makes it; when that fails, no later one tries.
func (c *core) enterOwnNet() (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := &c.kernel
	switch k.own {
	case netNone:
		return false, nil
	case netOwn:
		if err := unix.Setns(int(k.net.Fd()), unix.CLONE_NEWNET); err != nil {
			return false, fmt.Errorf("enter the commands' network: %w", err)
		}
		return true, nil
	}
	f, err := newNet()
	if err != nil {
		k.own = netNone
		return false, nil // closed by rules then
	}
	k.own, k.net = netOwn, f
	return true, nil
}

// newNet moves the calling thread into a new network whose loopback is up, and
// returns what others enter it by.
func newNet() (*os.File, error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return nil, err
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo); err != nil {
		return nil, errors.Join(errors.New("loopback"), err)
	}
	return os.Open("/proc/thread-self/ns/net")
}
