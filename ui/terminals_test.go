package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/ui/graphics"
)

// emulated is a terminal as it answers, as it sends keys, and as it is to be spoken to. Those
// that say "measured" were asked themselves; of the others it is what their sources of
// August 2026 say.
type emulated struct {
	name    string
	env     string
	version string // XTVERSION
	nature  string // DA1
	sync    int    // mode 2026, as DECRPM has it; 0: it says nothing
	cluster int    // mode 2027
	keys    bool   // Kitty's protocol
	ground  string // OSC 11
	enter   string // what shift+enter sends
	apart   bool   // and whether that is another key than enter

	notify   string // what tells a person that a run has ended
	progress bool
	pictures graphics.Way
	cells    bool
}

const (
	kittyEnter = "\x1b[13;2u"
	byBell     = "\a"
	by9        = "\x1b]9;forge: "
	by777      = "\x1b]777;notify;forge;"
	by99       = "\x1b]99;"
)

var terminals = []emulated{
	{name: "Windows Terminal 1.26", env: "WT_SESSION=c0ffee", nature: "61;4;6;7;14;21;22;23;24;28;32;42;52", sync: 2, cluster: 3, keys: true,
		ground: "0c0c/0c0c/0c0c", enter: kittyEnter, apart: true, notify: byBell, progress: true, pictures: graphics.Sixel},
	{name: "Windows Terminal 1.22, from WSL", env: "WT_SESSION=c0ffee TERM=xterm-256color WSL_DISTRO_NAME=Debian", nature: "61;4;6;7;14;21;22;23;24;28;32;42",
		cluster: 3, ground: "0c0c/0c0c/0c0c", enter: "\r", notify: byBell, progress: true, pictures: graphics.Sixel},
	{name: "the console of Windows 10", env: "OS=Windows_NT", nature: "1;0", enter: "\r", notify: byBell, pictures: graphics.Off},
	{name: "iTerm2 3.7", env: "TERM=xterm-256color TERM_PROGRAM=iTerm.app TERM_PROGRAM_VERSION=3.7.0 LC_TERMINAL=iTerm2", version: "iTerm2 3.7.0",
		nature: "64;1;2;4;6;17;18;21;22;52", sync: 2, cluster: 4, keys: true, ground: "ffff/ffff/ffff", enter: kittyEnter, apart: true,
		notify: by9, progress: true, pictures: graphics.ITerm},
	{name: "Ghostty 1.3", env: "TERM=xterm-ghostty TERM_PROGRAM=ghostty TERM_PROGRAM_VERSION=1.3.0", version: "ghostty 1.3.0", nature: "62;22;52", sync: 2, cluster: 1,
		keys: true, ground: "2828/2c2c/3434", enter: kittyEnter, apart: true, notify: by9, progress: true, pictures: graphics.Kitty, cells: true},
	{name: "WezTerm 20240203", env: "TERM=xterm-256color TERM_PROGRAM=WezTerm TERM_PROGRAM_VERSION=20240203-110809-5046fc22", version: "WezTerm 20240203-110809-5046fc22",
		nature: "65;4;6;18;22", sync: 2, cluster: 3, ground: "0000/0000/0000", enter: "\x1b[27;2;13~", apart: true, notify: by9, pictures: graphics.ITerm},
	{name: "VS Code's, xterm.js 6.1.0-beta.337 (measured)", env: "TERM=xterm-256color TERM_PROGRAM=vscode TERM_PROGRAM_VERSION=1.110.0", version: "xterm.js(6.1.0-beta.337)",
		nature: "62;4;9;22", sync: 2, keys: true, ground: "1e1e/1e1e/1e1e", enter: kittyEnter, apart: true, notify: byBell, progress: true, pictures: graphics.Sixel},
	{name: "xterm.js 6.0.0 (measured)", env: "TERM=xterm-256color", nature: "62;4;9;22", sync: 2, ground: "ffff/ffff/ffff", enter: "\r", notify: byBell, pictures: graphics.Sixel},
	{name: "VTE 0.84.1 (measured)", env: "TERM=xterm-256color VTE_VERSION=8401", version: "VTE(8401)", nature: "61;1;21;22;28", sync: 4, cluster: 4,
		ground: "0000/0000/0000", enter: "\r", notify: byBell, progress: true, pictures: graphics.Off},
	{name: "Konsole 26.08.2 (measured)", env: "TERM=xterm-256color KONSOLE_VERSION=260802", version: "Konsole 26.08.2", nature: "62;1;4", keys: true,
		ground: "2323/2626/2727", enter: kittyEnter, apart: true, notify: by777, pictures: graphics.Sixel},
	{name: "Konsole 22.12.3 (measured)", env: "TERM=xterm-256color KONSOLE_VERSION=221203", nature: "62;1;4",
		ground: "2323/2626/2727", enter: "\x1bOM", apart: true, notify: by777, pictures: graphics.Sixel},
	{name: "foot 1.28.0 (measured)", env: "TERM=foot", version: "foot(1.28.0)", nature: "62;4;22;28;52", sync: 2, cluster: 2, keys: true,
		ground: "2424/2424/2424", enter: kittyEnter, apart: true, notify: by777, pictures: graphics.Sixel},
	{name: "kitty 0.48.2 (measured)", env: "TERM=xterm-kitty KITTY_WINDOW_ID=1", version: "kitty(0.48.2)", nature: "62;52", sync: 2, keys: true,
		ground: "0000/0000/0000", enter: kittyEnter, apart: true, notify: by99, pictures: graphics.Kitty, cells: true},
}

