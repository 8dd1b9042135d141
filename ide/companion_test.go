package ide

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func connected(t *testing.T) (*editor, string, *Manager, chan struct{}) {
	e := newEditor(t)
	dir, temp, m, news := here(t)
	e.offer(temp, dir)
	if b, err := m.Connect(t.Context(), ""); err != nil || b.Name != "Fake Code" {
		t.Fatalf("%+v %v", b, err)
	}
	if s := m.Now(); !s.Connected || !s.Diff || !s.Hears {
		t.Fatalf("%+v", s)
	}
	return e, dir, m, news
}

func TestWhereThePersonIs(t *testing.T) {
	e, dir, m, news := connected(t)
	file := filepath.Join(dir, "main.go")
	write(t, file, []byte("one\ntwo\nthree\nfour\nfive\n"))
	link := filepath.Join(t.TempDir(), "there", "main.go")
	if err := os.Symlink(dir, filepath.Dir(link)); err != nil {
		t.Skip("no links here")
	}
	active := func(cursor int, text string) any {
		return map[string]any{"workspaceState": map[string]any{"isTrusted": true, "openFiles": []any{
			map[string]any{"path": filepath.Join(dir, "old.go"), "timestamp": 1, "selectedText": "not this"},
			map[string]any{"path": file, "timestamp": 2, "isActive": true, "cursor": map[string]int{"line": cursor, "character": 1}, "selectedText": text},
			map[string]any{"path": "relative.go", "timestamp": 3, "isActive": true},
		}}}
	}
	for _, c := range []struct {
		name        string
		cursor      int
		text        string
		first, last int
	}{
		{"cursor at the end", 4, "two\nthree\nfo", 2, 4},
		{"cursor at the begin", 2, "two\nthree\nfo", 2, 4},
		{"whole lines", 4, "two\nthree\n", 2, 3},
		{"in a line", 3, "hre", 3, 3},
		{"by another name", 4, "four", 4, 4},
		{"not saved yet", 3, "else", 0, 0},
	} {
		if c.name == "by another name" {
			file = link
		}
		e.tell("ide/contextUpdate", active(c.cursor, ""))
		until(t, m, news, func(s State) bool { return s.At.Path == file && s.At.Text == "" })
		e.tell("ide/contextUpdate", active(c.cursor, c.text))
		s := until(t, m, news, func(s State) bool { return s.At.Text == c.text })
		if s.At.Path != file || s.At.First != c.first || s.At.Last != c.last || s.At.Line != c.cursor {
			t.Errorf("%s: %+v", c.name, s.At)
		}
		if !slices.Equal(s.At.Open, []string{file, filepath.Join(dir, "old.go")}) {
			t.Errorf("open: %q", s.At.Open)
		}
	}
	e.tell("ide/contextUpdate", active(3, strings.Repeat("é", 20000)))
	s := until(t, m, news, func(s State) bool { return s.At.Cut })
	if len(s.At.Text) != maxText || s.At.First != 0 {
		t.Errorf("%d bytes, from %d", len(s.At.Text), s.At.First)
	}
	for len(news) > 0 {
		<-news
	}
	e.tell("ide/contextUpdate", active(4, strings.Repeat("é", 20000))) // the cursor alone
	e.tell("ide/contextUpdate", active(4, ""))
	until(t, m, news, func(s State) bool { return s.At.Text == "" })
	if len(news) > 0 {
		t.Error("a cursor that moves is news")
	}
	if l := s.At.Label("main.go"); l != "main.go" {
		t.Error(l)
	}
	if l := (Context{Text: "x", First: 3, Last: 5}).Label("main.go"); l != "main.go:3-5" {
		t.Error(l)
	}
}

func TestTheEditorTellsOnItsFirstStream(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, news := here(t)
	e.offer(temp, dir)
	e.context = map[string]any{"workspaceState": map[string]any{"openFiles": []any{map[string]any{"path": "/a/b.go", "timestamp": 1, "isActive": true}}}}
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	until(t, m, news, func(s State) bool { return s.At.Path == "/a/b.go" })
}

