package ui

import (
	"errors"
	"testing"
)

// /share is a page, unless something else is asked for, and says that nothing is sent.
func TestShare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		got := make(chan [2]string, 4)
		o := testOptions(&fakeAgent{})
		o.Stored.Export = func(format, file string) (string, error) {
			if file == "bad.md" {
				return "", errors.New("it is there already")
			}
			got <- [2]string{format, file}
			return "forge-x.html", nil
		}
		s := start(t, o, 100, 24)
		for arg, want := range map[string][2]string{"": {"html", ""}, " markdown": {"markdown", ""}, " talk.md": {"", "talk.md"}, " html a b.html": {"html", "a b.html"}} {
			s.send("/share" + arg + "\r")
			if said := <-got; said != want {
				t.Errorf("/share%s: %q", arg, said)
			}
		}
		s.see("written to forge-x.html, secrets taken out; forge sends it nowhere.")
		s.send("/share bad.md\r")
		s.see("it is there already")
		s.send("/share pdf x\r")
		s.see("no format pdf")
		s.send("\x15\x04")
	})
}
