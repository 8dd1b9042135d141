package mcp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"forge/lazy"
)

// ownReference is {env:NAME} or {file:PATH}, which the person's own files may have beside
// ${NAME}: a project's may not, since a file of this machine is nothing of a stranger's.
var ownReference = lazy.Regexp{Expr: `\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\{file:([^{}]+)\}`}

// secretMax bounds what is taken from a file, in bytes.
const secretMax = 64 << 10

// elsewhere replaces them; relative paths begin in dir.
func elsewhere(s, dir string, getenv func(string) (string, bool)) (string, error) {
	var failed error
	fail := func(err error) string {
		if failed == nil {
			failed = err
		}
		return ""
	}
	out := ownReference.Get().ReplaceAllStringFunc(s, func(m string) string {
		g := ownReference.Get().FindStringSubmatch(m)
		if g[2] == "" {
			v, ok := getenv(g[1])
			if !ok {
				return fail(fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-default}", g[1], g[1]))
			}
			return v
		}
		text, err := secretFile(strings.TrimSpace(g[2]), dir)
		if err != nil {
			return fail(err)
		}
		return text
	})
	return out, failed
}

// around takes a text apart at them.
func around(s string) (parts []string) {
	at := 0
	for _, m := range ownReference.Get().FindAllStringIndex(s, -1) {
		parts = append(parts, s[at:m[0]], s[m[0]:m[1]])
		at = m[1]
	}
	return append(parts, s[at:])
}

func secretFile(path, dir string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular() || fi.Size() > secretMax:
		return "", fmt.Errorf("%s is no file of at most %d bytes", path, secretMax)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := strings.TrimRight(string(b), "\r\n")
	if strings.ContainsAny(text, "\r\n\x00") {
		return "", fmt.Errorf("%s has more than one line", path)
	}
	return text, nil
}
