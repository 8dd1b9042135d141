package main

import (
	"cmp"
	"errors"
	"strings"

	"forge/agent/config"
	"forge/ui/lang"
)

// speak puts the person's language in force, before any face has said a word: that of
// --lang, else of the setting, else of the environment. A setting that names none
// is told about later, by wrongLang, since it is no reason not to start.
func speak(args []string, getenv func(string) string) error {
	if tag, given := langFlag(args); given {
		if err := lang.Use(tag); err != nil {
			return errors.New(lang.T("of --lang: %s", err.Error()))
		}
		return nil
	}
	tag := ""
	if dirs, err := config.Paths(); err == nil {
		tag = config.Lang(dirs.File())
	}
	if tag == "" || lang.Use(tag) != nil {
		return lang.Use(lang.Detect(getenv))
	}
	return nil
}

// langFlag finds --lang before the flags are read: their own help is in that
// language.
func langFlag(args []string) (tag string, given bool) {
	for i, a := range args {
		switch {
		case a == "--":
			return tag, given
		case a == "--lang" && i+1 < len(args):
			tag, given = args[i+1], true
		case strings.HasPrefix(a, "--lang="):
			tag, given = strings.TrimPrefix(a, "--lang="), true
		}
	}
	return tag, given
}

// wrongLang says what is wrong with the setting; empty: nothing.
func wrongLang(setting string) string {
	for _, tag := range lang.Tags() {
		if cmp.Or(setting, lang.English) == tag {
			return ""
		}
	}
	return lang.T("the setting lang: %s", lang.Unknown(setting).Error())
}
