package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// Update is what a feed has.
type Update struct {
	Version  string
	Notes    string // a page about it; may be empty
	Newer    bool   // than the forge that runs
	Numbered bool   // the forge that runs is a release
	Machine  string // as linux/amd64
	There    bool   // there is a build for this machine
	Build    any    // for Install
}

// UpdateOptions is what forge update needs: Look asks the feed, Install puts what it has in
// the place of this program and returns where that is.
type UpdateOptions struct {
	Version string
	Look    func(ctx context.Context) (Update, error)
	Install func(ctx context.Context, u Update) (program string, err error)
}

func updates(o UpdateOptions) *cobra.Command {
	var only, force bool
	c := &cobra.Command{
		Use: "update", Aliases: []string{"upgrade"}, Short: lang.T("Put a newer forge in the place of this one"), Args: noArgs,
		Long: lang.T(`Ask the feed of this build, or that of the setting update.url, for a newer forge, and
put it in the place of this one. It is checked against the sum in the feed and has to run
here before it takes the place of the old one, in one step; whatever fails, the old one
stays. A forge that is running goes on as it is.`),
		RunE: func(c *cobra.Command, _ []string) error {
			if only && force {
				return Usage{errors.New(lang.T("--check and --force contradict each other: give one of them"))}
			}
			u, err := o.Look(c.Context())
			if err != nil {
				return err
			}
			out, found := c.OutOrStdout(), line(u.Version)
			switch {
			case !u.Newer && u.Numbered && !force:
				_, err := fmt.Fprintln(out, lang.T("forge %s is the newest", o.Version))
				return err
			case only && u.Newer:
				fmt.Fprintln(out, lang.T("forge %s is there, this is %s: forge update gets it", found, o.Version))
				return notes(c, u)
			case !u.Newer && !force:
				return fmt.Errorf(lang.T("this forge (%s) was built from source and has no number: build it anew, or take %s with --force"), o.Version, found)
			case !u.There:
				return fmt.Errorf(lang.T("the feed has no forge %s for %s: build it from source"), found, u.Machine)
			}
			fmt.Fprintln(c.ErrOrStderr(), lang.T("fetching forge %s", found))
			program, err := o.Install(c.Context(), u)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, lang.T("forge %s is in %s now", found, line(program)))
			return notes(c, u)
		},
	}
	c.Flags().BoolVar(&only, "check", false, lang.T("only say whether there is one"))
	c.Flags().BoolVar(&force, "force", false, lang.T("take what the feed has, whatever this one is"))
	return c
}

func notes(c *cobra.Command, u Update) error {
	if u.Notes == "" {
		return nil
	}
	_, err := fmt.Fprintln(c.OutOrStdout(), lang.T("what is new: %s", line(u.Notes)))
	return err
}
