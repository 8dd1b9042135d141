package secrets

import (
	stdbase64 "encoding/base64"
	"strings"

	"forge/lazy"
)

// lookup is built when the first text is looked at: a start of forge need not
// wait for it.
var lookup = lazy.Value[*index]{Of: newIndex}

// A scanner goes over a text once. It looks closer only where a word begins as a
// key does, or where a sign stands that puts a value behind a name.
type scanner struct {
	text string
	x    *index
	emit func(find)
}

// scan finds secrets in text and gives them to emit, in no promised order.
func scan(text string, emit func(find)) {
	if len(text) < 6 {
		return
	}
	s := scanner{text, lookup.Get(), emit}
	t := text
	for i := 0; i < len(t); {
		c := t[i]
		if alnum[c] {
			if i+1 < len(t) && s.x.starts[uint16(c)<<8|uint16(t[i+1])] > 0 {
				if to := s.word(i); to > i {
					i = to
					continue
				}
			}
			// A word after an escape as in "\nghp_…" begins one letter later.
			if i > 0 && t[i-1] == '\\' && (c == 'n' || c == 't' || c == 'r') {
				i++
				continue
			}
			for i++; i < len(t) && word[t[i]]; i++ {
			}
			continue
		}
		switch c {
		case '=', ':':
			i = s.value(i)
		case '-':
			if strings.HasPrefix(t[i:], "-----") {
				i = s.block(i)
				continue
			}
			if strings.HasPrefix(t[i:], "--") && i+2 < len(t) && alnum[t[i+2]] && (i == 0 || t[i-1] == ' ' || t[i-1] == '"' || t[i-1] == '\'') {
				s.flag(i + 2)
			} else if strings.HasPrefix(t[i:], "-u ") && (i == 0 || t[i-1] == ' ') {
				s.userPass(i + 3)
			} else if strings.HasPrefix(t[i:], "-b ") && program(lineStart(t, i), "curl") >= 0 {
				s.cookies(i + 3)
			} else {
				s.short(i)
			}
		case '>':
			s.element(i)
		case '~':
			s.azure(i)
		}
		i++
	}
}

// word looks whether a key begins at i and returns where it ends, or i.
func (s *scanner) word(i int) int {
	t := s.text[i:]
	rules := s.x.of(t)
	for k := range rules {
		r := &rules[k]
		if n := r.match(t); n > 0 {
			if r.holds != "" && !strings.Contains(t[:n], r.holds) {
				continue
			}
			from := i
			if p := strings.TrimRight(r.prefix, "="); p != r.prefix || strings.Contains(r.prefix, "/") && r.prefix[len(r.prefix)-1] == '/' {
				from = i + len(r.prefix) // the name or the address stays to be read
			}
			s.emit(find{from, i + n, r.kind})
			return i + n
		}
	}
	switch t[0] {
	case 'e':
		if n := jwt(t); n > 0 {
			s.emit(find{i, i + n, kindJWT})
			return i + n
		}
	case 'B', 'b':
		return s.scheme(i)
	case 'p': // as in .netrc
		if strings.HasPrefix(t, "password ") && strings.Contains(lineStart(s.text, i), "login ") {
			from, to, _ := s.operand(i + len("password "))
			if password.holds(s.text[from:to], true) {
				s.known(from, to, kindPassword)
				return to
			}
		}
	case 'M', 'N', 'O':
		if n := discord(t); n > 0 {
			s.emit(find{i, i + n, kindChat})
			return i + n
		}
	}
	return i
}

// run is how many bytes at the begin of t are in c.
func run(t string, c *class) int {
	n := 0
	for n < len(t) && c[t[n]] {
		n++
	}
	return n
}

// jwt reads three parts of base64, of which the first two hold JSON.
func jwt(t string) int {
	if !strings.HasPrefix(t, "eyJ") {
		return 0
	}
	a := run(t, url64)
	if a < 16 || a+4 > len(t) || t[a:a+4] != ".eyJ" {
		return 0
	}
	b := a + 1 + run(t[a+1:], url64)
	if b >= len(t) || t[b] != '.' {
		return 0
	}
	c := b + 1 + run(t[b+1:], url64)
	if c-b < 16 || example(t[:c]) {
		return 0
	}
	return c
}

// discord reads a bot's token: its number in base64, a time, a signature.
func discord(t string) int {
	a := run(t, url64)
	if a < 23 || a > 28 || a >= len(t) || t[a] != '.' {
		return 0
	}
	b := a + 1 + run(t[a+1:], url64)
	if b-a != 7 || b >= len(t) || t[b] != '.' {
		return 0
	}
	c := b + 1 + run(t[b+1:], url64)
	if c-b < 28 || c-b > 42 {
		return 0
	}
	return c
}

