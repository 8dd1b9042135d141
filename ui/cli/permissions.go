package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// PermissionsOptions is what the permissions commands need. Load gives the rules
// and folders in force in dir, an absolute path, and what is wrong with the files
// they stand in; its Mode and Asker are not looked at. nil: no rules, and the folder
// itself as the workspace. Rules lists every
// rule that is written down, and what is wrong with the files; Change stores a rule
// or takes it out and names the file.
type PermissionsOptions struct {
	Load   func(dir string, f Flags) (o permission.Options, problems []string, err error)
	Rules  func(dir string, f Flags) (all []permission.Standing, problems []string, err error)
	Change func(dir string, c RuleChange) (file string, err error)
}

func permissions(o PermissionsOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "permissions", Short: lang.T("See and change what may run without a question"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(permissionsExplain(o, r), permissionsList(o, r), permissionsAdd(o, r), permissionsRemove(o, r))
	return c
}

func permissionsExplain(o PermissionsOptions, r *raw) *cobra.Command {
	var cwd string
	c := &cobra.Command{
		Use:   "explain [--json] [--cwd DIR] [--mode MODE] -- COMMAND",
		Short: lang.T("Say whether a command would run, be asked about or be refused, and why"),
		Long: lang.T(`Say what forge would do with a command line: the commands in it, the risk with
its reasons, whether it only reads, the decision and the rule behind it, and what
"for the session" would store. COMMAND is one argument. It runs and writes
nothing; it reads the rules, and in DIR what files there are and git's settings.`),
		Example: `  forge permissions explain -- 'git status && go test ./...'
  forge permissions explain --json --mode auto -- 'rm -rf build'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return Usage{errors.New(lang.T("forge permissions explain takes one command: put it behind -- and in quotes"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if cwd == "" {
				cwd = f.Dir
			}
			opts, dir, problems, err := o.load(cwd, f)
			if err != nil {
				return err
			}
			tellProblems(c.ErrOrStderr(), problems)
			e := permission.Explain(args[0], dir, opts)
			if r.json || r.format == "json" {
				return writeExplanation(c.OutOrStdout(), e)
			}
			printExplanation(c.OutOrStdout(), e, opts.Sandbox)
			return nil
		},
	}
	c.Flags().StringVar(&cwd, "cwd", "", lang.T("the folder the command would run in (default: this one)"))
	return c
}

// tellProblems says what is wrong with settings, beside the answer itself.
func tellProblems(w io.Writer, problems []string) {
	for _, p := range problems {
		fmt.Fprintln(w, "forge: "+safe.Output(lang.Said(p)))
	}
}

// load finds the folder and what is in force there.
func (o PermissionsOptions) load(cwd string, f Flags) (opts permission.Options, dir string, problems []string, err error) {
	if dir, err = filepath.Abs(cwd); err != nil {
		return opts, "", nil, err
	}
	if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
		return opts, "", nil, Usage{fmt.Errorf(lang.T("--cwd %s: there is no such folder"), cwd)}
	}
	opts = permission.Options{Roots: []string{dir}}
	if o.Load != nil {
		if opts, problems, err = o.Load(dir, f); err != nil {
			return opts, "", nil, err
		}
	} else {
		for _, d := range f.AddDirs {
			if d, err = filepath.Abs(d); err != nil {
				return opts, "", nil, err
			}
			opts.Roots = append(opts.Roots, d)
		}
	}
	opts.Mode = f.Mode
	return opts, dir, problems, nil
}

// explanationJSON is the whole output of --json.
type explanationJSON struct {
	Parsed   [][]string `json:"parsed"`
	Risk     string     `json:"risk"`
	ReadOnly bool       `json:"read_only"`
	Decision string     `json:"decision"`
	Reasons  []string   `json:"reasons"`
	Rule     string     `json:"rule"`
	Grants   []string   `json:"grants"`
}

func writeExplanation(w io.Writer, e permission.Explanation) error {
	j := explanationJSON{Parsed: e.Parsed, Risk: e.Level.String(), ReadOnly: e.ReadOnly, Decision: e.Decision, Reasons: e.Reasons, Rule: e.Rule, Grants: e.Grants}
	if j.Parsed == nil { // null would be another type for who reads this
		j.Parsed = [][]string{}
	}
	if j.Reasons == nil {
		j.Reasons = []string{}
	}
	if j.Grants == nil {
		j.Grants = []string{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(j)
}

func printExplanation(w io.Writer, e permission.Explanation, sandbox string) {
	row := func(name, text string) { fmt.Fprintf(w, "%s%s\n", padded(name, 11), safe.Prompt(text)) }
	row(lang.T("decision"), lang.Said(e.Decision))
	row(lang.T("rule"), lang.Said(e.Rule))
	if e.Source != "" {
		row("", e.Source)
	}
	row(lang.T("risk"), lang.Said(e.Level.String()))
	for _, r := range e.Reasons {
		row("", lang.Said(r))
	}
	if sandbox != "" {
		row(lang.T("sandbox"), lang.Said(sandbox))
	}
	row(lang.T("read only"), map[bool]string{true: lang.T("yes"), false: lang.T("no")}[e.ReadOnly])
	for i, argv := range e.Parsed {
		name := ""
		if i == 0 {
			name = lang.T("commands")
		}
		row(name, strings.Join(argv, " "))
	}
	for i, p := range e.Parts {
		name := ""
		if i == 0 {
			name = lang.T("asks about")
		}
		row(name, p)
	}
	for i, g := range e.Grants {
		name := ""
		if i == 0 {
			name = lang.T("grants")
		}
		row(name, lang.Said(g))
	}
}
