package permission

import (
	"regexp"
	"sync"
)

// lazy compiles a pattern at its first use: a start looks at no command, and
// these patterns would cost every start a millisecond.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
