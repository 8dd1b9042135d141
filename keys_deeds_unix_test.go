//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/vt"

	"forge/ui/keymap"
	"forge/ui/screentest"
)

// A check says whether a screen shows what a key does: of the screen before it was
// pressed it says no.
type check func(before, now screentest.Sight) bool

// A deed is what a key does, as a person sees it.
type deed struct {
	set  func(s *terminal) // what is done on the ground of its scene first; nil: nothing
	want check
	back func(s *terminal) // what leads to where the ground can be reached from; nil: nothing
}

// A scene is a screen in which the keys of some contexts can be pressed, one after the
// other.
type scene struct {
	open   func(t *testing.T) *terminal
	ground func(s *terminal) // brings it back to how it was, whatever a key did
	deeds  map[keymap.Action]deed
}

// scenes are all keys of the map.
func scenes() map[string]scene {
	return map[string]scene{"writing": writingScene(), "selecting": selectingScene(), "looking": lookingScene(), "running": runningScene(), "completing": completingScene(), "suggested": suggestedScene(),
		"reading": readingScene(), "crew": crewScene(), "paging": pagingScene(), "choosing": choosingScene(),
		"asking": askingScene(), "answering": answeringScene(), "reviewing": reviewingScene(), "reviewing several": reviewingSeveralScene(), "inquiring": inquiringScene(), "takingback": takingBackScene(),
		"filling": fillingScene(), "opening": openingScene(), "window": windowScene(), "servers": serversScene(), "server": serverScene(), "loggingin": loggingInScene()}
}

// TestEveryKeyOnATerminal presses every key of the map on a real terminal, as the
// bytes that terminals send for it, and sees that it does what the map says.
func TestEveryKeyOnATerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("it presses hundreds of keys one after the other: the tests of the same keys in ui are quick")
	}
	t.Parallel()
	all := scenes()
	for _, b := range keymap.Actions() {
		n := 0
		for _, s := range all {
			if _, ok := s.deeds[b.Action]; ok {
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s is in no scene: its keys are to be seen at work, see keys_deeds_unix_test.go", b.Action)
		}
	}
	for name, sc := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sc.open(t)
			for _, b := range keymap.Actions() {
				d, ok := sc.deeds[b.Action]
				if !ok {
					continue
				}
				for _, key := range b.Keys {
					for _, p := range pressed(key) {
						sc.ground(s)
						if wrong := s.deed(d, p.Bytes); wrong != "" {
							t.Fatalf("%s of %s, by %s %s", key, b.Action, p.By, wrong)
						}
					}
				}
			}
			sc.ground(s)
			s.end()
		})
	}
}

// deed does one deed by the bytes of a key; what it returns says how that went wrong.
func (s *terminal) deed(d deed, bytes string) string {
	s.t.Helper()
	if d.set != nil {
		d.set(s)
	}
	before := s.Look()
	if d.want(before, before) {
		return "does nothing that can be seen: it is there before:\n" + before.Text()
	}
	s.send(bytes)
	if !s.Comes(func() bool { return d.want(before, s.Look()) }) {
		now := s.Look()
		return fmt.Sprintf("does not what it is to do; before:\n%s\n%s\n%q\nafter %q:\n%s\n%s\n%q", before.Text(), before.Row, before.Marked, bytes, now.Text(), now.Row, now.Marked)
	}
	if d.back != nil {
		d.back(s)
	}
	return ""
}

// pressed is the ways of pressing a key, or two one after the other.
func pressed(key string) []screentest.Press {
	first, second, two := strings.Cut(key, " ")
	ways := screentest.Sent(first)
	if !two {
		return ways
	}
	then := screentest.Sent(second)
	for i, w := range ways {
		ways[i].Bytes = w.Bytes + then[min(i, len(then)-1)].Bytes
	}
	return ways
}

// stage is a folder for a scene, with programs that a person would have.
type stage struct {
	dir, bin string
	env      []string
}

func newStage(t *testing.T) stage {
	t.Helper()
	st := stage{dir: filepath.Join(t.TempDir(), "work"), bin: t.TempDir()}
	st.put(t, filepath.Join(st.dir, "read.txt"), rows("read", 60))
	if out, err := exec.Command("git", "init", "-q", st.dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v: %s", err, out)
	}
	const wiped = `; read x; printf '\033[2J\033[H'` // so that none is seen the next time before it is there
	st.program(t, "ed", "echo here is the editor"+wiped+"; printf ' edited' >> \"$1\"\n")
	st.program(t, "pg", "echo here is the pager"+wiped+"\n")
	st.program(t, "br", "exit 0\n")
	st.env = []string{"EDITOR=" + filepath.Join(st.bin, "ed"), "PAGER=" + filepath.Join(st.bin, "pg"), "BROWSER=" + filepath.Join(st.bin, "br")}
	return st
}

