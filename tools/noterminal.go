package tools

import (
	"strings"
	"time"
)

// noTerminal are words, in small letters, by which programs say that they wanted to speak
// with a person: over a terminal, or by lines on their input.
var noTerminal = [...]string{
	"inappropriate ioctl for device", "a terminal is required", "a password is required", "no tty present", "not a tty", "must be a tty", "use a tty",
	"/dev/tty", "is not a terminal", "not from a terminal", "not to a terminal", "requires a terminal", "requires an interactive", "need an interactive",
	"run from a terminal", "run in a terminal", "run interactively", "interactive terminal", "error opening terminal", "term environment variable not set",
	"eof when reading a line", "could not read username", "could not read password", "terminal prompts disabled",
	"problem with the editor", "host key verification failed", "setrawmode is not", "user force closed the prompt",
}

// saidLast is how much of the end of an output is looked at, in bytes.
const saidLast = 8 << 10

// TerminalNote is a line of a result, for models: what failed wanted what commands do not have,
// and the person has.
const TerminalNote = "[it wanted a terminal or input, which commands do not have here; the user can run it on their own terminal: they type !i and the command]"

// WantedTerminal reports whether the words of a command that failed say that it wanted a
// terminal, or input.
func WantedTerminal(said string) bool {
	if over := len(said) - saidLast; over > 0 {
		said = said[over:]
	}
	said = strings.ToLower(said)
	for _, words := range noTerminal {
		if strings.Contains(said, words) {
			return true
		}
	}
	return false
}

// Ran is how a command went that was run on the person's own terminal.
type Ran struct {
	Said    string // what it said there, as text
	Missing int64  // bytes of its begin that were not kept
	Kept    bool   // false: nobody but the person could see what it said
	Screens bool   // it drew in full-screen mode, which is not in Said
	Took    time.Duration
	Err     error // of exec.Cmd
}
