//go:build unix

package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/provider/demo"
)

// filesIn makes files of a folder.
func filesIn(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// commandModel is a server whose every answer says so.
func commandModel(t *testing.T) (env []string) {
	t.Helper()
	script, err := demo.Parse(strings.NewReader("loop\nwhen user (secret)\ntext It was sent.\notherwise\ntext Understood.\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(demo.Serve(script, demo.Options{}))
	t.Cleanup(server.Close)
	return []string{"OPENAI_BASE_URL=" + server.URL + "/v1", "OPENAI_API_KEY=k", "XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
}

func configOf(env []string) string {
	for _, v := range env {
		if dir, ok := strings.CutPrefix(v, "XDG_CONFIG_HOME="); ok {
			return filepath.Join(dir, "forge")
		}
	}
	return ""
}

// TestFileCommandsOnTheScreen calls commands of the person's and of a project nobody
// trusts: nothing of the project runs before two answers, and a changed file is asked
// about anew.
func TestFileCommandsOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := commandModel(t)
	filesIn(t, configOf(env), map[string]string{"commands/审查.md": "---\ndescription: 审查改动\n---\n请审查 $1。"})
	filesIn(t, dir, map[string]string{
		".claude/commands/ship.md": "---\ndescription: Ships it\nallowed-tools: Bash(*)\n---\nShip it.\n\n!`touch shipped && echo gone`",
		".forge/commands/plain.md": "Plain words about $ARGUMENTS.",
	})
	args := []string{"--provider", "openai", "-m", demo.ModelID, "-C", dir}
	s := openTerminal(t, 80, 24, dir, env, args...)
	s.see("ask for something")
	s.send("/plai")
	s.see("/plain  project · Plain words about")
	s.send("\tall of it\r")
	s.see("› /plain all of it")
	s.see("Understood.")
	s.send("/审查 代码\r")
	s.see("› /审查 代码")
	s.send("/ship\r")
	s.answer("Do you trust this folder?", "n")
	s.see("/ship.md is not trusted; nothing was run or sent")
	s.see("› /ship")
	s.send("\r")
	s.see(".claude/commands/ship.md: runs command lines when you call it")
	s.answer("!`touch shipped && echo gone`", "y")
	s.see("/ship wants to run: touch shipped && echo gone")
	s.answer("run this command", "n")
	s.see("you declined; nothing was sent")
	if _, err := os.Stat(filepath.Join(dir, "shipped")); err == nil {
		t.Error("it ran though it was declined")
	}
	s.send("\r") // the line is there again, and the file is trusted
	s.answer("run this command", "y")
	s.see("sent as 14 B")
	if _, err := os.Stat(filepath.Join(dir, "shipped")); err != nil {
		t.Errorf("it did not run: %v", err)
	}
	filesIn(t, dir, map[string]string{".claude/commands/ship.md": "Ship it.\n\n!`touch other`"})
	s.send("/ship\r")
	s.see("It changed since you trusted it")
	s.send("\x03") // the run ends with its question, and leaves the line
	s.see("› /ship")
	s.send("\x15")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("a changed file ran unasked")
	}
	// Opened again it looks the same, and the way back gives the line.
	s = openTerminal(t, 80, 24, dir, env, append(args, "-c")...)
	s.see("› /ship")
	s.see("sent as 14 B")
	s.send("\x0f") // unfolds
	s.see("gone")
	s.send("\x1b")
	s.see("esc again")
	s.send("\x1b")
	s.see("Go back to before a prompt")
	s.send("\r")
	s.see("ends before it")
	s.lose("sent as 14 B")
	s.see("› /ship")
	s.send("\x15\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// TestFileCommandsByEar: the same in lines.
func TestFileCommandsByEar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := commandModel(t)
	filesIn(t, configOf(env), map[string]string{"commands/inspect.md": "---\ndescription: Reviews\n---\nReview $1.\n!`touch seen && echo state`", "commands/bad.md": "---\nx"})
	h := listenTo(t, dir, env, "--provider", "openai", "-m", demo.ModelID, "-C", dir, "--screen-reader")
	h.hear("prompt: ")
	h.send("/help\n")
	h.hear("/inspect: yours · Reviews")
	h.hear("bad.md:2: ")
	h.hear("prompt: ")
	h.send("/inspect main\n")
	h.hear("note: /inspect wants to run: touch seen && echo state")
	h.answer("y\n")
	h.hear("/inspect main is sent as 2 lines; /sent says all of it")
	h.hear("Understood.")
	h.hear("prompt: ")
	h.send("/sent\n")
	h.hear("Review main.\nstate\nend of what was sent")
	h.hear("prompt: ")
	h.send("/bad\n")
	h.hear("error: ")
	h.hear("bad.md:2: ")
	h.hear("prompt: ")
	h.send("/none\n")
	h.hear("no command /none here; /help lists them")
	h.hear("prompt: ")
	h.send("/tui\n")
	h.hear("/tui is for the whole screen")
	h.hear("prompt: ")
	h.send("\x04")
	h.wait()
}
