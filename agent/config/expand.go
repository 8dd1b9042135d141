package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/lazy"

	"github.com/tailscale/hujson"
)

// What a person's own settings may take from elsewhere: ${VAR}, ${VAR:-x}, {env:VAR},
// {file:PATH} and, where it is worked out late, $(command). Nothing is taken from
// elsewhere for a project's file or a policy's: a stranger's file must not get at what the
// environment holds.

// reference is one of them, the command left out.
var reference = lazy.Regexp{Expr: `\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}|\{env:([A-Za-z_][A-Za-z0-9_]*)\}|\{file:([^{}]+)\}`}

// expanded are the settings that take values from elsewhere, and whether as a command too.
var expanded = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{"provider": false, "model": false, "base_url": false, "headers": true, "api_key": true,
		"system_prompt": false, "append_system_prompt": false}
}}

// Template is a text of the settings with commands in it, whose output it wants.
type Template []Piece

// Piece is a stretch of a Template: text as it stands, or a command line.
type Piece struct {
	Text    string
	Command bool
}

// Late reports whether a command has to run for it.
func (t Template) Late() bool { return slices.ContainsFunc(t, func(p Piece) bool { return p.Command }) }

// Fill puts what run returns of each command in its place.
func (t Template) Fill(run func(command string) (string, error)) (string, error) {
	var b strings.Builder
	for _, p := range t {
		text := p.Text
		if p.Command {
			var err error
			if text, err = run(p.Text); err != nil {
				return "", err
			}
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// Refers reports whether a text takes something from elsewhere.
func Refers(s string) bool { return reference.Get().MatchString(s) || strings.Contains(s, "$(") }

// expander is where references of a file lead.
type expander struct {
	dir    string // of the file: where relative paths begin
	lookup func(string) (string, bool)
	home   func() (string, error)
}

// template takes a text apart and replaces what needs no command.
func (x expander) template(s string) (Template, error) {
	var t Template
	for s != "" {
		at := strings.Index(s, "$(")
		if at < 0 {
			at = len(s)
		}
		if at > 0 {
			text, err := x.expand(s[:at])
			if err != nil {
				return nil, err
			}
			t, s = append(t, Piece{Text: text}), s[at:]
			continue
		}
		end := closing(s)
		if end < 0 {
			return nil, errors.New("a command begins with $( and has no end")
		}
		t, s = append(t, Piece{Text: strings.TrimSpace(s[2:end]), Command: true}), s[end+1:]
	}
	return t, nil
}

// closing is the place of the bracket that ends the command s begins with; -1: there is
// none. Brackets in quotes are text.
func closing(s string) int {
	depth, quote := 0, rune(0)
	for i, r := range s {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '\'' || r == '"':
			quote = r
		case r == '(':
			depth++
		case r == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// expand replaces the references of a text. One that leads nowhere is an error that names
// it: it is never passed on as it stands.
func (x expander) expand(s string) (string, error) {
	var failed error
	out := reference.Get().ReplaceAllStringFunc(s, func(m string) string {
		g := reference.Get().FindStringSubmatch(m)
		v, err := x.one(g[1]+g[3], strings.TrimPrefix(g[2], ":-"), g[2] != "", g[4])
		if err != nil && failed == nil {
			failed = err
		}
		return v
	})
	return out, failed
}

func (x expander) one(name, otherwise string, has bool, path string) (string, error) {
	if path != "" {
		return x.file(path)
	}
	v, ok := x.lookup(name)
	switch {
	case ok && (v != "" || !has):
		return v, nil
	case has:
		return otherwise, nil
	}
	return "", fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-default}", name, name)
}

// fileMax bounds what a setting takes from a file, in bytes.
const fileMax = 64 << 10

func (x expander) file(path string) (string, error) {
	path = strings.TrimSpace(path)
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := x.home()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.dir, path)
	}
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case fi.Size() > fileMax:
		return "", fmt.Errorf("%s is longer than %d bytes", path, fileMax)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// elsewhere puts what a setting takes from elsewhere in its place. ok is false where that
// failed: it was told, and nothing is set.
func (f *file) elsewhere(name string, m hujson.ObjectMember, raw json.RawMessage) (out json.RawMessage, ok bool) {
	commands, may := expanded.Get()[name]
	if !may || f.scope != ScopeUser {
		return raw, true
	}
	x := expander{dir: filepath.Dir(f.path), lookup: os.LookupEnv, home: os.UserHomeDir}
	take := func(name string, v hujson.Value) (Template, bool) {
		l, is := v.Value.(hujson.Literal)
		if !is || l.Kind() != '"' || !Refers(l.String()) {
			return nil, true
		}
		if strings.HasSuffix(name, "system_prompt") && !onlyFile.Get().MatchString(l.String()) { // such a text speaks of variables
			return nil, true
		}
		t, err := x.template(l.String())
		if err == nil && t.Late() && !commands {
			err = errors.New("a command may stand in api_key and headers only")
		}
		if err == nil && name != "system_prompt" && name != "append_system_prompt" && slices.ContainsFunc(t, func(p Piece) bool { return !p.Command && strings.ContainsAny(p.Text, "\r\n\x00") }) {
			err = errors.New("what it takes from elsewhere has more than one line")
		}
		if err != nil {
			f.problem(v.StartOffset, "%s: %v; left out", name, err)
			f.config.unset(name, fmt.Errorf("%s:%d: %s: %w", f.path, f.line(v.StartOffset), name, err))
			return nil, false
		}
		return t, true
	}
	o, isObject := m.Value.Value.(*hujson.Object)
	if !isObject || name != "headers" {
		t, ok := take(name, m.Value)
		switch {
		case !ok || t == nil:
			return raw, ok
		case name == "api_key":
			f.config.APIKey = t
			return nil, false
		}
		text, _ := t.Fill(nil)
		raw, err := json.Marshal(text)
		return raw, err == nil
	}
	plain := map[string]json.RawMessage{}
	for _, h := range o.Members {
		key := h.Name.Value.(hujson.Literal).String()
		t, ok := take(name+"."+key, h.Value)
		if t != nil {
			f.config.Borrowed = append(f.config.Borrowed, key)
		}
		switch {
		case !ok:
		case t == nil:
			plain[key] = standard(h.Value)
		case t.Late():
			if f.config.LateHeaders == nil {
				f.config.LateHeaders = map[string]Template{}
			}
			f.config.LateHeaders[key] = t
		default:
			text, _ := t.Fill(nil)
			plain[key], _ = json.Marshal(text)
		}
	}
	raw, err := json.Marshal(plain)
	return raw, err == nil
}

// onlyFile is a text that is one file's and nothing else.
var onlyFile = lazy.Regexp{Expr: `^\{file:[^{}]+\}$`}

// unset notes a setting without which forge would speak with somebody else than was meant.
func (c *Config) unset(name string, err error) {
	if (name == "provider" || name == "model" || name == "base_url" || name == "api_key") && c.Unset == nil {
		c.Unset = err
	}
}

// apiKey reads the place of the key. A key itself does not stand there: the settings are
// what people share.
func apiKey(c *Config, raw json.RawMessage) error {
	var s string
	if err := decode(raw, &s); err != nil {
		return err
	}
	if !Refers(s) {
		return errors.New("a key does not stand in the settings, which people share: forge login keeps it, or write ${VAR}, {file:PATH} or $(command)")
	}
	return nil
}
