package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// kernel is what is kept between commands: the rule sets, with the network closed
// and open. They can be used any number of times.
type kernel struct {
	abi    int // of Landlock
	closed *ruleset
	open   *ruleset
	own    ownNet
	net    *os.File // the network of netOwn
}

// choose finds the strongest form that works here, or why there is none.
func (c *core) choose(form Form) (Form, string) {
	if _, ok := auditArch.Get()[runtime.GOARCH]; !ok {
		return None, "system calls cannot be filtered on " + runtime.GOARCH
	}
	if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		return None, "this kernel filters no system calls (seccomp)"
	}
	// os finds out once how it can wait for processes, on the thread that asks
	// first, and must not find a confined one.
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Release()
	}
	var noBwrap string
	if form == "" || form == Bubblewrap {
		if noBwrap = c.findBwrap(); noBwrap == "" {
			return Bubblewrap, ""
		}
		if form == Bubblewrap {
			return None, noBwrap
		}
	}
	if form == "" || form == Landlock {
		abi, err := landlockABI()
		switch {
		case err == nil && abi >= minABI:
			c.kernel.abi = abi
			if !mayOwnNet() {
				c.kernel.own = netNone
			}
			return Landlock, ""
		case err == nil:
			return None, fmt.Sprintf("Landlock of this kernel is version %d, and %d is needed (Linux 6.2); bubblewrap would do as well", abi, minABI)
		case errors.Is(err, unix.EOPNOTSUPP):
			return None, "Landlock is switched off on this system; bubblewrap would do as well"
		}
		return None, "this kernel has no Landlock (Linux 6.2 has it); bubblewrap would do as well"
	}
	return None, fmt.Sprintf("%s is not for this system", form)
}

// release gives the rule sets back.
func (c *core) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kernel.closed.close()
	c.kernel.open.close()
	c.kernel.closed, c.kernel.open = nil, nil
	if c.kernel.net != nil {
		_ = c.kernel.net.Close()
		c.kernel.own, c.kernel.net = netNone, nil
	}
}

// renew has the rule sets made again for the next command. The lock is held.
func (c *core) renew() {
	c.kernel.closed.close()
	c.kernel.open.close()
	c.kernel.closed, c.kernel.open = nil, nil
}

func (p *Policy) apply(c *confinement, cmd *exec.Cmd) error {
	if p.form == Bubblewrap {
		return p.wrap(c, cmd)
	}
	c.thread = p.restrictThread
	return nil
}

// restrictThread confines the calling thread, and so all it starts.
func (p *Policy) restrictThread() error {
	// What a thread starts has the rights of the thread, so the kernel lets it look
	// into the thread, and that is forge's memory with the keys in it. A process that
	// is not dumpable may be looked into by nobody. It also keeps keys out of core
	// dumps.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: hide forge's memory: %w", errNotConfined, err)
	}
	own := false
	if !p.network {
		var err error
		if own, err = p.enterOwnNet(); err != nil {
			return fmt.Errorf("%w: %w", errNotConfined, err)
		}
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("%w: drop capabilities: %w", errNotConfined, err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("%w: %w", errNotConfined, err)
	}
	if err := p.restrictFiles(!p.network && !own); err != nil {
		return fmt.Errorf("%w: landlock: %w", errNotConfined, err)
	}
	sockets := localSockets
	if p.network || own {
		sockets = netSockets
	}
	if err := installFilter(filter(sockets, os.Getpid(), unix.Gettid())); err != nil {
		return fmt.Errorf("%w: seccomp: %w", errNotConfined, err)
	}
	return nil
}

// onMainThread says whether this is the thread the program began on. It cannot be
// given up: it stays to the end, and stands for the whole program in the eyes of
// others.
func onMainThread() bool { return unix.Gettid() == os.Getpid() }

// kept are the capabilities a command of root keeps: what file work needs. The
// rest is for running a machine.
const kept = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
	1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID | 1<<unix.CAP_KILL

// dropCapabilities takes from this thread what root has beyond that. Without new
// privileges, no program gets it back.
func dropCapabilities() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return err
	}
	data[0].Permitted &= kept
	data[0].Effective &= kept
	data[0].Inheritable = 0
	data[1] = unix.CapUserData{}
	return unix.Capset(&head, &data[0])
}

// ownLoopback says whether commands have a loopback of their own while the network
// is closed, so that what listens on the machine's is not reached through it.
func (c *core) ownLoopback() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.form == Bubblewrap || c.form == Landlock && c.kernel.own != netNone
}
