package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"
)

// toolServer asks for one more look, n times, and then is done; each answer is
// counted as 1,000 tokens in and 100 out.
func toolServer(t *testing.T, n int) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r) // it was asked what it has
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta, why := `{"content":"done"}`, "stop"
		if i := asked.Add(1); int(i) <= n {
			delta, why = fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"c%d","type":"function","function":{"name":"list_dir","arguments":"{\"path\":\".\"}"}}]}`, i), "tool_calls"
		}
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", delta, why)
		fmt.Fprint(w, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

const testPrices = `{"prices": {"input": 100, "output": 1000}}` // an answer is 20 cents

// A budget ends a run before the request that would cross it, with the reason as
// JSON; the next run of the conversation goes on counting, another conversation
// does not, and the day counts both.
func TestHeadlessBudget(t *testing.T) {
	t.Parallel()
	url, asked := toolServer(t, 1000)
	p := newProgram(t)
	p.write(t, p.settings(), testPrices)
	with := func(args ...string) (gjson.Result, string, int) {
		t.Helper()
		out, errOut, code := p.run(t, append([]string{"--base-url", url, "--wire", "openai", "-m", "m", "--json"}, args...)...)
		return gjson.Parse(out), errOut, code
	}
	out, errOut, code := with("-p", "go", "--max-budget-usd", "1.5")
	if code != 4 || out.Get("error.kind").String() != "limit" || out.Get("error.limit.kind").String() != "usd" || out.Get("error.limit.per").String() != "session" {
		t.Fatalf("exit %d, %s %s", code, out, errOut)
	}
	n := int(asked.Load())
	spent, next := out.Get("error.limit.spent").Float(), out.Get("error.limit.next").Float()
	if n == 0 || spent > 1.5 || spent+next <= 1.5 || out.Get("turns").Int() != int64(n) || !strings.Contains(errOut, "80% of the budget of this conversation are spent: $1.20 of $1.50") {
		t.Errorf("%d requests, %s %s", n, out, errOut)
	}
	if out, _, code = with("-c", "-p", "go on", "--max-budget-usd", "1.5"); code != 4 || int(asked.Load()) != n {
		t.Errorf("resumed: exit %d, %d more requests, %s", code, int(asked.Load())-n, out)
	}
	if out, _, code = with("-p", "anew", "--max-budget-turns", "2"); code != 4 || int(asked.Load()) != n+2 || out.Get("error.limit.kind").String() != "turns" {
		t.Errorf("another: exit %d, %d more requests, %s", code, int(asked.Load())-n, out)
	}
	if out, _, code = with("-p", "anew", "--max-day-turns", fmt.Sprint(n+3)); code != 4 || int(asked.Load()) != n+3 || out.Get("error.limit.per").String() != "day" {
		t.Errorf("the day: exit %d, %d more requests, %s", code, int(asked.Load())-n, out)
	}
}

// A budget of money that cannot hold is refused before anything is asked.
func TestBudgetWithoutPrice(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "OPENAI_API_KEY=sk-test")
	out, errOut, code := p.run(t, "--provider", "openai", "-m", "nobody-knows-it", "-p", "go", "--max-budget-usd", "1", "--json")
	if code != 2 || out != "" || !strings.Contains(errOut, "the price of nobody-knows-it is not known") {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
	// A server of one's own costs nothing, so it holds.
	url, _ := toolServer(t, 0)
	out, errOut, code = p.run(t, "--base-url", url, "--wire", "openai", "-m", "m", "-p", "go", "--max-budget-usd", "1")
	if code != 0 || out != "done\n" || strings.Count(errOut, "for a model of this machine that costs nothing") != 1 {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
}

// The same failing call again and again ends a run nobody watches.
func TestHeadlessStuck(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "stuck.script", strings.Repeat("call read_file {\"path\":\"nowhere.go\"}\nend\n\n", 9)+"text done\nend\n")
	out, _, code := p.run(t, "-p", "go", "-C", ".", "--demo=stuck.script", "--json")
	if !json.Valid([]byte(out)) || code != 4 || gjson.Get(out, "turns").Int() != 3 || gjson.Get(out, "error.kind").String() != "limit" {
		t.Errorf("exit %d, %s", code, out)
	}
}

// What was on when forge was killed counts in `forge usage` at once, as it was estimated,
// and once when its conversation is gone on with.
func TestUsageOfAKilledForge(t *testing.T) {
	t.Parallel()
	asked, hang := make(chan struct{}, 9), new(atomic.Bool)
	hang.Store(true)
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if hang.Load() {
			w.(http.Flusher).Flush()
			asked <- struct{}{}
			select {
			case <-over:
			case <-r.Context().Done():
			}
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},\"finish_reason\":\"stop\"}]}\n\n"+
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":100}}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(func() { close(over); s.Close() })
	p := newProgram(t)
	p.write(t, p.settings(), testPrices)
	model := []string{"--base-url", s.URL + "/v1", "--wire", "openai", "-m", "m"}
	used := func() gjson.Result {
		t.Helper()
		out, errOut, code := p.run(t, "usage", "--json", "--by", "model")
		if code != 0 || errOut != "" {
			t.Fatalf("exit %d, %s %s", code, out, errOut)
		}
		return gjson.Get(out, "sums.0")
	}
	c := p.command(append(model, "-p", "go")...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if was := used(); was.Exists() {
		t.Errorf("while it is on, it counts already: %s", was)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	was := used()
	if was.Get("calls").Int() != 1 || was.Get("input_tokens").Int() == 0 || was.Get("usd").Float() == 0 || was.Get("unpriced_calls").Int() != 0 || !strings.Contains(was.Get("key").String(), "m") {
		t.Errorf("killed, it is %s", was)
	}
	hang.Store(false)
	if out, errOut, code := p.run(t, append(model, "-c", "-p", "")...); out != "done\n" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	if now := used(); now.Get("calls").Int() != 2 || now.Get("input_tokens").Int() != was.Get("input_tokens").Int()+1000 || now.Get("key").String() != was.Get("key").String() {
		t.Errorf("gone on with, it is %s, was %s", now, was)
	}
}
