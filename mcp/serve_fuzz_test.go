//go:build unix

package mcp

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// Whatever a client writes, the session lives: what comes after it is answered, and
// all that is written back are messages.
func FuzzServeLines(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "junk", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, hello("2025-06-18") + "\n" + begun + "\n" + hello("2025-06-18"),
		asks("3", "tools/call", meta+`,"name":"echo","arguments":{"text":"x"}`), asks("3", "tools/call", report+`,"name":3`),
		asks("4", "subscriptions/listen", meta+`,"filter":{"toolsListChanged":true}`), asks("5", "logging/setLevel", `"level":"debug"`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"error":7}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},[],{}]`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, "\xef\xbb\xbf{}", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"a","id":"b","method":"ping","method":"x"}`, `{"JSONRPC":"2.0","ID":1,"Method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":""}`, strings.Repeat("[", 200),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "waits") || strings.Contains(text, `"the end"`) {
			t.Skip("what lasts is not what is looked at")
		}
		s := service(t, onlyReads{}, io.Discard, toys(make(chan string, 4), make(chan error, 4))...)
		in, inw := io.Pipe()
		outr, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- s.ServeStream(context.Background(), in, out)
			out.Close()
		}()
		answered := make(chan bool, 1)
		go func() {
			lines := bufio.NewScanner(outr)
			lines.Buffer(nil, 32<<20)
			ok := false
			for lines.Scan() {
				if l := gjson.ParseBytes(lines.Bytes()); !gjson.ValidBytes(lines.Bytes()) || l.Get("jsonrpc").String() != "2.0" {
					t.Errorf("this is no message: %q", lines.Text())
				} else if l.Get("id").String() == "the end" {
					ok = l.Get("result.content.0.text").String() == "alive"
					if !ok {
						t.Errorf("the last call gives %s", l)
					}
					inw.Close()
				}
			}
			answered <- ok
		}()
		io.WriteString(inw, text+"\n"+asks(`"the end"`, "tools/call", meta+`,"name":"echo","arguments":{"text":"alive"}`)+"\n")
		if !<-answered {
			t.Errorf("nothing came after %q", text)
		}
		if err := <-done; err != nil {
			t.Errorf("served with %v", err)
		}
	})
}
