package permission

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"forge/lazy"
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

// ParseAction reads an action's name.
func ParseAction(s string) (Action, error) {
	switch a := Action(s); a {
	case Allow, Ask, Deny:
		return a, nil
	}
	return "", fmt.Errorf("%q is none of allow, ask and deny", s)
}

// Tier is whose rule it is. Policies come from whoever administers the machine; a
// project may only restrict.
type Tier string

// The tiers.
const (
	TierUser    Tier = ""
	TierPolicy  Tier = "policy"
	TierProject Tier = "project"
)

// Rule is "Tool(pattern) in FOLDER" with an action. Tool is a tool's name or has *
// in it. Pattern is matched against each command of a command line (* stands for any
// text, "go test *" also covers "go test"; "go test … in src/" is the shape a grant
// has), against the arguments of a remote tool (name~text), else against the paths,
// relative to the workspace, with slashes and **. An empty pattern covers every call
// of the tool. Folder, where not empty, is where the rule holds: workspaces that lie
// in it.
type Rule struct {
	Action        Action
	Tool, Pattern string
	Folder        string // absolute
	Tier          Tier
	Source        string // "FILE:LINE"; empty: not from a file
}

var ruleForm = lazy.Regexp{Expr: `^\s*([A-Za-z0-9_*.-]+)\s*(?:\((.*)\))?\s*$`}

// aliases are short names people know from elsewhere.
var aliases = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{
		"bash": "run_bash", "edit": "edit_file", "write": "write_file", "read": "read_file", "ls": "list_dir",
		"move": "move_file", "delete": "delete_file",
	}
}}

// ParseRule reads a rule's text.
func ParseRule(a Action, text string) (Rule, error) {
	bad := func(want string) (Rule, error) {
		return Rule{}, fmt.Errorf("rule %q: want %s", text, want)
	}
	head, folder := parseFolder(text)
	sub := ruleForm.Get().FindStringSubmatch(head)
	if sub == nil {
		return bad("Tool or Tool(pattern), for example run_bash(go test *)")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return bad("one line without control characters")
	}
	if strings.Contains(folder, ")") {
		return bad("a folder without brackets in its name after \"in\"")
	}
	name := sub[1]
	if full, ok := aliases.Get()[strings.ToLower(name)]; ok {
		name = full
	}
	r := Rule{Action: a, Tool: name, Pattern: strings.TrimSpace(sub[2])}
	if folder != "" {
		if rest, ok := strings.CutPrefix(folder, "~"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return bad("an absolute folder, since the home folder is not known")
			}
			folder = filepath.Join(home, rest)
		}
		r.Folder = filepath.Clean(folder)
	}
	if name != runs && !strings.Contains(r.Pattern, argumentMark) && len(r.Pattern) > 0 && !remoteName(name) && !doublestar.ValidatePattern(r.Pattern) {
		return bad("a pattern of paths, with * and **, whose brackets are closed")
	}
	return r, nil
}

// parseFolder parts " in FOLDER" from the end of a rule. It stands behind the name
// or the closing bracket.
func parseFolder(text string) (head, folder string) {
	text = strings.TrimSpace(text)
	open := strings.Index(text, "(")
	for _, mark := range []string{" in /", " in ~", ` in \\`, " in "} {
		at := -1
		if open < 0 {
			at = strings.Index(text, mark)
		} else if i := strings.Index(text, ")"+mark); i >= 0 {
			at = i + 1
		}
		if at < 0 {
			continue
		}
		folder = strings.TrimSpace(text[at+len(" in "):])
		if filepath.IsAbs(folder) || folder == "~" || strings.HasPrefix(folder, "~/") {
			return strings.TrimSpace(text[:at]), folder
		}
	}
	return text, ""
}

// Names reports whether the rule is about a tool of this name.
func (r Rule) Names(tool string) bool { return wildcard(r.Tool, tool) }

// Text gives the rule as it is written into a list of rules.
func (r Rule) Text() string {
	text := r.Tool
	if r.Pattern != "" {
		text += "(" + r.Pattern + ")"
	}
	if r.Folder != "" {
		text += " in " + r.Folder
	}
	return text
}

