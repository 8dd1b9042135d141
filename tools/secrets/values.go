package secrets

import (
	"math"
	"strings"

	"forge/lazy"
)

// classes says which sorts of letters are in s.
func classes(s string) (digit, letter, other bool) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			letter = true
		default:
			other = true
		}
	}
	return
}

// entropy is how many bits a letter of s carries.
func entropy(s string) float64 {
	if s == "" {
		return 0
	}
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits, n := 0.0, float64(len(s))
	for _, c := range count {
		if c > 0 {
			p := float64(c) / n
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

// shown are parts of values that documents give as an example, in lower case.
var shown = []string{
	"example", "xxxx", "your", "placeholder", "changeme", "change_me", "change-me", "redacted", "****", "....", "dummy", "sample",
	"<", ">", "${", "{{", "$(", "%s", "%v", "todo", "fixme", "insert", "replace", "…",
	"client_secret", "1234567890", "0123456789", "abcdefgh", "abcd1234", "0000000", "deadbeef", "ixmjm0nty3odkw",
}

// example says whether a value is one that stands in documents, or shows where
// one is to be put.
func example(value string) bool {
	low := strings.ToLower(value)
	for _, s := range shown {
		if strings.Contains(low, s) {
			return true
		}
	}
	return false
}

// usual are values that are no secret, since everybody writes them.
var usual = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set2("password", "passwd", "pass", "secret", "token", "key", "test", "testing", "admin", "root", "user", "guest", "postgres",
		"mysql", "redis", "mongo", "rabbitmq", "none", "null", "nil", "true", "false", "undefined", "empty", "string", "required", "optional",
		"hidden", "mysecret", "mypassword", "mytoken", "p@ssw0rd", "password1", "password123", "pass123", "test123", "foobar", "foo", "bar", "baz", "qwerty",
		"123456", "12345678", "letmein", "default", "prompt", "unset", "development", "production", "secretkey", "apikey", "hunter2", "s3cr3t", "secret123",
		"bearer", "basic", "digest", "oauth", "oauth2", "inherit", "disabled", "enabled", "minioadmin", "abc123", "passw0rd", "topsecret", "supersecret", "super-secret", "my-secret", "not-a-secret")
}}

func set2(words ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		m[w] = true
	}
	return m
}

// identifier says whether a value is a name in a program: words, with dots,
// brackets or arrows between.
func identifier(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !word[s[i]] && strings.IndexByte(".[]>-:?!&*", s[i]) < 0 {
			return false
		}
	}
	return true
}

// place says whether a value is a path, an address or a reference.
func place(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") ||
		strings.HasPrefix(s, "$") || strings.HasPrefix(s, "%") || strings.HasPrefix(s, "@") && len(s) < 40 && identifier(s[1:]) {
		return true
	}
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		return true
	}
	if strings.HasPrefix(s, "/") {
		return strings.Count(s, "/") > 1 && !random(s, 4.3) || len(s) < 20
	}
	return strings.Count(s, "/") > 1 && words(s)
}

// words says whether a value is made of words and small numbers, joined: a name,
// a version, a slug.
func words(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("-_./: ,", r) })
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		digit, letter, other := classes(p)
		if other || digit && letter && len(p) > 4 || digit && !letter && len(p) > 6 || letter && !digit && len(p) > 14 || letter && mixed(p) {
			return false
		}
	}
	return true
}

// mixed says whether large and small letters alternate as in no word.
func mixed(s string) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if up(s[i]) != up(s[i-1]) {
			changes++
		}
	}
	return changes > 4
}

func up(c byte) bool { return c >= 'A' && c <= 'Z' }

// random says whether a value looks drawn by lot: letters and digits, at least so
// many bits a letter.
func random(s string, bits float64) bool {
	digit, letter, _ := classes(s)
	return digit && letter && entropy(s) >= bits
}

// hash says whether a value looks like a sum or an identifier: hexadecimal, a
// UUID, or one with its algorithm before it.
func hash(s string) bool {
	low := strings.ToLower(s)
	for _, p := range []string{"sha1", "sha256", "sha384", "sha512", "md5", "h1:", "blake", "$2a$", "$2b$", "$2y$", "$argon2", "$6$", "$5$", "$1$", "pbkdf2", "{sha", "scrypt:"} {
		if strings.HasPrefix(low, p) {
			return true
		}
	}
	n := 0
	for i := range len(low) {
		switch {
		case hexa[low[i]]:
			n++
		case low[i] != '-':
			return false
		}
	}
	return n >= 8
}

// secretPassword says whether a value beside a name for passwords is one. sure:
// it stands where only values stand, in an env file or in quotes.
func secretPassword(v string, sure bool) bool {
	if len(v) < 6 || len(v) > 256 || usual.Get()[strings.ToLower(v)] || place(v) || example(v) || hash(v) && strings.HasPrefix(v, "$") {
		return false
	}
	if strings.Contains(v, "required") || strings.Contains(v, "min:") { // what a form asks for
		return false
	}
	digit, letter, other := classes(v)
	if !sure {
		return digit && letter && !identifier(v) && !strings.ContainsAny(v, "(){}[]<>$`\\,|") && entropy(v) >= 2.5
	}
	if strings.ContainsAny(v, "(){}<>`|\\") && !digit || strings.HasSuffix(v, ":") {
		return false
	}
	if words(v) && !digit && !other {
		return false
	}
	return digit && (letter || other) || other && letter && !words(v) && !identifier(v) && !strings.ContainsAny(v, " .")
}

// secretToken says whether a value beside a name for tokens and keys is one.
func secretToken(v string, least int, bits float64) bool {
	if len(v) < least || len(v) > 4096 || place(v) || example(v) || words(v) {
		return false
	}
	if strings.Count(v, ".") == 1 && identifier(v) && strings.ToUpper(v) == v { // a package's constant
		return false
	}
	for i := range len(v) {
		if v[i] <= ' ' || v[i] >= 0x7f || strings.IndexByte("(){}<>`\\|\"'", v[i]) >= 0 {
			return false
		}
	}
	if strings.Contains(strings.TrimRight(v, "="), "=") { // a name and a value of its own
		return false
	}
	low := strings.ToLower(v)
	if strings.HasPrefix(low, "sha") && hash(low) || strings.HasPrefix(low, "h1:") || strings.HasPrefix(low, "arn:") || strings.HasPrefix(low, "urn:") {
		return false
	}
	return random(v, bits) && !camel(v)
}

// camel says whether a value is a name in a program that has a digit in it, and
// so is no random letters: HTMLElement2, getTokenFromV1Response.
func camel(s string) bool {
	if !identifier(s) || strings.ContainsAny(s, "-") {
		return false
	}
	run, runs, small, longest, nums := 0, 0, 0, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			run++
			small++
			if run == 1 {
				runs++
			}
			longest = max(longest, run)
		case c >= '0' && c <= '9':
			if i == 0 || s[i-1] < '0' || s[i-1] > '9' {
				nums++ // numbers, not digits
			}
			run = 0
		default:
			run = 0
		}
	}
	return longest >= 5 && nums <= 2 && small >= 3*runs
}
