package tools

import (
	"strings"
	"testing"
)

// What programs really say without a terminal is known, and what they say for other causes
// is not taken for it.
func TestWantedTerminal(t *testing.T) {
	for _, said := range []string{
		"sudo: a terminal is required to read the password; either use the -S option to read from standard input or configure an askpass helper\nsudo: a password is required",
		"fatal: could not read Username for 'https://example.com': terminal prompts disabled",
		"Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nEOFError: EOF when reading a line",
		"stty: 'standard input': Inappropriate ioctl for device",
		"the input device is not a TTY", "Vim: Warning: Input is not from a terminal", "Error opening terminal: dumb.",
		"error: there was a problem with the editor 'false'", "Host key verification failed.",
		"bash: line 1: /dev/tty: No such device or address", "open terminal failed: not a terminal: stdin is not a tty",
	} {
		if !WantedTerminal(strings.Repeat("output\n", 5000) + said + "\n[exit code 1, 20 ms]\n") {
			t.Errorf("not known: %s", said)
		}
	}
	for _, said := range []string{
		"", "make: *** [all] Error 1", "FAIL\tforge/ui\t0.3s", "bash: foo: command not found", "Permission denied (publickey).",
		"not a tty\n" + strings.Repeat("and much more that was said after it\n", 500),
	} {
		if WantedTerminal(said) {
			t.Errorf("taken for it: %.60q", said)
		}
	}
	if !strings.HasPrefix(TerminalNote, "[") || WantedTerminal(TerminalNote) {
		t.Error("the note is no note, or it names one of the words")
	}
}
