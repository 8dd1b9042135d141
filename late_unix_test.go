//go:build unix

package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// The key comes from a command of the person's settings: it runs with the first request
// and not before, its key goes to the endpoint of the settings alone, and neither is in
// any file of forge's.
func TestAKeyFromACommand(t *testing.T) {
	t.Parallel()
	url, keys := guarded(t, "good-key-12345", "hello there")
	p := newProgram(t)
	ran := filepath.Join(p.home, "ran")
	p.write(t, p.settings(), `{"base_url": "`+url+`", "model": "demo", "api_key": "$(echo x >> `+ran+`; echo good-key-12345)", "headers": {"X-A": "$(echo latebloom)", "x-b": "{env:PWD}", "X-C": "plain"}}`)
	if out, errOut, code := p.run(t, "login", "--list"); code != 0 {
		t.Errorf("%d %s %s", code, out, errOut)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran before anybody needed the key")
	}
	out, errOut, code := p.run(t, "-p", "hi", "--raw", "raw.jsonl")
	if code != 0 || !strings.Contains(out, "hello there") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "raw.jsonl")); err != nil || strings.Contains(string(b), "latebloom") ||
		!strings.Contains(string(b), `"X-B":"[key removed]"`) || !strings.Contains(string(b), `"X-C":"plain"`) {
		t.Errorf("recorded %s, %v", b, err)
	}
	if b, _ := os.ReadFile(ran); strings.Count(string(b), "x") != 1 {
		t.Errorf("it ran %q", b)
	}
	for _, k := range keys() {
		if k != "" && k != "good-key-12345" {
			t.Errorf("%q was sent", k)
		}
	}
	nowhereIn(t, filepath.Join(p.home, "state"), "good-key-12345")

	// Whoever says no to it is not asked once more for what is only good to know.
	if err := os.Remove(ran); err != nil {
		t.Fatal(err)
	}
	p.write(t, p.settings(), `{"base_url": "`+url+`", "model": "demo", "api_key": "$(echo x >> `+ran+`; exit 1)", "headers": {"X-A": "$(echo y >> `+ran+`; exit 1)"}}`)
	if _, errOut, code := p.run(t, "-p", "hi"); code != 1 || !strings.Contains(errOut, "failed with exit code 1") {
		t.Errorf("exit %d, %q", code, errOut)
	}
	if b, _ := os.ReadFile(ran); string(b) != "x\n" {
		t.Errorf("it ran %q", b)
	}

	for settings, want := range map[string]string{
		`"api_key": "$(echo no agent >&2; exit 3)"`: "failed with exit code 3: no agent",
		`"api_key": "$(true)"`:                      "no key was given",
		`"api_key": "${NO_SUCH_KEY}"`:               "forge.json:1: api_key: the environment variable NO_SUCH_KEY is not set",
		`"headers": {"X": "$(printf 'a\\nb')"}`:     "more than one line",
	} {
		p.write(t, p.settings(), `{"base_url": "`+url+`", "model": "demo", `+settings+`}`)
		if out, errOut, code := p.run(t, "-p", "hi"); code != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d, %q, %q", settings, code, out, errOut)
		}
	}
}

// A forge that is killed while such a command runs takes it along.
func TestKilledForgeLeavesNoKeyCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what left its group is found on Linux alone")
	}
	t.Parallel()
	p := newProgram(t)
	own := spanOf("1000")
	p.write(t, p.settings(), `{"base_url": "http://127.0.0.1:1/v1", "model": "m", "api_key": "$(sleep `+own+`; echo k)"}`)
	cmd := p.command("-p", "hi", "-C", ".")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	deadline(t, "the command runs", func() bool { return alive(t, own) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline(t, "the command is gone", func() bool { return !alive(t, own) })
}

// What headers take from elsewhere goes to whom the settings name, and to nobody a flag or
// the environment names instead; plain ones go everywhere.
func TestBorrowedHeadersStayHome(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]http.Header{}
	server := func(name string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				mu.Lock()
				got[name] = r.Header.Clone()
				mu.Unlock()
			}
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}))
		t.Cleanup(srv.Close)
		return srv.URL + "/v1"
	}
	home, other := server("home"), server("other")
	headers := `"api_key": "$(echo home-key-12345)", "headers": {"X-A": "$(echo borrowed)", "X-B": "{env:BORROWED}", "X-C": "plain"}}`
	for _, c := range []struct {
		what, settings string
		args           []string
		env            string
		home           bool
	}{
		{"the address of the settings", `{"base_url": "` + home + `", "model": "m", ` + headers, nil, "", true},
		{"another address", `{"base_url": "` + home + `", "model": "m", ` + headers, []string{"--base-url", other, "-m", "m"}, "", false},
		{"another provider", `{"base_url": "` + home + `", "model": "m", ` + headers, []string{"--provider", "openai", "-m", "m"}, "OPENAI_BASE_URL=" + other, false},
		{"the provider of the settings", `{"provider": "openai", "model": "m", ` + headers, nil, "OPENAI_BASE_URL=" + home, true},
		{"another address for it", `{"provider": "openai", "model": "m", ` + headers, []string{"--base-url", other, "-m", "m"}, "OPENAI_BASE_URL=" + home, false},
	} {
		clear(got)
		p := newProgram(t)
		p.env = append(p.env, "BORROWED=borrowed", "OPENAI_API_KEY=env-key-12345", c.env)
		p.write(t, p.settings(), c.settings)
		out, errOut, code := p.run(t, append([]string{"-p", "hi"}, c.args...)...)
		h := got["other"]
		if c.home {
			h = got["home"]
		}
		if (h.Get("X-A") == "borrowed") != c.home || (h.Get("X-B") == "borrowed") != c.home || h.Get("X-C") != "plain" || len(got) != 1 || !c.home && strings.Contains(h.Get("Authorization"), "home-key") {
			t.Errorf("%s: exit %d, %q, %q, sent %v", c.what, code, out, errOut, got)
		}
	}
}

// A list of models is asked for with the headers of the settings, those that commands give
// included: they run once for it and what follows, and go to nobody else.
func TestListsHaveTheHeaders(t *testing.T) {
	t.Parallel()
	server := func(wants bool) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			borrowed := r.Header.Get("X-A") == "borrowed" && r.Header.Get("X-B") == "borrowed"
			switch {
			case r.URL.Path != "/v1/models" && r.URL.Path != "/v1/chat/completions": // is it a server people run at home?
				http.NotFound(w, r)
			case borrowed != wants || r.Header.Get("X-C") != "plain":
				t.Errorf("%s %s came with %v", r.Method, r.URL.Path, r.Header)
				w.WriteHeader(http.StatusUnauthorized)
			case r.Method == http.MethodGet:
				io.WriteString(w, `{"data":[{"id":"only-one"}]}`)
			default:
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
			}
		}))
		t.Cleanup(srv.Close)
		return srv.URL + "/v1"
	}
	home, other := server(true), server(false)
	p := newProgram(t, "BORROWED=borrowed", "OLLAMA_HOST=127.0.0.1:1")
	ran := filepath.Join(p.home, "ran")
	p.write(t, p.settings(), `{"base_url": "`+home+`", "headers": {"X-A": "$(echo x >> `+ran+`; echo borrowed)", "X-B": "{env:BORROWED}", "X-C": "plain"}}`)
	for _, c := range []struct {
		args []string
		want string
		runs int
	}{
		{[]string{"-p", "hi"}, "ok\n", 1}, {[]string{"models", "custom"}, "only-one", 1}, {[]string{"doctor", "-C", "."}, "answered in", 1},
		{[]string{"-p", "hi", "--base-url", other}, "ok\n", 0},
	} {
		out, errOut, _ := p.run(t, c.args...)
		b, _ := os.ReadFile(ran)
		_ = os.Remove(ran)
		if !strings.Contains(out, c.want) || strings.Count(string(b), "x") != c.runs {
			t.Errorf("%q: %q, %q; the command ran %q", c.args, out, errOut, b)
		}
	}
}

// Whom forge speaks with could not be worked out: nobody else hears the prompt instead.
func TestNobodyElseHearsIt(t *testing.T) {
	t.Parallel()
	url, keys := guarded(t, "k", "hello there")
	p := newProgram(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=k")
	p.write(t, p.settings(), `{"base_url": "https://${NO_SUCH_HOST}/v1"}`)
	if _, errOut, code := p.run(t, "-p", "hi"); code != 1 || !strings.Contains(errOut, "base_url: the environment variable NO_SUCH_HOST is not set") || len(keys()) > 0 {
		t.Errorf("exit %d, %q, %d requests", code, errOut, len(keys()))
	}
	if out, errOut, code := p.run(t, "-p", "hi", "--provider", "openai", "-m", "demo"); code != 0 || !strings.Contains(out, "hello there") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}
