package session

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

// filled gives a value of a type in which nothing is empty, so that the encoder leaves
// nothing out.
func filled(t *testing.T, typ reflect.Type) reflect.Value {
	t.Helper()
	v := reflect.New(typ).Elem()
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2026, 11, 30, 1, 2, 3, 0, time.UTC)
		return v
	case *provider.Message:
		*x = provider.Message{Role: provider.Assistant, Origin: "openai/m", Stop: provider.StopEnd,
			Usage: filled(t, reflect.TypeFor[provider.Usage]()).Interface().(provider.Usage),
			Blocks: []provider.Block{provider.Text{Text: "x"}, provider.Image{MIME: "image/png", Data: "x"},
				filled(t, reflect.TypeFor[provider.Thinking]()).Interface().(provider.Thinking),
				filled(t, reflect.TypeFor[provider.ToolUse]()).Interface().(provider.ToolUse),
				provider.ToolResult{ID: "x", IsError: true, Content: []provider.Block{provider.Text{Text: "x"}}},
				provider.Opaque{Origin: "x", JSON: "{}"}}}
		return v
	}
	switch typ.Kind() {
	case reflect.Pointer:
		p := reflect.New(typ.Elem())
		p.Elem().Set(filled(t, typ.Elem()))
		return p
	case reflect.Slice:
		return reflect.Append(v, filled(t, typ.Elem()))
	case reflect.Struct:
		for i := range typ.NumField() {
			if typ.Field(i).IsExported() {
				v.Field(i).Set(filled(t, typ.Field(i).Type))
			}
		}
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint32:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	default:
		t.Fatalf("a record holds a %s, of which this test knows nothing", typ)
	}
	return v
}

// written is each key that the encoder can write, by the thing it is a key of.
func written(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	var walk func(of string, v any)
	walk = func(of string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(of, e)
			}
		case map[string]any:
			if kind, ok := v["type"].(string); ok && of == "blocks" {
				of = "block " + kind
			}
			for k, e := range v {
				if !slices.Contains(out[of], k) {
					out[of] = append(out[of], k)
				}
				switch k {
				case "usage", "calls", "changes", "child", "blocks", "message":
					walk(k, e)
				case "content":
					walk("blocks", e)
				default:
					walk(of, e)
				}
			}
		}
	}
	message := filled(t, reflect.TypeFor[*provider.Message]()).Interface().(*provider.Message)
	typ := reflect.TypeFor[Record]()
	for i := range typ.NumField() {
		if name := typ.Field(i).Name; name == "Seq" || name == "Time" {
			continue
		}
		var r Record
		reflect.ValueOf(&r).Elem().Field(i).Set(filled(t, typ.Field(i).Type))
		if r.kind() == "" { // it goes with a message
			r.Message = message
		}
		if r.Early != nil {
			r.Calls = filled(t, reflect.TypeFor[[]Call]()).Interface().([]Call)
		}
		line, err := encode(r)
		if err != nil {
			t.Fatalf("%s: %v", typ.Field(i).Name, err)
		}
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, k := range []string{"seq", "time", "type"} { // of every line
			if _, ok := v[k]; !ok {
				t.Fatalf("no %s in %s", k, line)
			}
			delete(v, k)
		}
		walk(r.kind(), v)
	}
	return out
}

// docs/sessions.md names every key that a session file can hold, at the thing it is a
// key of, and no record that there is not.
func TestEveryKeyIsDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/sessions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, doc, _ := strings.Cut(string(b), "\n## The file\n")
	doc, _, _ = strings.Cut(doc, "\n## ")
	tells := map[string]string{}
	first := regexp.MustCompile("^\\| `(\\w+)` \\|")
	at, blocks := "", false
	for line := range strings.Lines(doc) {
		switch m := first.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "A string that is not UTF-8"):
			blocks = true
		case m != nil && m[1] == "type": // the head of a table
		case m != nil && blocks:
			tells["block "+m[1]] += line
		case m != nil:
			at = m[1]
			tells[at] += line
		case strings.HasPrefix(line, "| |"):
			tells[at] += line
		case strings.HasPrefix(line, "A call has"):
			tells["calls"], tells["changes"] = line, line
		case strings.HasPrefix(line, "`child` has"):
			tells["child"] = line
		case strings.HasPrefix(line, "`usage` has"):
			tells["usage"] = line
		}
	}
	keys := written(t)
	for of, list := range keys {
		slices.Sort(list)
		for _, k := range list {
			if k == "type" && strings.HasPrefix(of, "block ") {
				continue // said of all of them
			}
			if !strings.Contains(tells[of], "`"+k+"`") {
				t.Errorf("docs/sessions.md does not name the key %s of %s", k, of)
			}
		}
	}
	for of := range tells {
		if keys[of] == nil {
			t.Errorf("docs/sessions.md tells of %s, which is never written", of)
		}
	}
}
