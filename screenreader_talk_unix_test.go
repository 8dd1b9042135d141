//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the screen does with a conversation, with rules and with settings is done in
// lines as well, and what cannot be done is said. Outside a repository /diff says that,
// and what the conversation changed.
func TestScreenReaderCommands(t *testing.T) {
	t.Parallel()
	dir, config := t.TempDir(), t.TempDir()
	script, copied := filepath.Join(t.TempDir(), "talk.script"), filepath.Join(t.TempDir(), "copied")
	bin := t.TempDir()
	for path, text := range map[string]string{
		script:                      "text\n  An answer:\n\n  ```\n  one\n  ```\n\n  ```\n  two\n  \tlines\n  ```\nend\ncall write_file {\"path\":\"new.txt\",\"content\":\"hi\\n\"}\nend\ntext Written.\nend\ntext As you like.\nend\n",
		filepath.Join(bin, "xclip"): "#!/bin/sh\ncat > " + copied + "\n",
	} {
		if err := writeFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	h := listenTo(t, dir, []string{"XDG_CONFIG_HOME=" + config, "DISPLAY=:0", "WAYLAND_DISPLAY=", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir), "PATH=" + bin + ":" + os.Getenv("PATH")},
		"--demo="+script, "--screen-reader", "-C", dir, "--mode", "edits", "--sandbox", "off")
	h.hear("prompt: ")
	for _, c := range [][2]string{
		{"/clear", "a new conversation has begun"},
		{"/copy", "there is no answer to copy yet"},
		{"/export", "nothing was said yet"},
		{"/continue", "there is nothing to go on with"},
		{"/fork 1", "nothing was asked in this conversation yet"},
		{"/rename", "say how: /rename NAME"},
		{"/rename a name", "this conversation is called a name now"},
		{"/effort none at all", "no effort none at all; there are"},
		{"/effort high", "effort is high now"},
		{"/tools grep", "grep: off"},
		{"/tools grap", "no tool grap; /tools lists them"},
		{"/settings compact.at 200", "must be 10 to 95"},
		{"/settings compact.at 60", "compact.at is stored"},
		{"/settings compact.at", "compact.at: 60"},
		{"/settings compact.at unset", "compact.at is stored"},
		{"/settings compact.at", "compact.at: unset"},
		{"/settings compct.at", "no setting compct.at"},
		{"/permissions", "there are no rules and no grants"},
		{"/agents", "@explore: "},
		{"/lang tlh", "no language \"tlh\""},
		{"/lang zh", "语言现为 zh"},
		{"/lang en", "the language is en now"},
		{"first", "done, "},
		{"/copy code 3", "there are only 2 pieces of code in it"},
		{"/copy code 2", "copied the answer: 2 lines"},
		{"second", "Written."},
		{"/diff", "this folder is in no git repository; Changes of this conversation"},
		{"", "+hi"},
		{"/fork 1", "going on in a copy that ends before it\nsecond"},
		{"/export talk.md", "written to "},
		{"/nonsense", "no command /nonsense here"},
	} {
		if c[0] != "" {
			h.send(c[0] + "\n")
		}
		h.hear(c[1])
	}
	h.hear("prompt: ")
	h.send("/exit\n")
	h.wait()
	if b, err := os.ReadFile(copied); err != nil || string(b) != "two\n\tlines" {
		t.Errorf("%v, copied %q", err, b)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "talk.md")); err != nil || !strings.Contains(string(b), "An answer:") || strings.Contains(string(b), "Written.") {
		t.Errorf("%v, exported %q", err, b)
	}
	if strings.Contains(h.text(), "\x1b") {
		t.Error("an escape sequence was sent")
	}
}
