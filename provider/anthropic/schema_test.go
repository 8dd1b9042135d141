package anthropic

import "testing"

func TestSafeSchema(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"one that is right keeps its order", ` {"type":"object", "properties":{"b":{"type":"string"},"a":{"type":["string","null"],"enum":["<x>"]}},"required":["b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":["string","null"],"enum":["<x>"]}},"required":["b"],"additionalProperties":false}`},
		{"nothing", ``, emptySchema},
		{"null", `null`, emptySchema},
		{"a root that is no object", `{"type":"string"}`, `{"properties":{},"type":"object"}`},
		{"properties missing", `{"type":"object","properties":null}`, `{"properties":{},"type":"object"}`},
		{"the draft's address", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{}}`, `{"properties":{},"type":"object"}`},
		{"branches at the root", `{"anyOf":[{"properties":{"a":{"type":"string"},"c":{}},"required":["a","c"]},{"properties":{"b":{"type":"integer"},"c":{}},"required":["b","c"]}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{}},"required":["c"],"type":"object"}`},
		{"all of several at the root", `{"type":"object","properties":{"a":{}},"required":["a"],"allOf":[{"properties":{"b":{}},"required":["b"]},{"$ref":"#/$defs/x"}],"$defs":{"x":{"properties":{"d":{}},"required":["d"]}}}`,
			`{"$defs":{"x":{"properties":{"d":{}},"required":["d"]}},"properties":{"a":{},"b":{},"d":{}},"required":["a","b","d"],"type":"object"}`},
		{"a root that refers", `{"$ref":"#/definitions/x","definitions":{"x":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}}`,
			`{"definitions":{"x":{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}},"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`},
		{"a root that refers to itself", `{"$ref":"#"}`, `{"properties":{},"type":"object"}`},
		{"branches below stay", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`},
		{"older drafts", `{"type":"object","properties":{"t":{"type":"array","items":[{"type":"str"}],"additionalItems":false},"n":{"type":"number","minimum":1.50,"exclusiveMinimum":true,"required":true},"e":{"enum":[]}}}`,
			`{"properties":{"e":{},"n":{"exclusiveMinimum":1.50,"type":"number"},"t":{"prefixItems":[{"type":"string"}],"type":"array"}},"type":"object"}`},
		{"names the wire refuses", `{"type":"object","properties":{"ok":{},"bad name":{}},"required":["ok","bad name"]}`,
			`{"properties":{"ok":{}},"required":["ok"],"type":"object"}`},
		{"unknown types", `{"type":"object","properties":{"a":{"type":"any"},"b":"oops","c":true}}`,
			`{"properties":{"a":{},"b":{},"c":true},"type":"object"}`},
	} {
		for range 3 { // the same bytes every time
			if got := string(safeSchema([]byte(c.in))); got != c.want {
				t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
				break
			}
		}
	}
}
