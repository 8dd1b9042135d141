package mcp

import (
	"encoding/json"
	"testing"
)

// Whatever a server sends, nothing but whole messages reaches the engine, and nothing
// crashes.
func FuzzWire(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{}}]}}`, `[{"jsonrpc":"2.0","method":"x"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"image","data":"AA"}]}}`, "x", `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		w := newWire(&trace{}, func(string) {})
		sl := &slot{}
		w.calls["1"] = &pendingCall{method: "tools/list"}
		w.calls["2"] = &pendingCall{method: "tools/call", slot: sl}
		for _, out := range w.received(msg) {
			var h head
			if err := json.Unmarshal(out, &h); err != nil || h.Version != "2.0" {
				t.Errorf("%q gives %q", msg, out)
			}
		}
		if sl.raw != nil {
			r, err := decodeResult(sl.raw)
			if err == nil {
				mapper{}.result(r)
			}
		}
		usableSchema(msg)
		parseForm(msg)
		var s idScanner
		s.feed(msg)
		clean(string(msg))
	})
}
