package bare

import (
	"errors"
	"fmt"
	"strings"

	"forge/ui/lang"
)

type entry struct{ Label, Title, ID string }

type failed struct {
	what string
	err  error
}

type command struct{ Use, Short string }

func say(string) {}

func wait(string) {}

const kept = "bare in a constant"

var table = map[string]string{"key": "bare in a table"}

func all(n int) (rows []string) {
	say("this is bare")
	say("half of " + lang.T("this is not"))
	say(lang.T("this is not bare"))
	say("word")                            // bare
	say(lang.T("two " + "halves of bare")) // bare twice
	say(lang.T(fmt.Sprintf("%d bare ones", n)))
	wait("waiting") // bare
	wait(lang.T("waiting"))
	text := "bare in a variable"
	rows = append(rows, text, "bare in a row")
	rows[0] = "bare in an element"
	var b strings.Builder
	b.WriteString("bare in a builder")
	fmt.Fprintf(&b, "%d are bare", n)
	if text == "compared with this" || strings.Contains(text, "looked for") {
		return []string{"bare in a list"}
	}
	_ = failed{"open", nil} // bare
	_ = failed{"", errors.New("said where it is shown")}
	_ = command{Use: "get KEY", Short: "Short"} // the second is bare
	_ = []entry{{Label: "bare as well", Title: lang.T("of both"), ID: "id"}}
	_ = func() string { return "bare in a function" }
	return []string{lang.N("kept for later"), lang.T(kept)}
}
