package screentest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Press is one of the ways in which terminals send a key.
type Press struct {
	By    string // whose way it is
	Bytes string
}

// The modifiers, as both CSI and Kitty's protocol number them.
const (
	shift = 1 << iota
	alt
	ctrl
	super

	numLock = 128
)

// Keys with a name, and how they are numbered: by a letter behind CSI, by a number
// before a tilde, by a code of Kitty's protocol.
var (
	letters = map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
	tildes  = map[string]int{"insert": 2, "delete": 3, "pgup": 5, "pgdown": 6, "f5": 15, "f6": 17, "f7": 18, "f8": 19, "f9": 20, "f10": 21, "f11": 23, "f12": 24}
	codes   = map[string]int{"enter": 13, "tab": 9, "esc": 27, "backspace": 127, "space": 32}
	keypad  = map[string]int{"enter": 57414, "left": 57417, "right": 57418, "up": 57419, "down": 57420, "pgup": 57421, "pgdown": 57422,
		"home": 57423, "end": 57424, "insert": 57425, "delete": 57426, "1": 57400, "2": 57401, "3": 57402}
	plain = map[string]string{"enter": "\r", "tab": "\t", "esc": "\x1b", "backspace": "\x7f", "space": " "}
	low   = map[string]string{"f1": "P", "f2": "Q", "f3": "R", "f4": "S"}
)

// rxvt writes the modifiers of numbered keys as another last letter.
var rxvt = map[int]string{0: "~", shift: "$", ctrl: "^", ctrl | shift: "@"}

// uppers are the characters of an American keyboard's shifted keys, and lowers what
// is on the same keys.
const (
	uppers = `~!@#$%^&*()_+{}|:"<>?`
	lowers = "`1234567890-=[]\\;',./"
)

// Sent lists the ways in which terminals send a key, which is named as in "ctrl+k",
// "alt+shift+left", "pgup" or "G": the one of xterm first, where it has one. Of those
// that tell keys apart, Kitty's protocol is written as forge asks for it, with
// alternate keys, and xterm's modifyOtherKeys as level 2 has it.
func Sent(key string) []Press {
	usual, _ := ways(key)
	return usual
}

// Rarely lists the ways that a key is sent in by Kitty's protocol while num lock is on,
// from a keypad, or from a keyboard for another language.
func Rarely(key string) []Press {
	_, rare := ways(key)
	return rare
}

func ways(key string) (usual, rare []Press) {
	name, mod := split(key)
	add := func(by, format string, args ...any) {
		p := Press{by, fmt.Sprintf(format, args...)}
		to := &usual
		if strings.HasSuffix(by, ", by Kitty's protocol") {
			to = &rare
		}
		if !slices.ContainsFunc(*to, func(o Press) bool { return o.Bytes == p.Bytes }) {
			*to = append(*to, p)
		}
	}
	r, one := utf8.DecodeRuneInString(name)
	switch {
	case letters[name] != "":
		sendLettered(add, name, mod)
	case low[name] != "":
		if n := slices.Index([]string{"f1", "f2", "f3", "f4"}, name); mod == 0 {
			add("xterm", "\x1bO%s", low[name])
			add("vt220", "\x1b[%d~", 11+n)
			add("the console of Linux", "\x1b[[%c", 'A'+n)
		} else if name != "f3" { // of which it would be an answer about the cursor
			add("xterm", "\x1b[1;%d%s", mod+1, low[name])
		}
	case tildes[name] != 0:
		sendNumbered(add, name, mod)
	case codes[name] != 0:
		sendNamed(add, name, mod)
	case one == len(name):
		sendTyped(add, r, mod)
	}
	if n := keypad[name]; n != 0 {
		by := "a keypad, by Kitty's protocol"
		if mod == 0 {
			add(by, "\x1b[%du", n)
		} else {
			add(by, "\x1b[%d;%du", n, mod+1)
		}
		if name == "enter" && mod == 0 {
			add("a keypad", "\x1bOM")
		}
	}
	if len(usual) == 0 {
		panic("no terminal sends " + key)
	}
	return usual, rare
}

// split takes the modifiers off a key.
func split(key string) (name string, mod int) {
	for _, m := range []struct {
		name string
		bit  int
	}{{"ctrl+", ctrl}, {"alt+", alt}, {"shift+", shift}, {"super+", super}} {
		if rest := strings.Replace(key, m.name, "", 1); rest != key && rest != "" {
			key, mod = rest, mod|m.bit
		}
	}
	return key, mod
}

