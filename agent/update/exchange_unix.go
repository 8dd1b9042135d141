//go:build !windows

package update

import "os"

const exeName = "forge"

// exchange puts next in the place of program in one step; the one that runs goes on.
func exchange(next, program string) error { return os.Rename(next, program) }
