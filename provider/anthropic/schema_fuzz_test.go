package anthropic

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Whatever a server calls a schema, what is sent is one object of type object with
// nothing combined at its root, and the same bytes when it is made so again: a request
// must not change from turn to turn.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{"{}", "true", "null", "[]", "{", `{"type":["object","null"],"properties":{"a":true,"b":{"type":"array","items":[{"type":"string"}]}}}`,
		`{"anyOf":[{"type":"object","properties":{"x":{}}},{"$ref":"#/$defs/d"}],"$defs":{"d":{"$ref":"#/$defs/d"}}}`, `{"$ref":"#","allOf":[{"$ref":"#"}]}`,
		`{"type":"object","properties":{"n":{"type":"number","minimum":1e999,"exclusiveMinimum":true}},"required":["n","n",7]}`, `{"type":"object","oneOf":[{"required":["a"]}],"properties":{"a":{"enum":[]}}}`,
		`{"definitions":{"a":{"properties":{"b":{"$ref":"#/definitions/a"}}}},"$ref":"#/definitions/a"}`, `{"type":"string"}`, `{"properties":7}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		check := func(got []byte, again func([]byte) []byte) {
			var m map[string]json.RawMessage
			if err := json.Unmarshal(got, &m); err != nil || string(m["type"]) != `"object"` {
				t.Fatalf("%q became %q: %v", raw, got, err)
			}
			for _, key := range []string{"anyOf", "oneOf", "allOf", "$ref"} {
				if _, there := m[key]; there {
					t.Fatalf("%q became %q, with %s at its root", raw, got, key)
				}
			}
			if twice := again(got); !bytes.Equal(twice, got) {
				t.Fatalf("%q became %q, and that %q", raw, got, twice)
			}
		}
		check(safeSchema(raw), func(b []byte) []byte { return safeSchema(b) })
	})
}
