//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const loopScript = `loop
text I looked.
end
`

// A loop sends at once, is kept with the conversation, goes along into a copy, and does not
// run unasked when the conversation is opened again.
func TestLoopOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(loopScript), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	s := openTerminal(t, 110, 30, dir, env, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("/loop 1h 看看部署\r")
	s.see("loop 1 sends this every 1 h")
	s.see("› 看看部署")
	s.see("I looked.")
	s.see("  loop ")
	s.send("/fork\r")
	s.see("going on in a copy")
	s.send("/loop\r")
	s.see("1 · every 1 h · next at ")
	s.see("1 run · 看看部署")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if raw := s.Raw(); !strings.Contains(raw, "ended with forge, every 1 h: 看看部署") {
		t.Error("nothing is said of the loop that ends with forge")
	}
	s = openTerminal(t, 110, 30, dir, env, "--demo="+script, "-C", dir, "-c")
	s.see("a loop of this conversation does not run any more, every 1 h: 看看部署.")
	s.send("/loop resume\r")
	s.see("1 · every 1 h · next at ")
	s.see("0 runs · 看看部署")
	s.see("  loop ")
	s.send("/new\r")
	s.see("the loop of the conversation before has ended")
	s.lose("  loop ")
	s.send("/loop\r")
	s.see("no loop runs")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// Where forge ends with its answer there are no loops.
func TestLoopHeadless(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "script", loopScript)
	if out, errOut, code := p.run(t, "--demo=script", "-C", p.dir, "-p", "/loop 5m look"); code != 2 || out != "" || !strings.Contains(errOut, "/loop is for forge's screen") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

func TestLoopInLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(loopScript), 0o600); err != nil {
		t.Fatal(err)
	}
	h := listenTo(t, dir, []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}, "--demo="+script, "--screen-reader", "-C", dir)
	h.hear("prompt: ")
	h.send("/loop 5 look\n")
	h.hear("error: say how often and what")
	h.send("/loop 5m /new\n")
	h.hear("/new makes none")
	h.send("/loop every hour look\n")
	h.hear("loop 1 sends this every 1 h")
	h.hear("loop 1, every 1 h: look")
	h.hear("I looked.")
	h.send("/loop\n")
	h.hear("1 run · look")
	h.send("/loop stop\n")
	h.hear("loop 1 has ended: look")
	h.send("/exit\n")
	h.wait()
}