// String gives the rule with its action.
func (r Rule) String() string { return string(r.Action) + " " + r.Text() }

// here reports whether the rule holds in a workspace.
func (r Rule) here(roots []string) bool {
	if r.Folder == "" {
		return true
	}
	if len(roots) == 0 {
		return false
	}
	return within(canonical(r.Folder), canonical(roots[0]))
}

func canonical(dir string) string {
	if p := real("/", dir); p != "" {
		return p
	}
	return dir
}

// current are the rules in force now, those of policies first.
func (m *Manager) current() []Rule {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rules
}

// inForce leaves out what has no say here, and puts policies first.
func inForce(all []Rule, roots []string) []Rule {
	var out []Rule
	for _, tier := range []bool{true, false} {
		for _, r := range all {
			if (r.Tier == TierPolicy) == tier && r.here(roots) && (r.Action != Allow || r.Tier == TierUser) {
				out = append(out, r)
			}
		}
	}
	return out
}

// match finds the first rule that denies or asks about a call. Any part of the call
// is enough.
func (m *Manager) match(action Action, call tools.Call, e tools.Effect, a Analysis) (Rule, bool) {
	for _, r := range m.current() {
		if r.Action == action && r.about(call, e) && (r.Pattern == "" || r.touches(m.roots(), call, e, a)) {
			return r, true
		}
	}
	return Rule{}, false
}

// about reports whether a rule that asks or denies is about the tool of a call. One
// that keeps files from being edited keeps them from being written anew, moved and
// deleted as well, by whichever tool of forge's own; one that keeps them from being
// read keeps them from being moved to where they could be.
func (r Rule) about(call tools.Call, e tools.Effect) bool {
	if wildcard(r.Tool, call.Name) || r.Pattern == "" || e.Kind != tools.Write || e.Server != "" {
		return wildcard(r.Tool, call.Name)
	}
	moves := slices.ContainsFunc(e.Changes, func(c tools.Change) bool { return c.Op == tools.Move })
	return r.Tool == "edit_file" || r.Tool == "write_file" || r.Tool == "read_file" && moves
}

// touches reports whether any part of a call matches.
func (r Rule) touches(roots []string, call tools.Call, e tools.Effect, a Analysis) bool {
	switch {
	case e.Kind == tools.Exec:
		return r.touchesCommand(e.Command, a)
	case e.Server != "" || len(e.Paths) == 0:
		return r.touchesArguments(call.Input)
	}
	return slices.ContainsFunc(e.Paths, r.restricts(roots))
}

func (r Rule) touchesCommand(line string, a Analysis) bool {
	hit := func(argv []string) bool {
		return wildcard(r.Pattern, strings.Join(argv, " ")) || wildcard(r.Pattern, typed(argv))
	}
	any := func(argv []string) bool { return slices.ContainsFunc(withoutOptions(argv), hit) }
	shaped := func(p Part) bool { return r.shape(p.Shape) }
	return wildcard(r.Pattern, line) || slices.ContainsFunc(a.Parsed, any) || slices.ContainsFunc(a.inner, any) || slices.ContainsFunc(a.Parts, shaped)
}

// coversPart reports whether an allow rule covers one command of a line, word for
// word as a shell reads them.
func (r Rule) coversPart(p Part) bool {
	return r.Pattern != "" && (r.shape(p.Shape) || wildcard(r.Pattern, typed(p.Argv)))
}

// shape reports whether the pattern is this shape, or the same for the workspace.
func (r Rule) shape(shape string) bool {
	want := strings.Replace(r.Pattern, " ... in ", scopeMark, 1)
	return shape != "" && strings.Contains(want, scopeMark) && (want == shape || want == widerShape(shape))
}

// typed is a command as it would be typed, so that words with blanks stay words.
func typed(argv []string) string {
	out := make([]string, len(argv))
	for i, a := range argv {
		out[i] = quote(a)
	}
	return strings.Join(out, " ")
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
