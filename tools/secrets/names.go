package secrets

import (
	"strings"

	"forge/lazy"
)

// An about is what a name says of the value beside it.
type about int

const (
	nothing   about = iota
	password        // a person's word: short ones count
	token           // a key or a token, by its name for certain
	someKey         // a key of some sort: it must look drawn by lot
	header          // an Authorization header: the value comes behind a scheme
	authField       // user and password in base64
)

func (n about) kind() kind {
	switch n {
	case password:
		return kindPassword
	case token, header:
		return kindToken
	case authField:
		return kindBasic
	}
	return kindKey
}

// holds says whether v is a secret beside such a name. sure: it stands where only
// values stand.
func (n about) holds(v string, sure bool) bool {
	switch n {
	case password:
		return secretPassword(v, sure)
	case token:
		if sure {
			return secretToken(v, 12, 2.8)
		}
		return secretToken(v, 16, 3) && (!identifier(v) || entropy(v) >= 3.5)
	case someKey:
		return secretToken(v, 20, 3.5) && !hash(v) && !camel(v)
	case authField:
		return basic(v)
	}
	return false
}

// ends are how names of secrets end, written small and without _ - and dots.
var passwordEnds = []string{"password", "passwd", "passphrase", "pwd", "passcode", "passwort", "pw"}

var tokenEnds = []string{"token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "secretaccesskey", "authkey", "signingkey", "encryptionkey",
	"masterkey", "accountkey", "sharedaccesskey", "clientsecret", "credential", "credentials", "secretkeybase", "licensekey", "storagekey", "servicekey",
	"hmackey", "jwtkey", "sshkey", "aeskey", "appkey", "applicationkey", "consumerkey", "subscriptionkey", "deploykey", "webhookkey", "integrationkey",
	"xapikey", "auth", "securitykey", "serverkey", "sessionkey", "cookiekey", "pat", "signature", "sig", "adminkey", "writekey", "ingestkey"}

// open are names that end so and say something else.
var open = []string{"publickey", "publickeytoken", "resettoken", "pagetoken", "nextpagetoken", "nexttoken", "continuationtoken", "cursortoken", "synctoken", "resumetoken", "canceltoken",
	"cancellationtoken", "csrftokenname", "primarykey", "cachekey", "idempotencykey", "sitekey", "publishablekey", "tokenkey", "unauth", "author",
	"invalidtoken", "eostoken", "bostoken", "padtoken", "unktoken", "starttoken", "stoptoken", "currenttoken", "lasttoken", "previoustoken",
	"integritykey", "compat", "pathpat", "requireauth", "noauth", "hasauth", "oldpwd"}

// tails are words behind a name that do not change what it is of.
var tails = []string{"value", "prod", "production", "dev", "development", "staging", "test", "live", "old", "new", "current", "default", "base", "primary", "secondary", "v1", "v2", "1", "2", "3", "id"}

// naming says what a name is of. It knows names of any style: API_KEY, apiKey,
// api-key, spring.datasource.password.
func naming(name string) about {
	if len(name) < 2 || len(name) > 80 || !telling(name) {
		return nothing
	}
	var buf [80]byte
	n, caps, joint := 0, true, false
	for i := range len(name) {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.':
			joint = true
			continue
		case c >= 'a' && c <= 'z':
			caps = false
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		buf[n] = c
		n++
	}
	low := string(buf[:n])
	if what := ending(low, name); what != nothing {
		return what
	}
	for _, tail := range tails {
		rest, ok := strings.CutSuffix(low, tail)
		if !ok || rest == "" {
			continue
		}
		if what := ending(rest, ""); what == password || what == token && tail != "id" && tail != "base" || strings.HasSuffix(rest, "accesskey") || strings.HasSuffix(rest, "secretkey") {
			return what
		}
	}
	if strings.HasSuffix(low, "key") && joint && (caps || strings.HasPrefix(low, "x")) {
		for _, o := range open {
			if strings.HasSuffix(low, o) {
				return nothing
			}
		}
		return someKey
	}
	if low == "key" {
		return someKey
	}
	return nothing
}

