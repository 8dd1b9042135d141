package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/agent/skill"
	"forge/agent/subagent"
	"forge/mcp"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/permission"
	"forge/ui/cli"
	"forge/ui/lang"
)

// narrow is what the command line leaves of the model's tools. It takes tools away and
// gives none: what may run without a question is not its to say.
type narrow struct {
	only, without []wanted
}

// wanted is one name or pattern of --tools or --deny-tools.
type wanted struct {
	flag, text string
	rule       permission.Rule // its name, read as rules read theirs
}

// newNarrow reads the flags; nil: nothing is left out.
func newNarrow(flags cli.Flags) (*narrow, error) {
	read := func(flag string, list []string) (out []wanted, err error) {
		for _, text := range list {
			text = strings.TrimSpace(text)
			r, bad := permission.ParseRule(permission.Deny, text)
			if bad == nil && (r.Pattern != "" || r.Folder != "" || strings.ContainsAny(text, "()")) {
				bad = errors.New("a rule")
			}
			if bad != nil {
				err = errors.Join(err, fmt.Errorf(lang.T("%s %q is no tool's name or pattern; write one as read_file or mcp__docs__*"), flag, text))
				continue
			}
			out = append(out, wanted{flag, text, r})
		}
		return out, err
	}
	only, err := read("--tools", flags.Tools)
	without, also := read("--deny-tools", flags.DenyTools)
	if err = errors.Join(err, also); err != nil || len(only)+len(without) == 0 {
		return nil, err
	}
	return &narrow{only, without}, nil
}

// plumbing is by which a model reaches the tools of servers that are not in its list.
// They are there only where such tools were left, and reach no others.
var plumbing = []string{"find_tools", "call_tool"}

// keeps reports whether a tool is left.
func (n *narrow) keeps(owner, name string) bool {
	names := func(w wanted) bool { return w.rule.Names(name) }
	if slices.ContainsFunc(n.without, names) {
		return false
	}
	return len(n.only) == 0 || owner == "mcp" && slices.Contains(plumbing, name) || slices.ContainsFunc(n.only, names)
}

// offers is keeps for the tools of servers; nil: all are left.
func (n *narrow) offers() func(name string) bool {
	if n == nil {
		return nil
	}
	return func(name string) bool { return n.keeps("", name) }
}

// check finds the names that no tool can have here. What a server offers is only known
// when it has been started: of its tools, that the server is configured is all that is
// asked for.
func (n *narrow) check(r *tools.Registry, servers map[string]mcp.ServerConfig) error {
	if n == nil {
		return nil
	}
	known := append([]string{subagent.ToolName, skill.ToolName, "read_resource", builtin.AskName}, plumbing...)
	for _, t := range r.List() {
		known = append(known, t.Spec.Name)
	}
	for _, c := range servers {
		for _, alias := range c.Aliases {
			known = append(known, alias)
		}
	}
	slices.Sort(known)
	known = slices.Compact(known)
	prefixes := mcp.Prefixes(servers)
	for _, w := range slices.Concat(n.only, n.without) {
		fixed, _, open := strings.Cut(w.rule.Tool, "*")
		if slices.ContainsFunc(known, w.rule.Names) || slices.ContainsFunc(prefixes, func(p string) bool {
			return len(fixed) > len(p) && strings.HasPrefix(fixed, p) || open && (strings.HasPrefix(fixed, p) || strings.HasPrefix(p, fixed))
		}) {
			continue
		}
		if near := tools.Nearest(w.text, slices.Concat(known, prefixes), 1); len(near) > 0 {
			if slices.Contains(prefixes, near[0]) {
				near[0] += "*"
			}
			return fmt.Errorf(lang.T("%s: no tool is named %s; did you mean %s?"), w.flag, w.text, near[0])
		}
		for _, p := range prefixes {
			known = append(known, p+"*")
		}
		return fmt.Errorf(lang.T("%s: no tool is named %s; there are %s"), w.flag, w.text, strings.Join(known, ", "))
	}
	return nil
}

// missing are lines for a person about names that no tool of a server has that is ready.
func (n *narrow) missing(servers []mcp.Status) (out []string) {
	if n == nil {
		return nil
	}
	for _, st := range servers {
		var names []string
		for _, t := range st.Tools {
			names = append(names, t.Name)
		}
		for _, w := range slices.Concat(n.only, n.without) {
			own := slices.ContainsFunc(mcp.Prefixes(map[string]mcp.ServerConfig{st.Name: {}}), func(p string) bool { return strings.HasPrefix(w.rule.Tool, p) })
			if st.State != mcp.Ready || !own || slices.ContainsFunc(names, w.rule.Names) {
				continue
			}
			line := lang.T("%s: the MCP server %s has no tool %s", w.flag, st.Name, w.text)
			if near := tools.Nearest(w.text, names, 1); len(near) > 0 {
				line = lang.T("%s: the MCP server %s has no tool %s; did you mean %s?", w.flag, st.Name, w.text, near[0])
			}
			out = append(out, line)
		}
	}
	return out
}
