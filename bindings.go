package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"forge/agent/config"
	"forge/ui/cli"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/theme"
)

// bound makes the screen's keys of what the settings say, and a line for a person for
// every entry that cannot be taken. nil: nobody chose any.
func bound(cfg *config.Config) (keys *keymap.Map, problems []string) {
	if len(cfg.Bindings) == 0 {
		return nil, nil
	}
	keys, wrong := keymap.New(entries(cfg.Bindings))
	for _, w := range wrong {
		problems = append(problems, cfg.Bindings[w.Entry].Misread(w.Text))
	}
	return keys, problems
}

func entries(list []config.Binding) []keymap.Entry {
	out := make([]keymap.Entry, len(list))
	for i, b := range list {
		out[i] = keymap.Entry{Action: b.Action, Keys: b.Keys}
	}
	return out
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

// setSetting stores a setting in a person's file; keys, the language and the theme are
// looked at first, so that
// what would be left out at the next start is refused at once.
func setSetting(file, name, value string) error {
	switch name {
	case "lang":
		if raw, err := config.Read(name, value); err == nil && !slices.Contains(lang.Tags(), word(raw)) {
			return lang.Unknown(word(raw))
		}
	case "theme":
		if raw, err := config.Read(name, value); err == nil {
			if _, err := theme.Find(filepath.Join(filepath.Dir(file), "themes"), word(raw)); err != nil {
				return err
			}
		}
	case "keys":
		raw, err := config.Read(name, value)
		if err != nil {
			return err
		}
		list, err := config.ReadBindings(raw)
		if err != nil {
			return err
		}
		if _, wrong := keymap.New(entries(list)); len(wrong) > 0 {
			return fmt.Errorf("keys.%s: %s; left as it was", list[wrong[0].Entry].Action, wrong[0].Text)
		}
	}
	return config.Set(file, name, value)
}

// word is a setting that is a text, without its quotes.
func word(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text) // Read made it: it is JSON
	return text
}
