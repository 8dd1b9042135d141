package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// changelog is forge changelog: what is new in this build, as it was written.
func changelog(text string) *cobra.Command {
	return &cobra.Command{
		Use: "changelog", Aliases: []string{"release-notes"}, Short: lang.T("What is new in this forge"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), strings.TrimRight(text, "\n"))
			return err
		},
	}
}
