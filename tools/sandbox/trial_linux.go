package sandbox

import (
	"fmt"

	"golang.org/x/sys/unix"
)

func trials() []Trial {
	c := &core{}
	bwrap := Trial{Name: string(Bubblewrap), Why: c.findBwrap()}
	if bwrap.Why == "" {
		bwrap.Detail = c.bwrap
	}
	lock := Trial{Name: string(Landlock)}
	switch abi, err := landlockABI(); {
	case err != nil:
		lock.Why = "this kernel has no Landlock, or it is switched off"
	case abi < minABI:
		lock.Why = fmt.Sprintf("Landlock of this kernel is version %d, and %d is needed (Linux 6.2)", abi, minABI)
	default:
		lock.Detail = fmt.Sprintf("version %d", abi)
	}
	calls := Trial{Name: "seccomp"}
	if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		calls.Why = "this kernel filters no system calls (seccomp)"
	}
	return []Trial{bwrap, lock, calls}
}
