//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/ui/lang"
)

const spokenScript = `
text I read it.
call read_file {"path":"long.txt"}
end

text Now a command that takes its time.
call run_bash {"command":"while [ ! -e go ]; do sleep 0.1; done; echo went"}
end

text All read.
end

text Again.
end
`

// The panels of the window, of what was used up and of the servers are answered in lines
// too, in both languages, and during a run: what is asked of an item then is done at its
// next step.
func TestScreenReaderPanels(t *testing.T) {
	for _, tag := range []string{"en", "zh"} {
		t.Run(tag, func(t *testing.T) {
			words := func(text string) string { return text }
			if tag == "zh" {
				all, err := lang.Words(tag)
				if err != nil {
					t.Fatal(err)
				}
				words = func(text string) string { return all[text] }
			}
			// part is what of a text stands before its first verb.
			part := func(text string) string { head, _, _ := strings.Cut(words(text), "%"); return head }
			dir := t.TempDir()
			script := filepath.Join(t.TempDir(), "spoken.script")
			for path, text := range map[string]string{script: spokenScript, filepath.Join(dir, "long.txt"): strings.Repeat("a line of the long file\n", 300)} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h := listenTo(t, dir, nil, "--demo="+script, "--screen-reader", "--lang", tag, "-C", dir, "--mode", "auto", "--sandbox", "off",
				"--mcp", "demo=forge mcp demo", "--mcp", "gone=no-such-program-here")
			h.hear(words("prompt: "))
			h.send("/context\n")
			h.hear(words("system prompt"))
			h.hear(part("/context drop, collapse, restore, pin or unpin and a number does that; /context tools says the tools"))
			h.hear(words("prompt: "))
			h.send("go\n")
			h.hear("while [ ! -e go ]")
			h.send("/context\n") // amid the call
			h.hear("5" + words(": ") + strings.Replace(strings.Replace(words("result of %s: %s"), "%s", "read_file", 1), "%s", "long.txt"+words(", ")+"1 a line", 1))
			h.send("/context drop 5\n")
			h.hear(words("at the next step of the run"))
			h.send("/usage\n")
			h.hear(words("this conversation"))
			h.hear("2" + strings.TrimPrefix(words("%d calls"), "%d"))
			h.send("/mcp\n")
			h.hear("demo" + words(": ") + words("ready"))
			h.hear("gone" + words(": ") + words("failed"))
			if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			h.hear("5" + words(": ") + words("dropped"))
			h.hear("All read.")
			h.hear(words("prompt: "))
			h.send("/context restore 5\n")
			h.hear("5" + words(": "))
			h.hear(words("prompt: "))
			h.send("/context pin 5\n")
			h.hear("5" + words(": ") + words("pinned"))
			h.hear(words("prompt: "))
			h.send("/context fly 5\n")
			h.hear(part("/context takes nothing, all, largest, tools, or drop, collapse, restore, pin or unpin and a number"))
			h.hear(words("prompt: "))
			h.send("/context pin 99\n")
			h.hear("99")
			h.hear(words("prompt: "))
			h.send("/context tools\n")
			h.hear("read_file")
			h.hear(words("prompt: "))
			h.send("/mcp demo\n")
			h.hear(words("runs") + words(": "))
			h.hear("current_time" + words(": ") + words("on"))
			h.hear(words("prompt: "))
			h.send("/mcp demo off current_time\n")
			h.hear("demo" + words(": ") + words("ready"))
			h.hear(words("prompt: "))
			h.send("/mcp demo disable\n")
			h.hear("demo" + words(": ") + words("disabled"))
			h.hear(words("prompt: "))
			h.send("/mcp nobody\n")
			h.hear("nobody")
			h.hear(words("prompt: "))
			h.send("/usage\n")
			h.hear(words("tokens of each turn"))
			h.hear(words("prompt: "))
			h.send("\x04")
			h.wait()
		})
	}
}