func (st stage) put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (st stage) program(t *testing.T, name, text string) {
	t.Helper()
	st.put(t, filepath.Join(st.bin, name), "#!/bin/sh\n"+text)
	if err := os.Chmod(filepath.Join(st.bin, name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// open starts forge as the job of a shell, which says so when it has the terminal
// again and goes on with a line: a word ends it, else forge continues.
func (st stage) open(t *testing.T, script string, args ...string) *terminal {
	t.Helper()
	file := filepath.Join(st.bin, "keys.script")
	st.put(t, file, script)
	cmd := forgeIn(t, st.dir, st.env)
	args = append([]string{"-c", `set -m
forge "$@"; r=$?
while :; do
	echo "the shell has it"; read x; printf '\033[2J\033[H'
	if [ -n "$x" ]; then exit; fi
	if [ $r -gt 128 ]; then fg >/dev/null; else forge "$@" -c; fi
	r=$?
done`, "sh", "--demo=" + file, "-C", st.dir}, args...)
	sh := exec.Command("/bin/sh", args...)
	sh.Dir, sh.Env = cmd.Dir, cmd.Env
	s := openCommand(t, 100, 30, sh, true)
	s.Until("there is a prompt, or a question in its place", func() bool {
		v := s.Look()
		return v.Shows("ask for something") || v.Shows("waiting for your answer")
	})
	return s
}

// end leaves forge and its shell.
func (s *terminal) end() {
	s.t.Helper()
	s.reached()
	s.send("\x04")
	s.see("the shell has it")
	s.send("end\r")
	if err := s.wait(); err != nil {
		s.t.Error(err)
	}
}

// does presses keys and waits until the screen shows what comes of them.
func (s *terminal) does(keys string, want check) {
	s.t.Helper()
	before := s.Look()
	s.send(keys)
	if !s.Comes(func() bool { return want(before, s.Look()) }) {
		now := s.Look()
		s.t.Fatalf("after %q it is not there:\n%s\n%s\n%q", keys, now.Text(), now.Row, now.Marked)
	}
}

// doing does keys before a deed.
func doing(keys string, want check) func(s *terminal) {
	return func(s *terminal) { s.t.Helper(); s.does(keys, want) }
}

// steps does several things before a deed.
func steps(list ...func(s *terminal)) func(s *terminal) {
	return func(s *terminal) {
		s.t.Helper()
		for _, f := range list {
			f(s)
		}
	}
}

// rows are n lines of a word and a number, as "read 07.".
func rows(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %02d.\n", word, i+1)
	}
	return b.String()
}

func shows(words ...string) check {
	return func(_, now screentest.Sight) bool { return now.Shows(words...) }
}

func hides(word string) check {
	return func(_, now screentest.Sight) bool { return !now.Shows(word) }
}

// caret wants the row with the caret to be that, with a bar where it stands.
func caret(row string) check {
	row = strings.Replace(row, "|", "‸", 1)
	return func(_, now screentest.Sight) bool { return now.Row == row }
}

// marked wants that to be what is selected.
func marked(runs ...string) check {
	return func(_, now screentest.Sight) bool { return slices.Equal(now.Marked, runs) }
}

func all(list ...check) check {
	return func(before, now screentest.Sight) bool {
		for _, c := range list {
			if !c(before, now) {
				return false
			}
		}
		return true
	}
}

// points wants the chosen line of a list to begin with a word.
func points(word string) check {
	return func(_, now screentest.Sight) bool {
		return slices.ContainsFunc(now.Marked, func(run string) bool { return strings.HasPrefix(strings.TrimLeft(run, "› ❯"), word+" ") })
	}
}

// heads wants the first row of the screen to begin with some words.
func heads(words string) check {
	return func(_, now screentest.Sight) bool {
		return strings.HasPrefix(strings.TrimSpace(strings.Join(now.Rows, " ")), words)
	}
}

// copies wants a text that begins so to be put on the clipboard.
func copies(text string) check {
	return func(before, now screentest.Sight) bool {
		n := len(now.Copied)
		return n > len(before.Copied) && strings.HasPrefix(now.Copied[n-1], text)
	}
}

// again wants some words to stand on the screen once more than before.
func again(words string) check {
	return func(before, now screentest.Sight) bool {
		return strings.Count(now.Text(), words) > strings.Count(before.Text(), words)
	}
}

// begins wants the row with the caret to begin like that.
func begins(row string) check {
	row = strings.Replace(row, "|", "‸", 1)
	return func(_, now screentest.Sight) bool { return strings.HasPrefix(now.Row, row) }
}

// scribble writes on the screen behind forge's back.
func scribble(s *terminal) {
	s.Emulator(func(em *vt.Emulator) { em.WriteString("\x1b7\x1b[4;20HSCRIBBLED\x1b8") })
}

// nothing is the row with the caret while nothing is written and nothing is open.
const nothing = "› |ask for something, @ adds a file, / is a command, ! a shell line"

// resting wants no run to be on: the last row says what may be done, or what goes on beside.
func resting(_, now screentest.Sight) bool {
	return (now.Shows("? for keys") || now.Shows("in the background")) && !now.Shows("esc stops") && !now.Shows("stopping") && !now.Shows("running your command")
}

// stopped ends what goes on and clears the prompt, to which an unsent word may have come
// back.
func (s *terminal) stopped() {
	s.t.Helper()
	s.does(everything+"\x03"+everything, resting)
	s.does(everything+"\x7f", caret(nothing))
}
