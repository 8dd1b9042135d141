package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The protocol's own TypeScript SDK drives forge, and every message of forge's fits the
// schema it brings along. FORGE_ACP_NPM names a folder whose node_modules hold
// @agentclientprotocol/sdk; docs/contributing.md says how to make one.
func TestTypeScriptEditor(t *testing.T) {
	p := newProgram(t)
	script := filepath.Join(t.TempDir(), "acp.script")
	p.write(t, script, typeScript)
	typeScriptEditor(t, p, script)
}

// typeScript is what the model says to it.
const typeScript = `think First I look.
text Let me look.
call read_file {"path":"a.txt"}
call todo {"items":[{"text":"look","status":"done"},{"text":"write","status":"in_progress"}]}
end
call edit_file {"path":"a.txt","edits":[{"old_string":"two","new_string":"2"}]}
call run_bash {"command":"touch made.txt"}
end
text Done.
end
call ask_user {"questions":[{"header":"Colour","question":"Which colour?","options":[{"label":"red"},{"label":"blue","description":"as the sky"}]}]}
end
expect result blue; in their own words: or green
text Blue it is.
end
call run_bash {"command":"touch never.txt"}
end
text Still here.
end
`

// typeScriptEditor runs the SDK's client on forge acp, with args in the place of the script.
func typeScriptEditor(t *testing.T, p *program, script string, args ...string) {
	t.Helper()
	npm := os.Getenv("FORGE_ACP_NPM")
	if npm == "" {
		t.Skip("FORGE_ACP_NPM names no folder with the SDK; see docs/contributing.md")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there")
	}
	forge, err := exec.LookPath("forge")
	if err != nil {
		t.Fatal(err)
	}
	client, err := filepath.Abs(filepath.Join("ui", "acp", "testdata", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "FORGE_ACP_NPM="+npm)
	p.write(t, "a.txt", "one\ntwo\n")
	c := p.command()
	c.Path, c.Args = node, append([]string{node, client, forge, script, p.dir}, args...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
