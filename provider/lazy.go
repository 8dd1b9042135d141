package provider

import (
	"regexp"
	"sync"
)

// lazyRegexp compiles at its first use: failures are rare, starts are not, and
// some forty patterns would cost every start a millisecond.
type lazyRegexp = func() *regexp.Regexp

func lazy(pattern string) lazyRegexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
