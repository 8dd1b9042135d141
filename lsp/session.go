package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"forge/tools/child"
)

// A session is a server that runs and was greeted. Its documents belong to the one
// goroutine that shows it edits; the rest may be asked from any.
type session struct {
	conn   *conn
	server Server
	root   string
	found  *findings
	said   *tail
	about  string // what it calls itself
	units  string // in which it counts positions
	kind   int    // how it wants to be told of changes
	saves  bool
	pulls  bool // it tells its findings when it is asked
	docs   map[string]*document
	uses   int
	tree   tree

	mu     sync.Mutex
	busy   map[string]bool // what it works at, by the names it gave it
	lies   int             // how often it called a new text an old one
	pace   time.Duration   // the longest its word on an edit took
	silent bool            // it says nothing where nothing is different
}

// A document is a file the server holds open, as it was shown to it.
type document struct {
	version int
	text    string
	stamp   stamp
	used    int // when, in order
}

// open starts the server and greets it. life ends it; ctx is the time it has.
func open(ctx context.Context, server Server, root, version string, mark func() string) (*session, error) {
	s := &session{server: server, root: root, found: newFindings(), said: &tail{}, docs: map[string]*document{}, busy: map[string]bool{},
		tree: tree{root: root, server: server}}
	s.tree.look()
	p, err := child.Start(server.argv(), root, server.environ(), s.said, mark)
	if err != nil {
		return nil, err
	}
	s.conn = newConn(p, s.take)
	s.conn.start()
	if err := s.greet(ctx, version); err != nil {
		s.conn.proc.End()
		if last := s.said.last(); last != "" {
			err = fmt.Errorf("%w; it said: %s", err, last)
		}
		return nil, err
	}
	return s, nil
}

func (s *session) greet(ctx context.Context, version string) error {
	params := map[string]any{
		"processId":  os.Getpid(), // a server that looks after it ends with forge also by itself
		"clientInfo": map[string]string{"name": "forge", "version": version},
		"rootUri":    uriOf(s.root), "rootPath": s.root,
		"workspaceFolders": s.folders(),
		"capabilities":     json.RawMessage(capabilities),
	}
	if len(s.server.Init) > 0 {
		params["initializationOptions"] = s.server.Init
	}
	var r initializeResult
	if err := s.conn.call(ctx, "initialize", params, &r); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("it did not answer within %s", startLimit)
		}
		return err
	}
	s.about = plain(r.Server.Name, 60)
	if v := plain(r.Server.Version, 60); !strings.ContainsAny(v, "{") { // gopls tells all of its build
		s.about = strings.TrimSpace(s.about + " " + v)
	}
	switch s.units = r.Capabilities.Encoding; s.units {
	case utf8Units, utf32Units:
	default:
		s.units = utf16Units
	}
	s.kind, s.saves = syncOf(r.Capabilities.Sync)
	s.pulls = isSet(r.Capabilities.Pull)
	if err := s.conn.notify(ctx, "initialized", struct{}{}); err != nil {
		return err
	}
	if len(s.server.Settings) > 0 {
		return s.conn.notify(ctx, "workspace/didChangeConfiguration", map[string]any{"settings": s.server.Settings})
	}
	return nil
}

func (s *session) folders() []folder { return []folder{{uriOf(s.root), filepath.Base(s.root)}} }

// take is told of what the server sends by itself.
func (s *session) take(m message) {
	if len(m.ID) > 0 {
		result, failed := s.asked(m)
		s.conn.answer(m.ID, result, failed)
		return
	}
	switch m.Method {
	case "textDocument/publishDiagnostics":
		var p publishParams
		if json.Unmarshal(m.Params, &p) == nil && !s.pulls {
			s.found.take(p)
		}
	case "$/progress":
		s.progress(m.Params)
	case "window/showMessage", "window/logMessage":
		var p struct {
			Type    int    `json:"type"`
			Message string `json:"message"`
		}
		if json.Unmarshal(m.Params, &p) == nil && p.Type <= severityWarning {
			s.said.add(p.Message)
		}
	}
}

// mostBusy bounds what a server may say that it works at.
const mostBusy = 64

func (s *session) progress(raw json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	s.mu.Lock()
	switch token := string(p.Token); p.Value.Kind {
	case "begin":
		if len(s.busy) < mostBusy {
			s.busy[token] = true
		}
	case "end":
		delete(s.busy, token)
	}
	s.mu.Unlock()
	if p.Value.Kind == "end" {
		s.found.wake()
	}
}

// working says whether the server still works at something, as loading a project.
func (s *session) working() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.busy) > 0
}

