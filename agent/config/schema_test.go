package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// valid is what the schema says of a value, by the words of JSON Schema it uses; any
// other word is an error, so that none goes unread.
func valid(t *testing.T, schema map[string]any, v any) bool {
	t.Helper()
	for word, want := range schema {
		ok := true
		switch word {
		case "$schema", "title", "description", "allowTrailingCommas":
		case "type":
			switch want {
			case "string":
				_, ok = v.(string)
			case "boolean":
				_, ok = v.(bool)
			case "number":
				_, ok = v.(float64)
			case "integer":
				f, is := v.(float64)
				ok = is && f == float64(int64(f))
			case "array":
				_, ok = v.([]any)
			case "object":
				_, ok = v.(map[string]any)
			default:
				t.Fatalf("type %v", want)
			}
		case "enum":
			ok = slices.Contains(want.([]any), v)
		case "minimum", "maximum", "exclusiveMinimum":
			if f, is := v.(float64); is {
				limit := want.(float64)
				ok = word == "minimum" && f >= limit || word == "maximum" && f <= limit || word == "exclusiveMinimum" && f > limit
			}
		case "minLength", "maxLength":
			if s, is := v.(string); is {
				n, limit := utf8.RuneCountInString(s), int(want.(float64))
				ok = word == "minLength" && n >= limit || word == "maxLength" && n <= limit
			}
		case "pattern":
			if s, is := v.(string); is {
				ok = regexp.MustCompile(want.(string)).MatchString(s)
			}
		case "items":
			if list, is := v.([]any); is {
				for _, e := range list {
					ok = ok && valid(t, want.(map[string]any), e)
				}
			}
		case "properties":
			if o, is := v.(map[string]any); is {
				for name, inner := range want.(map[string]any) {
					if e, there := o[name]; there {
						ok = ok && valid(t, inner.(map[string]any), e)
					}
				}
			}
		case "additionalProperties":
			if o, is := v.(map[string]any); is {
				known, _ := schema["properties"].(map[string]any)
				for name, e := range o {
					if _, there := known[name]; there {
						continue
					}
					inner, open := want.(map[string]any)
					ok = ok && open && valid(t, inner, e)
				}
			}
		case "anyOf":
			ok = slices.ContainsFunc(want.([]any), func(s any) bool { return valid(t, s.(map[string]any), v) })
		default:
			t.Fatalf("the schema says %s, which is not read here", word)
		}
		if !ok {
			return false
		}
	}
	return true
}

// The schema takes what the program takes, and refuses what it refuses: each setting is
// tried with values of every kind.
func TestSchemaIsTheProgram(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	values := []string{`true`, `false`, `null`, `""`, `"x"`, `"15m"`, `"0m"`, `"1h30m"`, `"${HOME}"`, `"jj"`, `"on"`, `"off"`, `0`, `1`, `-1`, `0.5`, `3`, `4`, `9`, `10`, `16`, `17`, `95`, `96`, `100`, `101`, `4000`,
		`[]`, `["a"]`, `["mode"]`, `[1]`, `{}`, `{"a": "b"}`, `{"a": 1}`, `{"a": {}}`, `{"screen.todos": "f2"}`, `{"screen.todos": ["f2", "f3"]}`, `{"screen.todos": 2}`}
	for _, words := range [][]string{wires, efforts, modes, boxes, nets, guards, prompts, glyphSets, scrollbars, reasonings, partings, pictureWays, linkWays, ways} {
		for _, w := range words {
			values = append(values, fmt.Sprintf("%q", w))
		}
	}
	// What only one of them says: which actions there are, and, where they are mounted,
	// how a server reads.
	looser := map[string]string{"keys": `"a"`, "mcpServers": `{"`}
	file := filepath.Join(t.TempDir(), "forge.json")
	load := func(v any) string {
		t.Helper()
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return strings.Join(Load(file, "").Problems, "\n")
	}
	told := map[string]*regexp.Regexp{}
	for _, k := range Keys() {
		told[k.Name] = regexp.MustCompile(`(^|[ \n])` + regexp.QuoteMeta(k.Name) + `\b`)
	}
	for _, raw := range values {
		var v any
		if err := json.Unmarshal([]byte(raw), &v); err != nil {
			t.Fatal(err)
		}
		all := map[string]any{} // every setting with this value
		for _, k := range Keys() {
			at, parts := all, strings.Split(k.Name, ".")
			for _, p := range parts[:len(parts)-1] {
				if at[p] == nil {
					at[p] = map[string]any{}
				}
				at = at[p].(map[string]any)
			}
			at[parts[len(parts)-1]] = v
		}
		problems := load(all)
		for _, k := range Keys() {
			one := v
			for _, part := range slices.Backward(strings.Split(k.Name, ".")) {
				one = map[string]any{part: one}
			}
			taken, says := !told[k.Name].MatchString(problems), valid(t, schema, one)
			if taken != says && !strings.Contains(raw, cmp.Or(looser[k.Name], "\x00")) {
				t.Errorf("%s of %s: the program takes it: %v, the schema: %v; %s", raw, k.Name, taken, says, problems)
			}
		}
	}
	// Names that are none are refused by both, at the top and inside; the schema's own is
	// taken by both.
	for text, want := range map[string]bool{`{"modle": "x"}`: false, `{"compact": {"att": 70}}`: false, `{"compact": {}}`: true, `{"compact": 3}`: false, `{"$schema": "x"}`: true, `[]`: false} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if problems := load(v); (problems == "") != want || valid(t, schema, v) != want {
			t.Errorf("%s: the program says %q, the schema %v", text, problems, valid(t, schema, v))
		}
	}
	if len(slices.Collect(maps.Keys(schema["properties"].(map[string]any)))) < 20 {
		t.Error("the schema has hardly any settings")
	}
}
