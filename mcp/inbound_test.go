//go:build unix

package mcp

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// What a server may say in the middle of a call, and what becomes of it. The session
// lives on in every case, and nobody waits for the call's time to run out.
func TestWhatServersSay(t *testing.T) {
	const fine = `{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ok"}]}}`
	for name, c := range map[string]struct{ say, want, fails string }{
		"id as a text":         {say: strings.Replace(fine, "$ID", `"$ID"`, 1), want: "ok"},
		"id as a fraction":     {say: strings.Replace(fine, "$ID", `$ID.0`, 1), want: "ok"},
		"id null":              {say: strings.Replace(fine, "$ID", `null`, 1), fails: "its answer has no id"},
		"no version":           {say: strings.Replace(fine, `"jsonrpc":"2.0",`, "", 1), want: "ok"},
		"error null":           {say: strings.Replace(fine, `"result"`, `"error":null,"result"`, 1), want: "ok"},
		"NUL bytes":            {say: "$NUL$NUL" + fine + "$NUL", want: "ok"},
		"behind a print":       {say: "listening..." + fine, want: "ok"},
		"two on a line":        {say: `{"jsonrpc":"2.0","method":"notifications/x"}` + fine, want: "ok"},
		"words behind":         {say: fine + " done", want: "ok"},
		"a log of one":         {say: `sent {"jsonrpc":"2.0","id":77,"result":{}}` + "\n" + fine, want: "ok"},
		"a log of a request":   {say: `got {"jsonrpc":"2.0","id":$ID,"method":"tools/call"}` + "\n" + fine, want: "ok"},
		"a log with an id":     {say: `{"level":"error","id":$ID,"error":"x"}` + "\n" + fine, want: "ok"},
		"no JSON":              {say: `{"jsonrpc":"2.0","id":$ID,"result":{"content":[oops]}}`, fails: "the server's answer cannot be read: invalid character"},
		"too deep":             {say: `{"jsonrpc":"2.0","id":$ID,"result":{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}}", fails: "max depth"},
		"code as a text":       {say: `{"jsonrpc":"2.0","id":$ID,"error":{"code":"E_BAD","message":"boom"}}`, fails: `boom (code "E_BAD")`},
		"code as a fraction":   {say: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-1.5,"message":"boom"}}`, fails: "boom (code -1.5)"},
		"message as an object": {say: `{"jsonrpc":"2.0","id":$ID,"error":{"code":4,"message":{"a":1}}}`, fails: `{"a":1} (error 4`},
		"empty error":          {say: `{"jsonrpc":"2.0","id":$ID,"error":{}}`, fails: "gave no reason"},
		"error as a text":      {say: `{"jsonrpc":"2.0","id":$ID,"error":"boom"}`, fails: `cannot be read: "boom"`},
		"a code of ours":       {say: `{"jsonrpc":"2.0","id":$ID,"error":{"code":` + strconv.Itoa(codeLost) + `,"message":"boom"}}`, fails: "boom (code"},
		"another code of ours": {say: `{"jsonrpc":"2.0","id":$ID,"error":{"code":` + strconv.Itoa(codeLogin) + `,"message":"boom"}}`, fails: "boom (code"},
		"input that is none":   {say: `{"jsonrpc":"2.0","id":$ID,"result":{"resultType":"input_required","inputRequests":5}}`, fails: "in a way that forge cannot give"},
		"odd annotations":      {say: `{"jsonrpc":"2.0","id":$ID,"result":{"_meta":5,"content":[{"type":"text","text":"ok","annotations":7,"_meta":[]}]}}`, want: "ok"},
		"messages without their parts": {want: "ok", say: strings.Join([]string{
			`{"jsonrpc":"2.0","method":"notifications/resources/updated"}`, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":null}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":5}}`, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":[1]}`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":[1]}`, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":5},"id":null}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ID}}`, `{"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":null}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":null}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":null}`,
			`{"jsonrpc":"2.0","method":"notifications/nobody/knows","params":5}`, `{"jsonrpc":"2.0","id":"a","method":"elicitation/create"}`,
			`{"jsonrpc":"2.0","id":"b","method":"elicitation/create","params":{"message":5,"requestedSchema":[]}}`, `{"jsonrpc":"2.0","id":"c","method":"sampling/createMessage","params":null}`,
			`{"jsonrpc":"2.0","id":"d","method":"roots/list","params":7}`, `{"jsonrpc":"2.0","id":"e","method":"nobody/knows","params":null}`,
			`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, fine}, "\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := badDialer(t, "say")
			d.cfg.Env["BAD_SAY"] = c.say
			d.hooks = hooks{changed: func(string) {}, updated: func(string) {}, elicit: func(context.Context, Elicitation) (ElicitAnswer, error) { return ElicitAnswer{Action: "decline"}, nil }}
			s, err := d.dial(t.Context(), t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close(); <-s.Done(); leftOver(t) })
			switch got, err := call(t, s); {
			case c.fails == "" && (err != nil || got != c.want):
				t.Errorf("the call gave %q, %v; want %q", got, err, c.want)
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("the call gave %q, %v; want an error with %q", got, err, c.fails)
			}
			if got, err := call(t, s); err != nil || got != "ok" {
				t.Errorf("the session did not live on: %q, %v", got, err)
			}
		})
	}
}

