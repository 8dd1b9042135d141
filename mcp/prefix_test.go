//go:build unix

package mcp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"forge/agent"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/demo"
	"forge/provider/openai"
	"forge/tools"
)

const finding = `
call find_tools {"query":"tool_07"}
end

expect result[find_tools] mcp__s__tool_07: Does the thing numbered 7.
call call_tool {"name":"mcp__s__tool_07","arguments":{"text":"x"}}
end

expect result[call_tool] ok
call find_tools {"query":"tool_3"}
end

expect result[find_tools] mcp__s__tool_31
call call_tool {"name":"mcp__s__tool_31","arguments":{}}
end

expect result[call_tool] ok
text Done.
end
`

// cacheMark is where a request of the messages wire says what is to be cached: it is
// set anew in each, and is no part of what is compared.
var cacheMark = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"[^}]*\}`)

// A conversation in which tools are found and called sends, on each wire, requests that
// begin with the one before: the list of tools and the system prompt are the same to
// the byte, and messages are only added.
func TestFindingToolsKeepsThePrefix(t *testing.T) {
	for wire, dial := range map[string]func(base string) provider.Provider{
		"openai":    func(base string) provider.Provider { return openai.New(openai.Options{BaseURL: base + "/v1"}) },
		"anthropic": func(base string) provider.Provider { return anthropic.New(anthropic.Options{BaseURL: base}) },
	} {
		t.Run(wire, func(t *testing.T) {
			script, err := demo.Parse(strings.NewReader(finding))
			if err != nil {
				t.Fatal(err)
			}
			model := demo.Serve(script, demo.Options{Pace: -1})
			var mu sync.Mutex
			var bodies [][]byte
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				bodies = append(bodies, body)
				mu.Unlock()
				r.Body = io.NopCloser(bytes.NewReader(body))
				model.ServeHTTP(w, r)
			}))
			t.Cleanup(srv.Close)
			h := mount(t, Options{Servers: bads(t, map[string]string{"s": "many"}), Window: 20_000})
			h.until("s", Ready)
			a := agent.New(agent.Options{Provider: dial(srv.URL), Model: demo.Model(), System: "Be brief.", Exec: h.x, News: h.m.News})
			var called []string
			err = a.Run(t.Context(), agent.Prompt{Text: "Do thing 7."}, func(e agent.Event) {
				if e, ok := e.(agent.ToolStart); ok {
					called = append(called, e.Name)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(called, " "); got != "find_tools mcp__s__tool_07 find_tools mcp__s__tool_31" {
				t.Errorf("called %s", got)
			}
			if len(bodies) != 5 {
				t.Fatalf("%d requests", len(bodies))
			}
			all := 0
			for _, ts := range h.m.Status()[0].Tools {
				all += ts.Tokens
			}
			for i, b := range bodies {
				sent := gjson.GetBytes(b, "tools").Raw
				if strings.Contains(sent, "what it is about") || !strings.Contains(sent, "mcp__s__tool_07") || !strings.Contains(sent, "call_tool") {
					t.Fatalf("the tools sent are %s", sent)
				}
				if i == 0 {
					t.Logf("all definitions: about %d tokens; sent of them: about %d", all, len(sent)/4)
					continue
				}
				for _, part := range []string{"tools", "system"} {
					if was := gjson.GetBytes(bodies[i-1], part).Raw; was != gjson.GetBytes(b, part).Raw {
						t.Errorf("request %d has other %s:\n%s\n%s", i, part, was, gjson.GetBytes(b, part).Raw)
					}
				}
				was := cacheMark.ReplaceAllString(gjson.GetBytes(bodies[i-1], "messages").Raw, "")
				now := cacheMark.ReplaceAllString(gjson.GetBytes(b, "messages").Raw, "")
				if !strings.HasPrefix(now, strings.TrimSuffix(was, "]")) {
					t.Errorf("request %d does not begin with the one before:\n%s\n%s", i, was, now)
				}
			}
		})
	}
}

// A server that comes late is told of behind the conversation; the list stays.
func TestLateToolsAreToldOf(t *testing.T) {
	on := true
	servers := bads(t, map[string]string{"one": "good", "two": "good"})
	for n, s := range servers {
		s.Defer, s.Disabled = &on, n == "two"
		servers[n] = s
	}
	h := mount(t, Options{Servers: servers})
	h.until("one", Ready)
	h.until("two", Disabled)
	if news := h.m.News(); news != nil {
		t.Errorf("told %q", news)
	}
	before := specs(h.reg)
	if err := h.m.Retry("two"); err != nil {
		t.Fatal(err)
	}
	h.until("two", Ready)
	if news := h.m.News(); len(news) != 1 || !strings.Contains(news[0], "mcp__two__t: d") || strings.Contains(news[0], "mcp__one__t") {
		t.Errorf("told %q", news)
	}
	if news := h.m.News(); news != nil {
		t.Errorf("told again %q", news)
	}
	if now := specs(h.reg); now != before {
		t.Errorf("the list the model is sent changed:\n%s\n%s", before, now)
	}
	if r := h.call("call_tool", `{"name":"mcp__two__t"}`); r.Text != "ok" {
		t.Errorf("got %+v", r)
	}
}

// The order of what servers offer is the same whichever was ready first.
func TestOrderOfServers(t *testing.T) {
	for _, late := range []string{"a", "b"} {
		t.Run(late, func(t *testing.T) {
			t.Parallel()
			modes := map[string]string{"a": "good", "b": "good"}
			modes[late] = "second"
			h := mount(t, Options{Servers: bads(t, modes)})
			if starting := h.m.Wait(t.Context(), 20*time.Second); starting != nil {
				t.Fatal(starting)
			}
			var names []string
			for _, x := range h.reg.Active() {
				names = append(names, x.Spec().Name)
			}
			if got := strings.Join(names, " "); got != "mcp__a__t mcp__b__t" {
				t.Errorf("with %s late: %s", late, got)
			}
		})
	}
}

var _ tools.Proxy = caller{}