func (k emulated) getenv(name string) string {
	for _, pair := range strings.Fields(k.env) {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			return v
		}
	}
	if name == "TERM" { // as terminal.Environ has it on Windows
		return "xterm-256color"
	}
	return ""
}

// answer is what the terminal says to what is written.
func (k emulated) answer(b []byte) (said string) {
	for _, q := range []struct {
		question, answer string
		gives            bool
	}{
		{"\x1b[?2026$p", "\x1b[?2026;" + strconv.Itoa(k.sync) + "$y", k.sync > 0},
		{"\x1b[?2027$p", "\x1b[?2027;" + strconv.Itoa(k.cluster) + "$y", k.cluster > 0},
		{"\x1b[?u", "\x1b[?5u", k.keys},
		{"\x1b]11;?", "\x1b]11;rgb:" + k.ground + "\x1b\\", k.ground != ""},
		{"\x1b[6n", "\x1b[2;2R", true},
		{"\x1b[>0q", "\x1bP>|" + k.version + "\x1b\\", k.version != ""},
		{"\x1b[c", "\x1b[?" + k.nature + "c", k.nature != ""},
	} {
		if q.gives && strings.Contains(string(b), q.question) {
			said += q.answer
		}
	}
	return said
}

// In each terminal the screen begins, takes its keys, says what that terminal takes and
// nothing else, and gives it back.
func TestOnTerminals(t *testing.T) {
	for _, k := range terminals {
		t.Run(k.name, func(t *testing.T) { bubble(t, func(t *testing.T) { playOn(t, k) }) })
	}
}

func playOn(t *testing.T, k emulated) {
	a := &fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
		sink(agent.TurnStart{})
		sink(agent.TextDelta{Text: "the answer"})
		err := pause(ctx, 2*time.Second)
		sink(agent.TurnEnd{})
		return err
	}}
	o := testOptions(a)
	o.Getenv = k.getenv
	env := append(strings.Fields(k.env), "CLICOLOR_FORCE=1", "COLORTERM=truecolor")
	if !strings.Contains(k.env, "TERM=") {
		env = append(env, "TERM=") // nobody sets it on Windows
	}
	s := startOn(t, o, 80, 24, env, k.answer)
	time.Sleep(time.Second)
	if rows := strings.Split(s.text(), "\n"); !strings.Contains(rows[len(rows)-2], "ask for something") {
		t.Fatalf("its answers were taken for keys:\n%s", s.text())
	}
	s.send("one")
	s.send(k.enter)
	if s.send("two"); k.apart {
		s.send("\r")
	}
	s.send("\x1b[O") // its person looks elsewhere
	s.see("the answer")
	time.Sleep(3 * time.Second)
	want := "one"
	if k.apart {
		want = "one\ntwo"
	}
	if a.said() != want {
		t.Errorf("shift+enter: %q was sent, want %q", a.said(), want)
	}
	s.send("\x1b[I\x03/quit\r")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	raw := s.raw.String()
	for _, way := range []string{by9, by777, by99} {
		if n := strings.Count(raw, way); (n > 0) != (way == k.notify) || n > 2 { // by99 has a title and a text
			t.Errorf("%q was sent %d times", way, n)
		}
	}
	rung := strings.Count(strings.ReplaceAll(strings.ReplaceAll(raw, "\x1b]9;4", ""), "\x1b\\", ""), "\a")
	for _, osc := range []string{"\x1b]2;", "\x1b]9;", "\x1b]777;", "\x1b]11;?", "\x1b]12;", "\x1b]112"} {
		rung -= strings.Count(strings.ReplaceAll(raw, "\x1b]9;4", ""), osc)
	}
	if (rung > 0) != (k.notify == byBell) || rung > 1 {
		t.Errorf("the bell rang %d times", rung)
	}
	begun, ended := strings.Contains(raw, "\x1b]9;4;3\x1b\\"), strings.LastIndex(raw, "\x1b]9;4;0\x1b\\") > strings.LastIndex(raw, "\x1b]9;4;3")
	if begun != k.progress || ended != k.progress {
		t.Errorf("progress begins: %v, and ends: %v", begun, ended)
	}
	if synced := strings.Contains(raw, "\x1b[?2026h"); synced != (k.sync == 2) {
		t.Errorf("frames are shown whole: %v", synced)
	}
	if joined := strings.Contains(raw, "\x1b[?2027h"); joined != slices.Contains([]int{1, 2, 3}, k.cluster) {
		t.Errorf("it counts by graphemes: %v", joined)
	}
	var nature []int
	for n := range strings.SplitSeq(k.nature, ";") {
		i, _ := strconv.Atoi(n)
		nature = append(nature, i)
	}
	guess := graphics.Detect(graphics.Auto, k.getenv)
	if way, cells := graphics.Answered(guess, k.version, nature); way != k.pictures || cells != k.cells {
		t.Errorf("pictures by %q, among the text: %v", way, cells)
	}
}
