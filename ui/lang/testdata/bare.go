package bare

import "forge/ui/lang"

type entry struct{ Label, ID string }

func say(string) {}

func all() entry {
	say("this is bare")
	say("half of " + lang.T("this is bare"))
	say(lang.T("this is not bare"))
	say("word")
	return entry{Label: "bare as well", ID: "not drawn at all"}
}
