package main

import (
	"reflect"
	"regexp"

	"forge/tools"
	"forge/tools/secrets"
	"forge/ui/lang"
)

// openVeil makes what hides secrets from models, unless the person wants none.
// Its key is of this machine, so that a conversation that is gone on with finds
// the same placeholders.
func (f *forge) openVeil() {
	if f.cfg.Secrets.Guard == "off" {
		f.notices = append(f.notices, lang.T("secrets are not hidden from the model: secrets.guard is off"))
		return
	}
	key, err := secrets.Key(f.dirs.VeilKey())
	if err != nil {
		f.notices = append(f.notices, lang.T("secrets are hidden, but a later forge cannot go on with their placeholders: %s", err.Error()))
	}
	f.veil = secrets.New(secrets.Options{Key: key, Allow: expressions(f.cfg.Secrets.Allow), Extra: expressions(f.cfg.Secrets.Extra)})
}

// goOnVeiled takes over what hides secrets from the folder that is left: the values behind
// the placeholders of the conversation are in its memory alone. Where a folder's settings
// want it otherwise, that begins anew, as it would at a start.
func (f *forge) goOnVeiled() {
	if reflect.DeepEqual(f.cfg.Secrets, f.from.cfg.Secrets) {
		f.veil = f.from.veil
		return
	}
	f.openVeil()
}

// expressions compiles what the settings found readable.
func expressions(texts []string) (out []*regexp.Regexp) {
	for _, t := range texts {
		if re, err := regexp.Compile(t); err == nil {
			out = append(out, re)
		}
	}
	return out
}

// kept is a text as it may be kept on disk.
func (f *forge) kept(text string) string {
	if f.veil != nil {
		text, _ = f.veil.Mask(text)
	}
	return text
}

var _ tools.Veil = (*secrets.Guard)(nil)
