package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// The test binary is also a language server, of a language where a line "bad NAME" is an
// error, "warn NAME" a warning, and "use NAME" an error unless some file has "def NAME".
// FAKE_LSP says what is wrong with the server itself.
func TestMain(m *testing.M) {
	if mode := os.Getenv("FAKE_LSP"); mode != "" {
		(&fake{mode: mode, root: os.Getenv("FORGE_TEST"), docs: map[string]string{}, versions: map[string]int{}, disk: map[string]string{}, told: map[string]string{}}).serve()
		return
	}
	os.Exit(m.Run())
}

type fake struct {
	mode     string
	root     string
	docs     map[string]string // open, by path
	versions map[string]int
	disk     map[string]string
	told     map[string]string // what was published last
}

func (f *fake) send(v map[string]any) {
	v["jsonrpc"] = "2.0"
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	fmt.Printf("Content-Length: %d\r\n\r\n%s", len(b), b)
}

func (f *fake) serve() {
	if f.mode == "garbage" {
		fmt.Print(strings.Repeat("this is a program, but no language server\n", 4000))
	}
	if f.mode == "greets" { // on the wrong stream, as some do
		fmt.Print("Hello!\nI am ready: now\n")
	}
	if f.mode == "asks" { // before it is greeted, more than anybody reads of its answers
		for n := range 100 {
			f.send(map[string]any{"id": fmt.Sprint("e", n), "method": "window/showDocument", "params": map[string]any{"uri": "https://example.org", "external": true}})
		}
		f.send(map[string]any{"id": "a1", "method": "workspace/applyEdit", "params": map[string]any{"edit": map[string]any{}}})
	}
	if f.mode == "child" {
		c := exec.Command("sleep", "1000")
		c.Stdout = os.Stdout
		if c.Start() != nil {
			os.Exit(3)
		}
	}
	in := bufio.NewReader(os.Stdin)
	for {
		length := 0
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &length)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(body, &m) != nil {
			os.Exit(4)
		}
		f.take(m.ID, m.Method, m.Params)
	}
}

