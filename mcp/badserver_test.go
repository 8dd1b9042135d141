//go:build unix

package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The test binary is also the servers of the tests: with BAD_SERVER set it is one
// that misbehaves in the named way, on its standard input and output.
func TestMain(m *testing.M) {
	if mode := os.Getenv("BAD_SERVER"); mode != "" {
		(&bad{mode: mode}).run()
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

type bad struct {
	mode  string
	calls int
	ids   []json.RawMessage
}

type badMsg struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (b *bad) send(v any) {
	text, _ := json.Marshal(v)
	end := "\n"
	switch b.mode {
	case "crlf":
		end = "\r\n"
	case "pretty":
		text, _ = json.MarshalIndent(v, "", "  ")
	case "blank":
		end = "\n\n   \n"
	case "batch":
		text = []byte("[" + string(text) + "]")
	}
	os.Stdout.Write(append(text, end...))
}

func (b *bad) reply(id json.RawMessage, result any) {
	b.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (b *bad) fail(id json.RawMessage, code int, text string) {
	b.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}

func said(s string) any {
	return map[string]any{"content": []any{map[string]any{"type": "text", "text": s}}}
}

func (b *bad) run() {
	switch b.mode {
	case "banner":
		fmt.Println("Server starting on stdio...")
	case "bom":
		os.Stdout.Write([]byte("\xef\xbb\xbf"))
	case "noexit":
		signal.Ignore(syscall.SIGTERM, syscall.SIGPIPE)
	case "grandchild", "escaped", "disguised", "orphandeath":
		c := exec.Command("sleep", "300")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if b.mode == "escaped" || b.mode == "disguised" {
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		if b.mode == "disguised" {
			c.Env = []string{"PATH=" + os.Getenv("PATH")}
		}
		c.Start()
		fmt.Fprintf(os.Stderr, "grandchild %d\n", c.Process.Pid)
	case "stderrflood":
		line := strings.Repeat("x", 1023) + "\n"
		for range 10 << 10 {
			os.Stderr.WriteString(line)
		}
	case "exit":
		fmt.Fprintln(os.Stderr, "fatal: missing API_KEY")
		os.Exit(2)
	case "watched":
		_ = watchedServer().Run(context.Background(), &sdk.StdioTransport{})
		return
	case "deaf":
		time.Sleep(time.Hour)
	case "second", "slowmodern", "slownullid":
		time.Sleep(time.Second)
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if b.mode == "noexit" {
				time.Sleep(time.Hour)
			}
			return
		}
		var m badMsg
		if json.Unmarshal(line, &m) == nil {
			b.handle(m)
		}
	}
}

func (b *bad) handle(m badMsg) {
	switch m.Method {
	case "initialize":
		version := "2025-11-25"
		switch b.mode {
		case "initerr":
			b.fail(m.ID, -32603, "boom: \x1b[2Jtoken\nexpired")
			return
		case "slowmodern":
			b.fail(m.ID, -32601, "Method not found")
			return
		case "v2024":
			version = "2024-11-05"
		case "vbad":
			version = "2023-01-01"
		}
		b.reply(m.ID, map[string]any{"protocolVersion": version, "capabilities": map[string]any{"tools": map[string]any{"listChanged": true}},
			"serverInfo": map[string]any{"name": "bad-" + b.mode, "version": "1"}})
	case "ping":
		b.reply(m.ID, map[string]any{})
	case "tools/list":
		b.list(m)
	case "tools/call":
		b.call(m)
	case "notifications/cancelled":
		fmt.Fprintf(os.Stderr, "got cancelled %s\n", m.Params)
	case "server/discover":
		b.discover(m)
	default:
		if m.ID != nil {
			b.fail(m.ID, -32601, "Method not found")
		}
	}
}

func (b *bad) discover(m badMsg) {
	switch b.mode {
	case "silent":
	case "exitunknown":
		fmt.Fprintln(os.Stderr, "expected initialize")
		os.Exit(1)
	case "unk32600":
		b.fail(m.ID, -32600, "not initialized")
	case "unknullid", "slownullid":
		b.send(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": -32600, "message": "bad"}})
	case "modern", "aged", "stale", "slowmodern":
		b.reply(m.ID, map[string]any{"resultType": "complete", "supportedVersions": []string{"2026-07-28"},
			"capabilities": map[string]any{"tools": map[string]any{}}, "ttlMs": 0, "cacheScope": "private"})
	case "wrongversion":
		b.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32022, "message": "no",
			"data": map[string]any{"supported": []string{"2025-11-25"}, "requested": "2026-07-28"}}})
	default:
		b.fail(m.ID, -32601, "Method not found")
	}
}

func (b *bad) list(m badMsg) {
	tool := map[string]any{"name": "t", "description": "d", "inputSchema": map[string]any{"type": "object"}}
	list := []any{tool}
	switch b.mode {
	case "breach":
		tool["outputSchema"] = map[string]any{"type": "object", "required": []string{"degrees"}}
	case "loopcursor":
		b.reply(m.ID, map[string]any{"tools": list, "nextCursor": "same"})
		return
	case "nullschema":
		list = []any{map[string]any{"name": "a", "inputSchema": nil}, map[string]any{"name": "b"}, tool, tool, nil, 7,
			map[string]any{"name": "we ird/näme!", "inputSchema": map[string]any{"type": "object"}}}
	case "many":
		list = nil
		for i := range 40 {
			list = append(list, map[string]any{"name": fmt.Sprintf("tool_%02d", i), "description": fmt.Sprintf("Does the thing numbered %d.", i),
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string", "description": strings.Repeat("what it is about ", 40)}}}})
		}
	case "badtype":
		list = []any{map[string]any{"name": "a", "description": 42, "inputSchema": map[string]any{"type": "object"}}, tool}
	case "boolschema":
		list = []any{map[string]any{"name": "a", "inputSchema": true}, map[string]any{"name": "b", "inputSchema": map[string]any{"type": "object",
			"properties": map[string]any{"x": true}}, "outputSchema": map[string]any{"type": "array"}}, map[string]any{"name": "c", "inputSchema": "none"}}
	}
	switch b.mode {
	case "aged":
		b.reply(m.ID, map[string]any{"resultType": "complete", "tools": list, "ttlMs": 3_600_000, "cacheScope": "private"})
	case "stale":
		b.reply(m.ID, map[string]any{"resultType": "complete", "tools": list, "ttlMs": 1, "cacheScope": "public"})
	default:
		b.reply(m.ID, map[string]any{"tools": list})
	}
}

func (b *bad) call(m badMsg) {
	switch b.mode {
	case "logmid":
		fmt.Println("[INFO] handling a call")
	case "cwd":
		dir, _ := os.Getwd()
		b.reply(m.ID, said(dir))
		return
	case "jsonlog":
		fmt.Println(`{"level":"info","msg":"handling"}`)
	case "arraylog":
		fmt.Println(`[1,2,3]`)
	case "numlog":
		fmt.Println(`12345`)
	case "die", "orphandeath":
		os.Exit(3)
	case "segv":
		signal.Reset(syscall.SIGSEGV)
		p, _ := os.FindProcess(os.Getpid())
		p.Signal(syscall.SIGKILL) // the runtime of Go would print a page for SIGSEGV
		time.Sleep(time.Hour)
	case "slow": // all at once
		go func() {
			time.Sleep(200 * time.Millisecond)
			b.reply(m.ID, said("ok"))
		}()
		return
	case "gate": // none of them is answered before all are there
		b.ids = append(b.ids, m.ID)
		if len(b.ids) == 50 {
			for _, id := range b.ids {
				b.reply(id, said(string(id)))
			}
		}
		return
	case "hang":
		if b.calls++; b.calls == 1 {
			fmt.Fprintln(os.Stderr, "hanging")
			return
		}
	case "big5":
		b.reply(m.ID, said(strings.Repeat("A", 5<<20)))
		return
	case "big20":
		if b.calls++; b.calls == 1 {
			b.reply(m.ID, said(strings.Repeat(`"id":99,`, (20<<20)/8)))
			return
		}
	case "partial":
		os.Stdout.WriteString(`{"jsonrpc":"2.0","id":`)
		os.Exit(0)
	case "badid":
		b.reply(json.RawMessage(`"zzz"`), said("wrong id"))
	case "dup":
		b.reply(m.ID, said("ok"))
		b.reply(m.ID, said("ok2"))
		return
	case "say": // once, what the test wants
		if b.calls++; b.calls == 1 {
			text := strings.ReplaceAll(os.Getenv("BAD_SAY"), "$ID", string(m.ID))
			os.Stdout.WriteString(strings.ReplaceAll(text, "$NUL", "\x00") + "\n")
			return
		}
	case "unkcontent":
		b.reply(m.ID, map[string]any{"content": []any{map[string]any{"type": "hologram", "x": 1}, map[string]any{"type": "text", "text": "hi"}}})
		return
	case "breach":
		b.reply(m.ID, map[string]any{"structuredContent": map[string]any{"celsius": 3}})
		return
	case "nocontent":
		b.reply(m.ID, map[string]any{"structuredContent": []any{1, json.Number("9007199254740993")}})
		return
	case "stringresult":
		if b.calls++; b.calls == 1 {
			b.reply(m.ID, "just a string")
			return
		}
	case "unktype":
		if b.calls++; b.calls == 1 {
			b.reply(m.ID, map[string]any{"resultType": "zzz", "content": []any{}})
			return
		}
	case "progress":
		var p struct {
			Meta map[string]any `json:"_meta"`
		}
		json.Unmarshal(m.Params, &p)
		for i := range 2000 {
			b.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/progress",
				"params": map[string]any{"progressToken": p.Meta["progressToken"], "progress": float64(i) + 0.5, "total": 2000, "message": "on"}})
		}
	}
	b.reply(m.ID, said("ok"))
}
