package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"forge/lazy"
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

// elsewhere is what to say of a word that is a command of other agents and stands alone,
// or before one quoted text or an id as it would stand there: it would go to the model as
// a prompt. Nil: it is none.
func elsewhere(c *cobra.Command, args []string) error {
	if c.HasParent() || len(args) == 0 || len(args) > 2 || c.Flags().Changed("prompt") || c.Flags().Changed("resume") {
		return nil
	}
	said := wordsElsewhere()[args[0]]
	if said == "" || len(args) == 2 && !strings.ContainsRune(args[1], ' ') && !idLike(args[1]) {
		return nil
	}
	ask := args[0]
	if len(args) == 2 {
		ask = strconv.Quote(args[0] + " …")
	}
	return fmt.Errorf(lang.T("there is no command %s: %s. To ask it: forge -p %s"), args[0], said, ask)
}

// idLike says that a word may name a conversation: nobody writes a prompt of one such.
func idLike(s string) bool {
	return len(s) >= 8 && strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789-_abcdefghijklmnopqrstuvwxyz") == ""
}

// flagsElsewhere are flags that other agents have: the flag that does it here.
var flagsElsewhere = lazy.Value[map[string]map[string]string]{Of: func() map[string]map[string]string {
	return map[string]map[string]string{
		"forge": {
			"--permission-mode": "mode", "--approval-mode": "mode", "--ask-for-approval": "mode", "-a": "mode", "--full-auto": "mode", "--auto": "mode",
			"--last": "continue", "--session": "resume", "--session-id": "resume", "-s": "resume",
			"-i": "image", "-y": "yolo", "--dangerously-skip-permissions": "yolo", "--dangerously-bypass-approvals-and-sandbox": "yolo",
			"--disallowedTools": "deny-tools", "--disallowed-tools": "deny-tools", "--no-tools": "deny-tools",
			"--no-alt-screen": "inline", "--ephemeral": "no-session", "--ax-screen-reader": "screen-reader",
			"--cwd": "cd", "--include-directories": "add-dir", "--format": "output-format",
		},
		"forge mcp add": {"-t": "type"},
	}
}}

// flagElsewhere is what to say of a flag that other agents have, from the parser's own
// words about it; empty: it is none of those.
func flagElsewhere(c *cobra.Command, err string) string {
	path := c.CommandPath()
	if path == "forge run" {
		path = "forge"
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
	if path == "forge" && (name == "--allowedTools" || name == "--allowed-tools") {
		return lang.T("unknown flag %s: what may run without a question is a rule here, as forge permissions add stores it", name)
	}
	if use := flagsElsewhere.Get()[path][name]; use != "" && c.Flags().Lookup(use) != nil {
		return lang.T("unknown flag %s: here it is --%s", name, use)
	}
	return ""
}
