package mcp

import (
	"bytes"
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

// Whatever a schema is, what a model is sent is an object's, nothing in it is hidden,
// and making it so again changes nothing.
func FuzzUsableSchema(f *testing.F) {
	for _, s := range []string{`{}`, `{"type":"object"}`, `true`, `null`, `[]`, `{"type":["object","null"],"properties":{"a\u200b":{"description":"x\u202ey"}}}`,
		`{"anyOf":[{"type":"object"},{"$ref":"#/$defs/d"}],"$defs":{"d":{"$ref":"#/$defs/d"}}}`, `{"$ref":"https://evil.example/s.json"}`, `{"type":"string"}`, `{"a":1e999}`, `{"type":"object","type":"array"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := usableSchema(raw)
		if err != nil {
			return
		}
		var m map[string]any
		d := json.NewDecoder(bytes.NewReader(got))
		d.UseNumber()
		if err := d.Decode(&m); err != nil || m["type"] != "object" {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
		if hidden(string(got)) {
			t.Fatalf("%q hides something in %q", raw, got)
		}
		again, err := usableSchema(got)
		if err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%q became %q, and that %q, %v", raw, got, again, err)
		}
	})
}