func TestDiffs(t *testing.T) {
	e, dir, m, _ := connected(t)
	path := filepath.Join(dir, "a.go")
	accept := func(p, text string) { e.tell("ide/diffAccepted", map[string]string{"filePath": p, "content": text}) }

	e.open = func(p, text string) { accept(p, text+"edited\n") }
	if o, err := m.Diff(t.Context(), path, "new\n"); err != nil || !o.Accepted || o.Text != "new\nedited\n" {
		t.Errorf("accepted: %+v %v", o, err)
	}
	e.open = func(p, _ string) { go e.tell("ide/diffRejected", map[string]string{"filePath": p}) }
	if o, err := m.Diff(t.Context(), path+"2", "new\n"); err != nil || o.Accepted {
		t.Errorf("rejected: %+v %v", o, err)
	}
	e.open, e.refuse = nil, "no room\x1b[2J"
	if _, err := m.Diff(t.Context(), path+"3", "new\n"); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("refused: %v", err)
	}
	if _, err := m.Diff(t.Context(), path+"4", strings.Repeat("x", MaxDiff+1)); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("too large: %v", err)
	}
}

// What the editor says of other files, or before it was asked, answers nothing.
func TestOnlyWhatWasOpenedIsAnswered(t *testing.T) {
	e, dir, m, news := connected(t)
	path := filepath.Join(dir, "a.go")
	accept := func(p, text string) { e.tell("ide/diffAccepted", map[string]string{"filePath": p, "content": text}) }
	accept(path, "unasked")
	e.tell("ide/contextUpdate", map[string]any{"workspaceState": map[string]any{"openFiles": []any{map[string]any{"path": path, "isActive": true}}}})
	until(t, m, news, func(s State) bool { return s.At.Path == path }) // so it was heard
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan struct{}, 1)
	e.open = func(p, _ string) {
		accept(p+".other", "of another file")
		e.tell("ide/diffAccepted", map[string]string{"filePath": p}) // without a content
		opened <- struct{}{}
	}
	ended := make(chan error, 1)
	go func() {
		o, err := m.Diff(ctx, path, "new")
		if o.Accepted {
			err = fmt.Errorf("it was answered: %+v", o)
		}
		ended <- err
	}()
	<-opened
	e.close = func(p string) { accept(p, "of the first") }
	if _, err := m.Diff(t.Context(), path, "other"); !errors.Is(err, ErrBusy) {
		t.Errorf("a second diff of one file: %v", err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// The person accepts it while it is being closed. Another of the same file waits for
	// that, and is not answered by it.
	e.open = accept
	if o, err := m.Diff(t.Context(), path, "second"); err != nil || o.Text != "second" {
		t.Errorf("%+v %v", o, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.closed, path) {
		t.Error("the diff was left open")
	}
}

func TestEditorGoneInMidDiff(t *testing.T) {
	short := again
	again = nil
	defer func() { again = short }()
	e, dir, m, news := connected(t)
	e.open = func(string, string) { e.hangUp() }
	if o, err := m.Diff(t.Context(), filepath.Join(dir, "a.go"), "x"); !errors.Is(err, ErrGone) || o.Accepted {
		t.Errorf("%+v %v", o, err)
	}
	s := until(t, m, news, func(s State) bool { return !s.Connected })
	if !errors.Is(s.Why, ErrGone) || s.Bridge.Name != "Fake Code" {
		t.Errorf("%+v", s)
	}
	if _, err := m.Diff(t.Context(), "/a", "x"); !errors.Is(err, ErrApart) {
		t.Error(err)
	}
}

// A stream that ends is no end of the editor: servers and proxies close idle ones.
func TestStreamOpenedAgain(t *testing.T) {
	e, _, m, news := connected(t)
	e.mu.Lock()
	e.context = map[string]any{"workspaceState": map[string]any{"openFiles": []any{map[string]any{"path": "/again.go", "timestamp": 1, "isActive": true}}}}
	e.mu.Unlock()
	e.hangUp()
	until(t, m, news, func(s State) bool { return s.At.Path == "/again.go" })
}

func TestSlowEditorIsNotWaitedFor(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	for _, method := range []string{"initialize", "tools/list"} {
		e.silent = map[string]chan struct{}{method: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := m.Connect(ctx, ""); done <- err }()
		cancel() // as its time would end
		if err := <-done; err == nil {
			t.Error(method)
		}
	}
	if err := slowly(fmt.Errorf("x: %w", context.DeadlineExceeded)); !errors.Is(err, ErrSlow) {
		t.Error(err)
	}
}

// Whoever takes a diff back and shows it again at once is not told that it is open.
func TestShownOnceMore(t *testing.T) {
	e, dir, m, _ := connected(t)
	path := filepath.Join(dir, "a.go")
	e.silent = map[string]chan struct{}{"openDiff": make(chan struct{})}
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { _, err := m.Diff(ctx, path, "x"); over <- err }()
		waitFor(t, func() bool {
			c, err := m.connected()
			if err != nil {
				t.Fatal(err)
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.diffs[path] != nil && c.diffs[path].outcome != nil
		})
		cancel()
		short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := m.Diff(short, path, "x"); errors.Is(err, ErrBusy) {
			t.Error(err)
		}
		end()
		<-over
	}
	close(e.silent["openDiff"])
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !what(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come")
		}
	}
}

// An editor that takes the stream and never begins it does not hold forge up.
func TestStreamThatNeverBegins(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	e.silent = map[string]chan struct{}{"GET": make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { <-e.reached; cancel() }() // as its time would end
	if _, err := m.Connect(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	delete(e.silent, "GET")
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Errorf("another attempt: %v", err)
	}
}

// What the editor before said late is not where the person is now.
func TestLateWordOfTheEditorBefore(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	before, err := m.connected()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	before.place(Context{Path: filepath.Join(dir, "old.go")})
	if at := m.Now().At; at.Path != "" {
		t.Errorf("the person is in %s", at.Path)
	}
}

func TestNoStream(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	e.noGET = true
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s := m.Now(); !s.Connected || s.Diff || s.Hears {
		t.Errorf("%+v", s)
	}
	if _, err := m.Diff(t.Context(), "/a", "x"); !errors.Is(err, ErrNoDiff) {
		t.Error(err)
	}
}

func TestDisconnectTellsTheEditor(t *testing.T) {
	e, dir, m, _ := connected(t)
	opened, ended := make(chan struct{}), make(chan error, 1)
	e.open = func(string, string) { close(opened) }
	go func() { _, err := m.Diff(t.Context(), filepath.Join(dir, "a"), "x"); ended <- err }()
	<-opened
	m.Close()
	if err := <-ended; !errors.Is(err, ErrApart) {
		t.Error(err)
	}
	if _, err := m.Connect(t.Context(), ""); !errors.Is(err, ErrApart) {
		t.Errorf("connected after the end: %v", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.deleted || !slices.Contains(e.closed, filepath.Join(dir, "a")) {
		t.Errorf("left open: session %v, %q closed", !e.deleted, e.closed)
	}
	for _, a := range e.auth {
		if a != "Bearer "+e.token {
			t.Errorf("a request with %q", a)
		}
	}
}

// The token is in no text that could be logged or shown.
func TestTokenIsNotPrinted(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	b := m.Find()
	if len(b) != 1 || b[0].token() != e.token {
		t.Fatal("it is not there at all")
	}
	if _, err := m.Connect(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprintf("%+v %#v", b, b), fmt.Sprintf("%+v %#v", m.Now(), m.Now())} {
		if strings.Contains(s, e.token) {
			t.Error(s)
		}
	}
	write(t, filepath.Join(temp, "gemini", "ide", fmt.Sprintf("gemini-ide-server-%d-9.json", os.Getpid())), []byte(`{"port":9,"authToken":"hush`))
	for _, b := range m.Find() {
		if b.Why != nil && strings.Contains(b.Why.Error(), "hush") {
			t.Error(b.Why)
		}
	}
}
