package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

// handedOn gives what a wire hands on of a server's answer to a method.
func handedOn(t *testing.T, method, result string) (string, string) {
	t.Helper()
	var log strings.Builder
	w := newWire(&trace{}, func(s string) { log.WriteString(s + "\n") })
	w.sent(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"`+method+`"}`))
	out := w.received([]byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`))
	if len(out) != 1 {
		t.Fatalf("%s gives %d frames", result, len(out))
	}
	var h head
	if err := json.Unmarshal(out[0], &h); err != nil {
		t.Fatal(err)
	}
	if h.Error != nil {
		return "error " + string(h.Error), log.String()
	}
	return string(h.Result), log.String()
}

// A server's greeting is understood as far as it can be.
func TestGreetings(t *testing.T) {
	for _, c := range []struct{ method, in, want string }{
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`,
			`{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"x","version":"1"}}`},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":{"tools":true,"prompts":5,"resources":{"subscribe":"yes"},"logging":{}},"serverInfo":"x","instructions":7,"_meta":[]}`,
			`{"capabilities":{"logging":{},"resources":{},"tools":{}},"protocolVersion":"2025-06-18"}`},
		{"initialize", `{"protocolVersion":"2025-06-18","capabilities":null,"serverInfo":{"name":5}}`, `{"capabilities":{},"protocolVersion":"2025-06-18"}`},
		{"initialize", `{"protocolVersion":5}`, "the version 5, which is no text"},
		{"server/discover", `{"supportedVersions":["2026-07-28"],"capabilities":[]}`, `{"capabilities":{},"supportedVersions":["2026-07-28"]}`},
	} {
		if got, _ := handedOn(t, c.method, c.in); got != c.want && !(strings.HasPrefix(got, "error") && strings.Contains(got, c.want)) {
			t.Errorf("%s becomes\n%s, want\n%s", c.in, got, c.want)
		}
	}
}

// One broken prompt or resource does not hide the others.
func TestBrokenOffersAreLeftOut(t *testing.T) {
	for _, c := range []struct{ method, in, want string }{
		{"prompts/list", `{"prompts":[{"name":5},null,"x",{"name":"good","arguments":"no","description":7,"icons":5},{"name":"fine","arguments":[{"name":"a","required":"yes"},5,{"name":"b","required":true}]}],"nextCursor":"c"}`,
			`{"nextCursor":"c","prompts":[{"name":"good"},{"arguments":[{"name":"a"},{"name":"b","required":true}],"name":"fine"}]}`},
		{"resources/list", `{"resources":[{"uri":5},{"uri":"a:b","size":"x","annotations":{"audience":5}},{"uri":"c:d","name":"n","size":3}]}`, `{"resources":[{"uri":"a:b"},{"name":"n","size":3,"uri":"c:d"}]}`},
		{"resources/templates/list", `{"resourceTemplates":[null,{"uriTemplate":"x://{a}"}]}`, `{"resourceTemplates":[{"uriTemplate":"x://{a}"}]}`},
		{"prompts/list", `{}`, `{"prompts":[]}`},
		{"prompts/list", `{"prompts":{"a":1}}`, "not with a list"},
	} {
		got, log := handedOn(t, c.method, c.in)
		if got != c.want && !(strings.HasPrefix(got, "error") && strings.Contains(got, c.want)) {
			t.Errorf("%s becomes\n%s, want\n%s", c.in, got, c.want)
		}
		if strings.Contains(c.in, "null") && !strings.Contains(log, "is left out: null") {
			t.Errorf("the log says %q", log)
		}
	}
}
