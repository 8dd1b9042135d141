package mcp

import (
	"regexp"
	"sync"
)

// lazyRegexp compiles at its first use: most starts have no server to look at,
// and the patterns would cost each of them.
type lazyRegexp = func() *regexp.Regexp

func lazy(pattern string) lazyRegexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