// telling is a quick no for most names: none of a secret is without one of these.
func telling(name string) bool {
	for i := 0; i+1 < len(name); i++ {
		b, c := name[i+1]|0x20, byte(0)
		if i+2 < len(name) {
			c = name[i+2] | 0x20
		}
		switch name[i] | 0x20 {
		case 'p':
			if b == 'a' && (c == 's' || c == 't' && i+3 == len(name)) || b == 'w' && (c == 'd' || c == 0) {
				return true
			}
		case 't':
			if b == 'o' && c == 'k' {
				return true
			}
		case 's':
			if b == 'e' && c == 'c' || b == 'i' && c == 'g' {
				return true
			}
		case 'k':
			if b == 'e' && c == 'y' {
				return true
			}
		case 'a':
			if b == 'u' && c == 't' {
				return true
			}
		case 'c':
			if b == 'r' && c == 'e' {
				return true
			}
		}
	}
	return false
}

func ending(low, name string) about {
	if len(low) < 2 {
		return nothing
	}
	switch low[len(low)-1] { // of all that come below
	case 'd', 'e', 't', 'w', 'n', 'y', 'l', 's', 'h', 'g', 'p', 'k':
	default:
		return nothing
	}
	switch low {
	case "authorization", "proxyauthorization", "xauthorization":
		return header
	case "auth", "authbasic":
		return authField
	case "pwd": // the folder a shell is in, mostly; a connection string says it too
		return password
	}
	for _, o := range open {
		if strings.HasSuffix(low, o) {
			return nothing
		}
	}
	if low == "pass" || strings.HasSuffix(low, "pass") && name != "" && boundary(name, 4) {
		return password
	}
	for _, e := range passwordEnds {
		if strings.HasSuffix(low, e) && (len(e) > 3 || name == "" || low == e || boundary(name, len(e))) {
			return password
		}
	}
	for _, e := range tokenEnds {
		if !strings.HasSuffix(low, e) {
			continue
		}
		if len(e) <= 4 && (low == e && e != "sig" || name == "" || low != e && !boundary(name, len(e))) {
			continue
		}
		if e == "token" || e == "secret" || len(e) > 4 || low != e {
			return token
		}
		return token
	}
	return nothing
}

// boundary says whether a word of a name begins n letters before its end.
func boundary(name string, n int) bool {
	i := len(name) - n
	if i <= 0 {
		return true
	}
	return !alnum[name[i-1]] || up(name[i]) && !up(name[i-1])
}

// mayEnd are the bytes names of secrets end with: a quick no for most colons.
var mayEnd = lazy.Value[*class]{Of: func() *class {
	return set("dDeEtTwWnNyYlLsShHgGpPkK123")
}}

// value reads what stands behind the = or : at i, if a name before it says that it
// is a secret, and returns where to go on less one.
func (s *scanner) value(i int) int {
	t := s.text
	if t[i] == ':' {
		if strings.HasPrefix(t[i:], "://") {
			s.address(i)
			return i
		}
		if i+35 < len(t) && t[i+1] == 'A' && t[i+2] == 'A' && i >= 8 {
			s.telegram(i)
		}
	}
	// The name.
	end := i
	if end > 0 && (t[end-1] == ':' || t[end-1] == '?' || t[end-1] == '+') && t[i] == '=' { // := ?= +=
		end--
	}
	for end > 0 && (t[end-1] == ' ' || t[end-1] == '\t') && i-end < 24 {
		end--
	}
	quoted := false
	if end > 0 && (t[end-1] == '"' || t[end-1] == '\'' || t[end-1] == '`') {
		end--
		quoted = true
		if end > 0 && t[end-1] == '\\' {
			end--
		}
	} else if end > 1 && t[end-1] == ']' && (t[end-2] == '"' || t[end-2] == '\'') {
		end -= 2
		quoted = true
	}
	if end == 0 || !mayEnd.Get()[t[end-1]] {
		return i
	}
	begin := end
	for begin > 0 && end-begin < 81 && (url64[t[begin-1]] || t[begin-1] == '.') {
		begin--
	}
	// A letter after a backslash is no part of the name: "\npassword".
	if begin > 0 && t[begin-1] == '\\' && end-begin > 1 {
		begin++
	}
	name := t[begin:end]
	if name == "PASS" && t[i] == ':' { // a test's verdict
		return i
	}
	if n := len(name); n >= 6 && n <= 10 && (strings.EqualFold(name, "cookie") || strings.EqualFold(name, "set-cookie") || strings.EqualFold(name, "set_cookie")) {
		s.cookies(i + 1)
		return i
	}
	what := naming(name)
	if what == nothing || t[i] == ':' && begin > 1 && t[begin-2:begin] == "//" { // a user in an address
		return i
	}
	from, to, style := s.right(i, begin, quoted)
	if from >= to {
		return i
	}
	if strings.HasPrefix(name, "--") && style == loose {
		style = quotes
	}
	if what != password && style == line { // A=1 command
		if n := strings.IndexByte(t[from:to], ' '); n > 0 {
			to = from + n
		}
	}
	v := t[from:to]
	switch what {
	case header:
		s.authorization(from, to)
		return i
	case authField:
		if style == loose {
			return i
		}
	case password:
		if strings.EqualFold(name, "pwd") && (v[0] == '/' || style == loose) {
			return i
		}
	}
	if low := strings.ToLower(name); (strings.HasSuffix(low, "sig") || strings.HasSuffix(low, "signature")) && (begin == 0 || t[begin-1] != '?' && t[begin-1] != '&') {
		return i
	}
	if what.holds(v, style != loose) {
		s.known(from, to, what.kind())
		return to - 1
	}
	return i
}

