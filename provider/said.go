package provider

import (
	"bytes"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"forge/lazy"

	"github.com/tidwall/gjson"
)

// saying is what an error body says, whatever its shape.
type saying struct {
	message, code, typ, param string
	extra                     string // more text worth matching, not worth showing
	structured                bool   // it was JSON that held an error
	html, empty               bool
	nCtx                      int         // llama.cpp's n_ctx
	header                    http.Header // headers of the server behind a gateway (OpenRouter)

	all, lowCode, lowType string // lower case, for matching
}

func (s *saying) join() {
	s.lowCode, s.lowType = strings.ToLower(s.code), strings.ToLower(s.typ)
	s.all = strings.ToLower(s.message + "\n" + s.code + "\n" + s.typ + "\n" + s.extra)
}

// said reads an error body.
func said(body []byte) saying {
	s := saying{}
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	// An error may come as one server-sent event although nobody streamed yet.
	if i := bytes.Index(body, []byte("data:")); i == 0 || i > 0 && bytes.HasPrefix(body, []byte("event:")) {
		line, _, _ := bytes.Cut(body[i+len("data:"):], []byte("\n"))
		if gjson.ValidBytes(bytes.TrimSpace(line)) {
			body = bytes.TrimSpace(line)
		}
	}
	switch {
	case len(body) == 0:
		s.empty = true
	case gjson.ValidBytes(body):
		s.readJSON(gjson.ParseBytes(body), 0)
	case looksHTML(body):
		s.html = true
		s.message = htmlText(body)
	default:
		s.message = string(body)
	}
	s.join()
	return s
}

// readJSON takes message, code, type and parameter from v. Servers nest: an
// array around the object (Google), an object in a string (gateways), the real
// text in metadata.raw (OpenRouter), a list of places (FastAPI).
func (s *saying) readJSON(v gjson.Result, depth int) {
	if depth > 8 {
		return
	}
	switch {
	case v.IsArray():
		s.readList(v, depth)
		return
	case v.Type == gjson.String:
		s.readText(v.String(), depth)
		return
	case !v.IsObject():
		s.message = v.Raw
		return
	}
	if in := v.Get("error"); in.Exists() && in.Type != gjson.Null && in.Type != gjson.False {
		s.extra += "\n" + v.Get("message").String()
		s.readJSON(in, depth+1)
		if s.message == "" {
			s.message = first(v, "message", "msg", "detail")
		}
		if in.Type == gjson.String { // xAI: the code stands beside it
			s.set(&s.code, first(v, "code"))
			s.set(&s.typ, first(v, "type", "error_type"))
		}
		return
	}
	if in := v.Get("base_resp"); in.Get("status_msg").Exists() { // MiniMax, with a status of 200
		s.structured = true
		s.message = in.Get("status_msg").String()
		s.set(&s.code, in.Get("status_code").String())
		return
	}
	s.set(&s.code, first(v, "code", "status"))
	s.set(&s.typ, first(v, "type", "error_type"))
	s.set(&s.param, first(v, "param", "failed_param"))
	if n := v.Get("n_ctx"); n.Exists() {
		s.nCtx = int(n.Int())
	}
	if s.nCtx == 0 && v.Get("details").IsArray() {
		s.extra += "\n" + v.Get("details").Raw // google.rpc.RetryInfo
	}
	for _, key := range []string{"message", "msg", "detail", "error_message", "error_msg", "errors", "title"} {
		in := v.Get(key)
		if !in.Exists() || in.Raw == `""` || in.Type == gjson.Null {
			continue
		}
		s.structured = true
		s.readJSON(in, depth+1)
		break
	}
	if s.message == "" {
		s.message = v.Raw
	}
	v.Get("metadata.headers").ForEach(func(key, v gjson.Result) bool {
		if s.header == nil {
			s.header = http.Header{}
		}
		s.header.Set(key.String(), v.String())
		return true
	})
	for _, key := range []string{"metadata.raw", "metadata.reasons", "failed_generation", "innererror.code"} {
		in := v.Get(key)
		if !in.Exists() || in.Type == gjson.Null {
			continue
		}
		nested := saying{}
		nested.readJSON(in, depth+1)
		s.extra += "\n" + nested.message + "\n" + nested.code + "\n" + nested.typ
		if key == "metadata.raw" && nested.message != "" { // the outer text only says that the inner one failed
			s.message += ": " + nested.message
			s.set(&s.param, nested.param)
		}
	}
}

func (s *saying) set(field *string, v string) {
	if *field == "" && v != "<nil>" {
		*field = v
	}
}