// A server that asks without listening to the answers gets so far and no farther.
func TestServerThatAsksWithoutEnd(t *testing.T) {
	w := newWire(&trace{}, func(string) {})
	passed := 0
	ask := func(i int) {
		passed += len(w.received([]byte(`{"jsonrpc":"2.0","id":"p` + strconv.Itoa(i) + `","method":"ping"}`)))
	}
	for i := range 3 * maxAskedAtOnce {
		ask(i)
	}
	if passed != maxAskedAtOnce {
		t.Errorf("%d requests were passed on, want %d", passed, maxAskedAtOnce)
	}
	h := w.sent(t.Context(), []byte(`{"jsonrpc":"2.0","id":"p0","result":{}}`))
	if ask(999); passed != maxAskedAtOnce {
		t.Error("an answer that is not gone yet counts as one")
	}
	w.settled(h)
	w.received([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"p1"}}`))
	for i := range 5 {
		ask(1000 + i)
	}
	if passed != maxAskedAtOnce+2 {
		t.Errorf("%d requests were passed on after two were settled, want %d", passed, maxAskedAtOnce+2)
	}
}

// An answer that comes after its call was given up is nobody's, and does not stand in
// the way of what a message without an id means.
func TestAnswerToACancelledCall(t *testing.T) {
	w := newWire(&trace{}, func(string) {})
	w.sent(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
	w.sent(t.Context(), []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	w.sent(t.Context(), []byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
	if out := w.received([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)); len(out) != 0 {
		t.Errorf("the late answer was passed on: %s", out)
	}
	out := w.received([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}`))
	if len(out) != 1 || !strings.Contains(string(out[0]), `"id":2`) {
		t.Errorf("the error without an id became %s", out)
	}
}

func TestPaceOfLists(t *testing.T) {
	var p pace
	at := time.Unix(0, 0).Add(time.Hour)
	var waits []time.Duration
	for range 8 { // a change with every list
		d := p.next(at)
		waits = append(waits, d)
		at = at.Add(d)
	}
	if waits[0] != 0 || waits[1] < listGap || waits[7] != mostListGap {
		t.Errorf("it waits %v", waits)
	}
	if d := p.next(at.Add(time.Minute)); d != 0 {
		t.Errorf("after a minute of rest it waits %v", d)
	}
}

func TestCrashIsCaught(t *testing.T) {
	crash := caught(func(context.Context, string, sdk.Request) (sdk.Result, error) { panic("nil") })
	if _, err := crash(t.Context(), "ping", nil); err == nil || !strings.Contains(err.Error(), "ping could not be handled") {
		t.Errorf("got %v", err)
	}
}
