//go:build unix

package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent/config"
	"forge/provider/demo"
	"forge/ui/cli"
)

// guarded is a model server that takes one key.
func guarded(t *testing.T, key, answer string) (url string, keys func() []string) {
	t.Helper()
	script, err := demo.Parse(strings.NewReader("text " + answer + "\nend\n\ntext " + answer + "\nend\n\ntext " + answer + "\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	plays := demo.Serve(script, demo.Options{})
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		mu.Lock()
		seen = append(seen, sent)
		mu.Unlock()
		if sent != key {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			w.Write([]byte(`{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`))
			return
		}
		plays.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", func() []string { mu.Lock(); defer mu.Unlock(); return append([]string(nil), seen...) }
}

// nowhereIn fails where a secret stands in any file below a folder.
func nowhereIn(t *testing.T, dir, secret string, but ...string) {
	t.Helper()
	files := 0
	defer func() {
		if files == 0 {
			t.Errorf("no file was looked into: there is none in %s", dir)
		}
	}()
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		files++
		for _, b := range but {
			if filepath.Base(path) == b {
				return nil
			}
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), secret) {
			t.Errorf("%s holds the key:\n%s", path, text)
		}
		return nil
	})
}

// A person without a key opens forge, gives one for a server by its address, talks to it,
// gives another when the first is renewed, and takes it away: the real program, a real
// server, a terminal. The key is on no screen and in no file but the one for keys.
func TestLoginOnTheScreen(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	url, _ := guarded(t, "good-key-12345", "hello there")
	env := []string{"XDG_STATE_HOME=" + state, "OLLAMA_HOST=127.0.0.1:1"}
	s := openTerminal(t, 100, 30, dir, env)
	s.see("Which model shall forge use?")
	s.send("endpoint\r")
	s.see("its address")
	s.send(url + "\r\r")
	s.send("wrong-key-12345\r\r")
	s.see("refuses this key")
	s.see("❯ " + url) // what was written stands there still, but for the key
	s.send("\r\r")
	s.send("\x1b[200~good-key-12345\n\x1b[201~\r\r")
	s.see("is kept in") // the rest is wrapped where the path ends
	s.send("hello\r")
	s.see("hello there")
	s.send("/status\r")
	s.see("How things stand")
	s.send("\x1b")
	s.lose("How things stand")
	s.send("/logout nosuch\r")
	s.see("no provider")
	s.send("/logout\r")
	s.see("Forget which key?")
	s.send("\r")
	s.see("is forgotten")
	s.send("hello again\r")
	s.see("there is no key for")
	if strings.Contains(s.Raw(), "key-12345") {
		t.Error("a key was shown")
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	nowhereIn(t, state, "key-12345")
}

// A key that a server does not take any more is given anew in the middle of a
// conversation, which goes on with the same model.
func TestARenewedKey(t *testing.T) {
	t.Parallel()
	var key atomic.Value
	key.Store("first-key-12345")
	script, err := demo.Parse(strings.NewReader("text one\nend\n\ntext two\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	plays := demo.Serve(script, demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(b))
		switch {
		case r.Header.Get("Authorization") != "Bearer "+key.Load().(string):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`)
		case strings.Contains(string(b), "Reply with: ok"): // a trial; the script stays where it is
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		default:
			plays.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	state := t.TempDir()
	env := []string{"XDG_STATE_HOME=" + state, "OPENAI_BASE_URL=" + server.URL + "/v1", "OLLAMA_HOST=127.0.0.1:1"}
	login := forgeIn(t, t.TempDir(), env, "login", "openai", "-m", "demo")
	login.Stdin = strings.NewReader("first-key-12345")
	if out, err := login.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := openTerminal(t, 100, 30, t.TempDir(), env, "-m", "openai/demo")
	s.see("ask for something")
	s.send("say one\r")
	s.see("  one")
	key.Store("second-key-12345")
	s.send("say two\r")
	s.see("Incorrect API key")
	s.send("/login openai\r")
	s.see("Paste your key for OpenAI")
	s.send("second-key-12345\r")
	s.see("is kept in")
	s.send("say two\r")
	s.see("  two")
	s.send("/logout openai\r")
	s.see("OpenAI is forgotten")
	s.send("say three\r")
	s.see("there is no key for OpenAI any more")
	if strings.Contains(s.Raw(), "key-12345") {
		t.Error("a key was shown")
	}
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	nowhereIn(t, state, "key-12345")
}

// A sub-agent with a model of its own does not go on with a key that was given anew, or
// taken away.
func TestALoginReachesSubAgents(t *testing.T) {
	url, _ := guarded(t, "", "ok")
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	cfg, dirs := &config.Config{}, config.Dirs{Config: dir, State: dir}
	f := &forge{cfg: cfg, dirs: dirs, source: newSource(cli.Flags{}, cfg, dirs, nil), crew: &crew{models: map[string]opened{"was": {}}}}
	e, err := f.source.At(url, "openai")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.logIn(t.Context(), e, "demo", "wrong-key-12345"); err == nil || len(f.crew.models) != 1 {
		t.Errorf("%v, %d models", err, len(f.crew.models))
	}
	if _, err := f.logIn(t.Context(), e, "demo", ""); err != nil || len(f.crew.models) != 0 {
		t.Errorf("%v, %d models", err, len(f.crew.models))
	}
	f.crew.models["is"] = opened{}
	if _, err := f.logOut(e.Name); err != nil || len(f.crew.models) != 0 {
		t.Errorf("%v, %d models", err, len(f.crew.models))
	}
}

// The shell's form reads the key from a pipe or hidden from a terminal, never from the
// command line, and what it keeps is what the next start uses.
func TestLoginInAShell(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	url, keys := guarded(t, "good-key-12345", "hello there")
	env := []string{"XDG_STATE_HOME=" + state}
	run := func(stdin string, args ...string) (string, error) {
		cmd := forgeIn(t, dir, env, args...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("wrong-key-12345\n", "login", "--base-url", url); err == nil || !strings.Contains(out, "refuses this key") || strings.Contains(out, "wrong-key") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run("", "login", "openai", "good-key-12345"); err == nil || !strings.Contains(out, "on the command line others see it") || strings.Contains(out, "good-key") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run("good-key-12345\n", "login", "--base-url", url); err != nil || !strings.Contains(out, "is kept in") {
		t.Errorf("%v\n%s", err, out)
	}
	nowhereIn(t, state, "key-12345", "keys.json")
	if out, err := run("", "login", "--list"); err != nil || !strings.Contains(out, "keys.json") || strings.Contains(out, "good-key") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := run("", "-p", "hello"); err != nil || !strings.Contains(out, "hello there") {
		t.Errorf("%v\n%s", err, out)
	}
	for _, k := range keys() { // what a server on this machine is asked beside goes without
		if k != "" && k != "wrong-key-12345" && k != "good-key-12345" {
			t.Errorf("%q was sent", k)
		}
	}
	host := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
	for _, word := range []string{"login", "logout"} { // a key of the form that has no mark
		if out, err := run("", word, "hT7pQ2mVx9LkRs4WzYb8Nc3JdF6gA1eU"); err == nil || strings.Contains(out, "hT7pQ2mV") || !strings.Contains(out, "no key") {
			t.Errorf("%s: %v\n%s", word, err, out)
		}
	}
	if out, err := run("", "logout", host); err != nil || !strings.Contains(out, "is forgotten") {
		t.Errorf("%v\n%s", err, out)
	}
	nowhereIn(t, state, "key-12345")
	cmd := forgeIn(t, dir, append(env, "OPENAI_API_KEY=from-env-12345"), "logout", "openai")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "OPENAI_API_KEY in the environment still gives one") {
		t.Errorf("%v\n%s", err, out)
	}

	s := openTerminal(t, 80, 24, dir, env, "login", "--base-url", url)
	s.see("(not shown):")
	s.send("good-\rkey-\r12345\r") // copied from a narrow window
	s.see("is kept in")
	if s.wait(); strings.Contains(s.Raw(), "good-key") {
		t.Error("the key was shown")
	}
	s = openTerminal(t, 80, 24, dir, env, "login", "openai")
	s.see("(not shown):")
	s.send("good\x03") // the terminal shows what is typed again, whatever ended the wait
	s.wait()
}

// In lines for a screen reader the key is not shown either.
func TestLoginInLines(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	url, _ := guarded(t, "good-key-12345", "hello there")
	h := listenTo(t, dir, []string{"XDG_STATE_HOME=" + state, "OPENAI_BASE_URL=" + url, "OLLAMA_HOST=127.0.0.1:1"}, "--screen-reader", "-m", "openai/demo")
	h.hear("prompt: ")
	h.send("/login openai\r")
	h.hear("what you type is not shown")
	h.hear("your answer: ")
	time.Sleep(600 * time.Millisecond)
	h.send("good-\rkey-12345\r") // copied from a narrow window
	h.hear("is kept in")
	h.hear("prompt: ")
	h.send("hello\r")
	h.hear("hello there")
	h.send("/logout openai\r")
	h.hear("is forgotten")
	h.hear("prompt: ")
	if strings.Contains(h.text(), "good-key") {
		t.Error("the key was shown")
	}
	h.send("\x04")
	h.wait()
	nowhereIn(t, state, "key-12345")
}
