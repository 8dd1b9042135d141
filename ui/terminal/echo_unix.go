//go:build unix

package terminal

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

func echo(st *term.State, on bool) {
	if st.Lflag &^= unix.ECHO; on {
		st.Lflag |= unix.ECHO
	}
}
