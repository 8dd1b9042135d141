package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// usageTemplate is the help of every command: the flag library's layout, its
// headings in the person's language.
func usageTemplate() string {
	head := strings.NewReplacer(
		"{usage}", lang.T("Usage:"),

		"{command}", lang.T("[command]"),
		"{aliases}", lang.T("Aliases:"),
		"{examples}", lang.T("Examples:"),
		"{commands}", lang.T("Available Commands:"),
		"{own}", lang.T("Flags:"),
		"{global}", lang.T("Global Flags:"),
		"{more}", lang.T(`Use "{{.CommandPath}} [command] --help" for more information about a command.`),
	)
	return head.Replace(`{usage}{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} {command}{{end}}{{if gt (len .Aliases) 0}}

{aliases}
  {{.NameAndAliases}}{{end}}{{if .HasExample}}

{examples}
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

{commands}{{range .Commands}}{{if (or .IsAvailableCommand (eq .Name "help"))}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

{own}
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

{global}
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableSubCommands}}

{more}{{end}}
`)
}

// ownHelp gives what the flag library adds by itself words of ours.
func ownHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.Flags().Lookup("help").Usage = lang.T("help for %s", c.Name())
		if c.Name() == "help" {
			c.Short = lang.T("Help about any command")
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
}
