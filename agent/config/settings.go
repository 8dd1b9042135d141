package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Setting is one key as a person sees it: what it is, and what the files say.
type Setting struct {
	Name    string
	About   string // in English
	Kind    Kind
	Words   []string // of Words
	Default string   // a value or words; empty: unset
	Value   string   // JSON of the last file that sets it; empty: no file does
	Source  string   // that file
	Project bool     // a project's file may set it, to restrict
}

// Settings lists every setting with what the files say of it, the person's first,
// then the project's. What Load leaves out of a project's file is left out here.
func Settings(user, project string) []Setting {
	var out []Setting
	notes := abouts()
	files := []string{user}
	if project != "" && !sameFile(user, project) {
		files = append(files, project)
	}
	var roots []*hujson.Object
	for _, file := range files {
		root, err := parse(file)
		if err != nil {
			root = nil // Load says what is wrong with it
		}
		roots = append(roots, root)
	}
	for _, k := range Keys() {
		a := notes[k.Name]
		s := Setting{Name: k.Name, About: a.text, Kind: a.kind, Default: a.preset, Project: k.Project}
		if a.kind == Words {
			s.Words = a.words
		}
		for i, root := range roots {
			raw := value(root, k.Name)
			if raw == nil {
				continue
			}
			take := k.set
			if i > 0 {
				take = k.restrict
			}
			if take == nil || take(&Config{Permissions: Permissions{Mode: "yolo"}, Sandbox: "off"}, raw) != nil {
				continue
			}
			s.Value, s.Source = string(raw), files[i]
		}
		out = append(out, s)
	}
	return out
}

// parse reads a settings file; nil: there is nothing in it.
func parse(file string) (*hujson.Object, error) {
	text, err := readFile(file)
	if err != nil || strings.TrimSpace(string(text)) == "" {
		return nil, err
	}
	root, err := hujson.Parse([]byte(strings.TrimPrefix(string(text), "\xef\xbb\xbf") + "\n"))
	if err != nil {
		return nil, err
	}
	o, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("settings must be one {…} object")
	}
	return o, nil
}

// value finds a dotted name; nil: it is not there.
func value(o *hujson.Object, name string) json.RawMessage {
	if o == nil {
		return nil
	}
	first, rest, deeper := strings.Cut(name, ".")
	for i := len(o.Members) - 1; i >= 0; i-- {
		m := &o.Members[i]
		if m.Name.Value.(hujson.Literal).String() != first {
			continue
		}
		if !deeper {
			return standard(m.Value)
		}
		inner, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil
		}
		return value(inner, rest)
	}
	return nil
}

// Read makes the JSON of what a person typed for a setting: a text stands without
// quotes, a list may be one entry, anything else is JSON. An error says what is wrong
// with it in words of the setting.
func Read(name, typed string) (json.RawMessage, error) {
	k, ok := find(name)
	if !ok {
		return nil, fmt.Errorf("unknown setting %q%s", name, suggest(name))
	}
	typed = strings.TrimSpace(typed)
	raw := json.RawMessage(typed)
	switch a := abouts()[name]; {
	case (a.kind == Text || a.kind == Words) && !(strings.HasPrefix(typed, `"`) && json.Valid(raw)),
		a.kind == List && !strings.HasPrefix(typed, "["):
		raw, _ = json.Marshal(typed)
		if a.kind == List {
			raw = json.RawMessage("[" + string(raw) + "]")
		}
	case a.kind == Switch && (typed == "on" || typed == "yes"):
		raw = json.RawMessage("true")
	case a.kind == Switch && (typed == "off" || typed == "no"):
		raw = json.RawMessage("false")
	}
	loose, err := hujson.Standardize(append(json.RawMessage(nil), raw...))
	if err != nil {
		switch abouts()[name].kind {
		case Whole, Number:
			return nil, fmt.Errorf("%s: %q is no number", name, typed)
		case Switch:
			return nil, fmt.Errorf("%s: %q is neither true nor false", name, typed)
		}
		return nil, fmt.Errorf("%s: %q is no value: write JSON", name, typed)
	}
	var c Config
	if err := k.set(&c, json.RawMessage(loose)); err != nil {
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	return raw, nil
}

// Set writes a setting into a file, which is made if need be: typed is read by Read.
// Comments, order and layout of what is there stay as they are.
func Set(file, name, typed string) error {
	raw, err := Read(name, typed)
	if err != nil {
		return err
	}
	fresh, err := hujson.Parse(raw)
	if err != nil {
		return err
	}
	return edit(file, func(root *hujson.Value) error {
		o, ok := root.Value.(*hujson.Object)
		if !ok {
			return errors.New("settings must be one {…} object")
		}
		for {
			first, rest, deeper := strings.Cut(name, ".")
			v, err := member(o, first, true, func(indent string) hujson.ValueTrimmed {
				if deeper {
					return &hujson.Object{AfterExtra: hujson.Extra(indent)}
				}
				return hujson.Literal("null")
			})
			if err != nil {
				return err
			}
			if !deeper {
				return merge(v, fresh)
			}
			if o, ok = v.Value.(*hujson.Object); !ok {
				return fmt.Errorf("%s must be an object", first)
			}
			name = rest
		}
	})
}

// merge gives a value of a file another one. What both have stays where it stands, with
// the comments beside it; comments of what is gone stay, too.
func merge(v *hujson.Value, fresh hujson.Value) error {
	switch now := fresh.Value.(type) {
	case *hujson.Array:
		if was, ok := v.Value.(*hujson.Array); ok && (len(was.Elements) > 0 || hasComment(was.AfterExtra)) {
			mergeList(was, now)
			return nil
		}
	case *hujson.Object:
		if was, ok := v.Value.(*hujson.Object); ok && (len(was.Members) > 0 || hasComment(was.AfterExtra)) {
			return mergeObject(was, now)
		}
	}
	v.Value = fresh.Value
	return nil
}

func hasComment(e hujson.Extra) bool { return strings.TrimSpace(string(e)) != "" }

func mergeList(was, now *hujson.Array) {
	same := func(a, b hujson.Value) bool { return string(standard(a)) == string(standard(b)) }
	for i := len(was.Elements) - 1; i >= 0; i-- {
		if !slices.ContainsFunc(now.Elements, func(e hujson.Value) bool { return same(e, was.Elements[i]) }) {
			removeElement(was, i)
		}
	}
	if n := len(was.Elements); n > len(now.Elements) || !slices.EqualFunc(was.Elements, now.Elements[:n], same) {
		for i := n - 1; i >= 0; i-- { // another order
			removeElement(was, i)
		}
	}
	for _, e := range now.Elements[len(was.Elements):] {
		appendElement(was, e.Value)
	}
}

func mergeObject(was, now *hujson.Object) error {
	named := func(o *hujson.Object) (names []string) {
		for _, m := range o.Members {
			names = append(names, m.Name.Value.(hujson.Literal).String())
		}
		return names
	}
	for _, name := range named(was) {
		if !slices.Contains(named(now), name) {
			removeMember(was, name)
		}
	}
	for i, name := range named(now) {
		v, err := member(was, name, true, func(string) hujson.ValueTrimmed { return hujson.Literal("null") })
		if err != nil {
			return err
		}
		if err := merge(v, now.Members[i].Value); err != nil {
			return err
		}
	}
	return nil
}

// ErrUnset is the error of a setting that the file does not set.
var ErrUnset = errors.New("the file does not set it")

// Unset takes a setting out of a file. Comments before it stay; one on its line goes
// with it. An object that held nothing else stays, empty.
func Unset(file, name string) error {
	if _, ok := find(name); !ok && !isGroup(name) {
		return fmt.Errorf("unknown setting %q%s", name, suggest(name))
	}
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s: %w", name, ErrUnset)
	}
	return edit(file, func(root *hujson.Value) error {
		o, ok := root.Value.(*hujson.Object)
		for rest := name; ok; {
			first, deeper, more := strings.Cut(rest, ".")
			if !more {
				if removeMember(o, first) {
					return nil
				}
				break
			}
			v, err := member(o, first, false, nil)
			if err != nil {
				break
			}
			o, ok = v.Value.(*hujson.Object)
			rest = deeper
		}
		return fmt.Errorf("%s: %w", name, ErrUnset)
	})
}

