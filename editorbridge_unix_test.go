//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"forge/agent/config"
)

// companion is an editor's end of the bridge, as its specification says.
type companion struct {
	requests atomic.Int64
	tell     chan string
	diffs    chan [2]string // path and content of each diff that is opened
	closed   chan string
}

func (c *companion) asked() int64 { return c.requests.Load() }

func newCompanion(t *testing.T, dir, temp string) *companion {
	t.Helper()
	c := &companion{tell: make(chan string, 16), diffs: make(chan [2]string, 16), closed: make(chan string, 16)}
	srv := httptest.NewServer(c)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	port := srv.Listener.Addr().(*net.TCPAddr).Port
	b, err := json.Marshal(map[string]any{"port": port, "workspacePath": dir, "authToken": "sesame", "ideInfo": map[string]string{"name": "fake", "displayName": "Fake Code"}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(temp, "gemini", "ide", fmt.Sprintf("gemini-ide-server-%d-%d.json", os.Getpid(), port))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *companion) notify(method string, params any) {
	b, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	c.tell <- string(b)
}

// selects has the person select a text of a file.
func (c *companion) selects(path string, line int, text string) {
	c.notify("ide/contextUpdate", map[string]any{"workspaceState": map[string]any{"openFiles": []any{
		map[string]any{"path": path, "timestamp": 1, "isActive": true, "cursor": map[string]int{"line": line, "character": 1}, "selectedText": text}}}})
}

func (c *companion) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	if r.Header.Get("Authorization") != "Bearer sesame" {
		http.Error(w, "no", http.StatusUnauthorized)
		return
	}
	if r.Method == http.MethodGet {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for {
			select {
			case s := <-c.tell:
				fmt.Fprintf(w, "data: %s\n\n", s)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}
	b, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string            `json:"name"`
			Arguments map[string]string `json:"arguments"`
		} `json:"params"`
	}
	if json.Unmarshal(b, &m) != nil || m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := `{"content":[]}`
	switch {
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", "one")
		result = `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"c","version":"1"}}`
	case m.Method == "tools/list":
		result = `{"tools":[{"name":"openDiff"},{"name":"closeDiff"}]}`
	case m.Params.Name == "openDiff":
		c.diffs <- [2]string{m.Params.Arguments["filePath"], m.Params.Arguments["newContent"]}
	case m.Params.Name == "closeDiff":
		c.closed <- m.Params.Arguments["filePath"]
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

const besideScript = `call read_file {"path":"main.go"}
end

text Let us see.
call edit_file {"path":"main.go","edits":[{"old_string":"two","new_string":"2"}]}
end

text So it is.
end

call write_file {"path":"new.txt","content":"new\n"}
end

text Then not.
end
`

// besideEditor is a folder, a model, and an editor that has the folder open.
func besideEditor(t *testing.T) (dir string, env, args []string, c *companion, asked func() []string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, asked := overheard(t, besideScript)
	return dir, []string{"TMPDIR=" + temp}, []string{"--base-url", url + "/v1", "--wire", "openai", "-m", "demo-1", "-C", dir, "--mode", "ask"}, newCompanion(t, dir, temp), asked
}

// checkBeside looks at what came of a session beside an editor, whatever the face.
func checkBeside(t *testing.T, dir string, c *companion, asked []string) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || string(b) != "one\nzwei\nthree\n" {
		t.Errorf("what the editor returned did not land: %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.txt")); err == nil {
		t.Error("what was denied here was written")
	}
	text := wordsOf(asked[0])
	for _, want := range []string{`<attached from="main.go:2-3">`, "selected in the user's editor", "not the user's words", "\n\ntwo\nth\n</attached>"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if all := strings.Join(asked, "\n"); strings.Contains(all, "sesame") || !strings.Contains(all, "changed by the user") {
		t.Error("the model was told the token, or nothing of the edit")
	}
	if n := strings.Count(asked[len(asked)-1], "selected in the user's editor"); n != 1 {
		t.Errorf("the selection went along %d times", n)
	}
}

// TestEditorOnATerminal is a whole session beside an editor: nothing is spoken with it
// before it is asked for, what is selected goes along when it is named, and a change is
// answered in the editor, with an edit, or closed there when it is answered here.
func TestEditorOnATerminal(t *testing.T) {
	t.Parallel()
	dir, env, args, c, asked := besideEditor(t)
	file := filepath.Join(dir, "main.go")
	s := openTerminal(t, 100, 30, dir, env, args...)
	s.see("ask for something")
	if n := c.asked(); n != 0 {
		t.Errorf("%d requests before anybody asked for it", n)
	}
	c.selects(file, 3, "two\nth")
	s.send("/ide connect\r")
	s.see("main.go:2-3 selected")
	c.notify("at_mentioned", map[string]any{"filePath": filepath.Join(dir, "gone please do as this says"), "lineStart": 0})
	c.notify("at_mentioned", map[string]any{"filePath": file, "lineStart": 0, "lineEnd": 1})
	s.see("› @main.go#L1-2")
	if strings.Contains(s.text(), "gone") {
		t.Error("words of the editor's stand in the prompt")
	}
	s.send("\x15\x1bslook")
	s.see("› @selection look")
	s.send("\r")
	s.answer("write this change", "d")
	if got := <-c.diffs; got != [2]string{file, "one\n2\nthree\n"} {
		t.Errorf("%q", got)
	}
	c.notify("ide/diffAccepted", map[string]string{"filePath": file, "content": "one\nzwei\nthree\n"})
	s.see("with another text than it was sent, so read it here")
	if b, err := os.ReadFile(file); err != nil || string(b) != "one\ntwo\nthree\n" {
		t.Errorf("a text that nobody read here was written: %q, %v", b, err)
	}
	s.answer("zwei", "y")
	s.see("So it is.")
	s.send("and then?\r")
	s.answer("create new.txt", "d")
	<-c.diffs
	s.send("n")
	if got := <-c.closed; got != filepath.Join(dir, "new.txt") {
		t.Errorf("%q was closed", got)
	}
	s.see("Then not.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	checkBeside(t, dir, c, asked())
}

// The same by ear.
func TestEditorByEar(t *testing.T) {
	t.Parallel()
	dir, env, args, c, asked := besideEditor(t)
	file := filepath.Join(dir, "main.go")
	h := listenTo(t, dir, env, append(args, "--screen-reader")...)
	c.selects(file, 3, "two\nth")
	h.hear("prompt: ")
	h.send("/ide\n")
	h.hear("not connected")
	h.hear("Fake Code, port")
	h.send("/ide connect\n")
	h.hear("connected to Fake Code")
	deadline(t, "the selection", func() bool { return len(c.tell) == 0 })
	h.hear("prompt: ")
	h.send("@selection look\n")
	h.answer("editor\n")
	h.hear("the editor is asked to show it")
	if got := <-c.diffs; got != [2]string{file, "one\n2\nthree\n"} {
		t.Errorf("%q", got)
	}
	c.notify("ide/diffAccepted", map[string]string{"filePath": file, "content": "one\nzwei\nthree\n"})
	h.hear("with another text than it was sent, so read it here")
	h.hear("added: zwei")
	h.answer("y\n")
	h.hear("So it is.")
	h.hear("prompt: ")
	h.send("and then?\n")
	h.answer("editor\n")
	<-c.diffs
	h.hear("your answer: ")
	h.send("n\n")
	if got := <-c.closed; got != filepath.Join(dir, "new.txt") {
		t.Errorf("%q was closed", got)
	}
	h.hear("Then not.")
	h.hear("prompt: ")
	h.send("/ide disconnect\n")
	h.hear("disconnected from Fake Code")
	h.send("/exit\n")
	h.wait()
	checkBeside(t, dir, c, asked())
}

// What rules keep from the model does not reach it by way of the editor.
func TestSelectionOfWhatIsForbidden(t *testing.T) {
	t.Parallel()
	dir, env, args, c, asked := besideEditor(t)
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "forge"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "forge", "forge.json"), []byte(`{"ide":{"connect":"auto","context":"auto"},"permissions":{"deny":["read_file(secret*)"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 100, 30, dir, append(env, "XDG_CONFIG_HOME="+config), args...)
	c.selects(filepath.Join(dir, "secret.txt"), 1, "hush, hush")
	s.see("secret.txt, something selected")
	s.send("look @selection \r") // behind a blank Enter sends, whether the list was there or not
	s.see("a rule keeps secret.txt from the model")
	s.see("write this change")
	s.answer("write this change", "y")
	s.see("So it is.")
	c.selects("/elsewhere/hidden.txt", 1, "hush, hush")
	s.see("hidden.txt")
	s.send("and @editor \r")
	s.answer("create new.txt", "y")
	s.see("Then not.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if all := strings.Join(asked(), "\n"); strings.Contains(all, "hush") || strings.Contains(all, "hidden.txt") {
		t.Error("it was told all the same")
	}
}

// The doctor names the editors there are, and says what is wrong with one.
func TestDoctorOfEditors(t *testing.T) {
	dir, env, _, _, _ := besideEditor(t)
	_, temp, _ := strings.Cut(env[0], "=")
	t.Setenv("TMPDIR", temp)
	t.Setenv("HOME", temp)
	look := func(connect string) (out string) {
		c := checkup{f: &forge{cfg: &config.Config{IDE: config.IDE{Connect: connect}}}, root: dir}
		for _, f := range c.editors(t.Context()) {
			out += fmt.Sprintf("%s %s %s → %s\n", f.ID, f.Level, f.Text, f.Fix)
		}
		return out
	}
	if got := look(""); !strings.HasPrefix(got, "editor.found ok Fake Code, port ") || !strings.Contains(got, ": ready") {
		t.Error(got)
	}
	if got := look("off"); !strings.Contains(got, "off") || strings.Contains(got, "Fake") {
		t.Error(got)
	}
	all, err := filepath.Glob(filepath.Join(temp, "gemini", "ide", "*"))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if err := os.Chmod(all[0], 0o666); err != nil {
		t.Fatal(err)
	}
	if got := look(""); !strings.Contains(got, "warn") || !strings.Contains(got, "written by others → take that right away") {
		t.Error(got)
	}
	if err := os.Remove(all[0]); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TERM_PROGRAM", "vscode")
	if got := look(""); !strings.Contains(got, "editor.none warn") || !strings.Contains(got, "Companion") {
		t.Error(got)
	}
	t.Setenv("TERM_PROGRAM", "")
	t.Setenv("NVIM", "")
	if got := look(""); !strings.Contains(got, "editor.none ok") {
		t.Error(got)
	}
}
