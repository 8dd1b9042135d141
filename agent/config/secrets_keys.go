package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// guard reads whether secrets are hidden. A word that cannot be read is taken for
// the stricter one.
func guard(c *Config, raw json.RawMessage) error {
	err := text(func(c *Config) *string { return &c.Secrets.Guard }, guards)(c, raw)
	if err != nil {
		c.Secrets.Guard = guards[0]
	}
	return err
}

// stricterWord lets a project set a word no looser than the person's; words are
// the strictest first, and the first one is what is when nothing is set.
func stricterWord(words []string, at func(*Config) *string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var word string
		if err := text(func(*Config) *string { return &word }, words)(c, raw); err != nil {
			return err
		}
		mine := *at(c)
		if mine == "" {
			mine = words[0]
		}
		if slices.Index(words, word) > slices.Index(words, mine) {
			return fmt.Errorf("a project may only make it stricter than %s", mine)
		}
		*at(c) = word
		return nil
	}
}

// expressions adds regular expressions to what is there. One that cannot be read
// costs itself alone.
func expressions(at func(*Config) *[]string) func(*Config, json.RawMessage) error {
	return func(c *Config, raw json.RawMessage) error {
		var list []string
		if err := decode(raw, &list); err != nil {
			return err
		}
		var failed error
		for _, e := range list {
			if _, err := regexp.Compile(e); err != nil {
				failed = err
				continue
			}
			*at(c) = append(*at(c), e)
		}
		return failed
	}
}
