package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"forge/plainfile"
	"forge/spell"
)

// maxFile bounds a settings file, in bytes.
const maxFile = 1 << 20

func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// file is one settings file as it is read.
type file struct {
	path    string
	text    []byte
	scope   Scope
	project bool // it may only restrict
	config  *Config
}

func (c *Config) file(path string, scope Scope) {
	text, err := readFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		c.careless = true // what it forbids is not known
		c.Unused = append(c.Unused, path)
		c.Problems = append(c.Problems, fmt.Sprintf("%s: %v; going on without it", path, err))
		return
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // some editors put it there
	if strings.TrimSpace(string(text)) == "" {
		return
	}
	f := file{path: path, text: text, scope: scope, project: scope != ScopeUser, config: c}
	root, err := hujson.Parse(append(text, '\n')) // a comment may end with the file
	if err != nil {
		c.Unused = append(c.Unused, path)
		// The parser's own words begin with its name and then "line 3, column 5: ".
		if bytes.Contains(text, []byte("permissions")) || scope == ScopePolicy {
			c.careless = true // rules that ask or deny may be among what is lost
		}
		f.problem(-1, "%s; nothing of this file is used until that is mended", strings.TrimPrefix(err.Error(), "hujson: "))
		return
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		c.Unused = append(c.Unused, path)
		c.careless = c.careless || scope == ScopePolicy
		f.problem(root.StartOffset, "settings must be one {…} object; nothing of this file is used")
		return
	}
	f.members("", object)
}

// readFile reads a regular file: a pipe or a device in a repository must not
// hold the start up.
func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if fi.Size() > maxFile {
		return nil, fmt.Errorf("%d bytes are too many for settings", fi.Size())
	}
	text, _, err := plainfile.Read(path, maxFile)
	return text, err
}

func (f *file) problem(offset int, format string, args ...any) {
	at := f.path
	if offset >= 0 {
		at = fmt.Sprintf("%s:%d", f.path, f.line(offset))
	}
	f.config.Problems = append(f.config.Problems, at+": "+fmt.Sprintf(format, args...))
}

// members takes the settings of an object; within is the dotted name it has
// itself, with a dot.
func (f *file) members(within string, o *hujson.Object) {
	for _, m := range o.Members {
		name := within + m.Name.Value.(hujson.Literal).String()
		if name == "$schema" {
			continue
		}
		raw := standard(m.Value)
		if within == "" && !f.project {
			f.config.user[name] = raw
		}
		if inner, ok := m.Value.Value.(*hujson.Object); ok && isGroup(name) {
			f.members(name+".", inner)
			continue
		}
		k, ok := find(name)
		if ok {
			f.config.wrote(f.scope, name, raw)
		}
		if action, rule := strings.CutPrefix(name, "permissions."); rule && action != "mode" && ok {
			f.rules(action, k, m)
			continue
		}
		switch {
		case !ok && isGroup(name):
			f.careless(name)
			f.problem(m.Name.StartOffset, "%s must be an object; left out", name)
		case !ok:
			f.careless(name)
			f.problem(m.Name.StartOffset, "unknown setting %q%s; left out", name, suggest(name))
		case f.scope == ScopePolicy && name != "permissions.mode" && name != "sandbox" && name != "sandbox_network":
			f.problem(m.Name.StartOffset, "a policy sets permissions.deny, permissions.ask, permissions.mode, sandbox and sandbox_network, not %s; left out", name)
		case f.scope == ScopePolicy:
			f.take(m.Name.StartOffset, name, k.set(f.config, raw))
		case f.project && k.restrict == nil:
			f.problem(m.Name.StartOffset, "a %s may not set %s; put it into your own forge.json if you want it", f.scope, name)
		case f.project:
			f.take(m.Name.StartOffset, name, k.restrict(f.config, raw))
		default:
			if name == "api_key" {
				if err := k.set(f.config, raw); err != nil {
					f.take(m.Name.StartOffset, name, err)
					continue
				}
			}
			raw, ok := f.elsewhere(name, m, raw)
			if !ok {
				continue
			}
			f.take(m.Name.StartOffset, name, k.set(f.config, raw))
			if name == "keys" {
				f.bindingsFrom(m.Value)
			}
		}
	}
}

