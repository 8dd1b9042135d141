package sandbox

import (
	"math"

	"golang.org/x/sys/unix"
)

// sealAll marks every descriptor at once, where the kernel can (5.11).
func sealAll() bool { return unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil }
