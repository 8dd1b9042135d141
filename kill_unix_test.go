//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"forge/agent/session"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/demo"
	"forge/provider/openai"
)

// killScript answers whatever it is asked, and never comes to its end: words, reads
// side by side, commands that leave a trace, one after the other.
const killScript = `text I look at two things at once, and say a few words about it before I do.
call read_file {"path":"a.txt"}
call list_dir {"path":"."}
end
think It has to be done twice.
text Now I change something.
call run_bash {"command":"echo first >> trace"}
call run_bash {"command":"sleep 0.02; echo second >> trace"}
call read_file {"path":"a.txt"}
end
text Done, with a summary that is long enough to be cut somewhere in its middle.
end
`

// TestKilledAnywhere kills forge at random moments of a conversation that goes on
// through all of them. Whatever a server was sent, and whatever a command has done,
// is in the file afterwards; and what the file holds can be sent on both wires.
// FORGE_KILLS=200 is the whole test.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	kills := 16
	if s := os.Getenv("FORGE_KILLS"); s != "" {
		var err error
		if kills, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	var turns strings.Builder
	for range kills*4 + 8 {
		turns.WriteString(killScript)
	}
	script, err := demo.Parse(strings.NewReader(turns.String()))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var sent []byte // the last request
	play := demo.Serve(script, demo.Options{Pace: 150})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && bytes.Contains(body, []byte(`"messages"`)) { // half a request was not told
			mu.Lock()
			sent = body
			mu.Unlock()
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		play.ServeHTTP(w, r)
	}))
	defer server.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("some text\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(append(plainEnviron(), home(t.TempDir())...), "OPENAI_API_KEY=k", "FORGE=")
	state := ""
	for _, kv := range env {
		if dir, ok := strings.CutPrefix(kv, "XDG_STATE_HOME="); ok {
			state = dir
		}
	}
	forge := func(ctx context.Context, args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, "forge", append([]string{"--base-url", server.URL + "/v1", "--wire", "openai", "-m", "demo-1", "--yolo", "--sandbox", "off", "-C", dir}, args...)...)
		c.Env = env
		return c
	}
	var path string
	reach := 400 * time.Millisecond // after the start: the kill is somewhere in it
	for i := range kills {
		args := []string{"-p", "prompt number " + strconv.Itoa(i)}
		if path != "" {
			args = append(args, "-c")
			if random.IntN(2) == 0 && left(t, path).Run {
				args[1] = "" // go on with what was cut off
			}
		}
		mu.Lock()
		sent = nil
		mu.Unlock()
		c := forge(t.Context(), args...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case <-time.After(time.Duration(random.Int64N(int64(reach)))): // not to wait for something: to be anywhere
			c.Process.Kill()
			<-ended
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v ended by itself: %v %s", args, err, stderr.String())
			}
		}
		if found, _ := filepath.Glob(filepath.Join(state, "forge", "sessions", "*.jsonl")); len(found) == 1 {
			path = found[0]
		} else if len(found) > 1 {
			t.Fatalf("one conversation is in %d files", len(found))
		} else {
			reach *= 2 // this machine is slow: it was killed before anything was said
			continue
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkLines(t, raw)
		mu.Lock()
		last := sent
		mu.Unlock()
		s, rs, err := session.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		ms := session.Messages(rs)
		if err := errorsOf(session.Check(ms), s.Close()); err != nil {
			t.Fatal(err)
		}
		have := flat(requestOn(t, "openai", ms))
		for _, want := range flat(last) { // what a server was told was kept before
			if !contains(have, want) {
				t.Fatalf("kill %d: a server was sent %q, and the file does not have it:\n%s", i, want, raw)
			}
		}
		trace, _ := os.ReadFile(filepath.Join(dir, "trace"))
		for _, word := range []string{"first", "second"} { // what was done was meant before
			if done, meant := bytes.Count(trace, []byte(word)), strings.Count(string(raw), word+" >> trace"); done > meant {
				t.Fatalf("kill %d: %s was done %d times, the file knows of %d", i, word, done, meant)
			}
		}
		for _, wire := range []string{"openai", "anthropic"} {
			valid(t, wire, requestOn(t, wire, append(ms, provider.UserText("on"))))
		}
	}
	if path == "" {
		t.Fatal("nothing was ever kept")
	}
	// In the end it goes on as if nothing had been.
	out, err := forge(t.Context(), "-c", "-p", "the last").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Done, with a summary") && !strings.Contains(string(out), "I ") {
		t.Fatalf("%v %s", err, out)
	}
	cutEverywhere(t, path)
}

