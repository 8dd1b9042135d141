package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Decode reads a call's input into the struct in points to. It is strict: an
// unknown field, a missing one or one of another type is an error that names it.
// Three slips that cannot be misread are forgiven: a
// number, a bool or a list inside a string, one thing where a list of such is
// wanted, and null for what was left out. Broken JSON is never repaired: half a
// command must not run.
func Decode(call Call, in any) error {
	v, err := parse(call.Input)
	if err == nil {
		err = into(v, reflect.ValueOf(in).Elem(), field{})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", call.Name, err)
	}
	return nil
}

// Clip shortens s for a message to about n bytes, telling how much it left out.
func Clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	head := cutBack(s, n*3/4)
	tail := cutForward(s, len(s)-n/4)
	return fmt.Sprintf("%s… (%d bytes left out) …%s", head, len(s)-len(head)-len(tail), tail)
}

func parse(input string) (any, error) {
	if strings.TrimSpace(input) == "" {
		return map[string]any{}, nil // how some models say "no arguments"
	}
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("the arguments end too early (cut off after %d bytes?); send the whole call again", len(input))
		}
		return nil, fmt.Errorf("the arguments are not valid JSON (%w, at byte %d); send the call again", err, d.InputOffset())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more follows the arguments at byte %d; send one JSON object", d.InputOffset())
	}
	return v, nil
}

// into puts v where a value of dst's type is wanted. f names the place.
func into(v any, dst reflect.Value, f field) error {
	if s, ok := v.(string); ok {
		v = unwrap(s, dst.Type())
	}
	switch dst.Kind() {
	case reflect.Struct:
		m, ok := v.(map[string]any)
		if !ok {
			return mismatch(v, dst, f)
		}
		return object(m, dst, f)
	case reflect.Slice:
		return list(v, dst, f)
	case reflect.String:
		s, ok := v.(string)
		if !ok {
			return mismatch(v, dst, f)
		}
		if len(f.enum) > 0 && !slices.Contains(f.enum, s) {
			return fmt.Errorf("%s is %q, must be one of %s", f.name, Clip(s, 60), strings.Join(f.enum, ", "))
		}
		dst.SetString(s)
	case reflect.Bool:
		b, ok := v.(bool)
		if !ok {
			return mismatch(v, dst, f)
		}
		dst.SetBool(b)
	default:
		return number(v, dst, f)
	}
	return nil
}

// unwrap returns what s holds as JSON if that is what t wants, else s.
func unwrap(s string, t reflect.Type) any {
	want := kindName(t)
	if want == "string" || strings.TrimSpace(s) == "" {
		return s
	}
	inner, err := parse(s)
	if err != nil {
		return s
	}
	got := jsonKind(inner)
	if got == "integer" && want == "number" || got == "number" && want == "integer" ||
		got == "object" && want == "array" && kindName(t.Elem()) == "object" || got == want {
		return inner
	}
	return s
}

func object(m map[string]any, dst reflect.Value, at field) error {
	fields := fieldsOf(dst.Type())
	names := make([]string, len(fields))
	excused := false
	for i, f := range fields {
		names[i] = f.name
		_, sent := m[f.name]
		excused = excused || f.hidden && sent
	}
	for _, name := range sortedKeys(m) {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no %s%s", quoted(at, name), suggest(name, shown(fields)))
		}
	}
	for _, f := range fields {
		v, sent := m[f.name]
		if !sent || v == nil {
			if f.required && !excused {
				return fmt.Errorf("%s is missing", quoted(at, f.name))
			}
			continue
		}
		if at.name != "" {
			f.name = at.name + "." + f.name
		}
		if err := into(v, dst.Field(f.index), f); err != nil {
			return err
		}
	}
	return nil
}

func list(v any, dst reflect.Value, f field) error {
	vs, ok := v.([]any)
	if !ok {
		vs = []any{v} // one where a list is wanted
		if kindName(dst.Type().Elem()) != jsonKind(v) {
			return mismatch(v, dst, f)
		}
	}
	dst.Set(reflect.MakeSlice(dst.Type(), len(vs), len(vs)))
	for i, v := range vs {
		at := field{name: fmt.Sprintf("%s[%d]", f.name, i), enum: f.enum}
		if err := into(v, dst.Index(i), at); err != nil {
			return err
		}
	}
	return nil
}

func number(v any, dst reflect.Value, f field) error {
	n, ok := v.(json.Number)
	if !ok {
		return mismatch(v, dst, f)
	}
	x, err := n.Float64()
	if dst.Kind() == reflect.Float64 {
		dst.SetFloat(x)
		return err
	}
	i, exact := n.Int64()
	if exact != nil && err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		i, exact = int64(x), nil // 10.0
	}
	if exact != nil || dst.OverflowInt(i) {
		return fmt.Errorf("%s is %s, must be a whole number", f.name, n)
	}
	dst.SetInt(i)
	return nil
}

func mismatch(v any, dst reflect.Value, f field) error {
	name := f.name
	if name == "" {
		name = "the input"
	}
	article := "a"
	if strings.ContainsAny(kindName(dst.Type())[:1], "aio") {
		article = "an"
	}
	raw, _ := json.Marshal(v)
	return fmt.Errorf("%s must be %s %s, got %s", name, article, kindName(dst.Type()), Clip(string(raw), 80))
}

func jsonKind(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return "integer"
		}
		return "number"
	case map[string]any:
		return "object"
	case []any:
		return "array"
	}
	return "null"
}

func quoted(at field, name string) string {
	if at.name != "" {
		name = at.name + "." + name
	}
	return strconv.Quote(Clip(name, 80))
}

func shown(fs []field) []string {
	var names []string
	for _, f := range fs {
		if !f.hidden {
			names = append(names, f.name)
		}
	}
	return names
}

// suggest names what was probably meant, else all there is.
func suggest(name string, known []string) string {
	if near := Nearest(name, known, 1); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %q?); there are: %s", near[0], strings.Join(known, ", "))
	}
	if len(known) == 0 {
		return "; no argument is taken"
	}
	return "; there are: " + strings.Join(known, ", ")
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
