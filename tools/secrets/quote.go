package secrets

import (
	"errors"
	"strings"
)

// plainWord are the bytes that mean nothing to a shell wherever they stand.
func plainWord(value string) bool {
	bare := strings.TrimRight(value, "=") // base64 ends so; elsewhere it may be an assignment
	for i := range len(bare) {
		c := bare[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte("_-./+:@%,", c) >= 0:
		default:
			return false
		}
	}
	return bare != "" && bare[0] != '-'
}

// path says whether a value might be meant as a place: a command was judged by its
// placeholder, which is none.
func path(value string) bool {
	return strings.Contains(value, "..") || strings.HasPrefix(value, "/") && (len(value) < 20 || strings.Count(value, "/") > 3) ||
		strings.HasPrefix(value, "~") || strings.HasPrefix(value, "./")
}

var errQuote = errors.New("its value holds characters a shell acts on, and here they cannot be quoted for certain; " +
	"put it into single quotes in a plain command, or let the program read it from a file")

var errPath = errors.New("its value looks like a path, and a command that was judged without it could go somewhere else; let the program read it from a file")

// inCommand is a value as it must be written at text[at:], so that a POSIX shell
// takes it as letters of a word and nothing more. A value of harmless letters is
// written as it is. Any other needs to know in which quotes it stands; where that
// cannot be told for certain it fails.
func inCommand(text string, at int, value string) (string, error) {
	if path(value) {
		return "", errPath
	}
	if plainWord(value) {
		return value, nil
	}
	if strings.IndexByte(value, 0) >= 0 {
		return "", errQuote
	}
	// Constructs in which quotes begin anew or mean nothing.
	for _, hard := range []string{"<<", "`", "$(", "${", "$'", `$"`, "((", "#", "<(", ">("} {
		if strings.Contains(text, hard) {
			return "", errQuote
		}
	}
	var quote byte
	for i := 0; i < at; i++ {
		switch c := text[i]; {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
		case c == '\\':
			i++
			if i == at {
				return "", errQuote
			}
		case quote == '"':
			if c == '"' {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		}
	}
	switch quote {
	case '\'':
		return strings.ReplaceAll(value, "'", `'\''`), nil
	case '"':
		if strings.ContainsAny(value, "!") { // only an interactive shell acts on it, but it cannot be escaped either
			return `"'` + strings.ReplaceAll(value, "'", `'\''`) + `'"`, nil
		}
		return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(value), nil
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'", nil
}
