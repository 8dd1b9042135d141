// Package swap writes files that whoever reads them finds whole, the old one or the new: it
// puts finished ones in the place of others, also where somebody looks at those for a moment.
//
// On Windows whoever has a file open, as editors, indexes and scanners do when it has just
// changed, keeps others from replacing it. Every room that replaces files does it through
// this one, and so is as patient as the others.
package swap

import (
	"os"
	"time"
)

// longest is the wait before the last try; all of them together take about 0.6 s.
const longest = 320 * time.Millisecond

// Rename is os.Rename; it tries again while somebody has either file.
func Rename(from, to string) error {
	return Patiently(func() error { return os.Rename(from, to) })
}

// Patiently tries a rename again, up to seven times within about 0.6 s, while the system
// says that somebody has the file. Its error is the last one. On other systems than
// Windows nobody is in the way, and rename is called once.
func Patiently(rename func() error) error { return patiently(held, rename) }

func patiently(held func(error) bool, rename func() error) error {
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		err := rename()
		if err == nil || !held(err) || wait > longest {
			return err
		}
		time.Sleep(wait)
	}
}