// scheme reads "Bearer …" and "Basic …", with whatever the name before them is.
func (s *scanner) scheme(i int) int {
	t := s.text[i:]
	for _, p := range []struct {
		word string
		kind kind
	}{{"bearer ", kindBearer}, {"basic ", kindBasic}} {
		if len(t) <= len(p.word) || !strings.EqualFold(t[:len(p.word)], p.word) {
			continue
		}
		rest := strings.TrimLeft(t[len(p.word):], " ")
		from := i + len(t) - len(rest)
		n := run(rest, anyKey)
		v := strings.TrimRight(rest[:n], ".")
		ok := secretToken(v, 16, 3) && !camel(v)
		if p.kind == kindBasic {
			ok = basic(v)
		}
		if ok {
			s.known(from, from+len(v), p.kind)
			return from + len(v)
		}
	}
	return i
}

// known emits a value as what its own format says it is, else as kind k.
func (s *scanner) known(from, to int, k kind) {
	v := s.text[from:to]
	if len(v) > 2 {
		rules := s.x.of(v)
		for i := range rules {
			if r := &rules[i]; r.match(v) == len(v) {
				k = r.kind
			}
		}
		switch {
		case jwt(v) == len(v):
			k = kindJWT
		case telegram(v), discord(v) == len(v):
			k = kindChat
		}
	}
	s.emit(find{from, to, k})
}

// basic says whether a value is a user and a password in base64.
func basic(v string) bool {
	if len(v) < 8 {
		return false
	}
	b, err := stdbase64.StdEncoding.DecodeString(v)
	if err != nil {
		b, err = stdbase64.RawStdEncoding.DecodeString(v)
	}
	if err != nil {
		return false
	}
	user, pass, ok := strings.Cut(string(b), ":")
	if !ok || len(user)+len(pass) < 6 || example(string(b)) || usual.Get()[strings.ToLower(pass)] {
		return false
	}
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// flag reads "--password VALUE"; i is behind the dashes. What has = is found there.
func (s *scanner) flag(i int) {
	n := run(s.text[i:], url64)
	name := s.text[i : i+n]
	i += n
	if i >= len(s.text) || s.text[i] != ' ' {
		return
	}
	switch name {
	case "user":
		s.userPass(i + 1)
		return
	case "cookie":
		s.cookies(i + 1)
		return
	}
	what := naming(name)
	if what == nothing {
		return
	}
	from, to, _ := s.operand(i + 1)
	if v := s.text[from:to]; what.holds(v, true) && v[0] != '-' {
		s.known(from, to, what.kind())
	}
}

// userPass reads "user:password" as curl takes it.
func (s *scanner) userPass(i int) {
	from, to, _ := s.operand(i)
	v := s.text[from:to]
	c := strings.IndexByte(v, ':')
	if c < 1 || !secretPassword(v[c+1:], true) {
		return
	}
	digit, letter, _ := classes(v[:c])
	if letter || !digit { // else it is a process's user and group: 1000:1000
		s.emit(find{from + c + 1, to, kindPassword})
	}
}

// operand reads a word of a command line, or what is in quotes.
func (s *scanner) operand(i int) (from, to int, quoted bool) {
	t := s.text
	for i < len(t) && t[i] == ' ' {
		i++
	}
	if i < len(t) && (t[i] == '"' || t[i] == '\'') {
		if n := strings.IndexAny(t[i+1:min(len(t), i+4096)], string(t[i])+"\n"); n >= 0 && t[i+1+n] == t[i] {
			return i + 1, i + 1 + n, true
		}
	}
	from = i
	for i < len(t) && t[i] > ' ' && strings.IndexByte("\"'`|;&<>", t[i]) < 0 {
		i++
	}
	return from, i, false
}

// element reads "<password>VALUE</"; i is at the first >.
func (s *scanner) element(i int) {
	t := s.text
	n := i
	for n > 0 && i-n < 64 && (url64[t[n-1]] || t[n-1] == '.') {
		n--
	}
	if n == i || n == 0 || t[n-1] != '<' {
		return
	}
	what := naming(t[n:i])
	if what == nothing {
		return
	}
	end := strings.IndexAny(t[i+1:min(len(t), i+4096)], "<\n")
	if end <= 0 || t[i+1+end] != '<' {
		return
	}
	if what.holds(t[i+1:i+1+end], true) {
		s.known(i+1, i+1+end, what.kind())
	}
}

// azure reads a client secret of Azure: three letters, a digit, "Q~", and some
// thirty more.
func (s *scanner) azure(i int) {
	t := s.text
	if i < 5 || t[i-1] != 'Q' || t[i-2] < '0' || t[i-2] > '9' || i > 5 && anyKey[t[i-6]] && t[i-6] != '=' {
		return
	}
	n := run(t[i+1:], set34.Get())
	if n < 31 || n > 34 {
		return
	}
	s.emit(find{i - 5, i + 1 + n, kindAzure})
}

var set34 = lazy.Value[*class]{Of: func() *class { return set(lower + upper + digits + "_-.~") }}
