package anthropic

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// field is a field of an opaque block that deltas grow.
type field struct {
	name string
	str  strings.Builder // grows by concatenation …
	list []string        // … or by elements, each raw JSON …
	raw  string          // … or is replaced
	args bool            // str holds JSON itself, not the words of a string
}

func (d *decoder) emitOpaque(b *block) {
	d.emit(provider.OpaqueBlock{Index: b.index, Block: provider.Opaque{Origin: d.origin, JSON: b.whole()}})
}

// grow merges a delta into an opaque block. The known deltas of known fields come
// first; of an unknown delta, strings are appended and other values replace.
func (b *block) grow(typ, words string, citation, delta gjson.Result) {
	switch {
	case typ == "input_json_delta":
		f := b.field("input")
		f.args = true
		f.str.WriteString(words)
		return
	case typ == "citations_delta" && citation.Exists():
		f := b.field("citations")
		f.list = append(f.list, citation.Raw)
		return
	}
	delta.ForEach(func(k, v gjson.Result) bool {
		if k.Str == "type" {
			return true
		}
		f := b.field(k.Str)
		if v.Type == gjson.String {
			f.str.WriteString(v.Str)
			f.raw = ""
		} else if v.Type != gjson.Null {
			f.raw = v.Raw
		}
		return true
	})
}

func (b *block) field(name string) *field {
	for _, f := range b.fields {
		if f.name == name {
			return f
		}
	}
	f := &field{name: name}
	if v := gjson.Get(b.raw, escapePath(name)); v.Type == gjson.String {
		f.str.WriteString(v.Str)
	} else if v.IsArray() {
		for _, el := range v.Array() {
			f.list = append(f.list, el.Raw)
		}
	}
	b.fields = append(b.fields, f)
	return f
}

// whole is the block's JSON with all deltas in it; what no delta touched keeps
// its bytes.
func (b *block) whole() string {
	if len(b.fields) == 0 {
		return b.raw
	}
	var out strings.Builder
	sep := "{"
	put := func(key, value string) {
		out.WriteString(sep + key + ":" + value)
		sep = ","
	}
	seen := map[string]bool{}
	gjson.Parse(b.raw).ForEach(func(k, v gjson.Result) bool {
		value := v.Raw
		for _, f := range b.fields {
			if f.name == k.Str {
				value, seen[f.name] = f.value(value), true
			}
		}
		put(k.Raw, value)
		return true
	})
	for _, f := range b.fields {
		if !seen[f.name] {
			put(quote(f.name), f.value("null"))
		}
	}
	return out.String() + "}"
}

// value is the field's JSON; was is what the block's start had.
func (f *field) value(was string) string {
	switch {
	case f.raw != "":
		return f.raw
	case f.args && f.str.Len() == 0:
		return was // deltas of nothing: the start's input stands
	case f.args:
		return inputJSON(f.str.String())
	case len(f.list) > 0:
		return "[" + strings.Join(f.list, ",") + "]"
	}
	return quote(f.str.String())
}

// escapePath makes a field's name a gjson path of one step.
func escapePath(name string) string {
	var out strings.Builder
	for _, r := range name {
		if strings.ContainsRune(`.*?|#@!{}[]()=<>%\"`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
