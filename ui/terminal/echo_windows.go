package terminal

import (
	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/windows"
)

// drop forgets what was typed and not read.
func drop(fd uintptr) { _ = windows.FlushConsoleInputBuffer(windows.Handle(fd)) }

func echo(st *term.State, on bool) {
	if st.Mode &^= windows.ENABLE_ECHO_INPUT; on {
		st.Mode |= windows.ENABLE_ECHO_INPUT
	}
}
