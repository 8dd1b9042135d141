package sandbox

import "os"

// Of a locale that the machine has not bash complains amid what a command writes.
func init() { os.Unsetenv("LC_ALL") }