// authorization reads "Scheme credentials".
func (s *scanner) authorization(from, to int) {
	v := s.text[from:to]
	// The header may go on to the end of its line, or of its quotes.
	if n := strings.IndexAny(s.text[from:min(len(s.text), from+4096)], "\"'`\n\\"); n >= 0 {
		v = s.text[from : from+n]
	}
	scheme, rest, ok := strings.Cut(strings.TrimSpace(v), " ")
	if !ok {
		scheme, rest = "", scheme
	}
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "basic") {
		return // read where the word stands
	}
	rest = strings.TrimSpace(rest)
	if n := run(rest, anyKey); n < len(rest) {
		rest = rest[:n]
	}
	if i := strings.Index(v, rest); i >= 0 && secretToken(rest, 16, 3) {
		s.known(from+i, from+i+len(rest), kindToken)
	}
}

// address reads the user and password of a URL whose :// is at i.
func (s *scanner) address(i int) {
	t := s.text
	if i == 0 || !alnum[t[i-1]] {
		return
	}
	from := i + 3
	at := -1
	j := from
	for ; j < len(t) && j-from < 600; j++ {
		c := t[j]
		if c == '@' {
			at = j
			continue
		}
		if c <= ' ' || strings.IndexByte("/?#\"'`<>\\,", c) >= 0 && (c != '#' || at >= 0) {
			break
		}
	}
	if at < 0 {
		return
	}
	user, pass, ok := strings.Cut(t[from:at], ":")
	if !ok {
		if secretToken(user, 20, 3) {
			s.known(from, at, kindURLPassword)
		}
		return
	}
	low := strings.ToLower(pass)
	if len(pass) < 4 || usual.Get()[low] || example(pass) || strings.EqualFold(user, pass) || strings.HasPrefix(pass, "$") || strings.HasPrefix(pass, "%") ||
		strings.ContainsAny(pass, "{}()[]|") || strings.HasPrefix(pass, ":") {
		return
	}
	s.known(from+len(user)+1, at, kindURLPassword)
}

// telegram reads a bot's token: its number, a colon at i, and 35 letters.
func (s *scanner) telegram(i int) {
	t := s.text
	n := i
	for n > 0 && t[n-1] >= '0' && t[n-1] <= '9' {
		n--
	}
	if end := i + 1 + run(t[i+1:], url64); telegram(t[n:end]) {
		s.emit(find{n, end, kindChat})
	}
}

func telegram(v string) bool {
	n := run(v, set10.Get())
	return n >= 8 && n <= 10 && len(v) == n+36 && v[n] == ':' && run(v[n+1:], url64) == 35 && strings.HasPrefix(v[n+1:], "AA")
}
