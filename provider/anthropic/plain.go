package anthropic

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// plain takes a 200 body that is no event stream: a whole message (servers and
// proxies that ignore "stream"), events one JSON object a line, an error, or
// something that no model server says.
func (d *decoder) plain(body []byte) error {
	body = bytes.TrimSpace(body)
	first := gjson.ParseBytes(body)
	if gjson.ValidBytes(body) {
		switch {
		case first.Get("content").IsArray() && !first.Get("error").IsObject():
			return d.whole(first)
		case first.Get("base_resp.status_code").Int() != 0: // MiniMax
			return provider.ClassifyStream("", "", string(body))
		case first.Get("type").String() != "message_start":
			var e envelope
			e.read(first.Raw)
			if e.typ == "error" || e.object == "error" || e.err.Exists() || e.detail.Exists() || first.IsArray() {
				return streamError(first.Raw, e)
			}
			return notEvents(body)
		}
	}
	if first.Get("type").String() != "message_start" {
		return notEvents(body)
	}
	for line := range bytes.Lines(body) {
		if d.left || d.ended {
			break
		}
		if err := d.event("", line, false); err != nil {
			return err
		}
	}
	if d.reason == "" && !d.left {
		return errCut("the server or a proxy cut the reply: try again")
	}
	return d.finish()
}

// whole replays a message that came in one piece.
func (d *decoder) whole(m gjson.Result) error {
	d.begin(m)
	i := 0
	m.Get("content").ForEach(func(_, v gjson.Result) bool {
		d.start(envelope{index: i, indexed: true, block: v})
		if b := d.at(i); b != nil {
			d.close(b, true)
		}
		i++
		return !d.left
	})
	d.stop(m)
	if d.reason == "" {
		d.reason = "end_turn"
	}
	return d.finish()
}

// streamError puts an error inside a 200 in forge's words, whatever its shape:
// this wire's own object, the other wire's, a flat one, a string, an array.
func streamError(raw string, e envelope) error {
	in := e.err
	if !in.Exists() {
		in = gjson.Parse(raw)
	}
	if in.IsArray() {
		in = in.Get("0")
	}
	if inner := in.Get("error"); inner.IsObject() {
		in = inner
	}
	if in.Type == gjson.String {
		return provider.ClassifyStream("", "", in.Str)
	}
	code, typ, message := in.Get("code").String(), in.Get("type").String(), in.Get("message").String()
	if typ == "error" || typ == "<nil>" {
		typ = ""
	}
	if message == "" {
		if v := in.Get("detail"); v.Exists() {
			message = v.String()
		} else {
			message = in.Raw
		}
	}
	return provider.ClassifyStream(code, typ, message)
}

// headShown is how much of a reply that makes no sense is shown, in bytes.
const headShown = 500

// notEvents is the error for a 200 that no model server would send: most often
// the base URL points at a web site.
func notEvents(body []byte) error {
	shown := body[:min(len(body), headShown)]
	for len(shown) > 0 && len(shown) == headShown && !utf8.Valid(shown[len(shown)-utf8.UTFMax:]) {
		shown = shown[:len(shown)-1] // never half a rune
		if r, _ := utf8.DecodeLastRune(shown); r != utf8.RuneError {
			break
		}
	}
	text := strings.Join(strings.Fields(provider.Redact(strings.ToValidUTF8(string(shown), "�"))), " ")
	return &provider.Error{
		Kind: provider.KindInvalid, Code: "not_events", NoRetry: true,
		Message: "the reply is not an event stream, it begins: " + text,
		Hint:    "check the base URL: it must be that of an Anthropic-format API, usually ending in /v1 or /anthropic",
	}
}

// looksLikeEvents reports whether a body of no events was at least meant as a
// stream: nothing at all, or comments and fields only.
func looksLikeEvents(head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] == ':' {
		return true
	}
	for _, f := range []string{"event:", "data:", "id:", "retry:"} {
		if bytes.HasPrefix(head, []byte(f)) {
			return true
		}
	}
	return false
}
