//go:build unix

package display

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/vt"
)

// relays is what the actor does at r: it runs a script on a terminal of its own.
func relays() tea.Cmd {
	var r Relayed
	return Lend(func(in, out *os.File) error {
		r = Relay(exec.Command("sh", "-c", os.Getenv("FORGE_DISPLAY_RELAY")), in, out)
		return nil
	}, func(err error) tea.Msg {
		return ended(fmt.Sprintf("%q screens %v: %v, %v", r.Said, r.Screens, r.Err, err))
	})
}

// openRelay is the actor on a terminal, whose key r runs a script.
func openRelay(t *testing.T, script string) *terminal {
	t.Helper()
	const after = `"$0"; stty -a | tr ' ;' '\n\n' | grep -x -e icanon -e -icanon | tr i I; echo the end`
	s := openTerminal(t, 120, 12, environ("FORGE_DISPLAY_RELAY="+script), shell(after))
	s.See("size 120x12")
	s.Send("r")
	return s
}

// over waits for what the actor was told, and sees that it has the terminal again.
func (s *terminal) over(told string) {
	s.t.Helper()
	s.See("[" + told + "]")
	s.Until("the actor has the terminal", func() (yes bool) {
		s.Emulator(func(em *vt.Emulator) { yes = em.IsAltScreen() })
		return yes && !s.given()
	})
	s.Send("k")
	s.See("] k")
	s.Send("q")
	s.See("the end")
	if text := s.Text(); !strings.Contains(text, "\nIcanon") {
		s.t.Errorf("the terminal is not as it was:\n%s", text)
	}
	s.bye()
}

// A program asks and is answered, on a terminal it can speak with directly, and what was said
// is kept; its terminal changes its size with the person's.
func TestRelayAsks(t *testing.T) {
	s := openRelay(t, `exec 3<>/dev/tty; stty size >&3; printf 'name? ' >&3; read x <&3; trap 'stty size; exit 3' WINCH; echo "hello $x"; while :; do read y; done`)
	s.See("12 120")
	s.See("name?")
	s.Send("me\r")
	s.See("hello me")
	s.Resize(100, 20)
	s.over(`"12 120\nname? me\nhello me\n20 100" screens false: exit status 3, <nil>`)
}

// ctrl+c, and every other key, is the program's.
func TestRelayHasAllKeys(t *testing.T) {
	s := openRelay(t, `trap 'echo caught' INT; echo ready; while [ "$x" != end ]; do read x; done; echo over`)
	s.See("ready")
	s.Send("\x03")
	s.See("caught")
	s.Send("zqp你\r")
	s.See("zqp你")
	s.Send("end\r")
	s.Until("it is over", func() bool { return strings.Contains(s.Text(), "screens false: <nil>") })
	s.Send("kq")
	s.bye()
}

// A program that takes the terminal and is killed leaves it as it was, and leaves no keys.
func TestRelayOfAProgramThatIsKilled(t *testing.T) {
	s := openRelay(t, `echo before; stty raw -echo; printf '\033[?1049h\033[?1000;1006h\033[?25l\033[>1u\033[2;4rtaken\033(0\033[41m'; read x; kill -9 $$`)
	s.See("taken")
	s.Send("x\r\n\n") // more than it reads
	s.over(`"before" screens true: signal: killed, <nil>`)
}

// What nothing else ends is ended by ctrl+\ three times.
func TestRelayIsEnded(t *testing.T) {
	s := openRelay(t, `trap '' INT QUIT TERM HUP; stty raw -echo; echo stays; while :; do read x; done`)
	s.See("stays")
	s.Send("\x03\x1c\x1c\x1c")
	s.over(`"stays" screens false: signal: killed, <nil>`)
}

// What a program left behind does not keep the terminal, and one that is not there is told of.
func TestRelayIsNotKept(t *testing.T) {
	s := openRelay(t, `trap '' HUP; (while :; do echo more; read x < /dev/tty || exit; done) & echo first; exit 0`)
	s.Until("it is over", func() bool { return strings.Contains(s.Text(), "screens false: <nil>") })
	s.Send("kq")
	s.bye()
	if r := Relay(exec.Command("/nowhere/to/be/found"), os.Stdin, os.Stdout); r.Err == nil {
		t.Error("ran what is not there")
	}
}

// ctrl+\ three times in a row is heard in every way that terminals send it.
func TestQuits(t *testing.T) {
	for keys, want := range map[string]int{
		"\x1c\x1c\x1c": 3, "a\x1c": 1, "\x1c\x1ca": 0, "\x1c\x1c\x1ca": 3,
		"\x1b[92;5u\x1b[92;5:3u\x1b[92;5:1u\x1b[27;5;92~": 3, "\x1b[92;5ux": 0, "": 0,
	} {
		if got := quits([]byte(keys), 0); got != want {
			t.Errorf("%q: %d, not %d", keys, got, want)
		}
	}
	if quits([]byte("\x1c"), 2) != 3 || quits([]byte("x"), 2) != 0 || quits([]byte{0x1b}, 2) != 0 {
		t.Error("pieces are not put together")
	}
}

// What the terminal says to whoever had it before does not reach a program that has asked
// nothing; keys do, whatever they begin with.
func TestUnasked(t *testing.T) {
	for said, want := range map[string]string{
		"a\x1b]11;rgb:0000/0000/0000\x07b":                             "ab",
		"\x1b]11;rgb:ffff/ffff/ffff\x1b\\x\x1b[2;5Ry\x1b[?62;4c":       "xy",
		"\x1b[<0;3;4M\x1b[<0;3;4m\x1b[I\x1b[O\x1b[?2026;2$y":           "",
		"\x1b[A\x1b[1;2R\x1b[3~\x1bOP\x1b\x1bx\x1b[200~p\x1b[201~\x1b": "\x1b[A\x1b[1;2R\x1b[3~\x1bOP\x1b\x1bx\x1b[200~p\x1b[201~\x1b",
		"\x1b]\x1bP":         "\x1b]\x1bP",
		"\x1bP1+r5463\x1b\\": "",
	} {
		if got, rest := unasked([]byte(said)); string(got) != want || len(rest) > 0 {
			t.Errorf("%q: %q and %q, not %q", said, got, rest, want)
		}
	}
	got, rest := unasked([]byte("x\x1b]11;rgb:00"))
	if more, none := unasked(append(rest, "00/0/0\x07y"...)); string(got) != "x" || string(more) != "y" || none != nil {
		t.Errorf("%q %q %q %q", got, rest, more, none)
	}
}
