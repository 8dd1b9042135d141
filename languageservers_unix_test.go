//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/mcp"
)

// tinyServer is a language server in a few lines of shell: a file with "bad" in it has an
// error.
const tinyServer = `echo started >> "$1"
send() { printf 'Content-Length: %d\r\n\r\n%s' "${#1}" "$1"; }
cr=$(printf '\r')
while IFS= read -r head; do
	n=${head#Content-Length: }; n=${n%"$cr"}
	IFS= read -r _
	body=$(head -c "$n")
	case $body in
	*'"method":"initialize"'*) send '{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"textDocumentSync":1}}}' ;;
	*'"method":"shutdown"'*) exit ;;
	*didOpen*|*didChange*)
		uri=$(printf %s "$body" | sed 's/.*"uri":"\([^"]*\)".*/\1/')
		version=$(printf %s "$body" | sed 's/.*"version":\([0-9]*\).*/\1/')
		found=
		case $body in *'"text":"'*bad*) found='{"range":{"start":{"line":0,"character":2}},"severity":1,"message":"this is bad"}' ;; esac
		send '{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"'"$uri"'","version":'"$version"',"diagnostics":['"$found"']}}' ;;
	esac
done
`

// withTinyServer has the settings of a program name that server. The file started comes
// with its first start; file is where the settings are.
func withTinyServer(t *testing.T, p *program) (started, file, config string) {
	t.Helper()
	started, file = filepath.Join(p.home, "started"), filepath.Join(p.home, "config", "forge", "forge.json")
	p.write(t, "server.sh", tinyServer)
	config = `{"lsp": {"tiny": {"command": "sh", "args": ["` + filepath.Join(p.dir, "server.sh") + `", "` + started + `"], "files": ["*.txt"], "wait_ms": 10000}}}`
	filesIn(t, filepath.Dir(file), map[string]string{filepath.Base(file): config})
	return started, file, config
}

// An edit's errors reach the model in the result of the call, and a program in its
// events, once the person switched that on and trusts the folder; else no server starts.
func TestErrorsAfterAnEdit(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	started, file, config := withTinyServer(t, p)
	p.write(t, "edit.script", strings.Join([]string{
		`call write_file {"path":"a.txt","content":"good"}`, "end",
		`call write_file {"path":"a.txt","content":"so bad"}`, "end",
		`expect result[write_file] [tiny: 1 error new]`,
		`call write_file {"path":"a.txt","content":"good"}`, "end",
		`expect result[write_file] [tiny: 1 error gone`, "text done", "end"}, "\n"))
	out, errs, code := p.run(t, "-p", "begin", "-C", ".", "--demo=edit.script", "--yolo", "--trust-workspace", "--output-format", "stream-json")
	if code != 0 || !strings.Contains(out, `"found":[{"by":"tiny","new":1,"lines":["a.txt:1:3: this is bad"]}]`) {
		t.Errorf("exit %d, it said %s\n%s", code, out, errs)
	}
	// Of what the model may not read it hears nothing.
	if err := os.WriteFile(file, []byte(strings.Replace(config, "{", `{"permissions": {"deny": ["read_file(keys/**)"]}, `, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, "denied.script", `call write_file {"path":"keys/a.txt","content":"so bad"}`+"\nend\n"+`call write_file {"path":"d.txt","content":"so bad"}`+"\nend\ntext done\nend\n")
	out, errs, code = p.run(t, "-p", "begin", "-C", ".", "--demo=denied.script", "--yolo", "--trust-workspace", "--output-format", "stream-json")
	if code != 0 || strings.Contains(out, "keys/a.txt:1:3") || !strings.Contains(out, "d.txt:1:3: this is bad") {
		t.Errorf("exit %d, it said %s\n%s", code, out, errs)
	}
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(started); err != nil {
		t.Fatal(err)
	}
	p.write(t, "edit.script", `call write_file {"path":"b.txt","content":"so bad"}`+"\nend\ntext done\nend\n")
	out, errs, code = p.run(t, "-p", "begin", "-C", ".", "--demo=edit.script", "--yolo")
	if _, err := os.Stat(started); err == nil || code != 0 || !strings.Contains(errs, "language servers are not started") {
		t.Errorf("not trusted: exit %d, it said %s\n%s", code, out, errs)
	}
	// A project's settings can name no server.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(p.dir, ".forge"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.write(t, filepath.Join(".forge", "forge.json"), config)
	p.write(t, "edit.script", `call write_file {"path":"c.txt","content":"so bad"}`+"\nend\ntext done\nend\n")
	_, errs, _ = p.run(t, "-p", "begin", "-C", ".", "--demo=edit.script", "--yolo", "--trust-workspace")
	if _, err := os.Stat(started); err == nil || !strings.Contains(errs, "may not set lsp") {
		t.Errorf("a project named a server: %s", errs)
	}
}

// A client's model hears of the errors it has just made as forge's own does, where the folder
// is trusted; else no server starts.
func TestErrorsAfterAnEditOfAClient(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		p := newProgram(t)
		started, _, _ := withTinyServer(t, p)
		args := []string{"mcp", "serve", "-C", ".", "--mode", "edits"}
		if trusted {
			args = append(args, "--trust-workspace")
		}
		cmd := p.command(args...)
		env := map[string]string{}
		for _, kv := range cmd.Env {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		h := mountOne(t, mcp.ServerConfig{Command: cmd.Path, Args: cmd.Args[1:], Env: env, Cwd: p.dir})
		h.call("write_file", `{"path":"a.txt","content":"good"}`)
		r := h.call("write_file", `{"path":"a.txt","content":"so bad"}`)
		if told := strings.Contains(r.Text, "[tiny: 1 error new]\na.txt:1:3: this is bad"); told != trusted {
			t.Errorf("trusted %v: write_file says %q", trusted, r.Text)
		}
		if _, err := os.Stat(started); err == nil != trusted {
			t.Errorf("trusted %v: %v", trusted, err)
		}
	}
}
