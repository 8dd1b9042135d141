package terminal

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

func echo(st *term.State, on bool) {
	if st.Mode &^= windows.ENABLE_ECHO_INPUT; on {
		st.Mode |= windows.ENABLE_ECHO_INPUT
	}
}
