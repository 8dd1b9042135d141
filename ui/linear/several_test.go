package linear

import (
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/permission"
)

// several are three calls of one answer, the third of which changes the file of the
// first.
func several() permission.Request {
	call := func(title, path, before, after string) permission.Request {
		return permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: title,
			Changes: []tools.Change{{Path: path, Op: tools.Modify, Before: []byte(before), After: []byte(after)}}}}
	}
	gap := strings.Repeat("same\n", 10)
	r := call("edit a.go (+2 −2)", "a.go", "one\n"+gap+"two\n", "ONE\n"+gap+"TWO\n")
	r.Of = 3
	r.With = []permission.Request{call("edit b.go (+1 −1)", "b.go", "x\n", "y\n"), call("edit a.go (+1 −1)", "a.go", "ONE\n"+gap+"TWO\n", "ONE!\n"+gap+"TWO\n")}
	return r
}

// Several calls are one question by ear too: each is said with its place, and what is
// answered is said of each.
func TestSeveralCalls(t *testing.T) {
	for line, want := range map[string]string{
		"y":            "yes yes yes",
		"n, not so":    "no(not so) no(not so) no(not so)",
		"each":         "alone",
		"only 1 2 3 4": "yes yes yes",
		"only 1 2 4":   "yes no(" + turnedDown + ") yes",
		"only 1 3 4":   "part yes open",
		"only 3":       "no(" + turnedDown + ") yes no(" + turnedDown + ")",
	} {
		chat(t, Options{}, func(k *talk) {
			got := put(k, several())
			k.want(k.since(), "question, low risk: may this run? 3 changes of one answer",
				"1 of 3: edit a.go", "change 1, from line 1:", "added: ONE", "change 2, from line", "2 of 3: edit b.go", "change 3, from line 1:",
				"3 of 3: edit a.go", "change 4, from line 1:", "added: ONE!", "answer y to allow once", "only 1 3", "or each, to be asked")
			k.write(line)
			a, ok := answered(got)
			if !ok {
				t.Fatalf("%q is no answer:\n%s", line, k.text())
			}
			var said []string
			for _, a := range append([]permission.Answer{a}, a.With...) {
				s := "no(" + a.Reason + ")"
				switch {
				case a.Alone:
					s = "alone"
				case a.Open:
					s = "open"
				case a.Allow && a.Changes != nil:
					s = "part"
				case a.Allow:
					s = "yes"
				}
				said = append(said, s)
			}
			if got := strings.Join(said, " "); got != want {
				t.Errorf("%q: %s, want %s", line, got, want)
			}
		})
	}
	chat(t, Options{}, func(k *talk) {
		r := several()
		r.With, r.Nth = nil, 1
		put(k, r)
		k.want(k.since(), "may this run? 2 of 3: edit a.go")
	})
}
