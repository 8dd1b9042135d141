package hook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"forge/lazy"
	"forge/tools"
)

// A tool of ours, and what it is called elsewhere.
type tool struct {
	claude, crush, gemini string
	// also are names that a matcher may mean it by before it runs: who guards files
	// against being written guards them against going.
	also []string
	args []argument
}

// argument is one of ours, and its name elsewhere. to and from turn its value over; nil:
// it is the same.
type argument struct {
	ours, theirs string
	to, from     func(any) any
}

var path = argument{ours: "path", theirs: "file_path"}

var known = lazy.Value[map[string]tool]{Of: func() map[string]tool {
	return map[string]tool{
		"run_bash": {claude: "Bash", crush: "bash", gemini: "run_shell_command", args: []argument{
			{ours: "background", theirs: "run_in_background"},
			{ours: "timeout", theirs: "timeout", to: scaled(1000), from: scaled(1.0 / 1000)},
		}},
		"read_file":  {claude: "Read", crush: "view", gemini: "read_file", args: []argument{path}},
		"write_file": {claude: "Write", crush: "write", gemini: "write_file", args: []argument{path}},
		"edit_file":  {claude: "Edit", crush: "edit", gemini: "replace", also: []string{"MultiEdit", "multiedit"}, args: []argument{path}},
		"list_dir":   {claude: "LS", crush: "ls", gemini: "list_directory"},
		"glob":       {claude: "Glob", crush: "glob", gemini: "glob"},
		"grep": {claude: "Grep", crush: "grep", gemini: "grep_search", also: []string{"search_file_content"}, args: []argument{
			{ours: "include", theirs: "glob"}, {ours: "ignore_case", theirs: "-i"}, {ours: "context", theirs: "-C"}, {ours: "limit", theirs: "head_limit"},
			{ours: "mode", theirs: "output_mode", to: word("lines", "content", "files", "files_with_matches"), from: word("content", "lines", "files_with_matches", "files")},
		}},
		"move_file":   {also: []string{"Write", "Edit", "write", "edit", "replace"}, args: []argument{{ours: "from", theirs: "file_path"}}},
		"delete_file": {also: []string{"Write", "Edit", "write", "edit", "replace"}, args: []argument{path}},
		"todo":        {claude: "TodoWrite", crush: "todos", gemini: "write_todos", args: []argument{{ours: "items", theirs: "todos"}}},
		"task":        {claude: "Task", crush: "agent", also: []string{"Agent"}, args: []argument{{ours: "agent", theirs: "subagent_type"}}},
		"job_output":  {claude: "BashOutput", crush: "job_output"},
		"job_kill":    {claude: "KillShell", crush: "job_kill"},
	}
}}

func scaled(by float64) func(any) any {
	return func(v any) any {
		switch n := v.(type) {
		case float64:
			return n * by
		case json.Number:
			if f, err := n.Float64(); err == nil {
				return f * by
			}
		}
		return v
	}
}

// word turns the first of each two words into the second.
func word(pairs ...string) func(any) any {
	return func(v any) any {
		s, _ := v.(string)
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == s {
				return pairs[i+1]
			}
		}
		return v
	}
}

// nameOf is what a dialect calls a tool of ours. Tools of servers are called by our name
// everywhere, but in crush's, which has single underscores.
func nameOf(name string, d Dialect) string {
	t, ok := known.Get()[name]
	switch {
	case !ok && d == Crush && strings.HasPrefix(name, "mcp__"):
		return strings.ReplaceAll(name, "__", "_")
	case !ok:
		return name
	case d == Crush:
		return cmp.Or(t.crush, name)
	case d == Gemini:
		return cmp.Or(t.gemini, name)
	}
	return cmp.Or(t.claude, name)
}

// namesOf are all names that a matcher may mean a tool by.
func namesOf(name string, e Event) []string {
	out := []string{name, nameOf(name, Claude), nameOf(name, Crush), nameOf(name, Gemini)}
	if t := known.Get()[name]; t.claude != "" || e == PreToolUse { // what is gone is not to be formatted
		out = append(out, t.also...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// theirs gives a call as a dialect has it: the name of the tool, and its arguments.
func theirs(name, input, dir string, d Dialect) (string, map[string]any) {
	in, err := object([]byte(input))
	if err != nil || in == nil {
		return nameOf(name, d), map[string]any{}
	}
	t := known.Get()[name]
	for _, a := range t.args {
		v, ok := in[a.ours]
		if !ok {
			continue
		}
		if a.to != nil {
			v = a.to(v)
		}
		if s, ok := v.(string); ok && a.theirs == "file_path" && s != "" && !filepath.IsAbs(s) {
			v = filepath.Join(dir, s)
		}
		delete(in, a.ours)
		in[a.theirs] = v
	}
	as := nameOf(name, d)
	if name != "edit_file" {
		return as, in
	}
	edits, _ := in["edits"].([]any)
	if len(edits) == 1 { // one edit stands by itself elsewhere
		if one, ok := edits[0].(map[string]any); ok {
			delete(in, "edits")
			for k, v := range one {
				in[k] = v
			}
		}
	} else if len(edits) > 1 && d != Gemini {
		as = map[Dialect]string{Claude: "MultiEdit", Crush: "multiedit"}[d]
	}
	return as, in
}

// Call makes a call for a trial: name is ours or that of any dialect, and the arguments
// are in its words.
func Call(name, input, dir string) (tools.Call, error) {
	our := name
	if _, ok := known.Get()[name]; !ok {
		for k, t := range known.Get() {
			if name == t.claude || name == t.crush || name == t.gemini || slices.Contains(t.also, name) && t.claude != "" {
				our = k
			}
		}
	}
	in := map[string]any{}
	if input != "" {
		var err error
		if in, err = object([]byte(input)); err != nil {
			return tools.Call{}, fmt.Errorf("the input is no JSON object: %w", err)
		}
	}
	text, err := ours(our, "", dir, in)
	return tools.Call{ID: "test", Name: our, Input: text}, err
}

// ours gives arguments back in our words, for the call that had input. One that is as it
// was stays as it was written.
func ours(name, input, dir string, in map[string]any) (string, error) {
	was, _ := object([]byte(input)) // it was looked at before; none is no harm
	out := map[string]any{}
	for k, v := range in {
		out[k] = v
	}
	for _, a := range known.Get()[name].args {
		v, ok := out[a.theirs]
		if !ok {
			continue
		}
		if a.from != nil {
			v = a.from(v)
		}
		if s, ok := v.(string); ok && a.theirs == "file_path" {
			if old, ok := was[a.ours].(string); ok && s == filepath.Join(dir, old) {
				v = old
			}
		}
		delete(out, a.theirs)
		out[a.ours] = v
	}
	if _, flat := out["old_string"]; flat && name == "edit_file" {
		one := map[string]any{}
		for _, k := range []string{"old_string", "new_string", "replace_all"} {
			if v, ok := out[k]; ok {
				one[k] = v
				delete(out, k)
			}
		}
		out["edits"] = []any{one}
	}
	b, err := json.Marshal(out)
	return string(b), err
}