func (f *fake) take(id json.RawMessage, method string, raw json.RawMessage) {
	var p struct {
		RootURI      string `json:"rootUri"`
		TextDocument struct {
			URI     string `json:"uri"`
			Version int    `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
		ContentChanges []struct {
			Text string `json:"text"`
		} `json:"contentChanges"`
		Changes []struct {
			URI string `json:"uri"`
		} `json:"changes"`
	}
	_ = json.Unmarshal(raw, &p)
	path := pathOf(p.TextDocument.URI)
	switch method {
	case "initialize":
		f.root = pathOf(p.RootURI)
		if f.mode == "earless" {
			os.Stdin.Close()
			defer time.Sleep(time.Hour)
		}
		if f.mode == "sleeps" {
			time.Sleep(time.Hour)
		}
		if f.mode == "refuses" {
			f.send(map[string]any{"id": id, "error": map[string]any{"code": -1, "message": "no such\nproject"}})
			return
		}
		caps := map[string]any{"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]any{}}}
		if f.mode == "utf8" {
			caps["positionEncoding"] = "utf-8"
		}
		if strings.HasPrefix(f.mode, "pull") {
			caps["diagnosticProvider"] = map[string]any{"interFileDependencies": true}
		}
		if f.mode == "nosync" {
			caps["textDocumentSync"] = 0
		}
		f.send(map[string]any{"id": id, "result": map[string]any{"capabilities": caps, "serverInfo": map[string]any{"name": "fake", "version": "1"}}})
	case "initialized":
		f.readDisk()
		f.send(map[string]any{"id": "c1", "method": "workspace/configuration", "params": map[string]any{"items": []any{map[string]any{"section": "fake.words"}, map[string]any{"section": "none"}}}})
		f.send(map[string]any{"id": "r1", "method": "client/registerCapability", "params": map[string]any{}})
		f.send(map[string]any{"id": "x1", "method": "fake/unknown"})
		if f.mode == "deaf" {
			time.Sleep(time.Hour)
		}
		if f.mode == "loads" {
			f.send(map[string]any{"method": "$/progress", "params": map[string]any{"token": "load", "value": map[string]any{"kind": "begin"}}})
			f.publishAll() // nothing yet, it does not know better
		}
	case "": // an answer
		f.note(fmt.Sprintf("answer %s: %s", id, raw))
	case "shutdown":
		f.send(map[string]any{"id": id, "result": nil})
	case "exit":
		os.Exit(0)
	case "textDocument/didOpen":
		f.docs[path], f.versions[path] = p.TextDocument.Text, p.TextDocument.Version
		f.note("opened " + filepath.Base(path))
		f.changed(path)
	case "textDocument/didChange":
		f.docs[path], f.versions[path] = p.ContentChanges[0].Text, p.TextDocument.Version
		f.changed(path)
	case "$/cancelRequest":
		f.note(fmt.Sprintf("cancelled %s", raw))
		f.mode = "pull"
	case "textDocument/diagnostic":
		if f.mode == "pull slowly" && f.versions[path] > 1 { // it is asked something else before it has an answer
			f.note(fmt.Sprintf("asked %s", id))
			return
		}
		f.send(map[string]any{"id": id, "result": map[string]any{"kind": "full", "items": f.wrong(path)}})
	case "textDocument/didClose":
		delete(f.docs, path)
		f.note("closed " + filepath.Base(path))
	case "workspace/didChangeWatchedFiles":
		for _, c := range p.Changes {
			f.note("watched " + filepath.Base(pathOf(c.URI)))
		}
		f.readDisk()
	}
}

// note leaves a line in a file that the test reads.
func (f *fake) note(line string) {
	w, err := os.OpenFile(filepath.Join(f.root, "notes"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(w, line)
		w.Close()
	}
}

func (f *fake) readDisk() {
	f.disk = map[string]string{}
	all, _ := filepath.Glob(filepath.Join(f.root, "*.fk"))
	for _, p := range all {
		b, _ := os.ReadFile(p)
		f.disk[p] = string(b)
	}
}

func (f *fake) changed(path string) {
	text := f.docs[path]
	switch {
	case strings.Contains(text, "die"):
		fmt.Fprintln(os.Stderr, "panic: it died\n\ngoroutine 1:")
		os.Exit(2)
	case f.mode == "mute":
		return
	case f.mode == "gated": // it answers when the test lets it
		for {
			if _, err := os.Stat(filepath.Join(f.root, "gate")); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
	case f.mode == "noisy":
		fmt.Fprint(os.Stderr, strings.Repeat("noise ", 20000)+"\n")
		for n := range 500 {
			f.send(map[string]any{"method": "window/logMessage", "params": map[string]any{"type": 1, "message": fmt.Sprintf("\x1b[31mlog %d\u202e", n)}})
		}
		fmt.Printf("Content-Length: %d\r\n\r\n", maxFrame+1)
		_, _ = io.CopyN(os.Stdout, zeros{}, maxFrame+1)
	case f.mode == "loads":
		f.send(map[string]any{"method": "textDocument/publishDiagnostics", "params": map[string]any{"uri": uriOf(path), "version": f.versions[path], "diagnostics": []any{}}})
		f.publishAll()
		f.send(map[string]any{"method": "$/progress", "params": map[string]any{"token": "load", "value": map[string]any{"kind": "end"}}})
		f.mode = "good"
		return
	}
	f.publishAll()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// all is every file as the server knows it.
func (f *fake) all() map[string]string {
	all := maps.Clone(f.disk)
	maps.Copy(all, f.docs)
	return all
}

// wrong is what is wrong in a file.
func (f *fake) wrong(path string) []any {
	all := f.all()
	defs := ""
	for _, text := range all {
		defs += text + "\n"
	}
	ds := []any{}
	for n, line := range strings.Split(strings.ReplaceAll(all[path], "\r\n", "\n"), "\n") {
		i := max(strings.Index(line, "bad "), strings.Index(line, "use "), strings.Index(line, "warn "))
		if i < 0 {
			continue
		}
		word, name, _ := strings.Cut(line[i:], " ")
		if word == "use" && strings.Contains(defs, "def "+name) {
			continue
		}
		severity, at := 1, i+len(word)+1
		if word == "warn" {
			severity = 2
		}
		if f.mode != "utf8" {
			at = len(utf16.Encode([]rune(line[:at])))
		}
		ds = append(ds, map[string]any{"range": map[string]any{"start": map[string]any{"line": n, "character": at}, "end": map[string]any{"line": n, "character": at}},
			"severity": severity, "source": "fake", "code": word, "message": name + "\nis wrong"})
	}
	if f.mode == "noisy" {
		for range 1000 {
			ds = append(ds, map[string]any{"severity": 1, "message": strings.Repeat("n", 5000)})
		}
	}
	return ds
}

func (f *fake) publishAll() {
	for _, path := range slices.Sorted(maps.Keys(f.all())) {
		params := map[string]any{"uri": uriOf(path), "diagnostics": f.wrong(path)}
		if strings.HasPrefix(f.mode, "pull") { // of what is not open, it says something that does not count
			params["diagnostics"] = []any{}
		}
		said := fmt.Sprint(params["diagnostics"])
		was, known := f.told[path]
		if f.mode == "sparing" && known && was == said || f.mode == "sparing unversioned" && known && was == said && said == "[]" {
			continue
		}
		f.told[path] = said
		if _, open := f.docs[path]; open && !strings.Contains(f.mode, "unversioned") {
			params["version"] = f.versions[path]
			if f.mode == "lying" {
				params["version"] = 0
			}
		}
		f.send(map[string]any{"method": "textDocument/publishDiagnostics", "params": params})
	}
}

// notes are what the server noted in a folder.
func notes(t testing.TB, dir string) string {
	b, err := os.ReadFile(filepath.Join(dir, "notes"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(b))
}
