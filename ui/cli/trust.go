package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// Trusted is one thing of a folder that a person said yes to: a file with power, or
// an MCP server as "mcp:NAME".
type Trusted struct {
	Folder, What string
	Since        time.Time
	Gone         bool // the folder is not there
}

// TrustOptions is what the trust commands need. Revoke takes back one thing of a
// folder, or all where what is "", and returns what it took back.
type TrustOptions struct {
	List   func() ([]Trusted, error)
	Revoke func(folder, what string) ([]Trusted, error)
}

func trusts(o TrustOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "trust", Short: lang.T("See and take back which folders you trust"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	list := &cobra.Command{
		Use: "list", Short: lang.T("List what you trusted, and where"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all, err := o.List()
			if err != nil {
				return err
			}
			if r.json || r.format == "json" {
				return trustJSON(c.OutOrStdout(), all)
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), lang.T("you trusted nothing yet; forge asks when a folder wants something started"))
				return err
			}
			return table(c.OutOrStdout(), trustRows(all))
		},
	}
	revoke := &cobra.Command{
		Use:   "revoke [FOLDER] [WHAT]",
		Short: lang.T("Take your trust back, of a folder or of one thing in it"),
		Long: lang.T(`Take back that you trust FOLDER (default: this one), or only WHAT of it, a name
that "forge trust list" shows. What a running forge has started goes on until it
ends; the next one asks again.`),
		Example: `  forge trust revoke
  forge trust revoke ~/src/app .mcp.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return Usage{errors.New(lang.T("forge trust revoke takes a folder and a name at most"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			folder, what := ".", ""
			if len(args) > 0 {
				folder = args[0]
			}
			if len(args) > 1 {
				what = args[1]
			}
			gone, err := o.Revoke(folder, what)
			if err != nil {
				return err
			}
			if r.json || r.format == "json" {
				return trustJSON(c.OutOrStdout(), gone)
			}
			if len(gone) == 0 {
				if at, err := filepath.Abs(folder); err == nil {
					folder = at
				}
				return fmt.Errorf(lang.T("nothing of the kind was trusted in %s; forge trust list tells what is"), folder)
			}
			fmt.Fprintln(c.OutOrStdout(), lang.T("not trusted any more:"))
			return table(c.OutOrStdout(), trustRows(gone))
		},
	}
	c.AddCommand(list, revoke)
	return c
}

func trustRows(all []Trusted) [][]string {
	var rows [][]string
	for _, t := range all {
		state := ""
		if t.Gone {
			state = lang.T("the folder is gone")
		}
		rows = append(rows, []string{safe.Prompt(t.Folder), safe.Prompt(t.What), t.Since.Local().Format(time.DateOnly), state})
	}
	return rows
}

func trustJSON(w io.Writer, all []Trusted) error {
	type entry struct {
		Folder string    `json:"folder"`
		What   string    `json:"what"`
		Since  time.Time `json:"since"`
		Gone   bool      `json:"gone"`
	}
	out := []entry{} // null would be another type for who reads this
	for _, t := range all {
		out = append(out, entry(t))
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
