package config

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tailscale/hujson"
)

// Binding is the keys a person chose for an action of the screen, as they wrote them.
// No keys: the action is to have none. Which actions and keys there are, the screen
// knows.
type Binding struct {
	Action string
	Keys   []string
	File   string // where it stands; empty: nowhere
	Line   int    // from 1
}

// Misread is the line for a person that tells what is wrong with a binding.
func (b Binding) Misread(why string) string {
	text := "keys." + b.Action + ": " + why + "; left out"
	if b.File != "" {
		text = fmt.Sprintf("%s:%d: %s", b.File, b.Line, text)
	}
	return text
}

// ReadBindings reads an object of actions to a key or a list of keys, in its order.
func ReadBindings(raw json.RawMessage) ([]Binding, error) {
	v, err := hujson.Parse(raw)
	if err != nil {
		return nil, err
	}
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("must be an object of actions, each with a key or a list of keys")
	}
	var list []Binding
	for _, m := range o.Members {
		b := Binding{Action: m.Name.Value.(hujson.Literal).String()}
		var key string
		switch raw := standard(m.Value); {
		case json.Unmarshal(raw, &key) == nil && string(raw) != "null":
			b.Keys = []string{key}
		case json.Unmarshal(raw, &b.Keys) != nil || string(raw) == "null":
			return nil, fmt.Errorf("%s must be a key or a list of keys", b.Action)
		}
		list = append(list, b)
	}
	return list, nil
}

// bindingsFrom notes where the bindings of a file stand.
func (f *file) bindingsFrom(v hujson.Value) {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := range f.config.Bindings {
		b := &f.config.Bindings[i]
		if i < len(o.Members) {
			b.File, b.Line = f.path, f.line(o.Members[i].Name.StartOffset)
		}
	}
}

// bindingsSchema is what an object of keys looks like to an editor.
func bindingsSchema() map[string]any {
	return map[string]any{"anyOf": []any{
		map[string]any{"type": "string"},
		map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
	}}
}
