//go:build !unix

package doctor

import "os"

// locks reports that locks hold: the systems left have no others.
func locks(*os.File) bool { return true }
