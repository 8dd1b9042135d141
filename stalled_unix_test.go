//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// A server that says nothing, and one that falls silent in the middle of an answer, are
// named for what they do, with the limit and the key that ends the wait; after that key
// the conversation can go on.
func TestStalledServersAreNamed(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 4)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		if bytes.Contains(body, []byte("fall silent")) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"It begins \"}}]}\n\n")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		left <- struct{}{}
	}))
	t.Cleanup(s.Close) // after the program was ended
	term := openTerminal(t, 60, 24, t.TempDir(), nil, "--base-url", s.URL+"/v1", "--wire", "openai", "-m", "m", "--no-session")
	term.see("ask for something")
	term.send("say nothing\r")
	term.see("waiting for the first byte, 1 s of 10 m")
	term.see("esc stops")
	term.send("\x1b")
	term.see("interrupted")
	<-left
	term.send("fall silent\r")
	term.see("It begins")
	term.see("no bytes for 5 s of 90 s")
	term.see("esc stops")
	term.send("\x1b")
	<-left
	term.lose("no bytes for")
	term.send("\x04")
	if err := term.wait(); err != nil {
		t.Error(err)
	}
}

// The person is asked before the request that would cross a budget, may raise it, and
// sees what was used up and what the window holds.
func TestBudgetOnTheScreen(t *testing.T) {
	t.Parallel()
	url, asked := toolServer(t, 3)
	term := openTerminal(t, 80, 24, t.TempDir(), nil, "--base-url", url, "--wire", "openai", "-m", "m", "--no-session", "--max-budget-turns", "2")
	term.see("ask for something")
	term.send("go\r")
	term.see("The next request would cross the budget")
	if n := asked.Load(); n != 2 {
		t.Errorf("%d requests before the question", n)
	}
	term.see("the budget waits for your answer")
	term.answer("raise it to 4 turns", "y")
	term.see("done")
	term.send("/usage\r")
	term.see("What was used up")
	term.see("4 turns of 4 turns")
	term.send("\x1b")
	term.lose("What was used up")
	term.send("/context\r")
	term.see("result of list_dir")
	term.send("\x1b")
	term.lose("result of list_dir")
	term.send("\x04")
	if err := term.wait(); err != nil {
		t.Error(err)
	}
}
