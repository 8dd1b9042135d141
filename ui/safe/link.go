package safe

import (
	"hash/fnv"
	"net/url"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// maxTarget is how long the target of a link may be: the widget of GNOME's terminals takes
// no more than some 2,000 bytes.
const maxTarget = 2000

// WebTarget is what an address from outside may lead to when it is clicked, and empty where
// it is not to be clicked: only the web and mail are, as what else an address can start
// (files, scripts, programs with a scheme of their own) is nobody's to choose but the
// person's. Of a mail only the address is taken: what follows a question mark could attach
// a file. All but the letters of an address is written as %XX.
func WebTarget(address string) string {
	scheme, rest, ok := strings.Cut(address, ":")
	if !ok || len(address) > maxTarget || Line(address) != address {
		return ""
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http", "https":
		host, ok := strings.CutPrefix(rest, "//")
		if !ok || host == "" || strings.ContainsRune("/?#:@", rune(host[0])) {
			return ""
		}
	case "mailto":
		if at := strings.IndexByte(rest, '@'); at < 1 || at == len(rest)-1 || strings.ContainsAny(rest, "?&#") {
			return ""
		}
	default:
		return ""
	}
	return short(scheme + ":" + encoded(rest))
}

// FileTarget is the target of a file of this machine, which is called host; a terminal
// on another one knows by the name that the file is not there. path is absolute.
func FileTarget(host, path string) string {
	if path == "" || Line(path) != path || strings.HasPrefix(path, `\\`) {
		return ""
	}
	if len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') { // of a drive; no host is understood there
		host, path = "", "/"+strings.ReplaceAll(path, `\`, "/")
	}
	if path[0] != '/' {
		return ""
	}
	u := url.URL{Path: path}
	return short("file://" + url.PathEscape(host) + encoded(u.EscapedPath()))
}

func short(target string) string {
	if len(target) > maxTarget {
		return ""
	}
	return target
}

// encoded writes what may not stand in an address as %XX.
func encoded(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~:/?#[]@!$&'()*+,;=%", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	return b.String()
}

// Linked is the sequence (OSC 8) that begins a link, and the one that ends it; both are
// empty without a target, which must be one of WebTarget or FileTarget. The parts of a
// link that is broken into rows have one id, made of the target, so that a terminal takes
// them for one.
func Linked(target string) (begin, end string) {
	if target == "" {
		return "", ""
	}
	sum := fnv.New32a()
	sum.Write([]byte(target))
	return ansi.SetHyperlink(target, "id="+strconv.FormatUint(uint64(sum.Sum32()), 36)), ansi.ResetHyperlink()
}
