package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// field is one argument of a tool, read from a struct field and its tags:
//
//	json         its name; with omitempty it may be left out
//	description  what it is, for the model
//	enum         the strings it may be, with commas
//	hidden       "true": accepted, but not shown (another spelling of the arguments;
//	             where one is sent, the required ones are the tool's to check)
type field struct {
	name, description string
	enum              []string
	required, hidden  bool
	index             int
	typ               reflect.Type
}

// fieldsOf lists the arguments a struct type declares, in order.
func fieldsOf(t reflect.Type) []field {
	var fs []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || name == "" {
			continue
		}
		a := field{name: name, index: i, typ: f.Type,
			description: f.Tag.Get("description"),
			hidden:      f.Tag.Get("hidden") == "true",
		}
		a.required = !a.hidden && !strings.Contains(options, "omitempty")
		if e := f.Tag.Get("enum"); e != "" {
			a.enum = strings.Split(e, ",")
		}
		fs = append(fs, a)
	}
	return fs
}

// SchemaOf writes the JSON Schema of a struct's fields, in the part of the
// language every provider takes: one type in each node, arrays with their items,
// enums of strings, objects with properties and required; no references, no
// defaults, no bounds. Its bytes depend on the type alone, so they do not disturb
// a prompt cache. Strings, bools, ints, floats, slices and structs of these can
// be described.
func SchemaOf(t reflect.Type) (json.RawMessage, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("arguments are a %s, must be a struct", t)
	}
	var b strings.Builder
	if err := node(&b, t, field{}, 0); err != nil {
		return nil, err
	}
	return json.RawMessage(b.String()), nil
}

// maxNesting keeps a type that holds itself from being described for ever.
const maxNesting = 8

func node(b *strings.Builder, t reflect.Type, f field, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("%s is nested too deeply", t)
	}
	name := kindName(t)
	if name == "" {
		return fmt.Errorf("%s cannot be an argument", t)
	}
	fmt.Fprintf(b, `{"type":"%s"`, name)
	if f.description != "" {
		fmt.Fprintf(b, `,"description":%s`, quote(f.description))
	}
	switch name {
	case "array":
		b.WriteString(`,"items":`)
		if err := node(b, t.Elem(), field{enum: f.enum}, depth+1); err != nil {
			return err
		}
	case "object":
		if err := properties(b, t, depth); err != nil {
			return err
		}
	case "string":
		if len(f.enum) > 0 {
			fmt.Fprintf(b, `,"enum":%s`, quote(f.enum))
		}
	}
	b.WriteByte('}')
	return nil
}

func properties(b *strings.Builder, t reflect.Type, depth int) error {
	required := []string{}
	b.WriteString(`,"properties":{`)
	first := true
	for _, f := range fieldsOf(t) {
		if f.hidden {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.WriteString(quote(f.name) + ":")
		if err := node(b, f.typ, f, depth+1); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if f.required {
			required = append(required, f.name)
		}
	}
	fmt.Fprintf(b, `},"required":%s`, quote(required))
	return nil
}

// kindName is the word JSON Schema has for a type, empty if it has none.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64, reflect.Int32:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Struct:
		return "object"
	}
	return ""
}

// quote writes v as JSON without turning <, > and & into escapes.
func quote(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}
