package main

import (
	"encoding/json"
	"errors"

	"forge/agent/config"
	"forge/ui"
)

// favorites are the models a person marked, in their own settings, and those used lately.
// The file is read whenever they are wanted: another forge may have changed it.
func (f *forge) favorites() *ui.Favorites {
	file := f.dirs.File()
	return &ui.Favorites{
		List: func() (marked, recent []string) {
			return config.Load(file, "").Favorites, f.dirs.LastUsed().Recent
		},
		Keep: func(marked []string) error { return keepList(file, "favorite_models", marked) },
	}
}

// keepList stores a list in a settings file; an empty one is taken out.
func keepList(file, name string, list []string) error {
	if len(list) == 0 {
		if err := config.Unset(file, name); !errors.Is(err, config.ErrUnset) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return config.Set(file, name, string(text))
}
