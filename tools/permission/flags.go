package permission

import (
	"slices"
	"strings"
)

// known is a command that may run unasked: the flags it may have, spelled
// exactly, and what its operands are. Whatever is not listed makes it a question.
//
// Flags are words in one string. "-abc" are three flags without a value, "-n:"
// has a value, "-f@" has a file to read as its value, "-U?" may have a value
// attached, "-#" is a number ("-5"), "--long", "--long:" and "--long?" likewise.
type known struct {
	flags string
	// operands: "" none, "text" anything, "files" to read, "text files" a text and
	// then files; "text?" where the text is missing if a flag gave it.
	operands string
	most     int // the most operands there may be; 0: any number
	single   bool
	// at: a word that begins with @ is a file of more words.
	at bool
	// check has the last word.
	check func(s *scan, u use) bool
}

// use is a command line taken apart by a known.
type use struct {
	flags    []flag
	operands []word
}

type flag struct {
	name, value string
	has         bool // a value was given
}

func (u use) has(names ...string) bool {
	return slices.ContainsFunc(u.flags, func(f flag) bool { return slices.Contains(names, f.name) })
}

// value gives the last value of a flag.
func (u use) value(names ...string) string {
	v := ""
	for _, f := range u.flags {
		if slices.Contains(names, f.name) {
			v = f.value
		}
	}
	return v
}

// split takes args apart; ok is false where one is not listed.
func (k known) split(s *scan, args []word) (use, bool) {
	var u use
	kinds := k.kinds()
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a.lit && a.text == "--" {
			u.operands = append(u.operands, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(a.text, "-") || a.text == "-" {
			u.operands = append(u.operands, a)
			continue
		}
		if !a.lit && !(a.glob && s.staysAsItIs(a.text)) {
			return u, false
		}
		next := func() (string, bool) {
			if i++; i >= len(args) || !args[i].lit {
				return "", false
			}
			return args[i].text, true
		}
		if !k.take(s, &u, kinds, a.text, next) {
			return u, false
		}
	}
	return u, true
}

// kinds maps each flag to "", ":", "@" or "?".
func (k known) kinds() map[string]string {
	m := map[string]string{}
	for f := range strings.FieldsSeq(k.flags) {
		kind := ""
		if n := len(f) - 1; strings.ContainsRune(":@?", rune(f[n])) {
			f, kind = f[:n], f[n:]
		}
		if strings.HasPrefix(f, "--") || k.single || len(f) == 2 {
			m[f] = kind
			continue
		}
		for _, r := range f[1:] {
			m["-"+string(r)] = kind
		}
	}
	return m
}

func (k known) take(s *scan, u *use, kinds map[string]string, arg string, next func() (string, bool)) bool {
	add := func(name, value string, has bool) bool {
		u.flags = append(u.flags, flag{name, value, has})
		return kinds[name] != "@" || s.readable(value)
	}
	if strings.HasPrefix(arg, "--") || k.single {
		name, value, attached := strings.Cut(arg, "=")
		kind, ok := kinds[name]
		switch {
		case !ok:
			return false
		case kind == "":
			return !attached && add(name, "", false)
		case attached:
			return add(name, value, true)
		case kind == "?":
			return add(name, "", false)
		}
		v, ok := next()
		return ok && add(name, v, true)
	}
	if _, ok := kinds["-#"]; ok && strings.Trim(arg[1:], "0123456789") == "" {
		return add("-#", arg[1:], true)
	}
	for i := 1; i < len(arg); i++ {
		name := "-" + arg[i:i+1]
		kind, ok := kinds[name]
		rest := arg[i+1:]
		switch {
		case !ok:
			return false
		case kind == "":
			if !add(name, "", false) {
				return false
			}
			continue
		case kind == "?" || rest != "":
			return add(name, rest, rest != "")
		}
		v, ok := next()
		return ok && add(name, v, true)
	}
	return true
}

// allows reports whether the arguments are all listed and harmless.
func (k known) allows(s *scan, args []word) bool {
	if k.at && slices.ContainsFunc(args, func(w word) bool {
		return strings.HasPrefix(w.text, "@") || w.glob && !strings.Contains(w.text, "/") && s.anyAt(w.text)
	}) {
		return false
	}
	u, ok := k.split(s, args)
	if !ok || k.most > 0 && len(u.operands) > k.most || k.operands == "" && len(u.operands) > 0 {
		return false
	}
	rest := u.operands
	if strings.HasPrefix(k.operands, "text") {
		given := strings.HasPrefix(k.operands, "text?") && u.has("-e", "-f", "--regexp", "--file")
		for !given && len(rest) > 0 {
			if !rest[0].lit && !(rest[0].found && k.operands == "text") {
				return false
			}
			rest = rest[1:]
			if strings.HasSuffix(k.operands, "files") {
				break
			}
		}
	}
	for _, w := range rest {
		if !w.one && k.most > 0 { // it may become more of them than there may be
			return false
		}
		if !s.fileWord(w) {
			return false
		}
	}
	return k.check == nil || k.check(s, u)
}
