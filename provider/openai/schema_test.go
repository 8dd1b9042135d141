package openai

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTrimSchema(t *testing.T) {
	for name, c := range map[string]struct {
		style    schemaStyle
		in, want string
	}{
		"full passes": {schemaFull, `{"type":"object", "properties":{"a":{"type":["string","null"],"format":"uri"}},"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],"format":"uri"}},"additionalProperties":false}`},
		"nothing":             {schemaFull, ``, emptySchema},
		"null":                {schemaFull, `null`, emptySchema},
		"no object":           {schemaFull, `{"type":"string"}`, emptySchema},
		"no properties":       {schemaFull, `{"type":"object"}`, emptySchema},
		"not JSON":            {schemaFull, `{"type":`, emptySchema},
		"a union at the root": {schemaFull, `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]}]}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		"order stays":         {schemaSafe, `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z","gone"]}`, `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"required":["z"]}`},
		"one type":            {schemaSafe, `{"type":"object","properties":{"a":{"type":["null","integer"]}}}`, `{"type":"object","properties":{"a":{"type":"integer"}},"required":[]}`},
		"references":          {schemaSafe, `{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","properties":{"b":{"type":"boolean"}}}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"boolean"}},"required":[]}},"required":[]}`},
		"unions":              {schemaSafe, `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"type":"integer","minimum":1}],"description":"d"},"b":{"oneOf":[{"const":"x"},{"const":"y"}]}}}`, `{"type":"object","properties":{"a":{"type":"integer","description":"d"},"b":{"type":"string","enum":["x","y"]}},"required":[]}`},
		"all of":              {schemaSafe, `{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`},
		"numbers in an enum":  {schemaSafe, `{"type":"object","properties":{"a":{"enum":[1,2]}}}`, `{"type":"object","properties":{"a":{"type":"number"}},"required":[]}`},
		"array without items": {schemaSafe, `{"type":"object","properties":{"a":{"type":"array","minItems":1},"b":{"items":{"type":"integer"}}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array","items":{"type":"integer"}}},"required":[]}`},
		"odd names":           {schemaSafe, `{"type":"object","properties":{"a.b":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":"integer"}}}`, `{"type":"object","properties":{"a.b":{"type":"integer"}},"required":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := trimSchema(json.RawMessage(c.in), c.style); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	// A schema that refers to itself ends.
	got := trimSchema(json.RawMessage(`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"next":{"$ref":"#/$defs/n"}}}}}`), schemaSafe)
	if !json.Valid([]byte(got)) || strings.Contains(got, "$ref") || len(got) > 4096 {
		t.Errorf("got %d bytes: %s", len(got), got)
	}
	if got := trimSchema(json.RawMessage(`{"type":"object","properties":{"n":{"$ref":"#"}, "m":{"allOf":[{"$ref":"#/properties/m"}]}}}`), schemaSafe); !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
	many := `{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{` +
		`"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"},"c":{"$ref":"#/$defs/n"},"d":{"anyOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/u"}]}}},"u":{"anyOf":[{"$ref":"#/$defs/u"},{"$ref":"#/$defs/u"},{"$ref":"#/$defs/u"}]}}}`
	if got := trimSchema(json.RawMessage(many), schemaSafe); !json.Valid([]byte(got)) || len(got) > 1<<20 {
		t.Errorf("got %d bytes", len(got))
	}
}
