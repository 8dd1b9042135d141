package mcp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// maxPromised is the longest structured result, in bytes, that is held against its
// schema.
const maxPromised = 256 << 10

// breach says how a structured result differs from the output schema of its tool; it
// is empty if it does not, and if that cannot be said. The specification wants clients
// to check. Results are not refused for it: servers are careless with these schemas,
// and a model can use most of what does not match, once it knows.
func breach(promise json.RawMessage, r RemoteResult) (why string) {
	if promise == nil || r.Structured == nil || r.IsError || len(r.Structured) > maxPromised || len(promise) > maxSchema {
		return ""
	}
	var schema jsonschema.Schema
	var tree any
	if json.Unmarshal(promise, &schema) != nil || json.Unmarshal(promise, &tree) != nil || foreignRef(promise) != "" || mayTurn(tree) {
		return ""
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return ""
	}
	var value any
	if err := json.Unmarshal(r.Structured, &value); err != nil {
		return err.Error()
	}
	if err := resolved.Validate(value); err != nil {
		return strings.TrimPrefix(err.Error(), "validating root: ")
	}
	return ""
}

// breachNote is what the model is told of a result that breaks its promise.
func breachNote(why string) string {
	return fmt.Sprintf("(this does not match the tool's output schema: %s)", clip(clean(why), 300))
}

// besides are the keywords whose schemas hold for the same value as the schema they
// stand in.
var besides = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}

// mayTurn says whether checking a value against the schema could go round for ever:
// the validator follows references without looking where it has been, and a stack
// that overflows ends the program. It is strict: a reference to a schema that itself
// refers on, for the same value, counts.
func mayTurn(root any) bool {
	turns := false
	eachObject(root, func(m map[string]any) {
		for k, x := range m {
			switch ref, isText := x.(string); {
			case k == "$dynamicRef", k == "$recursiveRef", k == "$id" && isText && !same(m, root):
				turns = true // what a reference means depends on where one comes from
			case k == "$ref" && isText:
				target, found := pointed(root, ref)
				turns = turns || !found || refersOn(target)
			}
		}
	})
	return turns
}

func same(a map[string]any, b any) bool {
	m, ok := b.(map[string]any)
	return ok && reflect.ValueOf(a).Pointer() == reflect.ValueOf(m).Pointer()
}

// pointed finds what a reference within the document points to.
func pointed(root any, ref string) (any, bool) {
	if ref == "#" {
		return root, true
	}
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil, false
	}
	for step := range strings.SplitSeq(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch v := root.(type) {
		case map[string]any:
			if root, ok = v[step]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			root = v[i]
		default:
			return nil, false
		}
	}
	return root, true
}

// refersOn says whether a schema refers to another one for the same value.
func refersOn(schema any) bool {
	switch s := schema.(type) {
	case []any:
		return slices.ContainsFunc(s, refersOn)
	case map[string]any:
		if _, ok := s["$ref"]; ok {
			return true
		}
		for _, k := range besides {
			x := s[k]
			if byName, ok := x.(map[string]any); ok && strings.HasPrefix(k, "depend") {
				for _, y := range byName {
					if refersOn(y) {
						return true
					}
				}
			} else if refersOn(x) {
				return true
			}
		}
	}
	return false
}
