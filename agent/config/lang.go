package config

import (
	"bytes"
	"encoding/json"

	"github.com/tailscale/hujson"
)

// Lang reads the one setting that counts before everything else can be read: the
// language of forge's own words. Whatever is wrong with the file is told later, by
// Load.
func Lang(file string) string {
	text, err := readFile(file)
	if err != nil || !bytes.Contains(text, []byte(`"lang"`)) {
		return ""
	}
	text, err = hujson.Standardize(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if err != nil {
		return ""
	}
	var c struct {
		Lang string `json:"lang"`
	}
	if json.Unmarshal(text, &c) != nil {
		return ""
	}
	return c.Lang
}
