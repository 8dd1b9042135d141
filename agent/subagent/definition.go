package subagent

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"forge/agent/frontmatter"
	"forge/lazy"
)

// Definition is one kind of sub-agent. It can narrow what its agents may do, never
// widen it.
type Definition struct {
	Name        string
	Description string   // when to use it, for the model
	Tools       []string // names or patterns as path.Match has them; nil: all its parent has
	Without     []string // of those, the ones it does not get
	Model       string   // empty: its parent's
	MaxTurns    int      // model calls; 0: DefaultTurns
	ReadOnly    bool     // nothing but reads is allowed, whatever the mode
	Prompt      string   // its part of the system prompt
	Source      Source
}

// Source is where a definition is from: Kind is "built in", "user" or "project".
type Source struct{ Kind, File string }

// The kinds of sources.
const (
	BuiltIn = "built in"
	User    = "user"
	Project = "project"
)

// Builtin returns the agents that are always there.
func Builtin() []Definition {
	return []Definition{
		{
			Name:        "explore",
			Description: "finds things out; only reads",
			Tools:       []string{"read_file", "list_dir", "glob", "grep"},
			ReadOnly:    true,
			Source:      Source{Kind: BuiltIn},
			Prompt: "# Work\n" +
				"- Search first, wide and in parallel: several greps and globs in one answer, other spellings and words for the same thing. Then read what counts, and only the part of it that does.\n" +
				"- Follow a thing to its end: who calls it, where its data comes from, what tests say of it. Say what you looked for and did not find.",
		},
		{
			Name:        "general",
			Description: "has all tools",
			Source:      Source{Kind: BuiltIn},
			Prompt: "# Work\n" +
				"- Look before you change: read the code a change touches and follow the project's style. Do what was asked and nothing beside it.\n" +
				"- Check what you changed with the narrowest check that can fail. Never commit, push or rewrite history.\n" +
				"- Another agent may work beside you: leave files alone that your task does not name or need.",
		},
	}
}

// ParseError is what is wrong with a definition, and where.
type ParseError struct {
	File string
	Line int
	Err  error
}

// Error implements error.
func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap gives the cause.
func (e *ParseError) Unwrap() error { return e.Err }

// named holds names to what can be written after an @ and in a list.
var named = lazy.Regexp{Expr: `^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`}

// theirs are the names other agents have for tools, and what those are here.
var theirs = lazy.Value[map[string][]string]{Of: func() map[string][]string {
	return map[string][]string{
		"Read": {"read_file"}, "LS": {"list_dir"}, "Glob": {"glob"}, "Grep": {"grep"}, "Write": {"write_file"},
		"Edit": {"edit_file"}, "MultiEdit": {"edit_file"}, "Bash": {"run_bash"}, "BashOutput": {"job_output"}, "KillBash": {"job_kill"},
		"KillShell": {"job_kill"}, "TodoWrite": {"todo"}, "Task": {ToolName}, "Agent": {ToolName}, "Skill": {"skill"},
	}
}}

// Parse reads a definition from a markdown file: a front matter between two lines of
// ---, and the agent's prompt after it. notes are lines for a person about settings
// that are not followed. Its error is a *ParseError.
func Parse(file string, text string) (d Definition, notes []string, err error) {
	fields, body, err := frontmatter.Read(text)
	if err != nil {
		var at *frontmatter.Error
		if errors.As(err, &at) {
			err = &ParseError{file, at.Line, at.Err}
		}
		return d, nil, err
	}
	d.Prompt = strings.TrimSpace(body)
	end := 1
	for _, f := range fields {
		end = max(end, f.Line)
		if why := d.set(f, &notes); why != nil {
			return d, nil, &ParseError{file, f.Line, why}
		}
	}
	base := strings.TrimSuffix(path.Base(strings.ReplaceAll(file, `\`, "/")), ".md")
	if d.Name == "" {
		d.Name = base
	}
	switch {
	case !named.Get().MatchString(d.Name):
		err = fmt.Errorf("%q is no name for an agent; letters, digits, - and _ are, 64 at most", d.Name)
	case d.Description == "":
		err = errors.New("description is missing; say when the agent is to be used")
	case d.Prompt == "":
		err = errors.New("there is no prompt after the front matter; say what the agent is to do")
	}
	if err != nil {
		return d, nil, &ParseError{file, end, err}
	}
	for i := range notes {
		notes[i] = file + ":" + notes[i]
	}
	return d, notes, nil
}

// set takes one field of the front matter.
func (d *Definition) set(f frontmatter.Field, notes *[]string) error {
	switch f.Name {
	case "name":
		d.Name = f.Text
	case "description":
		d.Description = f.Text
	case "tools", "allowed-tools":
		if d.Tools = toolNames(f.List); d.Tools == nil {
			return errors.New("tools is empty; name some, or leave the line out for all")
		}
		return patterns(d.Tools)
	case "disallowedTools", "disallowed-tools":
		d.Without = toolNames(f.List)
		return patterns(d.Without)
	case "model":
		if f.Text != "inherit" && f.Text != "default" {
			d.Model = f.Text
		}
	case "maxTurns", "max_turns", "max-turns":
		n, err := strconv.Atoi(f.Text)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q, must be a number above 0", f.Name, f.Text)
		}
		d.MaxTurns = n
	case "permissionMode", "mode":
		if f.Text == "plan" {
			d.ReadOnly = true
		} else if f.Text != "default" && f.Text != "ask" {
			*notes = append(*notes, fmt.Sprintf("%d: %s %s is not followed: an agent may do no more than the one that starts it", f.Line, f.Name, f.Text))
		}
	case "readonly", "read_only", "read-only":
		on, err := strconv.ParseBool(f.Text)
		if err != nil {
			return fmt.Errorf("%s is %q, must be true or false", f.Name, f.Text)
		}
		d.ReadOnly = on
	case "color", "version", "metadata", "license":
	default:
		*notes = append(*notes, fmt.Sprintf("%d: %s is not known and left out", f.Line, f.Name))
	}
	return nil
}

func patterns(names []string) error {
	for _, n := range names {
		if _, err := path.Match(n, ""); err != nil {
			return fmt.Errorf("%q is no pattern: %w", n, err)
		}
	}
	return nil
}

// toolNames reads a list of tools; Bash(git *) is all of the tool, whose calls the
// guard judges one by one.
func toolNames(list []string) (out []string) {
	for _, n := range list {
		n, _, _ = strings.Cut(n, "(")
		ours, ok := theirs.Get()[n]
		if !ok {
			ours = []string{n}
		}
		for _, o := range ours {
			if o != "" && !slices.Contains(out, o) {
				out = append(out, o)
			}
		}
	}
	if slices.Equal(out, []string{"*"}) {
		return []string{"*"}
	}
	return out
}
