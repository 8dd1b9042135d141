package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"forge/provider/demo"
)

// TestPlanModeIsTold looks into the requests for what the model knows of plan mode:
// it is told once when it begins and once when it is over, also by a later forge.
func TestPlanModeIsTold(t *testing.T) {
	t.Parallel()
	script, err := demo.Parse(strings.NewReader(strings.Repeat("text Well.\nend\n", 8)))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var body string
	play := demo.Serve(script, demo.Options{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), `"messages"`) {
			mu.Lock()
			body = string(b)
			mu.Unlock()
		}
		r.Body = io.NopCloser(strings.NewReader(string(b)))
		play.ServeHTTP(w, r)
	}))
	defer server.Close()
	env := append(append(plainEnviron(), home(t.TempDir())...), "OPENAI_API_KEY=k", "FORGE=")
	dir := t.TempDir()
	for i, step := range []struct {
		mode         string
		begins, ends int
	}{{"plan", 1, 0}, {"plan", 1, 0}, {"edits", 1, 1}, {"ask", 1, 1}, {"plan", 2, 1}} {
		words := fmt.Sprintf("prompt number %d", i)
		c := exec.CommandContext(t.Context(), "forge", "--base-url", server.URL+"/v1", "--wire", "openai", "-m", "demo-1", "-C", dir, "-c", "--mode", step.mode, "-p", words)
		c.Env = env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		mu.Lock()
		body := body
		mu.Unlock()
		if n := strings.Count(body, "Plan mode is on"); n != step.begins {
			t.Errorf("step %d: told %d times that it begins", i, n)
		}
		if n := strings.Count(body, "Plan mode is over"); n != step.ends {
			t.Errorf("step %d: told %d times that it is over", i, n)
		}
		if i == 0 && strings.Index(body, "Plan mode is on") > strings.Index(body, words) {
			t.Error("told behind the prompt it is about")
		}
	}
}
