package markdown

import (
	"net/url"
	"strings"
)

// elsewhere reports whether the text of a link names a host that is not the one it leads
// to, as [github.com](https://elsewhere.example) does. Without a scheme no such name is an
// address, and the last part of the target's path, as in [main.go](https://…/main.go), is
// what the text says.
func elsewhere(text, dest string) bool {
	u, err := url.Parse(dest)
	for _, word := range strings.Fields(text) {
		word = strings.Trim(word, "()[]{}<>\"'.,;:!")
		host := word
		if _, behind, ok := strings.Cut(host, "://"); ok {
			host = behind
		}
		host, _, _ = strings.Cut(host, "/")
		host, _, _ = strings.Cut(host, "?")
		host, _, _ = strings.Cut(host, "#")
		host = host[strings.LastIndex(host, "@")+1:]
		if name, port, ok := strings.Cut(host, ":"); ok && strings.Trim(port, "0123456789") == "" {
			host = name
		}
		switch {
		case !reads(host):
		case err != nil:
			return true
		case strings.EqualFold(bare(u.Hostname()), bare(host)), strings.HasSuffix(u.Path, "/"+word), strings.HasSuffix(u.Opaque, word):
		default:
			return true
		}
	}
	return false
}

func bare(host string) string { return strings.TrimPrefix(strings.ToLower(host), "www.") }

// reads reports whether a word reads as the name of a host: names of letters, digits and
// dashes with dots between them, the last of letters alone.
func reads(host string) bool {
	names := strings.Split(host, ".")
	for i, name := range names {
		last := i == len(names)-1
		if name == "" || last && len(name) < 2 || strings.ContainsFunc(name, func(r rune) bool {
			letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
			return !letter && (last || (r < '0' || r > '9') && r != '-')
		}) {
			return false
		}
	}
	return len(names) > 1
}
