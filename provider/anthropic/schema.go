package anthropic

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"forge/lazy"
)

// emptySchema is that of a tool without parameters.
const emptySchema = `{"type":"object","properties":{}}`

// maxSchemaDepth bounds how deep a schema is looked into; servers refuse deeper ones.
const maxSchemaDepth = 64

// safeSchema is a tool's schema as this wire accepts it: an object at its root,
// nothing combined there, valid by the draft of 2020. One tool that breaks this
// fails the whole request, and mounted servers send all kinds of drafts. A schema
// that needs no change keeps its order, which models read; a changed one is
// written with sorted keys, so that it is the same bytes every time.
func safeSchema(raw json.RawMessage) []byte {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return []byte(emptySchema)
	}
	root, ok := v.(map[string]any)
	if !ok {
		return []byte(emptySchema)
	}
	s := schemaFixer{defs: root}
	s.root(root)
	if !s.changed {
		return compact(raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(root) != nil {
		return []byte(emptySchema)
	}
	return bytes.TrimSpace(b.Bytes())
}

type schemaFixer struct {
	defs    map[string]any // the root, for references
	changed bool
}

func (s *schemaFixer) drop(m map[string]any, key string) {
	if _, ok := m[key]; ok {
		delete(m, key)
		s.changed = true
	}
}

// combined are the ways to put a schema together that the wire refuses at the root.
var combined = []string{"allOf", "anyOf", "oneOf"}

func (s *schemaFixer) root(m map[string]any) {
	for _, key := range []string{"$schema", "$id", "id"} {
		if _, ok := m[key].(string); ok {
			s.drop(m, key)
		}
	}
	for range 8 { // a reference may lead to a reference, and what is folded in to either
		if target := s.resolve(m); target != nil {
			delete(m, "$ref")
			s.changed = true
			s.absorb(m, target, true)
			continue
		}
		s.drop(m, "$ref")
		for _, key := range combined {
			if list, ok := m[key].([]any); ok {
				delete(m, key)
				s.changed = true
				s.combine(m, list, key == "allOf")
			}
		}
	}
	for _, key := range append(combined, "$ref") { // such as lead to themselves
		s.drop(m, key)
	}
	if m["type"] != "object" {
		m["type"] = "object"
		s.changed = true
	}
	if _, ok := m["properties"].(map[string]any); !ok {
		m["properties"] = map[string]any{}
		s.changed = true
	}
	s.node(m, 0)
}

// combine folds branches into the root: every property of any of them is allowed,
// and required is what all of them require.
func (s *schemaFixer) combine(m map[string]any, list []any, all bool) {
	var common []any
	for i, b := range list {
		branch, ok := b.(map[string]any)
		if !ok {
			continue
		}
		if target := s.resolve(branch); target != nil {
			branch = target
		}
		s.absorb(m, branch, all)
		req, _ := branch["required"].([]any)
		if i == 0 {
			common = req
		} else {
			common = slices.DeleteFunc(slices.Clone(common), func(x any) bool { return !contains(req, x) })
		}
	}
	if !all && len(common) > 0 {
		require(m, common)
	}
}

// absorb takes over the properties of another schema, those already there first.
func (s *schemaFixer) absorb(m, from map[string]any, required bool) {
	props, _ := m["properties"].(map[string]any)
	if props == nil {
		props = map[string]any{}
		m["properties"] = props
	}
	more, _ := from["properties"].(map[string]any)
	for name, p := range more {
		if _, ok := props[name]; !ok {
			props[name] = p
		}
	}
	if req, ok := from["required"].([]any); ok && required {
		require(m, req)
	}
	for _, key := range []string{"description", "$ref", "anyOf", "oneOf", "allOf"} {
		if v, ok := from[key]; ok && m[key] == nil && required {
			m[key] = v
		}
	}
}

func require(m map[string]any, names []any) {
	have, _ := m["required"].([]any)
	have = slices.Clone(have)
	for _, n := range names {
		if !contains(have, n) {
			have = append(have, n)
		}
	}
	m["required"] = have
}

func contains(list []any, x any) bool {
	return slices.ContainsFunc(list, func(y any) bool { a, ok := y.(string); b, _ := x.(string); return ok && a == b })
}

// resolve returns what a reference into the same schema points to.
func (s *schemaFixer) resolve(m map[string]any) map[string]any {
	ref, ok := m["$ref"].(string)
	if !ok || !strings.HasPrefix(ref, "#/") {
		return nil
	}
	var at any = s.defs
	for _, step := range strings.Split(ref[2:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		in, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = in[step]
	}
	target, _ := at.(map[string]any)
	return target
}

var goodProperty = lazy.Regexp{Expr: `^[A-Za-z0-9_.-]{1,64}$`}

var typeNames = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{
		"string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "object": "object", "array": "array", "null": "null",
		"int": "integer", "float": "number", "double": "number", "str": "string", "bool": "boolean", "dict": "object", "list": "array",
	}
}}

