package swap

import (
	"errors"
	"syscall"
)

// held says whether err may be that of a file somebody has open: ERROR_ACCESS_DENIED and
// ERROR_SHARING_VIOLATION.
func held(err error) bool {
	return errors.Is(err, syscall.Errno(5)) || errors.Is(err, syscall.Errno(32))
}
