//go:build !windows

package update

import "os"

const exeName = "forge"

// swap puts next in the place of program in one step; the one that runs goes on.
func swap(next, program string) error { return os.Rename(next, program) }