func (f *file) take(offset int, name string, err error) {
	if err != nil {
		if name != "permissions.mode" && name != "permissions.allow" || f.scope == ScopePolicy {
			f.careless(name)
		}
		then := "; left out"
		if name == "sandbox" && f.scope != ScopeProject {
			then = "" // it says itself what it is taken for
		}
		f.problem(offset, "%s: %s%s", name, reason(err), then)
	}
}

// rules takes a list of rules one by one, so that one that is no text loses no
// other. A list that may not stand here is kept to be shown, and nothing more.
func (f *file) rules(action string, k Key, m hujson.ObjectMember) {
	name := "permissions." + action
	may := !f.project || k.restrict != nil
	if !may {
		f.problem(m.Name.StartOffset, "a %s may not set %s; put it into your own forge.json if you want it", f.scope, name)
	}
	list, ok := m.Value.Value.(*hujson.Array)
	if !ok {
		if may {
			var want []string
			f.take(m.Name.StartOffset, name, json.Unmarshal(standard(m.Value), &want))
			if string(standard(m.Value)) == "null" {
				f.take(m.Name.StartOffset, name, errors.New("must have a value"))
			}
		}
		return
	}
	for _, e := range list.Elements {
		l, ok := e.Value.(hujson.Literal)
		if !ok || l.Kind() != '"' {
			if may {
				f.take(e.StartOffset, name, errors.New("a rule must be a text in quotes, for example \"run_bash(go test *)\""))
			}
			continue
		}
		f.config.Permissions.Rules = append(f.config.Permissions.Rules, Rule{Action: action, Text: l.String(), File: f.path, Line: f.line(e.StartOffset), Scope: f.scope})
		if !may {
			continue
		}
		p := &f.config.Permissions
		at := map[string]*[]string{"allow": &p.Allow, "ask": &p.Ask, "deny": &p.Deny}[action]
		*at = append(*at, l.String())
	}
}

func (f *file) line(offset int) int { return 1 + strings.Count(string(f.text[:offset]), "\n") }

func (f *file) careless(name string) {
	if name == "permissions" || strings.HasPrefix(name, "permissions.") || f.scope == ScopePolicy {
		f.config.careless = true
	}
}

// standard gives a value as plain JSON: comments and last commas gone.
func standard(v hujson.Value) json.RawMessage {
	v = v.Clone()
	v.Minimize()
	return json.RawMessage(v.Pack())
}

// reason says what a decoder found wrong in words of settings, not of Go.
func reason(err error) string {
	var t *json.UnmarshalTypeError
	if !errors.As(err, &t) {
		return err.Error()
	}
	want := t.Type.Kind().String()
	switch {
	case strings.HasPrefix(want, "int"):
		want = "a whole number"
	case strings.HasPrefix(want, "float"):
		want = "a number"
	case want == "string":
		want = "a text in quotes"
	case want == "slice":
		want = "a list [\"…\"]"
	case want == "map", want == "struct":
		want = "an object {…}"
	}
	return fmt.Sprintf("must be %s, not %s", want, strings.TrimPrefix(t.Value, "number "))
}

// suggest names the known setting a person most likely meant.
func suggest(name string) string {
	switch plain(name) {
	case "providers", "modelproviders": // of other agents
		return "; an endpoint of your own is kept by forge login --base-url ADDRESS, as many as there are"
	}
	best, distance := "", 4
	for _, k := range Keys() {
		d := spell.Distance(plain(name), plain(k.Name))
		if d < distance {
			best, distance = k.Name, d
		}
	}
	if best == "" || distance > len(plain(name))/2 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// plain makes maxTurns, max-turns and max_turns one word.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

func oneOf(words []string, word string) error {
	if slices.Contains(words, word) {
		return nil
	}
	return fmt.Errorf("%q is none of %s", word, strings.Join(words, ", "))
}
