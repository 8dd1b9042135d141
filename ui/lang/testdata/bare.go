package bare

import "forge/ui/lang"

type entry struct{ Label, ID string }

type failed struct {
	what string
	err  error
}

func say(string) {}

func wait(string) {}

func all() entry {
	say("this is bare")
	say("half of " + lang.T("this is bare"))
	say(lang.T("this is not bare"))
	say("word")
	wait("waiting")
	wait(lang.T("waiting"))
	_ = failed{"open", nil}
	_ = failed{"", nil}
	return entry{Label: "bare as well", ID: "not drawn at all"}
}
