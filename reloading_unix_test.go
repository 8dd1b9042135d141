//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReload changes all that can be while forge runs: it is taken up, the model is told of
// its instructions, and what waits for a restart is named.
func TestReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(`expect not tool skill
expect not seen Speak plainly
text First.
end
expect tool skill
expect seen Speak plainly
expect user hello
call run_bash {"command":"ls"}
end
expect refused[run_bash]
text Second.
end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	filesIn(t, dir, map[string]string{"AGENTS.md": "Speak much."})
	s := openTerminal(t, 100, 40, dir, env, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("begin\r")
	s.see("First.")
	s.send("/reload\r")
	s.see("nothing changed: settings")
	filesIn(t, dir, map[string]string{"AGENTS.md": "Speak plainly.", ".forge/agents/looker.md": "---\ndescription: looks\n---\nLook.", ".mcp.json": `{"mcpServers":{"far":{"url":"http://127.0.0.1:1/x"}}}`})
	filesIn(t, configOf(env), map[string]string{
		"skills/pdf/SKILL.md": skillText("pdf", "fills forms", "Fill."), "agents/mine.md": "---\ndescription: mine\n---\nDo.",
		"forge.json": `{"permissions": {"deny": ["run_bash(ls)"]}, "max_turns": 7, "lang": "zh", "keys": {"empty.help": "f9", "screen.nonsense": "f2"}, "ide": {"context": "auto"}, "editor": {"dictate": ["listen"]}, "screen": {"status": ["mode", "|", "folder"]}}`,
	})
	s.send("/reload\r")
	s.see(".forge/agents/looker.md: defines sub-agents")
	s.answer("Do you trust this folder?", "y")
	s.see("screen.nonsense")
	s.see("in force now: editor.dictate, ide.context, keys, lang, permissions.deny, screen.status")
	s.see("from the next start on: max_turns")
	s.see("sub-agents: +looker, +mine")
	s.see("skills: +pdf")
	s.see("told with your next prompt: AGENTS.md")
	s.see("MCP 服务器：+far")            // from here on in the language that was read
	s.answer("MCP 服务器 \"far\"", "n") // with its whole command: what was answered above was about other files
	s.see("说出你的需求")
	s.see("询问          ") // the status line, without the sandbox
	s.send("hello\r")
	s.see("Second.")
	s.send("\x1b[20~") // f9
	s.see("按键与命令")
	s.send("\x1b")
	s.lose("按键与命令")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// A file that cannot be read any more, or that came and cannot be read, is told, also where
// no setting that was read is another; what it may have forbidden is asked about, until it
// is mended.
func TestReloadOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("loop\nwhen user look\ncall run_bash {\"command\":\"ls\"}\notherwise\ntext So it is.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	s := openTerminal(t, 100, 30, dir, env, "--demo="+script, "-C", dir, "--mode", "auto")
	s.see("ask for something")
	filesIn(t, configOf(env), map[string]string{"forge.json": `{"permissions": {"deny": ["run_bash(ls)"]}`})
	s.send("/reload\r")
	s.see("nothing of this file is used until that is mended")
	s.see("until the permissions are mended, forge asks before everything")
	s.send("look\r")
	s.see("allow once")
	s.send("\x1b")
	s.lose("allow once")
	s.send("\x15/reload\r")
	s.see("nothing changed: settings")
	filesIn(t, configOf(env), map[string]string{"forge.json": `{}`})
	s.send("/reload\r")
	s.see("what was wrong with the settings is mended")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// What the question about the folder asks is not asked once more by what was typed while it
// stood.
func TestReloadWhileTheFolderIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{"/reload\r", "/pdf\r"} {
		t.Run(typed[1:4], func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte("text Nothing changed.\nend\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			filesIn(t, dir, map[string]string{".forge/skills/pdf/SKILL.md": skillText("pdf", "fills forms", "Fill.")})
			env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
			s := openTerminal(t, 100, 30, dir, env, "--demo="+script, "-C", dir)
			s.see("Do you trust this folder?")
			s.send(typed)
			s.answer("waiting for your answer", "y")
			s.see("othing changed")
			s.see("? for keys") // nothing is asked
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}
