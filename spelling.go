package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"

	"forge/programs"
	"forge/tools/child"
	"forge/ui"
	"forge/ui/doctor"
	"forge/ui/lang"
	"forge/ui/spelling"
)

// speller is the person's own spelling checker for a face. It is from their own settings
// and none other, and nothing is started before a word is asked about.
type speller struct{ *spelling.Checker }

func (f *forge) speller() speller {
	langs, _ := spelling.Languages(f.cfg.Spelling) // what is wrong with it the settings have said
	return speller{spelling.New(langs, spelling.Programs(), spellingEnviron(os.Environ(), f.hands.workspace.WritableRoots()...))}
}

// spellingEnviron is what a checker sees of the environment: what any program beside
// forge does, and where its dictionaries are. None that lies in dirs, the folders of the
// work, is found by it.
func spellingEnviron(ours []string, dirs ...string) []string {
	own := map[string]string{}
	for _, kv := range ours {
		switch name, value, _ := strings.Cut(kv, "="); name {
		case "DICPATH", "WORDLIST", "ASPELL_CONF", "ENCHANT_CONFIG_DIR":
			own[name] = value
		}
	}
	return child.Environ(own, programs.Environ(ours, dirs...))
}

func (s speller) screen() *ui.Spelling {
	return &ui.Spelling{On: s.On, Check: s.Check, Again: s.Again, Learn: s.Learn, Use: func(setting string) error {
		langs, err := spelling.Languages(setting)
		if err != nil {
			return err
		}
		s.Use(langs)
		return nil
	}}
}

// spelling says which checker has each language of the setting.
func (c checkup) spelling(ctx context.Context) (out []doctor.Finding) {
	found := func(l doctor.Level, text, fix string) {
		out = append(out, doctor.Finding{ID: "program.spelling", Level: l, Text: text, Fix: fix})
	}
	langs, err := spelling.Languages(c.f.cfg.Spelling)
	switch {
	case err != nil:
		found(doctor.Warn, lang.Said(err.Error()), "")
	case len(langs) == 0:
		found(doctor.Ok, lang.T("the spelling of prompts is not checked; editor.spelling set to a language does that"), "")
	}
	for _, l := range langs {
		program, err := spelling.Who(spelling.Programs(), l, spellingEnviron(os.Environ(), c.root))
		var missing *spelling.Missing
		switch {
		case err == nil:
			found(doctor.Ok, lang.T("spelling in %s: %s", l, program), "")
		case errors.As(err, &missing) && missing.None:
			found(doctor.Warn, lang.T("no spelling checker is installed: hunspell, aspell or enchant"), installDictionary(l, true))
		case missing != nil:
			found(doctor.Warn, lang.T("no dictionary for %s: %s", l, missing.Said), installDictionary(l, false))
		default:
			found(doctor.Warn, lang.Said(err.Error()), "")
		}
	}
	return out
}

// installDictionary says how a dictionary is installed here, and a checker where there is
// none.
func installDictionary(l string, checker bool) string {
	name := strings.ReplaceAll(strings.ToLower(l), "_", "-")
	switch runtime.GOOS {
	case "darwin":
		return lang.T("install %s, for example: %s", "aspell", "brew install aspell")
	case "linux":
		if checker {
			return lang.T("install %s, for example: %s", "hunspell", "sudo apt install hunspell hunspell-"+name)
		}
		return lang.T("install its dictionary, for example: %s", "sudo apt install hunspell-"+name)
	}
	return lang.T("install hunspell, and put %s where it looks for dictionaries", l+".aff, "+l+".dic")
}
