package main

import (
	"errors"

	"forge/agent/config"
	"forge/ui/cli"
	"forge/ui/keymap"
)

// bound makes the screen's keys of what the settings say, and a line for a person for
// every entry that cannot be taken.
func bound(cfg *config.Config) (keys *keymap.Map, problems []string) {
	entries := make([]keymap.Entry, len(cfg.Bindings))
	for i, b := range cfg.Bindings {
		entries[i] = keymap.Entry{Action: b.Action, Keys: b.Keys}
	}
	keys, wrong := keymap.New(entries)
	for _, w := range wrong {
		problems = append(problems, cfg.Bindings[w.Entry].Misread(w.Text))
	}
	return keys, problems
}

// problemsOf lists what is wrong with a person's settings file.
func problemsOf(file string) []string {
	cfg := config.Load(file, "")
	_, wrong := bound(cfg)
	return append(cfg.Problems, wrong...)
}

// keyList lists the actions of the screen with the keys they have and had.
func keyList(file string) []cli.KeyAction {
	keys, _ := bound(config.Load(file, ""))
	var out []cli.KeyAction
	for _, b := range keymap.Actions() {
		out = append(out, cli.KeyAction{Name: string(b.Action), About: b.Help, Keys: keys.Keys(b.Action), Default: b.Keys})
	}
	return out
}

// setSetting stores a setting in a person's file; keys are looked at first, so that
// what would be left out at the next start is refused at once.
func setSetting(file, name, value string) error {
	if name == "keys" {
		raw, err := config.Read(name, value)
		if err != nil {
			return err
		}
		list, err := config.ReadBindings(raw)
		if err != nil {
			return err
		}
		if _, wrong := bound(&config.Config{Bindings: list}); len(wrong) > 0 {
			return errors.New(wrong[0])
		}
	}
	return config.Set(file, name, value)
}
