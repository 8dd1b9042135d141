//go:build unix

package plainfile

import "syscall"

const atOnce = syscall.O_NONBLOCK
