package config

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/tailscale/hujson"
)

// Part gives one top-level value of a settings file, comments and layout left out; nil
// where it is not there, empty, or the file cannot be read.
func Part(text []byte, name string) json.RawMessage {
	root, err := hujson.Parse(append(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), '\n'))
	if err != nil {
		return nil
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	var found json.RawMessage
	for _, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() == name {
			found = standard(m.Value)
		}
	}
	switch string(found) {
	case "null", "{}", "[]":
		return nil
	}
	return found
}

// Readable says why Part cannot read a settings file; nil: it can.
func Readable(text []byte) error {
	root, err := hujson.Parse(append(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), '\n'))
	if err == nil {
		if _, ok := root.Value.(*hujson.Object); !ok {
			err = errors.New("it holds no JSON object")
		}
	}
	return err
}
