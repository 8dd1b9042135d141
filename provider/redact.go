package provider

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/lazy"
)

// secrets matches what looks like a key in text: the well-known prefixes, and
// values that stand behind a name that says "key" or "token". The first group,
// where there is one, is kept.
var secrets = []*lazy.Regexp{
	{Expr: `(?i)((?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token)?\s*)[^\s"',;}]{6,}`},
	{Expr: `(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}`},
	{Expr: `(?i)((?:x-api-key|api[_-]?key|apikey|access[_-]?token|client[_-]?secret|x-goog-api-key)\\?["']?\s*[:=]\s*\\?["']?)[^\s"'\\,;&}]{6,}`},
	{Expr: `(?i)([?&](?:key|token|sig|signature|access_token|api_key|apikey)=)[^&\s"'\\\[][^&\s"'\\]*`},
	{Expr: `(://[^/\s:@"'\\]*:)[^/\s@"'\\]+@`},
	{Expr: `\b(?:sk|gsk|xai|hf|r8|nvapi|pplx|csk|fw|tgp)[-_][A-Za-z0-9_*-]{16,}`},
	{Expr: `\bAIza[0-9A-Za-z_-]{20,}`},
	{Expr: `\bgh[pousr]_[A-Za-z0-9]{20,}`},
	{Expr: `\bgithub_pat_[A-Za-z0-9_]{20,}`},
	{Expr: `\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}`},
	{Expr: `\bAKIA[0-9A-Z]{16}\b`},
}

const removed = "[key removed]"

// Redact removes what looks like a key from text that a person, a log or a file
// will see. What it puts in place keeps JSON valid JSON. It is a net with holes, not a promise: nothing that is known to be a
// key may rely on it.
func Redact(s string) string {
	if len(s) < 8 {
		return s
	}
	for _, compiled := range secrets {
		re := compiled.Get()
		if !re.MatchString(s) {
			continue
		}
		repl := removed
		if re.NumSubexp() > 0 {
			repl = "${1}" + removed
		}
		if strings.HasSuffix(re.String(), "@") {
			repl += "@"
		}
		if re.NumSubexp() == 0 {
			// Code is full of long names with such a beginning; a key has digits.
			s = re.ReplaceAllStringFunc(s, func(m string) string {
				if strings.ContainsAny(m, "0123456789*") {
					return repl
				}
				return m
			})
			continue
		}
		s = re.ReplaceAllString(s, repl)
	}
	return s
}

// Address is a URL as a screen, a log or a report may have it: Redact, and parts of its path
// that look like a key. Some gateways take one there, and names of models and versions
// are no keys.
func Address(url string) string {
	url = Redact(url)
	at := strings.Index(url, "://")
	if at < 0 {
		return url
	}
	from := strings.IndexByte(url[at+3:], '/')
	if from < 0 {
		return url
	}
	from += at + 3
	to := from + len(url[from:])
	if i := strings.IndexAny(url[from:], "?#"); i >= 0 {
		to = from + i
	}
	parts := strings.Split(url[from:to], "/")
	for i, part := range parts {
		if likeKey(part) && !strings.Contains(part, removed) {
			parts[i] = removed
		}
	}
	return url[:from] + strings.Join(parts, "/") + url[to:]
}

// likeKey reports whether a part of a path may be a key: longer than a name is, or a long
// run of letters and digits.
func likeKey(part string) bool {
	if !strings.ContainsAny(part, "0123456789") {
		return len(part) > 24 && !strings.ContainsAny(part, "-._:")
	}
	for run := range strings.FieldsFuncSeq(part, func(r rune) bool { return strings.ContainsRune("-._:@~", r) }) {
		if len(run) > 8 {
			return true
		}
	}
	return len(part) > 24
}

// messageMax bounds Error.Message, in bytes: enough for every known text, short
// enough for a status line that wraps a few times.
const messageMax = 600

// oneLine folds white space, drops control characters and cuts at messageMax.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if unicode.IsControl(r) || r == utf8.RuneError {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if b.Len() > messageMax {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
