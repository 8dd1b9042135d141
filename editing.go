package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"forge/agent"
	"forge/agent/config"
	"forge/tilde"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/theme"
)

// settingsOf lists the settings as the screen and `forge config` show them.
func settingsOf(user, project string) []cli.Setting {
	var out []cli.Setting
	for _, s := range config.Settings(user, project) {
		words := s.Words
		if s.Kind == config.Switch {
			words = []string{"true", "false"}
		}
		switch s.Name {
		case "lang":
			words = lang.Tags()
		case "theme":
			all, _ := theme.List(filepath.Join(filepath.Dir(user), "themes"))
			for _, t := range all {
				words = append(words, t.Name)
			}
		}
		out = append(out, cli.Setting{Name: s.Name, About: s.About, Words: words, Value: s.Value, Default: s.Default, Source: s.Source})
	}
	return out
}

// settingsEditor is the editor of the person's file, on the screen.
func (f *forge) settingsEditor() *ui.Settings {
	file, project := f.dirs.File(), config.ProjectFile(f.hands.workspace.Root())
	return &ui.Settings{
		File: tilde.Short(file),
		List: func() []ui.Setting {
			var out []ui.Setting
			for _, s := range settingsOf(file, project) {
				out = append(out, ui.Setting{Name: s.Name, About: s.About, Words: s.Words, Value: cli.Typed(s.Value), Default: s.Default, Source: tilde.Short(s.Source)})
			}
			return out
		},
		Set:   func(name, value string) error { return setSetting(file, name, value) },
		Unset: func(name string) error { return config.Unset(file, name) },
	}
}

// configCommands is what `forge config` does it with.
func configCommands() cli.ConfigOptions {
	person := func() (string, error) {
		dirs, err := config.Paths()
		return dirs.File(), err
	}
	return cli.ConfigOptions{
		File: person,
		List: func(f cli.Flags) ([]cli.Setting, error) {
			file, err := person()
			if err != nil {
				return nil, err
			}
			return settingsOf(file, config.ProjectFile(cmp.Or(f.Dir, "."))), nil
		},
		Problems: problemsOf,
		Keys: func() ([]cli.KeyAction, error) {
			file, err := person()
			return keyList(file), err
		},
		Set: func(name, value string) error {
			file, err := person()
			if err != nil {
				return err
			}
			return setSetting(file, name, value)
		},
		Unset: func(name string) error {
			file, err := person()
			if err != nil {
				return err
			}
			return config.Unset(file, name)
		},
		Schema: config.Schema,
	}
}

// powers lists what the rules and the grants of this session say, for the screen.
func (f *forge) powers() []ui.Power {
	var out []ui.Power
	guard := f.hands.guard
	for _, text := range guard.Granted() {
		out = append(out, ui.Power{Text: text, Detail: lang.T("granted for this session"), Revoke: func() error {
			if !guard.Revoke(text) {
				return fmt.Errorf(lang.T("%s was taken back already"), text)
			}
			return nil
		}})
	}
	root := f.hands.workspace.Root()
	all, problems, err := standings(root, f.flags)
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, s := range all {
		r := s.Rule
		detail := lang.T("in force")
		if !s.InForce {
			detail = lang.T("not in force: %s", lang.Said(s.Why))
		}
		p := ui.Power{Text: r.String(), Detail: detail + " (" + tilde.Short(r.Source) + ")"}
		if r.Tier == permission.TierUser {
			p.Revoke = func() error {
				if _, err := changeRule(root, cli.RuleChange{Rule: r, Text: r.Text(), Remove: true}); err != nil {
					return err
				}
				guard.Drop(r)
				return nil
			}
		}
		out = append(out, p)
	}
	for _, text := range problems {
		out = append(out, ui.Power{Text: text, Detail: lang.T("a problem of the files")})
	}
	return out
}

// toolList lists the tools the model may be given, with about what each costs.
func (f *forge) toolList() []ui.ToolChoice {
	var out []ui.ToolChoice
	count := f.agent.Counter()
	for _, t := range f.hands.registry.List() {
		about, _, _ := strings.Cut(t.Spec.Description, "\n")
		out = append(out, ui.ToolChoice{Name: t.Spec.Name, Owner: t.Owner, About: about, On: !t.Off, Deferred: t.Deferred,
			Tokens: count(agent.ToolText(t.Spec.Name, t.Spec.Description, t.Spec.Schema))})
	}
	return out
}
