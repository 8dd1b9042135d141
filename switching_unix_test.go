//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
)

// A conversation whose model nobody knows any more goes on with another, chosen on
// the screen; one that is chosen while an answer comes answers from the next call on.
func TestSwitchOnTheScreen(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	hold := make(chan struct{})
	release := sync.OnceFunc(func() { close(hold) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/models") {
			io.WriteString(w, `{"data":[{"id":"well-one"},{"id":"well-two"}]}`)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") { // questions about the server itself
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		model := gjson.GetBytes(body, "model").String()
		mu.Lock()
		asked = append(asked, model)
		n := len(asked)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(s string) {
			io.WriteString(w, "data: "+s+"\n\n")
			w.(http.Flusher).Flush()
		}
		if n == 2 {
			say(`{"choices":[{"index":0,"delta":{"content":"Looking"}}]}`)
			<-hold
			say(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"list_dir","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`)
		} else {
			say(`{"choices":[{"index":0,"delta":{"content":"Said by ` + model + `."},"finish_reason":"stop"}]}`)
		}
		say("[DONE]")
	}))
	t.Cleanup(func() { release(); server.Close() })
	env := []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL + "/v1", "XDG_STATE_HOME=" + t.TempDir(), "OLLAMA_HOST=127.0.0.1:1"}
	dir := t.TempDir()
	s := openTerminal(t, 100, 30, dir, env, "-m", "openai/gone-for-good")
	s.see("ask for something")
	s.send("hello\r")
	s.see("Said by gone-for-good.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}

	s = openTerminal(t, 100, 30, dir, env, "-c")
	s.see("Said by gone-for-good.")
	s.send("/model well-one\r")
	s.see("now with well-one")
	s.send("look here\r")
	s.see("Looking")
	s.send("/model well-two\r")
	s.see("well-two answers from the next step on")
	release()
	s.see("Said by well-two.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(asked, " "); got != "gone-for-good well-one well-two" {
		t.Errorf("asked %s", got)
	}
}
