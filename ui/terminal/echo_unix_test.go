//go:build unix

package terminal_test

import (
	"bufio"
	"io"
	"testing"

	"github.com/creack/pty"

	"forge/ui/terminal"
)

// What is left of a key when the terminal shows again what is typed is nobody's line.
func TestTheRestOfAKeyIsDropped(t *testing.T) {
	host, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	defer host.Close()
	defer tty.Close()
	go func() { _, _ = io.Copy(io.Discard, host) }()
	hide := terminal.Hide(tty)
	in := bufio.NewReader(tty)
	hide(true)
	if _, err := host.WriteString("sk-one\nsk-two\nsk-th"); err != nil {
		t.Fatal(err)
	}
	if got, err := in.ReadString('\n'); got != "sk-one\n" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	hide(false)
	if _, err := host.WriteString("hello\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := in.ReadString('\n'); got != "hello\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
