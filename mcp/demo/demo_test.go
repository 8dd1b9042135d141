package demo

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// A client is the other end of the server's streams.
type client struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
	log *bytes.Buffer
}

func open(t *testing.T) *client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: bufio.NewReader(outR), log: &bytes.Buffer{}}
	done := make(chan error, 1)
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	go func() { done <- Serve(context.Background(), inR, outW, c.log, "v", func() time.Time { return noon }) }()
	t.Cleanup(func() {
		inW.Close()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
	return c
}

// ask sends lines and reads one answer.
func (c *client) ask(lines ...string) map[string]any {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatal(err)
		}
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return m
}

func at(m map[string]any, path string) any {
	var v any = m
	for key := range strings.SplitSeq(path, ".") {
		inner, _ := v.(map[string]any)
		v = inner[key]
	}
	return v
}

func meta(version string) string {
	return fmt.Sprintf(`"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`, version)
}

func TestModernEra(t *testing.T) {
	c := open(t)
	d := c.ask("", "not a message", `[1]`, `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta("2026-07-28")+`}}`)
	if at(d, "result.ttlMs") != 300000.0 || at(d, "result.cacheScope") != "public" || !strings.Contains(fmt.Sprint(at(d, "result.supportedVersions")), "2026-07-28") {
		t.Errorf("discover %v", d)
	}
	l := c.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + meta("2026-07-28") + `}}`)
	if at(l, "result.ttlMs") != 300000.0 || at(l, "result.cacheScope") != "public" || len(at(l, "result.tools").([]any)) != 2 {
		t.Errorf("list %v", l)
	}
	r := c.ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"word_count","arguments":{"text":"one two\nthree\n"},` + meta("2026-07-28") + `}}`)
	if got := at(r, "result.structuredContent"); fmt.Sprint(got) != "map[characters:14 lines:2 words:3]" {
		t.Errorf("counted %v", r)
	}
	r = c.ask(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"current_time","arguments":{"timezone":"Asia/Tokyo"},` + meta("2026-07-28") + `}}`)
	if at(r, "result.structuredContent.time") != "2026-01-31T21:00:00+09:00" {
		t.Errorf("the time is %v", r)
	}
	r = c.ask(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"current_time","arguments":{"timezone":"Nowhere"},` + meta("2026-07-28") + `}}`)
	if at(r, "result.isError") != true {
		t.Errorf("a zone that is none: %v", r)
	}
	if e := c.ask(`{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{` + meta("2099-01-01") + `}}`); at(e, "error.code") != -32022.0 || at(e, "error.data.requested") != "2099-01-01" {
		t.Errorf("a version that is none: %v", e)
	}
	if e := c.ask(`{"jsonrpc":"2.0","id":7,"method":"no/such","params":{` + meta("2026-07-28") + `}}`); at(e, "error.code") != -32601.0 {
		t.Errorf("a method that is none: %v", e)
	}
}

func TestEraBefore(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25"} {
		c := open(t)
		i := c.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		if at(i, "result.protocolVersion") != version || at(i, "result.serverInfo.name") != "forge-demo" {
			t.Errorf("%s: %v", version, i)
		}
		l := c.ask(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		if ts, ok := at(l, "result.tools").([]any); !ok || len(ts) != 2 {
			t.Errorf("%s: %v", version, l)
		}
	}
}