func sendLettered(add func(by, format string, args ...any), name string, mod int) {
	l := letters[name]
	if mod != 0 {
		add("xterm", "\x1b[1;%d%s", mod+1, l)
	} else {
		add("xterm", "\x1b[%s", l)
		add("xterm with application keys", "\x1bO%s", l)
	}
	if name == "home" || name == "end" {
		n := map[string][]int{"home": {1, 7}, "end": {4, 8}}[name]
		if mod == 0 {
			add("vt220", "\x1b[%d~", n[0])
		}
		if end := rxvt[mod]; end != "" {
			add("rxvt", "\x1b[%d%s", n[1], end)
		}
	} else if mod == shift {
		add("rxvt", "\x1b[%s", strings.ToLower(l))
	} else if mod == ctrl {
		add("rxvt", "\x1bO%s", strings.ToLower(l))
	}
	if mod == alt {
		add("esc as alt", "\x1b\x1b[%s", l)
	}
	add("num lock, by Kitty's protocol", "\x1b[1;%d%s", mod+1+numLock, l)
}

func sendNumbered(add func(by, format string, args ...any), name string, mod int) {
	n := tildes[name]
	if mod == 0 {
		add("xterm", "\x1b[%d~", n)
	} else {
		add("xterm", "\x1b[%d;%d~", n, mod+1)
	}
	if end := rxvt[mod]; end != "" && name[0] != 'f' {
		add("rxvt", "\x1b[%d%s", n, end)
	}
	if mod == alt {
		add("esc as alt", "\x1b\x1b[%d~", n)
	}
	if name == "f5" && mod == 0 {
		add("the console of Linux", "\x1b[[E")
	}
}

func sendNamed(add func(by, format string, args ...any), name string, mod int) {
	n := codes[name]
	switch {
	case mod == 0:
		add("xterm", "%s", plain[name])
		if name == "backspace" {
			add("a vt220's backspace", "\x08")
		}
		if name == "esc" {
			add("Kitty's protocol", "\x1b[27u")
		}
		return
	case mod == alt:
		add("xterm", "\x1b%s", plain[name])
	case mod == shift && name == "tab":
		add("xterm", "\x1b[Z")
	}
	add("Kitty's protocol", "\x1b[%d;%du", n, mod+1)
	add("num lock, by Kitty's protocol", "\x1b[%d;%du", n, mod+1+numLock)
	if mod&super == 0 {
		add("modifyOtherKeys", "\x1b[27;%d;%d~", mod+1, n)
	}
}

// sendTyped sends a key that writes a character, by itself or with modifiers.
func sendTyped(add func(by, format string, args ...any), r rune, mod int) {
	base, shifted := r, r
	if i := strings.IndexRune(uppers, r); i >= 0 {
		base = rune(lowers[i])
	} else if unicode.IsUpper(r) {
		base = unicode.ToLower(r)
	} else if mod&shift != 0 {
		shifted = unicode.ToUpper(r)
	}
	if mod == 0 {
		add("xterm", "%c", r)
		return // whatever tells keys apart leaves text alone
	}
	control := ""
	if strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_", base) || r == '_' {
		control = string(shifted & 0x1f)
	} else if r == '/' {
		control = "\x1f"
	}
	switch {
	case mod == ctrl && control != "":
		add("xterm", "%s", control)
	case mod == alt:
		add("xterm", "\x1b%c", r)
	case mod == ctrl|alt && control != "":
		add("xterm", "\x1b%s", control)
	}
	held := mod
	if base != shifted {
		held |= shift
	}
	if base == shifted {
		add("Kitty's protocol", "\x1b[%d;%du", base, held+1)
		add("num lock, by Kitty's protocol", "\x1b[%d;%du", base, held+1+numLock)
	} else {
		add("Kitty's protocol", "\x1b[%d:%d;%du", base, shifted, held+1)
	}
	if mod&super == 0 {
		add("modifyOtherKeys", "\x1b[27;%d;%d~", held+1, shifted)
		if held != mod {
			add("modifyOtherKeys, without shift", "\x1b[27;%d;%d~", mod+1, shifted)
		}
	}
	if russian := strings.IndexRune("qwertyuiop[]asdfghjkl;'zxcvbnm,.", base); russian >= 0 && base == shifted && unicode.IsLetter(base) {
		add("a Russian keyboard, by Kitty's protocol", "\x1b[%d::%d;%du", []rune("йцукенгшщзхъфывапролджэячсмитьбю")[russian], base, held+1)
	}
	if base == 'q' && mod == ctrl || base == 'a' && mod == ctrl {
		add("a French keyboard, by Kitty's protocol", "\x1b[%d::%d;%du", base, 'a'+'q'-base, held+1)
	}
}
