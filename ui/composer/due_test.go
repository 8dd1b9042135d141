package composer

import (
	"testing"

	tea "charm.land/bubbletea/v2"
)

// Keys that come together, as a slow line hands them over, leave no time to look: Tab takes
// the first of what is found when it comes, unless something was written since.
func TestTabBeforeTheAnswer(t *testing.T) {
	for _, test := range []struct {
		name string
		keys []string // after @ma
		want string
	}{
		{"at once", []string{"tab"}, "see @main.go "},
		{"twice", []string{"tab", "tab"}, "see @main.go "},
		{"written on", []string{"tab", "x"}, "see @max"},
		{"none", nil, "see @ma"},
		{"gone", []string{"tab", "backspace", "backspace", "backspace"}, "see "},
	} {
		c := New(Options{Files: func(query string) []string {
			if query == "max" {
				return nil
			}
			return []string{"main.go", "mail.go"}
		}})
		send(c, typed("see ")...)
		var answers []tea.Cmd
		for _, k := range append(typed("@ma"), test.keys...) {
			answers = append(answers, c.Update(press(k)))
		}
		for i := 0; i < len(answers); i++ {
			if answers[i] != nil {
				answers = append(answers, c.Update(answers[i]()))
			}
		}
		if got := c.Value(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
