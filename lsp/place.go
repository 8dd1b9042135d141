package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// uriOf is a file's name in the protocol.
func uriOf(path string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") { // C:/…
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// pathOf is the file a name of the protocol means; empty: none of this machine. Servers
// write one name in several ways.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	return native(u.Path, runtime.GOOS == "windows")
}

func native(p string, windows bool) string {
	if windows && len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = strings.ToUpper(p[1:2]) + p[2:]
	}
	if p == "" {
		return ""
	}
	return filepath.Clean(filepath.FromSlash(p))
}

// The encodings of positions a server may count in.
const (
	utf8Units  = "utf-8"
	utf16Units = "utf-16" // where a server says nothing
	utf32Units = "utf-32"
)

// column turns a server's offset in a line into the number of the letter there, from 1.
// An offset within a letter counts as that letter's, one behind the line as its end.
func column(line string, offset int, units string) int {
	col, at := 1, 0
	for i, r := range line {
		n := 1
		switch units {
		case utf8Units:
			n = utf8.RuneLen(r)
			if r == utf8.RuneError {
				_, n = utf8.DecodeRuneInString(line[i:])
			}
		case utf32Units:
		default:
			if r > 0xffff {
				n = 2
			}
		}
		if at+n > offset {
			return col
		}
		at += n
		col++
	}
	return col
}

// lineOf is a line of a text, from 0, without its end: LF, CR LF or CR, as the protocol
// counts them. ok is false where there are fewer.
func lineOf(text string, n int) (line string, ok bool) {
	for ; ; n-- {
		end := strings.IndexAny(text, "\r\n")
		if n == 0 {
			if end < 0 {
				end = len(text)
			}
			return text[:end], true
		}
		if end < 0 {
			return "", false
		}
		if text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n' {
			end++
		}
		text = text[end+1:]
	}
}
