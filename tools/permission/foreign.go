package permission

import (
	"slices"
	"strings"

	"forge/lazy"
)

// Lines are read as bash reads them. The shells of Windows read them otherwise: what is
// one quoted word to bash may be two commands to cmd, and a name that only prints for one
// may be another program for the other. So nothing is harmless there, and what an answer
// or a rule stands for has to be a line that every shell reads alike.

// everywhere are the characters besides letters and digits that all shells leave as they are.
const everywhere = " -_./:,=+@"

// lost are the commands of Windows' shells that delete or change what nobody brings back.
var lost = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("del", "erase", "rd", "rmdir", "format", "diskpart", "reg", "cipher", "takeown", "icacls", "attrib", "bcdedit", "vssadmin", "wmic",
		"schtasks", "shutdown", "taskkill", "fsutil", "mklink", "robocopy", "subst", "remove-item", "ri", "rm", "clear-content", "set-content",
		"invoke-expression", "iex", "stop-process", "stop-computer", "format-volume", "clear-disk")
}}

// foreign takes back what was concluded of a line that another shell runs than one that
// reads it as bash does.
func (a *Analysis) foreign(line string) {
	a.ReadOnly = false
	for i := range a.Parts {
		a.Parts[i].Harmless = false
	}
	plain := !strings.ContainsFunc(line, func(r rune) bool {
		return !strings.ContainsRune(everywhere, r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if !plain {
		a.risk(High, "is for a shell that reads it in a way of its own")
	}
	for _, argv := range foreignCommands(line) {
		a.inner = append(a.inner, argv)
		name := strings.TrimSuffix(strings.ToLower(argv[0][strings.LastIndexAny(argv[0], `/\`)+1:]), ".exe")
		if lost.Get()[name] {
			a.risk(High, "may delete or change what nobody can bring back")
		}
	}
	if a.Level >= High || slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Shape == "" }) {
		a.Shapes = nil
	}
	*a = a.done()
}

// foreignCommands are the commands that another shell may see in a line, for what looks
// for danger: whatever could be a quote or an escape is taken out.
func foreignCommands(line string) (found [][]string) {
	line = strings.NewReplacer("^", "", `"`, "", "'", "", "`", "").Replace(line)
	for _, piece := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("\r\n&|;(){}@", r) }) {
		if argv := strings.Fields(piece); len(argv) > 0 {
			found = append(found, argv)
		}
	}
	return found
}
