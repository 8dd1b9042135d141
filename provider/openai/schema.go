package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"
)

type schemaStyle int

const (
	schemaFull schemaStyle = iota // as given, but for what nobody takes at the root
	schemaSafe                    // the subset that every server takes
)

// emptySchema is the schema of a tool without parameters. Some servers want every
// key of it.
const emptySchema = `{"type":"object","properties":{},"required":[]}`

// trimSchema returns a tool's schema as its server takes it: one bad tool fails
// the whole request. The order of properties stays, since models read it.
func trimSchema(raw json.RawMessage, style schemaStyle) string {
	root := gjson.ParseBytes(raw)
	if !valid(string(raw)) || !root.IsObject() {
		return emptySchema
	}
	if style == schemaFull && plainRoot(root) {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil { // valid, so it cannot fail
			return b.String()
		}
	}
	s := schemer{root: root}
	s.node(root, 0, true)
	return string(s.out)
}

// plainRoot reports whether the root is an object without the unions that even
// lenient servers refuse there.
func plainRoot(root gjson.Result) bool {
	if root.Get("type").String() != "object" || !root.Get("properties").IsObject() {
		return false
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf", "not", "enum", "$ref", "$schema"} {
		if root.Get(gjson.Escape(k)).Exists() {
			return false
		}
	}
	return true
}

// schemer writes a schema anew with what is common to all: one type to a node,
// properties, required, items, enum of strings, description. References are put
// in their place, a union becomes its first branch that is not null.
type schemer struct {
	root gjson.Result
	out  []byte
	work int
}

// maxSchema bounds nesting, and maxWork the nodes looked at: a schema that refers
// to itself in several places would have no end otherwise.
const (
	maxSchema = 12
	maxWork   = 4000
)

func (s *schemer) node(v gjson.Result, depth int, root bool) {
	n := s.flatten(v, 0)
	kind := n.kind
	if root {
		kind = "object"
	}
	if depth > maxSchema || s.work > maxWork {
		kind, n.properties, n.items = "object", nil, gjson.Result{}
	}
	s.out = append(s.out, `{"type":`...)
	s.out = appendQuote(s.out, kind)
	if n.description != "" {
		s.out = append(s.out, `,"description":`...)
		s.out = appendQuote(s.out, n.description)
	}
	switch kind {
	case "string":
		if len(n.enum) > 0 {
			s.out = append(s.out, `,"enum":[`...)
			for i, e := range n.enum {
				if i > 0 {
					s.out = append(s.out, ',')
				}
				s.out = appendQuote(s.out, e)
			}
			s.out = append(s.out, ']')
		}
	case "array":
		s.out = append(s.out, `,"items":`...)
		if n.items.IsObject() {
			s.node(n.items, depth+1, false)
		} else {
			s.out = append(s.out, `{"type":"string"}`...)
		}
	case "object":
		s.object(n, depth)
	}
	s.out = append(s.out, '}')
}

func (s *schemer) object(n node, depth int) {
	s.out = append(s.out, `,"properties":{`...)
	known := map[string]bool{}
	for _, p := range n.properties {
		if known[p.name] {
			continue
		}
		if len(known) > 0 {
			s.out = append(s.out, ',')
		}
		known[p.name] = true
		s.out = appendQuote(s.out, p.name)
		s.out = append(s.out, ':')
		s.node(p.schema, depth+1, false)
	}
	s.out = append(s.out, `},"required":[`...)
	first := true
	for _, r := range n.required {
		if !known[r] {
			continue
		}
		known[r] = false // once
		if !first {
			s.out = append(s.out, ',')
		}
		first = false
		s.out = appendQuote(s.out, r)
	}
	s.out = append(s.out, ']')
}

// node is one schema with its references and unions resolved.
type node struct {
	kind, description string
	enum, required    []string
	properties        []property
	items             gjson.Result
}

type property struct {
	name   string
	schema gjson.Result
}

func (s *schemer) flatten(v gjson.Result, depth int) node {
	var n node
	if s.work++; depth > maxSchema || s.work > maxWork || !v.IsObject() {
		n.kind = "string"
		return n
	}
	var union gjson.Result
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.String() {
		case "$ref":
			n.take(s.flatten(s.resolve(v.String()), depth+1))
		case "type":
			n.setKind(v)
		case "description":
			n.description = v.String()
		case "enum":
			v.ForEach(func(_, e gjson.Result) bool {
				if e.Type == gjson.String {
					n.enum = append(n.enum, e.Str)
				} else if n.kind == "" && e.Type == gjson.Number {
					n.kind = "number"
				}
				return true
			})
		case "const":
			switch {
			case v.Type == gjson.String:
				n.enum = append(n.enum, v.Str)
			case n.kind == "" && v.Type == gjson.Number:
				n.kind = "number"
			case n.kind == "" && v.IsBool():
				n.kind = "boolean"
			}
		case "properties":
			v.ForEach(func(name, p gjson.Result) bool {
				n.properties = append(n.properties, property{name.String(), p})
				return true
			})
		case "required":
			v.ForEach(func(_, r gjson.Result) bool {
				n.required = append(n.required, r.String())
				return true
			})
		case "items", "prefixItems":
			if v.IsArray() {
				v = v.Get("0")
			}
			if !n.items.Exists() {
				n.items = v
			}
		case "allOf":
			v.ForEach(func(_, part gjson.Result) bool {
				n.take(s.flatten(part, depth+1))
				return true
			})
		case "anyOf", "oneOf":
			union = v
		}
		return true
	})
	if union.IsArray() {
		s.union(&n, union, depth)
	}
	n.infer()
	return n
}

// union takes the first branch that is not null; branches of fixed strings add up
// to one enum.
func (s *schemer) union(n *node, list gjson.Result, depth int) {
	taken := false
	for _, branch := range list.Array() {
		if branch.Get("type").String() == "null" {
			continue
		}
		b := s.flatten(branch, depth+1)
		switch {
		case !taken:
			n.take(b)
			taken = true
		case len(n.enum) > 0 && len(b.enum) > 0:
			n.enum = append(n.enum, b.enum...)
		}
	}
}

func (n *node) setKind(v gjson.Result) {
	if v.IsArray() {
		for _, k := range v.Array() {
			if k.String() != "null" {
				n.kind = k.String()
				return
			}
		}
	}
	if v.Type == gjson.String && v.Str != "null" {
		n.kind = v.Str
	}
}

// take adds what another schema says where n says nothing.
func (n *node) take(o node) {
	if n.kind == "" {
		n.kind = o.kind
	}
	if n.description == "" {
		n.description = o.description
	}
	n.enum = append(n.enum, o.enum...)
	n.required = append(n.required, o.required...)
	n.properties = append(n.properties, o.properties...)
	if !n.items.Exists() {
		n.items = o.items
	}
}

func (n *node) infer() {
	switch {
	case n.kind != "":
	case len(n.properties) > 0:
		n.kind = "object"
	case n.items.Exists():
		n.kind = "array"
	default:
		n.kind = "string"
	}
}

// resolve follows a reference within the schema.
func (s *schemer) resolve(ref string) gjson.Result {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return gjson.Result{}
	}
	v := s.root
	for _, part := range strings.Split(path, "/") {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		v = v.Get(gjson.Escape(part))
	}
	return v
}
