package mcp

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// route sets the headers a modern server and the proxies before it route by: the
// name, and the arguments its tool's schema marks. The engine encodes the name
// wrongly and forgets the arguments of tools it did not list of late.
func (h *hub) route(hd http.Header, m head) {
	if v := hd.Get("Mcp-Protocol-Version"); v < firstModern || m.Method == "" {
		return
	}
	var p struct {
		Name      string                     `json:"name"`
		URI       string                     `json:"uri"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	switch m.Method {
	case "tools/call", "prompts/get", "resources/read":
	default:
		return
	}
	if json.Unmarshal(m.Params, &p) != nil {
		return
	}
	name := p.Name
	if m.Method == "resources/read" {
		name = p.URI
	}
	hd.Set("Mcp-Name", headerValue(name))
	if m.Method != "tools/call" {
		return
	}
	for k := range hd {
		if strings.HasPrefix(k, "Mcp-Param-") {
			hd.Del(k)
		}
	}
	var def struct {
		Input headerSchema `json:"inputSchema"`
	}
	if json.Unmarshal(h.wire.definition(p.Name), &def) == nil {
		def.Input.mirror(p.Arguments, hd)
	}
}

// headerSchema is what a schema says about headers.
type headerSchema struct {
	Header     string                  `json:"x-mcp-header"`
	Properties map[string]headerSchema `json:"properties"`
}

func (s headerSchema) mirror(args map[string]json.RawMessage, hd http.Header) {
	for name, prop := range s.Properties {
		raw, ok := args[name]
		if !ok || string(raw) == "null" {
			continue
		}
		if prop.Header != "" {
			if v, ok := primitive(raw); ok {
				hd.Set("Mcp-Param-"+prop.Header, headerValue(v))
			}
		}
		if len(prop.Properties) > 0 {
			var inner map[string]json.RawMessage
			if json.Unmarshal(raw, &inner) == nil {
				prop.mirror(inner, hd)
			}
		}
	}
}

// primitive is the header text of a string, a boolean or a whole number that every
// reader of JSON takes for the same.
func primitive(raw json.RawMessage) (string, bool) {
	var s string
	var b bool
	var n json.Number
	switch {
	case json.Unmarshal(raw, &s) == nil:
		return s, true
	case json.Unmarshal(raw, &b) == nil:
		return strconv.FormatBool(b), true
	case json.Unmarshal(raw, &n) == nil:
		f, err := n.Float64()
		if err != nil || f != float64(int64(f)) || f > 1<<53-1 || f < -(1<<53-1) {
			return "", false
		}
		return strconv.FormatInt(int64(f), 10), true
	}
	return "", false
}

const (
	base64Before = "=?base64?"
	base64After  = "?="
)

// headerValue writes a text as the value of a header: as it is where a header can
// hold it, else in base64 between two marks.
func headerValue(s string) string {
	safe := s == strings.TrimSpace(s) && !(strings.HasPrefix(s, base64Before) && strings.HasSuffix(s, base64After))
	for i := 0; i < len(s) && safe; i++ {
		safe = s[i] >= ' ' && s[i] < 0x7f || s[i] == '\t'
	}
	if safe {
		return s
	}
	return base64Before + b64(s) + base64After
}
