package ui

import (
	"context"
	"testing"

	"forge/ui/lang"
)

// What was read anew is in force when the face has taken it up, so that whatever is asked
// afterwards is asked in the language that was read.
func TestReloadGoesOnInTheLanguageThatWasRead(t *testing.T) {
	defer lang.Use(lang.Tag())
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Reload = func(_ context.Context, _ []string, say func(string), take func(Reloaded)) error {
			say("before: " + lang.Tag())
			take(Reloaded{Lang: "zh"})
			say("after: " + lang.Tag())
			return nil
		}
		s := start(t, o, 80, 20)
		s.send("/reload\r")
		s.see("before: en")
		s.see("after: zh")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
