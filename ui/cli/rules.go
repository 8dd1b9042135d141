package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// RuleChange is a rule to be stored or taken out. Text is what was typed, for a rule
// in a file that cannot be read as one.
type RuleChange struct {
	Rule    permission.Rule
	Text    string
	Project bool // in the project's settings; else in the person's
	Remove  bool
}

func ruleHelp() string {
	return lang.T(`RULE is Tool, Tool(pattern), or either with " in FOLDER" behind it:

  run_bash(go test *)         each command that begins so; * is any text
  edit_file(docs/**)          files, relative to the workspace
  mcp__files__delete          one tool of an MCP server
  mcp__files__write(path~/etc/*)  the same by an argument, to ask or deny
  run_bash(make) in ~/work    in workspaces below that folder

deny wins over ask, ask over allow. What is HIGH, an interpreter or a wrapper
cannot be allowed: it is asked about each time.`)
}

func permissionsList(o PermissionsOptions, r *raw) *cobra.Command {
	var cwd string
	c := &cobra.Command{
		Use:   "list [--json] [--cwd DIR]",
		Short: lang.T("List every rule, where it stands and whether it is in force"),
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if cwd == "" {
				cwd = f.Dir
			}
			dir, err := filepath.Abs(cwd)
			if err != nil {
				return err
			}
			all, problems, err := o.Rules(dir, f)
			if err != nil {
				return err
			}
			tellProblems(c.ErrOrStderr(), problems)
			if r.json || r.format == "json" {
				return writeStandings(c.OutOrStdout(), all)
			}
			printStandings(c.OutOrStdout(), all)
			return nil
		},
	}
	c.Flags().StringVar(&cwd, "cwd", "", lang.T("the workspace the rules would hold in (default: this folder)"))
	return c
}

// standingJSON is one rule of list --json.
type standingJSON struct {
	Action  string `json:"action"`
	Rule    string `json:"rule"`
	From    string `json:"from"` // user, project or policy
	Source  string `json:"source"`
	InForce bool   `json:"in_force"`
	Note    string `json:"note"`
}

func from(t permission.Tier) string {
	if t == permission.TierUser {
		return "user"
	}
	return string(t)
}

func writeStandings(w io.Writer, all []permission.Standing) error {
	out := []standingJSON{}
	for _, s := range all {
		out = append(out, standingJSON{string(s.Rule.Action), s.Rule.Text(), from(s.Rule.Tier), s.Rule.Source, s.InForce, s.Why})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}

func printStandings(w io.Writer, all []permission.Standing) {
	if len(all) == 0 {
		fmt.Fprintln(w, lang.T("no rules; forge permissions add stores one"))
		return
	}
	wide := 0
	for _, s := range all {
		wide = max(wide, min(60, safe.Width(safe.Prompt(s.Rule.String()))))
	}
	for _, s := range all {
		text := safe.Prompt(s.Rule.String())
		state := lang.T("in force")
		if !s.InForce {
			state = lang.T("not in force: %s", safe.Prompt(lang.Said(s.Why)))
		} else if s.Why != "" {
			state += lang.T("; ") + safe.Prompt(lang.Said(s.Why))
		}
		fmt.Fprintf(w, "%s%s  %s  (%s, %s)\n", text, strings.Repeat(" ", max(0, wide-safe.Width(text))), state, lang.Said(from(s.Rule.Tier)), safe.Prompt(s.Rule.Source))
	}
}

// twoWords checks that an action and a rule were given.
func twoWords(name string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != 2 {
			return Usage{fmt.Errorf(lang.T("forge permissions %s takes an action and a rule: %s deny 'run_bash(git push *)'"), name, name)}
		}
		_, err := permission.ParseAction(args[0])
		if err != nil {
			return Usage{err}
		}
		return nil
	}
}

func permissionsAdd(o PermissionsOptions, r *raw) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use: "add [--project] allow|ask|deny RULE", Short: lang.T("Store a rule in your settings, or in the project's"),
		Long: lang.T("Store a rule. The settings keep their comments and order.") + "\n\n" + ruleHelp(),
		Example: `  forge permissions add allow 'run_bash(go test *)'
  forge permissions add --project deny 'edit_file(secrets/**)'`,
		Args: twoWords("add"),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			dir, err := filepath.Abs(f.Dir)
			if err != nil {
				return err
			}
			rule, err := permission.ParseRule(permission.Action(args[0]), args[1])
			if err != nil {
				return Usage{err}
			}
			if project && rule.Action == permission.Allow {
				return Usage{errors.New(lang.T("a project may not allow anything: leave out --project to store the rule for yourself"))}
			}
			if ok, why := permission.CheckAllow(rule, []string{dir}); !ok {
				return Usage{fmt.Errorf(lang.T("not stored: %s"), lang.Said(why))}
			}
			file, err := o.Change(dir, RuleChange{Rule: rule, Text: args[1], Project: project})
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), lang.T("%s\nstored in %s\n"), safe.Prompt(rule.String()), safe.Prompt(file))
			return o.remark(c, dir, f, rule)
		},
	}
	c.Flags().BoolVar(&project, "project", false, lang.T("in the project's settings (.forge/forge.json): ask and deny only"))
	return c
}

// remark says which rules win over one that was stored.
func (o PermissionsOptions) remark(c *cobra.Command, dir string, f Flags, rule permission.Rule) error {
	if o.Rules == nil {
		return nil
	}
	all, _, err := o.Rules(dir, f)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Rule.String() == rule.String() && s.Why != "" {
			fmt.Fprintln(c.OutOrStdout(), safe.Prompt(lang.Said(s.Why)))
			return nil
		}
	}
	return nil
}

func permissionsRemove(o PermissionsOptions, r *raw) *cobra.Command {
	var project bool
	c := &cobra.Command{
		Use: "remove [--project] allow|ask|deny RULE", Short: lang.T("Take a rule out of your settings, or of the project's"),
		Args: twoWords("remove"),
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			dir, err := filepath.Abs(f.Dir)
			if err != nil {
				return err
			}
			action := permission.Action(args[0])
			rule, err := permission.ParseRule(action, args[1])
			if err != nil { // one that cannot be read can still be taken out
				rule = permission.Rule{Action: action}
			}
			file, err := o.Change(dir, RuleChange{Rule: rule, Text: args[1], Project: project, Remove: true})
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), lang.T("removed from %s\n"), safe.Prompt(file))
			if o.Rules == nil {
				return nil
			}
			all, _, err := o.Rules(dir, f)
			if err != nil {
				return err
			}
			for _, s := range all {
				if s.Rule.String() == rule.String() {
					fmt.Fprintf(c.OutOrStdout(), lang.T("it still stands in %s\n"), safe.Prompt(s.Rule.Source))
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&project, "project", false, lang.T("from the project's settings (.forge/forge.json)"))
	return c
}
