package permission

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"forge/tools"
)

// Action is what a rule says.
type Action string

// The actions.
const (
	Allow Action = "allow"
	Ask   Action = "ask"
	Deny  Action = "deny"
)

// Rule is "Tool(pattern)" with an action. Tool is a tool's name or *, Pattern is
// matched against the command line of a command (* stands for any text, "go test
// *" also covers "go test"), else against the paths, relative to the workspace,
// with slashes and **. An empty pattern covers every call of the tool.
type Rule struct {
	Action        Action
	Tool, Pattern string
	// Strict rules come from a project: they may only restrict.
	Strict bool
}

var ruleForm = lazy(`^\s*([A-Za-z0-9_*.-]+)\s*(?:\((.*)\))?\s*$`)

// aliases are short names people know from elsewhere.
var aliases = map[string]string{
	"bash": "run_bash", "edit": "edit_file", "write": "write_file", "read": "read_file", "ls": "list_dir",
}

// ParseRule reads a rule's text.
func ParseRule(a Action, text string) (Rule, error) {
	sub := ruleForm().FindStringSubmatch(text)
	if sub == nil {
		return Rule{}, fmt.Errorf("rule %q: want Tool or Tool(pattern), for example run_bash(go test *)", text)
	}
	name := sub[1]
	if full, ok := aliases[strings.ToLower(name)]; ok {
		name = full
	}
	return Rule{Action: a, Tool: name, Pattern: strings.TrimSpace(sub[2])}, nil
}

// String gives the rule as it is written.
func (r Rule) String() string {
	if r.Pattern == "" {
		return fmt.Sprintf("%s %s", r.Action, r.Tool)
	}
	return fmt.Sprintf("%s %s(%s)", r.Action, r.Tool, r.Pattern)
}

// match finds the first rule with an action that covers a call.
func (m *Manager) match(action Action, call tools.Call, e tools.Effect, a Analysis) (string, bool) {
	for _, r := range m.o.Rules {
		if r.Action != action || (r.Strict && action == Allow) || !wildcard(r.Tool, call.Name) {
			continue
		}
		if r.Pattern == "" && action != Allow || r.covers(action, m.o.Roots, e, a) {
			return r.String(), true
		}
	}
	return "", false
}

// covers: a deny or ask rule hits when any part of the call matches, an allow
// rule only when every part does; an allow rule without a pattern never covers a
// command line, since it would allow all of them.
func (r Rule) covers(action Action, roots []string, e tools.Effect, a Analysis) bool {
	if e.Kind == tools.Exec {
		return r.coversCommand(action, e.Command, a)
	}
	if r.Pattern == "" {
		return true
	}
	hit := func(p string) bool { return r.hitsPath(roots, p) }
	if action == Allow {
		return len(e.Paths) > 0 && !slices.ContainsFunc(e.Paths, func(p string) bool { return !hit(p) })
	}
	return slices.ContainsFunc(e.Paths, hit)
}

func (r Rule) coversCommand(action Action, line string, a Analysis) bool {
	if r.Pattern == "" {
		return action != Allow
	}
	hit := func(argv []string) bool { return wildcard(r.Pattern, strings.Join(argv, " ")) }
	if action == Allow {
		return len(a.Shapes) > 0 && len(a.Parsed) > 0 && !slices.ContainsFunc(a.Parsed, func(c []string) bool { return !hit(c) })
	}
	any := func(argv []string) bool { return slices.ContainsFunc(withoutOptions(argv), hit) }
	return wildcard(r.Pattern, line) || slices.ContainsFunc(a.Parsed, any) || slices.ContainsFunc(a.inner, any)
}

// withoutOptions is a command as it stands, and each way to read it without the
// options between the program and its first words: git -C dir push is a git push.
// Whether the word after an option is its value is not known, so both are tried;
// forbidding or asking too much is the better mistake.
func withoutOptions(argv []string) [][]string {
	ways := [][]string{argv}
	for i := 1; i < len(argv); i++ {
		option := strings.HasPrefix(argv[i], "-") && len(argv[i]) > 1
		value := i > 1 && strings.HasPrefix(argv[i-1], "-")
		if !option && !value {
			break
		}
		ways = append(ways, append([]string{argv[0]}, argv[i+1:]...))
	}
	return ways
}

func (r Rule) hitsPath(roots []string, path string) bool {
	names := []string{filepath.ToSlash(path)}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, path); err == nil && within(root, path) {
			names = append(names, filepath.ToSlash(rel))
		}
	}
	return slices.ContainsFunc(names, func(n string) bool {
		ok, err := doublestar.Match(r.Pattern, n)
		return err == nil && ok
	})
}

// wildcard matches with * for any text. " *" at the end also stands for nothing.
func wildcard(pattern, s string) bool {
	if head, ok := strings.CutSuffix(pattern, " *"); ok && s == head {
		return true
	}
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}