// removeMember takes out every member of a name, since the last one of two counts.
func removeMember(o *hujson.Object, name string) (found bool) {
	for i := len(o.Members) - 1; i >= 0; i-- {
		m := o.Members[i]
		if m.Name.Value.(hujson.Literal).String() != name {
			continue
		}
		found = true
		said, _ := comments(m.Name.BeforeExtra)
		o.Members = append(o.Members[:i], o.Members[i+1:]...)
		next := &o.AfterExtra
		switch {
		case i < len(o.Members):
			next = &o.Members[i].Name.BeforeExtra
		case i > 0: // it was the last: its comma goes, too, unless last ones have one
			o.Members[i-1].Value.AfterExtra = m.Value.AfterExtra
			if m.Value.AfterExtra != nil {
				o.Members[i-1].Value.AfterExtra = hujson.Extra{}
			}
		}
		if said != "" {
			*next = append(hujson.Extra(strings.TrimSuffix(said, "\n")), ensureLine(said, *next)...)
		}
	}
	return found
}

// Schema is the JSON Schema of a settings file, for editors.
func Schema() []byte {
	root := map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "forge.json", "type": "object",
		"allowTrailingCommas": true, "additionalProperties": false,
		"properties": map[string]any{"$schema": map[string]any{"type": "string"}},
	}
	notes := abouts()
	for _, k := range Keys() {
		at := root
		parts := strings.Split(k.Name, ".")
		for _, p := range parts[:len(parts)-1] {
			props := at["properties"].(map[string]any)
			inner, ok := props[p].(map[string]any)
			if !ok {
				inner = map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
				props[p] = inner
			}
			at = inner
		}
		a := notes[k.Name]
		text := a.text
		if a.preset != "" {
			text += "; unset: " + a.preset
		}
		own := a.schema(text)
		maps.Copy(own, bounds(k.Name))
		at["properties"].(map[string]any)[parts[len(parts)-1]] = own
	}
	b, _ := json.MarshalIndent(root, "", "  ") // of texts and booleans
	return append(b, '\n')
}

func (a about) schema(text string) map[string]any {
	s := map[string]any{"description": text}
	switch a.kind {
	case Text:
		s["type"] = "string"
	case Words:
		s["enum"] = a.words
	case Number:
		s["type"] = "number"
	case Whole:
		s["type"] = "integer"
	case Switch:
		s["type"] = "boolean"
	case List:
		item := map[string]any{"type": "string"}
		if a.words != nil {
			item["enum"] = a.words
		}
		s["type"], s["items"] = "array", item
	case Object:
		s["type"] = "object"
	case Named:
		s["type"], s["additionalProperties"] = "object", bindingsSchema()
	}
	return s
}
