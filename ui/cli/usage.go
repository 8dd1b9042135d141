package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"forge/ui/lang"
)

// usageOf writes how a command is called: the flag library's layout, its headings in the
// person's language. The library would do it from a template, and a program with
// templates in it keeps every method of every type: that was 3 MB of it.
func usageOf(c *cobra.Command) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%s", lang.T("Usage:"))
	if c.Runnable() {
		line("  %s", c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		line("  %s %s", c.CommandPath(), lang.T("[command]"))
	}
	if len(c.Aliases) > 0 {
		line("\n%s\n  %s", lang.T("Aliases:"), c.NameAndAliases())
	}
	if c.HasExample() {
		line("\n%s\n%s", lang.T("Examples:"), c.Example)
	}
	if c.HasAvailableSubCommands() {
		line("\n%s", lang.T("Available Commands:"))
		for _, child := range c.Commands() {
			if child.IsAvailableCommand() || child.Name() == "help" {
				line("  %-*s %s", child.NamePadding(), child.Name(), child.Short)
			}
		}
	}
	flags := func(head string, set *pflag.FlagSet) {
		line("\n%s\n%s", head, strings.TrimRight(set.FlagUsages(), " \n"))
	}
	if c.HasAvailableLocalFlags() {
		flags(lang.T("Flags:"), c.LocalFlags())
	}
	switch {
	case !c.HasAvailableInheritedFlags():
	case c.Name() == "run" && c.Parent() == c.Root(): // it does what forge itself does
		flags(lang.T("Global Flags:"), c.InheritedFlags())
	default:
		line("\n%s", lang.T("The flags of forge itself (-C, --lang and others) hold here, too: forge --help"))
	}
	if c.HasAvailableSubCommands() {
		more := lang.T(`Use "{{.CommandPath}} [command] --help" for more information about a command.`)
		line("\n%s", strings.ReplaceAll(more, "{{.CommandPath}}", c.CommandPath()))
	}
	_, err := io.WriteString(c.OutOrStderr(), b.String())
	return err
}

// ownHelp gives what the flag library adds by itself words of ours.
func ownHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		// As InitDefaultHelpFlag does it, but for the flags of all parents, which it has
		// every command copy: 400 KB of every start.
		c.Flags().BoolP("help", "h", false, lang.T("help for %s", c.Name()))
		_ = c.Flags().SetAnnotation("help", cobra.FlagSetByCobraAnnotation, []string{"true"})
		if c.Name() == "help" {
			c.Short = lang.T("Help about any command")
		}
		for _, child := range c.Commands() {
			walk(child)
		}
	}
	walk(root)
}