func (s *saying) readText(text string, depth int) {
	trimmed := strings.TrimSpace(text)
	// A gateway may put words before the object it passes on.
	if i := strings.IndexByte(trimmed, '{'); i >= 0 && gjson.Valid(trimmed[i:]) {
		nested := saying{}
		nested.readJSON(gjson.Parse(trimmed[i:]), depth+1)
		if nested.structured {
			s.structured = true
			s.message = strings.TrimSpace(trimmed[:i] + nested.message)
			s.extra += nested.extra
			s.set(&s.code, nested.code)
			s.set(&s.typ, nested.typ)
			s.set(&s.param, nested.param)
			return
		}
	}
	s.message = text
	s.structured = true
}

// readList joins FastAPI's list of places, or reads the one error of an array.
func (s *saying) readList(v gjson.Result, depth int) {
	var parts []string
	for _, el := range v.Array() {
		loc := el.Get("loc")
		if !loc.Exists() {
			nested := saying{}
			nested.readJSON(el, depth+1)
			s.structured = s.structured || nested.structured
			s.set(&s.code, nested.code)
			s.set(&s.typ, nested.typ)
			s.set(&s.param, nested.param)
			s.extra += nested.extra
			parts = append(parts, nested.message)
			continue
		}
		var path []string
		for _, p := range loc.Array() {
			if p.String() != "body" {
				path = append(path, p.String())
			}
		}
		where := strings.Join(path, ".")
		s.set(&s.param, where)
		s.set(&s.typ, el.Get("type").String())
		s.structured = true
		parts = append(parts, where+": "+el.Get("msg").String())
	}
	s.message = strings.Join(parts, "; ")
}

func first(v gjson.Result, keys ...string) string {
	for _, k := range keys {
		if in := v.Get(k); in.Exists() && in.Type != gjson.Null && !in.IsObject() && !in.IsArray() && in.String() != "" {
			return in.String()
		}
	}
	return ""
}

func looksHTML(body []byte) bool {
	head := bytes.ToLower(body[:min(len(body), 512)])
	return bytes.HasPrefix(head, []byte("<")) || bytes.Contains(head, []byte("<html")) || bytes.Contains(head, []byte("<!doctype"))
}

var (
	htmlTitle = lazy.Regexp{Expr: `(?is)<title[^>]*>(.*?)</title>`}
	htmlDrop  = lazy.Regexp{Expr: `(?is)<(script|style|head)\b.*?</(script|style|head)>|<!--.*?-->|<[^>]*>`}
)

// htmlText is what a page of HTML says: its title, else its text.
func htmlText(body []byte) string {
	if m := htmlTitle.Get().FindSubmatch(body); m != nil && len(bytes.TrimSpace(m[1])) > 0 {
		return "a web page answered, not a model server: " + html.UnescapeString(string(bytes.TrimSpace(m[1])))
	}
	text := strings.TrimSpace(html.UnescapeString(string(htmlDrop.Get().ReplaceAll(body, []byte(" ")))))
	if len(text) > 200 {
		text = text[:200]
	}
	return "a web page answered, not a model server: " + text
}

// windowText finds the model's window in an overflow.
var windowText = []*lazy.Regexp{
	{Expr: `\d+ tokens > (\d+) maximum`},
	{Expr: `maximum context length (?:is|of) (\d+)`},
	{Expr: `available context size \((\d+)`},
	{Expr: `exceed context limit: \d+ \+ \d+ > (\d+)`},
	{Expr: `maximum prompt length is (\d+)`},
	{Expr: `maximum number of tokens allowed \((\d+)`},
	{Expr: `(?:configured )?limit (?:of|is) (\d+)`},
	{Expr: `model token limit: (\d+)`},
	{Expr: `with (\d+) maximum context length`},
	{Expr: `range of input length should be \[\d+ (\d+)\]`},
	{Expr: `limit for this model is (\d+)`},
	{Expr: `maximum context length: (\d+)`},
	{Expr: `max_new_tokens.? must be <= (\d+)|inputs.? must have less than (\d+) tokens`},
	{Expr: `(?:configured context size is|context length(?: of| is)?(?: only)?|context window(?: of| is)?) \(?(\d+)`},
}

func (s saying) window() int {
	if s.nCtx > 0 {
		return s.nCtx
	}
	text := strings.ReplaceAll(s.all, ",", "")
	for _, re := range windowText {
		if m := re.Get().FindStringSubmatch(text); m != nil {
			n, _ := strconv.Atoi(strings.Join(m[1:], "")) // of the groups one took part
			return n
		}
	}
	return 0
}

// after is the wait the server asked for, else the one behind the gateway.
func (s saying) after(h http.Header) time.Duration {
	d := retryAfter(h, s.all)
	if d > 0 || s.header == nil {
		return d
	}
	behind := s.header.Clone()
	behind.Set("Date", h.Get("Date")) // what its times are meant by
	return retryAfter(behind, "")
}

// wait is the pause the text itself asks for.
func (s saying) wait() time.Duration { return waitInText(s.all) }