// cutEverywhere cuts a recorded session at every byte. A cut inside a line loses
// that line and nothing else, so that each whole line makes one request: it must be
// valid on both wires.
func cutEverywhere(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	raw = raw[:min(len(raw), 40<<10)]
	cut := filepath.Join(t.TempDir(), "cut.jsonl")
	tried := -1
	for n := bytes.IndexByte(raw, '\n') + 1; n <= len(raw); n++ {
		inside := n%97 != 0 && n < len(raw) && raw[n-1] != '\n' // of a line: all of them load the same, a few are tried
		if inside {
			continue
		}
		if err := os.WriteFile(cut, raw[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, rs, err := session.Open(cut)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		s.Close()
		if whole := bytes.Count(raw[:n], []byte("\n")) - 1; len(rs) != whole {
			t.Fatalf("cut at %d: %d records of %d", n, len(rs), whole)
		}
		if len(rs) == tried {
			continue
		}
		tried = len(rs)
		ms := append(session.Messages(rs), provider.UserText("on"))
		for _, wire := range []string{"openai", "anthropic"} {
			valid(t, wire, requestOn(t, wire, ms))
		}
		again := append(session.Messages(append(session.History(rs), session.Owed(rs)...)), provider.UserText("on"))
		if a, b := requestOn(t, "openai", again), requestOn(t, "openai", ms); !bytes.Equal(a, b) {
			t.Fatalf("cut at %d: gone on with it is\n%s\nand loaded again\n%s", n, a, b)
		}
	}
}

func left(t *testing.T, path string) session.Left {
	t.Helper()
	s, rs, err := session.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	return session.Unfinished(rs)
}

// checkLines wants whole lines in the order of their numbers, but for a torn end.
func checkLines(t *testing.T, raw []byte) {
	t.Helper()
	lines := bytes.Split(raw, []byte("\n"))
	for i, l := range lines[:len(lines)-1] {
		if !gjson.ValidBytes(l) || gjson.GetBytes(l, "seq").Int() != int64(i) {
			t.Fatalf("line %d is %s", i, l)
		}
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func contains(all []string, s string) bool {
	for _, a := range all {
		if a == s {
			return true
		}
	}
	return false
}

// flat is the words, calls and results of a chat request, the system's left out.
func flat(body []byte) (out []string) {
	gjson.GetBytes(body, "messages").ForEach(func(_, m gjson.Result) bool {
		if m.Get("role").Str == "system" || m.Get("role").Str == "developer" {
			return true
		}
		text := m.Get("content").String()
		if m.Get("content").IsArray() {
			text = m.Get("content.#.text").String()
		}
		if text != "" {
			out = append(out, m.Get("role").Str+": "+text)
		}
		m.Get("tool_calls").ForEach(func(_, c gjson.Result) bool {
			out = append(out, c.Get("function.name").Str+c.Get("function.arguments").Str)
			return true
		})
		return true
	})
	return out
}

// requestOn returns the body a history is sent as.
func requestOn(t *testing.T, wire string, ms []provider.Message) []byte {
	t.Helper()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer server.Close()
	var p provider.Provider
	if wire == "openai" {
		p = openai.New(openai.Options{BaseURL: server.URL + "/v1", Key: "k"})
	} else {
		p = anthropic.New(anthropic.Options{BaseURL: server.URL, Key: "k"})
	}
	for _, err := range p.Stream(t.Context(), provider.Request{Model: "demo-1", Messages: ms}) {
		if err != nil {
			break
		}
	}
	if !gjson.ValidBytes(body) {
		t.Fatalf("%s was sent %q", wire, body)
	}
	return body
}

// valid looks for what a server of the wire would refuse a history for.
func valid(t *testing.T, wire string, body []byte) {
	t.Helper()
	fault := fmt.Sprintf("%s: %%s\n%s", wire, body)
	open := map[string]bool{}
	n, last := 0, ""
	gjson.GetBytes(body, "messages").ForEach(func(_, m gjson.Result) bool {
		role := m.Get("role").Str
		answered := 0
		if wire == "openai" {
			if role == "tool" {
				id := m.Get("tool_call_id").Str
				if !open[id] {
					t.Fatalf(fault, "a result of no call: "+id)
				}
				delete(open, id)
				return true
			}
			if len(open) > 0 {
				t.Fatalf(fault, "a call without a result")
			}
			m.Get("tool_calls.#.id").ForEach(func(_, id gjson.Result) bool { open[id.Str] = true; return true })
			if m.Get("content").String() == "" && len(open) == 0 {
				t.Fatalf(fault, "an empty message")
			}
		} else {
			if role == last || n == 0 && role != "user" {
				t.Fatalf(fault, "roles out of turn")
			}
			m.Get("content").ForEach(func(_, b gjson.Result) bool {
				if id := b.Get("tool_use_id").Str; id != "" {
					if !open[id] {
						t.Fatalf(fault, "a result of no call: "+id)
					}
					delete(open, id)
					answered++
				}
				return true
			})
			if len(open) > 0 || m.Get("content").String() == "" || m.Get("content.#").Int() == 0 && m.Get("content").IsArray() {
				t.Fatalf(fault, "a call without a result, or an empty message")
			}
			m.Get(`content.#(type=="tool_use")#.id`).ForEach(func(_, id gjson.Result) bool { open[id.Str] = true; return true })
		}
		n, last = n+1, role
		return true
	})
	if len(open) > 0 || n == 0 {
		t.Fatalf(fault, "calls without results at the end, or nothing")
	}
}