// asked answers what a server wants to know. It gets nothing done here: what it would
// change is the model's and the person's to change.
func (s *session) asked(m message) (any, *rpcError) {
	switch m.Method {
	case "workspace/configuration":
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			return []any{}, nil
		}
		out := make([]json.RawMessage, len(p.Items))
		for i, item := range p.Items {
			out[i] = section(s.server.Settings, item.Section)
		}
		return out, nil
	case "workspace/workspaceFolders":
		return s.folders(), nil
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "forge changes files itself"}, nil
	case "window/showDocument":
		return map[string]any{"success": false}, nil
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest",
		"workspace/diagnostic/refresh", "workspace/semanticTokens/refresh", "workspace/codeLens/refresh", "workspace/inlayHint/refresh", "workspace/inlineValue/refresh", "workspace/foldingRange/refresh":
		return nil, nil
	}
	return nil, &rpcError{notFound, "forge does not do " + m.Method}
}

// section is the part of the settings a server asks for: what stands under the dotted
// name, or under its first words; null where there is nothing.
func section(settings json.RawMessage, name string) json.RawMessage {
	if len(settings) == 0 {
		return json.RawMessage("null")
	}
	at := settings
	for name != "" {
		var object map[string]json.RawMessage
		if json.Unmarshal(at, &object) != nil {
			return json.RawMessage("null")
		}
		if v, ok := object[name]; ok { // written with its dots
			return v
		}
		first, rest, _ := strings.Cut(name, ".")
		v, ok := object[first]
		if !ok {
			return json.RawMessage("null")
		}
		at, name = v, rest
	}
	return at
}

// content reads a file as a server may be shown it; ok is false where it may not.
func content(path string) (text string, at stamp, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxText {
		return "", stamp{}, false
	}
	b, err := os.ReadFile(path)
	if err != nil || len(b) > maxText {
		return "", stamp{}, false
	}
	text, ok = shown(b)
	return text, stamp{info.Size(), info.ModTime()}, ok
}

// shown is the text of a file for a server; ok is false where it is none in UTF-8.
func shown(b []byte) (text string, ok bool) {
	text = strings.TrimPrefix(string(b), "\ufeff")
	return text, utf8.ValidString(text) && !strings.Contains(text, "\x00")
}

// catchUp tells the server what has changed since it was last told: files of its
// folder, and those it holds open, but for the ones in skip.
func (s *session) catchUp(ctx context.Context, skip map[string]bool) error {
	if events := s.tree.look(); len(events) > 0 {
		if err := s.conn.notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": events}); err != nil {
			return err
		}
	}
	for path, d := range s.docs {
		if skip[path] {
			continue
		}
		info, err := os.Stat(path)
		if err == nil && d.stamp == (stamp{info.Size(), info.ModTime()}) {
			continue
		}
		text, at, ok := content(path)
		if !ok {
			if err := s.shut(ctx, path); err != nil {
				return err
			}
			continue
		}
		if err := s.show(ctx, path, text, at); err != nil {
			return err
		}
	}
	return nil
}

// show shows a file to the server as it is now, and is done where that is what it has.
func (s *session) show(ctx context.Context, path, text string, at stamp) error {
	s.uses++
	d := s.docs[path]
	if d != nil && s.kind == syncNone { // it knows no other way
		if d.text == text {
			d.stamp, d.used = at, s.uses
			return nil
		}
		if err := s.shut(ctx, path); err != nil {
			return err
		}
		return s.begin(ctx, path, text, at, d.version+1)
	}
	if d == nil {
		return s.begin(ctx, path, text, at, 1)
	}
	d.stamp, d.used = at, s.uses
	if d.text == text {
		return nil
	}
	d.version++
	d.text = text
	v := d.version
	return s.conn.notify(ctx, "textDocument/didChange", changeParams{identifier{uriOf(path), &v}, []wholeText{{text}}})
}

func (s *session) begin(ctx context.Context, path, text string, at stamp, version int) error {
	if len(s.docs) >= mostOpen {
		oldest := ""
		for p, d := range s.docs {
			if oldest == "" || d.used < s.docs[oldest].used {
				oldest = p
			}
		}
		if err := s.shut(ctx, oldest); err != nil {
			return err
		}
	}
	s.docs[path] = &document{version: version, text: text, stamp: at, used: s.uses}
	var p openParams
	p.Document.URI, p.Document.Language, p.Document.Version, p.Document.Text = uriOf(path), s.server.language(path), version, text
	return s.conn.notify(ctx, "textDocument/didOpen", p)
}

func (s *session) shut(ctx context.Context, path string) error {
	delete(s.docs, path)
	return s.conn.notify(ctx, "textDocument/didClose", documentParams{identifier{URI: uriOf(path)}})
}

// saved tells a server that wants to know that a file stands on disk.
func (s *session) saved(ctx context.Context, path string) error {
	if !s.saves {
		return nil
	}
	return s.conn.notify(ctx, "textDocument/didSave", documentParams{identifier{URI: uriOf(path)}})
}

// close asks the server to leave, and ends it with all it started.
func (s *session) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if s.conn.call(ctx, "shutdown", nil, nil) == nil {
		_ = s.conn.notify(ctx, "exit", nil) // else its input is closed all the same
	}
	s.conn.proc.End()
}
