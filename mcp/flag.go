package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"forge/lazy"
)

// ParseFlag reads the value of --mcp: NAME=COMMAND…, NAME=URL, or a bare command or
// URL, which gets a name made of it. Words may be quoted as in a shell; nothing else
// of a shell is understood. demo is the small server forge has in itself, started as
// self.
func ParseFlag(value, self string) (string, ServerConfig, error) {
	src := Source{Scope: "flag"}
	value = strings.TrimSpace(value)
	if value == "demo" {
		return "demo", ServerConfig{Command: self, Args: []string{"mcp", "demo"}, Trust: true, Source: src}, nil
	}
	name, rest := "", value
	if n, r, ok := strings.Cut(value, "="); ok && serverName.Get().MatchString(n) {
		name, rest = n, r
	}
	words, err := splitWords(rest)
	if err != nil {
		return "", ServerConfig{}, fmt.Errorf("--mcp %s: %w", value, err)
	}
	if len(words) == 0 {
		return "", ServerConfig{}, fmt.Errorf("--mcp %q names no command; write NAME=COMMAND, NAME=URL or demo", value)
	}
	c := ServerConfig{Command: words[0], Args: words[1:], Source: src}
	if strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://") {
		if len(words) > 1 {
			return "", ServerConfig{}, fmt.Errorf("--mcp %s: nothing may follow a URL", value)
		}
		c = ServerConfig{URL: words[0], Source: src}
	}
	if name == "" {
		name = nameFor(words)
	}
	return name, c, nil
}

var serverName = lazy.Regexp{Expr: `^[A-Za-z0-9][A-Za-z0-9_.-]*$`}

// nameFor makes a name of a command: the package npx or uvx is to run, the host of a
// URL, or else the program.
func nameFor(words []string) string {
	if u, err := url.Parse(words[0]); err == nil && u.Host != "" {
		return plainName(u.Hostname())
	}
	base := filepath.Base(words[0])
	switch strings.TrimSuffix(base, ".exe") {
	case "npx", "uvx", "bunx", "pnpx", "pipx", "node", "python", "python3", "docker", "go", "deno", "bun", "uv":
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-") || w == "run" || w == "exec" || w == "dlx" {
				continue
			}
			base = w[strings.LastIndexAny(w, `/\`)+1:]
			if at := strings.LastIndexByte(base, '@'); at > 0 {
				base = base[:at]
			}
			break
		}
	}
	base = strings.TrimSuffix(base, filepath.Ext(base))
	for _, p := range []string{"mcp-server-", "server-"} {
		if s := strings.TrimPrefix(base, p); s != "" {
			base = s
		}
	}
	return plainName(base)
}

func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-"); s == "" {
		return "server"
	}
	return s
}

// splitWords splits a line into words as a shell does, with its quotes and
// backslashes, and understands nothing else of it.
func splitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, inWord := rune(0), false
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			if open == '"' && r != '"' && r != '\\' && r != '$' && r != '`' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && open != '\'' && filepath.Separator != '\\':
			escaped, inWord = true, true
		case open != 0:
			if r == open {
				open = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			open, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if open != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", open)
	}
	if escaped {
		return nil, errors.New("it ends with a backslash")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
