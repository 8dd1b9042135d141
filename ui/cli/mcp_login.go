package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

func mcpLogin(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "login NAME", Short: lang.T("Log in at a server that wants it"),
		Long: lang.T(`Log in at a server at a URL that wants OAuth. The address to visit is printed, and
opened in a browser where there is one. Over ssh, visit it with the browser where you
sit, and paste the address it ends at. The login is kept in the system's keyring, or
in a file that only you can read, and renewed from there.`),
		Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			return o.Login(c.Context(), f, args[0], c.InOrStdin(), &spoken{w: c.OutOrStdout()})
		}}
}

func mcpLogout(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "logout NAME", Short: lang.T("Forget a server's login"), Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			there, err := o.Logout(f, args[0])
			if err != nil {
				return err
			}
			what := lang.T("logged out of %s\n")
			if !there {
				what = lang.T("there was no login to %s\n")
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), what, line(args[0]))
			return err
		}}
}
