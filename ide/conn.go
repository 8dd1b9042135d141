package ide

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// conn is a connection to one editor.
type conn struct {
	bridge Bridge
	dir    string // the workspace
	peer   *peer
	hears  bool // it tells what it does unasked
	tools  map[string]bool
	moved  func(*conn, Context)
	named  func(path string, first, last int)

	mu    sync.Mutex
	at    Context
	diffs map[string]*shown // by path, those of a companion
	opens int               // diffs so far
}

// The protocols' versions: the newest of MCP that has sessions, and the one of the lock
// file's bridge.
const (
	companionVersion = "2025-06-18"
	lockFileVersion  = "2025-03-26"
)

// connect speaks to a bridge until it is ready, or ctx ends.
func connect(ctx context.Context, b Bridge, dir, version string, moved func(*conn, Context), named func(string, int, int)) (*conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	c := &conn{bridge: b, dir: dir, moved: moved, named: named, tools: map[string]bool{}, diffs: map[string]*shown{}}
	c.peer = newPeer(c.told)
	ready := func(context.Context, string) (bool, error) { return true, nil }
	wants := companionVersion
	if b.Kind == Companion {
		h := newHTTPPipe(b, c.peer)
		c.peer.pipe, ready = h, h.ready
	} else {
		s, err := dialSocket(ctx, b, c.peer)
		if err != nil {
			return nil, slowly(err)
		}
		c.peer.pipe, wants = s, lockFileVersion
		go s.hear()
	}
	if err := c.greet(ctx, wants, version, ready); err != nil {
		c.peer.lose(err)
		return nil, slowly(err)
	}
	return c, nil
}

// greet is the handshake.
func (c *conn) greet(ctx context.Context, wants, version string, ready func(context.Context, string) (bool, error)) error {
	var hello struct {
		Version string `json:"protocolVersion"`
	}
	err := c.peer.call(ctx, "initialize", map[string]any{
		"protocolVersion": wants, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "forge", "version": version},
	}, &hello)
	if err != nil {
		return err
	}
	if hello.Version == "" {
		return errors.New("what listens on its port is no bridge: its greeting says no version")
	}
	if h, ok := c.peer.pipe.(*httpPipe); ok { // from now on each request names it
		h.mu.Lock()
		h.version = hello.Version
		h.mu.Unlock()
	}
	if err := c.peer.notify(ctx, "notifications/initialized", nil); err != nil {
		return err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	var none *refusal
	if err := c.peer.call(ctx, "tools/list", map[string]any{}, &list); err != nil && !errors.As(err, &none) {
		return err // one that has none may refuse
	}
	for _, t := range list.Tools {
		c.tools[t.Name] = true
	}
	c.hears, err = ready(ctx, hello.Version)
	return err
}

// slowly is an error of time as people read it.
func slowly(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return ErrSlow
	}
	return err
}

// canDiff reports whether the editor shows changes and tells what became of them.
func (c *conn) canDiff() bool { return c.hears && c.tools["openDiff"] }

// told takes what the editor tells unasked.
func (c *conn) told(method string, params json.RawMessage) {
	switch method {
	case "ide/contextUpdate":
		c.place(companionContext(params, c.dir))
	case "selection_changed":
		if at, ok := selectionContext(params); ok {
			c.place(at)
		}
	case "at_mentioned":
		if path, first, last, ok := mentioned(params, append([]string{c.dir}, c.bridge.Folders...)); ok && c.named != nil {
			c.named(path, first, last)
		}
	case "ide/diffAccepted", "ide/diffRejected":
		c.ended(method == "ide/diffAccepted", params)
	}
}

func (c *conn) place(at Context) {
	c.mu.Lock()
	c.at = at
	c.mu.Unlock()
	c.moved(c, at)
}

// result is what a tool answers.
type result struct {
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

func (r result) text(i int) string {
	if i >= len(r.Content) || r.Content[i].Type != "text" {
		return ""
	}
	return r.Content[i].Text
}

// use calls a tool of the editor's.
func (c *conn) use(ctx context.Context, name string, args map[string]any) (result, error) {
	var r result
	err := c.peer.call(ctx, "tools/call", map[string]any{"name": name, "arguments": args}, &r)
	if err == nil && r.IsError {
		err = &refusal{Message: r.text(0)}
	}
	return r, err
}

// inTime is use for what needs no person.
func (c *conn) inTime(ctx context.Context, name string, args map[string]any) (result, error) {
	return c.within(ctx, callTime, name, args)
}

// within is use that has a time.
func (c *conn) within(ctx context.Context, most time.Duration, name string, args map[string]any) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	r, err := c.use(ctx, name, args)
	return r, slowly(err)
}

// diff shows a change of the file at path and waits for what becomes of it. When ctx
// ends the editor closes it.
func (c *conn) diff(ctx context.Context, path, text string) (Outcome, error) {
	switch {
	case !c.canDiff():
		return Outcome{}, ErrNoDiff
	case len(text) > MaxDiff:
		return Outcome{}, fmt.Errorf("it is larger than %d MB: the editor would not take it", MaxDiff>>20)
	}
	show := c.lockFileDiff
	if c.bridge.Kind == Companion {
		show = c.companionDiff
	}
	o, err := show(ctx, path, text)
	switch {
	case err != nil || !o.Accepted:
		return Outcome{Accepted: false}, err
	case len(o.Text) > MaxDiff:
		return Outcome{}, fmt.Errorf("it returned more than %d MB: answer here", MaxDiff>>20)
	}
	o.Loose = o.Text != text && (c.bridge.Kind == Companion || broken(o.Text, text))
	return o, nil
}

// broken reports whether a text looks like one that an editor lost on the way: nothing
// is left of it, or signs of it could not be told.
func broken(now, sent string) bool {
	return now == "" || strings.ContainsRune(now, utf8.RuneError) && !strings.ContainsRune(sent, utf8.RuneError)
}

// aside does something when nobody waits for it any more, such as closing a diff.
func (c *conn) aside(after time.Duration, tool string, args map[string]any, then func()) {
	go func() {
		defer recovered("close a change in the editor")
		if then != nil {
			defer then()
		}
		select {
		case <-time.After(after):
		case <-c.peer.gone:
			return
		}
		if _, err := c.within(context.Background(), closeTime, tool, args); err != nil {
			slog.Debug("a change was not closed in the editor", "err", err)
		}
	}()
}
