//go:build !unix

package display

import (
	"os"
	"os/exec"
)

// Relay runs a program right on the person's terminal until it ends. Nothing of what it
// writes is kept: there is no terminal of its own to be had here.
func Relay(cmd *exec.Cmd, in, out *os.File) Relayed {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	return Relayed{Err: cmd.Run()}
}