// node mends one schema and all beneath it.
func (s *schemaFixer) node(m map[string]any, depth int) {
	if depth > maxSchemaDepth {
		clear(m)
		s.changed = true
		return
	}
	s.types(m)
	s.lists(m)
	s.bounds(m)
	if props, ok := m["properties"].(map[string]any); ok {
		for name := range props {
			if !goodProperty.Get().MatchString(name) { // the wire refuses the name, and with it every tool
				s.drop(props, name)
				if req, ok := m["required"].([]any); ok {
					m["required"] = slices.DeleteFunc(req, func(x any) bool { return x == name })
				}
			}
		}
	}
	for _, key := range []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"} {
		if in, ok := m[key].(map[string]any); ok {
			for name, sub := range in {
				switch sub := sub.(type) {
				case map[string]any:
					s.node(sub, depth+1)
				case bool:
				default: // neither a schema nor its short form
					in[name] = map[string]any{}
					s.changed = true
				}
			}
		} else {
			s.drop(m, key)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"} {
		switch sub := m[key].(type) {
		case map[string]any:
			s.node(sub, depth+1)
		case bool, nil:
			if sub == nil {
				s.drop(m, key)
			}
		default:
			s.drop(m, key)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, ok := m[key].([]any)
		if !ok || len(list) == 0 {
			s.drop(m, key)
			continue
		}
		for _, sub := range list {
			if sub, ok := sub.(map[string]any); ok {
				s.node(sub, depth+1)
			}
		}
	}
}

// types keeps the seven types there are.
func (s *schemaFixer) types(m map[string]any) {
	switch t := m["type"].(type) {
	case string:
		switch name := typeNames.Get()[strings.ToLower(t)]; {
		case name == "":
			s.drop(m, "type")
		case name != t:
			m["type"] = name
			s.changed = true
		}
	case []any:
		var keep []any
		for _, x := range t {
			if x, ok := x.(string); ok && typeNames.Get()[x] == x {
				keep = append(keep, x)
			}
		}
		if len(keep) == 0 {
			s.drop(m, "type")
		} else if len(keep) != len(t) {
			m["type"] = keep
			s.changed = true
		}
	default:
		s.drop(m, "type")
	}
}

// lists mends what older drafts wrote otherwise: tuples as a list in items,
// required as a flag of the property.
func (s *schemaFixer) lists(m map[string]any) {
	if tuple, ok := m["items"].([]any); ok {
		s.drop(m, "items")
		s.drop(m, "additionalItems")
		if len(tuple) > 0 {
			m["prefixItems"] = tuple
		}
	}
	if req, ok := m["required"].([]any); ok {
		if slices.ContainsFunc(req, func(x any) bool { _, ok := x.(string); return !ok }) {
			m["required"] = slices.DeleteFunc(req, func(x any) bool { _, ok := x.(string); return !ok })
			s.changed = true
		}
	} else {
		s.drop(m, "required")
	}
	if list, ok := m["enum"].([]any); !ok || len(list) == 0 {
		s.drop(m, "enum")
	}
}

// bounds mends draft 4's flags beside minimum and maximum.
func (s *schemaFixer) bounds(m map[string]any) {
	for key, plain := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		flag, ok := m[key].(bool)
		if !ok {
			continue
		}
		s.drop(m, key)
		if limit, ok := m[plain].(json.Number); ok && flag {
			delete(m, plain)
			m[key] = limit
		}
	}
}
