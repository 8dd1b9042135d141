package config

import (
	"encoding/json"
	"fmt"
)

// Spend is what work may cost. Zero values are no limits.
type Spend struct {
	Session, Day Spending
	Warn         int // percent of a limit above which the person is warned; 0: unset
}

// Spending is what may be spent.
type Spending struct {
	USD     float64
	Tokens  int // input and output
	Turns   int
	Minutes float64 // of work
}

// spendKeys are the settings of it: each kind for a conversation and for a day.
func spendKeys() []Key {
	var out []Key
	for _, s := range []struct {
		name string
		at   func(*Config) *Spending
	}{
		{"session", func(c *Config) *Spending { return &c.Spend.Session }},
		{"day", func(c *Config) *Spending { return &c.Spend.Day }},
	} {
		out = append(out,
			lower("spend."+s.name+".usd", func(c *Config) *float64 { return &s.at(c).USD }),
			lower("spend."+s.name+".tokens", func(c *Config) *int { return &s.at(c).Tokens }),
			lower("spend."+s.name+".turns", func(c *Config) *int { return &s.at(c).Turns }),
			lower("spend."+s.name+".minutes", func(c *Config) *float64 { return &s.at(c).Minutes }))
	}
	return append(out, Key{Name: "spend.warn", set: within(1, 100, func(c *Config) *int { return &c.Spend.Warn })})
}

// lower is a limit above 0 that a project may set or lower.
func lower[T int | float64](name string, at func(*Config) *T) Key {
	read := func(raw json.RawMessage) (n T, err error) {
		if err = decode(raw, &n); err == nil && n <= 0 {
			err = fmt.Errorf("must be above 0, not %v", n)
		}
		return n, err
	}
	return Key{Name: name,
		set: func(c *Config, raw json.RawMessage) error {
			n, err := read(raw)
			if err == nil {
				*at(c) = n
			}
			return err
		},
		restrict: func(c *Config, raw json.RawMessage) error {
			n, err := read(raw)
			if err != nil {
				return err
			}
			if mine := *at(c); mine > 0 && n > mine {
				return fmt.Errorf("a project may only lower it below %v", mine)
			}
			*at(c) = n
			return nil
		}}
}
