package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// wordsElsewhere are commands that other agents have and forge has under another name, or
// does in another way: word → what to type here, or what to know.
func wordsElsewhere() map[string]string {
	return map[string]string{
		"exec":    lang.T("forge run answers one prompt and ends"),
		"serve":   lang.T("forge mcp serve offers its tools to other programs"),
		"connect": lang.T("forge login gives forge the key of a provider"),
		"stats":   lang.T("forge usage adds up tokens and money"),
		"cost":    lang.T("forge usage adds up tokens and money"),
		"resume":  lang.T("forge -r chooses a conversation to go on with, forge -c takes the last"),
	}
}

// elsewhere is what to say of a lone word that is a command of other agents: it would go
// to the model as a prompt. Nil: it is none.
func elsewhere(c *cobra.Command, args []string) error {
	if c.HasParent() || len(args) != 1 || c.Flags().Changed("prompt") || c.Flags().Changed("resume") {
		return nil
	}
	said := wordsElsewhere()[args[0]]
	if said == "" {
		return nil
	}
	return fmt.Errorf(lang.T("there is no command %s: %s. To ask it: forge -p %s"), args[0], said, args[0])
}

// flagElsewhere is what to say of a flag that other agents have, from the parser's own
// words about it; empty: it is none of those.
func flagElsewhere(c *cobra.Command, err string) string {
	if c.HasParent() && c.CommandPath() != "forge run" { // their letters mean other things
		return ""
	}
	name, long := strings.CutPrefix(err, "unknown flag: ")
	if !long {
		letter, short := strings.CutPrefix(err, "unknown shorthand flag: ")
		if !short {
			return ""
		}
		letter, _, _ = strings.Cut(letter, " ")
		name = "-" + strings.Trim(letter, "'")
	}
	use := map[string]string{
		"--permission-mode": "mode", "--approval-mode": "mode", "--ask-for-approval": "mode",
		"--last": "continue", "-i": "image", "-y": "yolo",
		"--dangerously-skip-permissions": "yolo",
	}[name]
	if use != "" && c.Flags().Lookup(use) != nil {
		return lang.T("unknown flag %s: here it is --%s", name, use)
	}
	return ""
}
