package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Bound caps the text of a result. The zero Bound keeps 48 KiB and drops the
// rest; with a Dir the whole text is kept in a file there and the model is told
// its name.
type Bound struct {
	Max int    // bytes; 0: 48 KiB
	Dir string // a private folder of the session; empty: the rest is dropped
}

const defaultBound = 48 << 10

// Apply returns text, or its head and tail with a note of what is missing. The
// cut falls between lines where there are any, else between runes. Bytes that are
// not UTF-8 are replaced: a request that holds one is refused by some servers, and
// the session with it.
func (b Bound) Apply(id, text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	limit := b.Max
	if limit <= 0 {
		limit = defaultBound
	}
	if len(text) <= limit {
		return text
	}
	head := cutBack(text, limit*2/3)
	tail := cutForward(text, len(text)-limit/3)
	missing := text[len(head) : len(text)-len(tail)]
	where := ""
	if path, err := b.Keep(id, text); err == nil && path != "" {
		where = "; the whole is in " + path
	}
	return fmt.Sprintf("%s\n… (%d bytes, %d lines left out%s) …\n%s",
		strings.TrimRight(head, "\n"), len(missing), strings.Count(missing, "\n"), where, tail)
}

// Keep writes the whole text of a call's result into Dir and returns the file's
// name, empty where there is no Dir.
func (b Bound) Keep(id, text string) (string, error) { return b.KeepAs(id, "txt", []byte(text)) }

// KeepAs is Keep for what is no text; extension is the kind of file, without a dot.
func (b Bound) KeepAs(id, extension string, data []byte) (string, error) {
	if b.Dir == "" {
		return "", nil
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return "", err
	}
	name := filepath.Join(b.Dir, strings.Map(safeName, id)+"."+strings.Map(safeName, extension))
	return name, os.WriteFile(name, data, 0o600)
}

func safeName(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
		return r
	}
	return '_'
}

// cutBack returns the start of s, at most n bytes, up to the end of a line if one
// ends in its second half.
func cutBack(s string, n int) string {
	if i := strings.LastIndexByte(s[:n], '\n'); i > n/2 {
		return s[:i+1]
	}
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutForward returns the end of s from byte n on, from the start of a line if one
// starts in its first half.
func cutForward(s string, n int) string {
	if i := strings.IndexByte(s[n:], '\n'); i >= 0 && i < (len(s)-n)/2 {
		return s[n+i+1:]
	}
	for n < len(s) && !utf8.RuneStart(s[n]) {
		n++
	}
	return s[n:]
}
