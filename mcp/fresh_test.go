//go:build unix

package mcp

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// A list whose time is over is asked for again between turns, and only then.
func TestListsAge(t *testing.T) {
	var mu sync.Mutex
	list, ttl := []any{webTool("t", nil)}, any(1)
	web := newWeb(t, false, func(w writer, r *request, m badMsg) bool {
		mu.Lock()
		defer mu.Unlock()
		if m.Method != "tools/list" {
			return false
		}
		webReply(w, m, map[string]any{"resultType": "complete", "tools": list, "ttlMs": ttl, "cacheScope": "public"})
		return true
	})
	asked := func() int { return len(web.lines("tools/list")) }
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": {URL: web.URL}}})
	h.until("w", Ready)
	mu.Lock()
	list, ttl = append(list, webTool("new", nil)), 3_600_000
	mu.Unlock()
	eventually(t, func() bool { return time.Now().After(h.fresh("w").Until) }) // nobody asks for a list that nobody wants
	if n := asked(); n != 1 {
		t.Errorf("asked %d times without a turn", n)
	}
	h.reg.Active()
	eventually(t, func() bool { return len(h.m.Status()[0].Tools) == 2 })
	h.offers("mcp__w__new mcp__w__t")
	for range 20 { // now it is fresh for an hour
		h.reg.Active()
	}
	if n := asked(); n != 2 {
		t.Errorf("asked %d times for a fresh list", n)
	}
}

func (h *house) fresh(name string) Fresh {
	s := h.m.fleet.Load().named(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh
}

// A list that cannot be had again is used on.
func TestStaleListIsUsedOn(t *testing.T) {
	var mu sync.Mutex
	n := 0
	web := newWeb(t, false, func(w writer, r *request, m badMsg) bool {
		mu.Lock()
		defer mu.Unlock()
		if m.Method != "tools/list" {
			return false
		}
		if n++; n > 1 {
			webFail(w, 500, m, -32603, "out of order")
			return true
		}
		webReply(w, m, map[string]any{"resultType": "complete", "tools": []any{webTool("t", nil)}, "ttlMs": -5, "cacheScope": "public"})
		return true
	})
	h := mount(t, Options{Servers: map[string]ServerConfig{"w": {URL: web.URL}}})
	h.until("w", Ready)
	eventually(t, func() bool { h.reg.Active(); return strings.Contains(h.m.Status()[0].Stderr, "out of order") })
	if r := h.call("mcp__w__t", ""); r.Text != "ok" {
		t.Errorf("got %+v", r)
	}
}

func TestWhatAServerSaysOfAge(t *testing.T) {
	for pages, want := range map[string]Fresh{
		`{}`:                                    {},
		`{"ttlMs":"soon"}`:                      {},
		`{"ttlMs":60000}`:                       {Private: true},
		`{"cacheScope":"private"}`:              {},
		`{"ttlMs":60000,"cacheScope":"public"}`: {},
		`{"ttlMs":60000,"cacheScope":"public"} {"ttlMs":1e300,"cacheScope":"public"}`:              {},
		`{"ttlMs":1e300,"cacheScope":"public"} {"ttlMs":60000,"cacheScope":"private"}`:             {Private: true},
		`{"ttlMs":60000,"cacheScope":"public"} {"tools":[]} {"ttlMs":99999,"cacheScope":"public"}`: {},
	} {
		w := newWire(&trace{}, func(string) {})
		began := time.Now()
		for _, p := range strings.Fields(pages) {
			w.aged(json.RawMessage(p))
		}
		got := w.freshness()
		said := strings.Contains(pages, "60000")
		if got.Private != want.Private || got.Until.IsZero() == said || said && (got.Until.Before(began.Add(time.Minute)) || got.Until.After(time.Now().Add(time.Minute))) {
			t.Errorf("%s: %+v", pages, got)
		}
	}
}

// A lazy server waits for a call while what is remembered of it holds: by its own word,
// and for those it was told to.
func TestLazyServerWithAnAge(t *testing.T) {
	for mode, c := range map[string]struct {
		env  string // of the second start
		want State
	}{
		"aged": {"", Idle}, "aged other": {"of somebody else", Ready}, "stale": {"", Ready},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			t.Helper()
			servers := bads(t, map[string]string{"s": strings.Fields(mode)[0]})
			s := servers["s"]
			s.Lazy = true
			s.Env["KEY"] = "${FORGE_TEST_KEY_" + strings.ReplaceAll(mode, " ", "_") + ":-}"
			servers["s"] = s
			first := mount(t, Options{Servers: servers, StateDir: state})
			first.until("s", Ready)
			first.m.Close()
			if c.env != "" {
				name := "FORGE_TEST_KEY_" + strings.ReplaceAll(mode, " ", "_")
				os.Setenv(name, c.env)
				defer os.Unsetenv(name)
			}
			h := mount(t, Options{Servers: servers, StateDir: state})
			h.until("s", c.want)
			if r := h.call("mcp__s__t", ""); r.Text != "ok" {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// Another login makes a private list another one's.
func TestForgetLists(t *testing.T) {
	state := t.TempDir()
	servers := bads(t, map[string]string{"s": "aged"})
	s := servers["s"]
	s.Lazy = true
	servers["s"] = s
	first := mount(t, Options{Servers: servers, StateDir: state})
	first.until("s", Ready)
	first.m.Close()
	if err := ForgetLists(state, "s", s); err != nil {
		t.Fatal(err)
	}
	h := mount(t, Options{Servers: servers, StateDir: state})
	if st := h.until("s", Ready); len(st.Changes) != 0 || st.Starts != 1 {
		t.Errorf("status %+v", st)
	}
}
