package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/ui/lang"
)

// mods are the modifiers in the order Bubble Tea names them, and what else people
// call them.
var (
	mods    = []string{"ctrl", "alt", "shift", "hyper", "super"}
	aliases = map[string]string{
		"control": "ctrl", "c": "ctrl", "option": "alt", "opt": "alt", "a": "alt", "m": "alt", "s": "shift",
		"cmd": "super", "command": "super", "win": "super", "meta": "super",
		"escape": "esc", "return": "enter", "cr": "enter", "del": "delete", "ins": "insert", "bs": "backspace",
		"pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "plus": "+", "minus": "-",
	}
	named = []string{"enter", "esc", "tab", "space", "backspace", "delete", "insert", "up", "down", "left", "right",
		"home", "end", "pgup", "pgdown"}
)

// Spell reads a key as a person writes it, "Ctrl+S", "option+left", "ctrl-x ctrl-e",
// and returns it as Bubble Tea names it.
func Spell(written string) (string, error) {
	strokes := strings.Fields(written)
	switch {
	case written == " ":
		return "space", nil
	case len(strokes) == 0 || len(strokes) > 2:
		return "", fmt.Errorf(lang.N("%q is no key: one key, or two with a blank between"), written)
	}
	for i, s := range strokes {
		k, ok := stroke(s)
		if !ok {
			return "", fmt.Errorf(lang.N("%q is no key: write it as ctrl+k, alt+enter, f5 or G"), written)
		}
		strokes[i] = k
	}
	return strings.Join(strokes, " "), nil
}

// stroke reads one key with its modifiers.
func stroke(s string) (string, bool) {
	var had []string
	for {
		at := strings.IndexAny(s, "+-")
		if at <= 0 || at == len(s)-1 {
			break
		}
		mod := strings.ToLower(s[:at])
		if as, ok := aliases[mod]; ok {
			mod = as
		}
		if !slices.Contains(mods, mod) || slices.Contains(had, mod) {
			return "", false
		}
		had, s = append(had, mod), s[at+1:]
	}
	name, ok := base(s)
	if !ok {
		return "", false
	}
	if r, n := utf8.DecodeRuneInString(name); n == len(name) && unicode.IsLetter(r) {
		if len(had) == 1 && had[0] == "shift" { // a capital, as it is typed
			return strings.ToUpper(name), true
		} else if len(had) > 0 { // Ctrl+S is what is printed on the keys
			name = strings.ToLower(name)
		}
	}
	var out strings.Builder
	for _, m := range mods {
		if slices.Contains(had, m) {
			out.WriteString(m + "+")
		}
	}
	return out.String() + name, true
}

// base reads a key without modifiers: its name, or the one character it types.
func base(s string) (string, bool) {
	if r, n := utf8.DecodeRuneInString(s); n == len(s) && unicode.IsPrint(r) && r != utf8.RuneError {
		return s, true
	}
	low := strings.ToLower(s)
	if as, ok := aliases[low]; ok && len(low) > 1 {
		low = as
	}
	var f int
	if _, err := fmt.Sscanf(low, "f%d", &f); err == nil && low == fmt.Sprintf("f%d", f) && f >= 1 && f <= 63 {
		return low, true
	}
	return low, slices.Contains(named, low) || low == "+" || low == "-"
}

// types reports whether a key writes a character.
func types(key string) bool { return key == "space" || utf8.RuneCountInString(key) == 1 }

// Shown is a key as docs print it: Ctrl+S, G, PgUp.
func Shown(key string) string {
	var strokes []string
	for s := range strings.FieldsSeq(key) {
		parts := []string{s}
		if len(s) > 1 && !strings.HasSuffix(s, "+") {
			parts = strings.Split(s, "+")
		}
		for i, p := range parts {
			r, n := utf8.DecodeRuneInString(p)
			switch {
			case strings.Contains(p, "…"): // no key, but many
			case p == "pgup", p == "pgdown":
				parts[i] = "Pg" + strings.ToUpper(p[2:3]) + p[3:]
			case len(p) > n || len(parts) > 1:
				parts[i] = string(unicode.ToUpper(r)) + p[n:]
			}
		}
		strokes = append(strokes, strings.Join(parts, "+"))
	}
	return strings.Join(strokes, " ")
}
