package linear

import (
	"testing"

	"forge/tools"
	"forge/tools/permission"
)

// What was edited in the editor and does not count is said as it is now, and is what a
// yes here is for: once, and nothing more. A late answer to an earlier showing is none.
func TestEditedInTheEditorAndReadHere(t *testing.T) {
	for name, level := range map[string]permission.Level{"another text than it was sent": permission.Low, "the risk is high": permission.High} {
		chat(t, Options{}, func(k *talk) {
			var backs []func(Shown)
			got := make(chan permission.Answer, 1)
			k.tell(&Permission{Reply: func(a permission.Answer) { got <- a }, Counts: func() bool { return true },
				Show: func(_ string, _ []byte, back func(Shown)) func() { backs = append(backs, back); return func() {} },
				Request: permission.Request{Level: level, Grants: []permission.Grant{{Text: "edit everything"}}, Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go",
					Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: []byte("one\n"), After: []byte("two\n")}}}}})
			k.write("editor")
			k.write("editor")
			backs[0](Shown{Accepted: true, Text: "two\n"})
			k.since()
			if a, ok := answered(got); ok {
				t.Fatalf("%s: a late answer counted: %+v", name, a)
			}
			backs[1](Shown{Accepted: true, Loose: true, Text: "theirs\n"})
			k.want(k.since(), "accepted in the editor; ", name, "added: theirs", "answer y to allow once")
			if a, ok := answered(got); ok {
				t.Fatalf("%s: it was answered: %+v", name, a)
			}
			k.write("s")
			k.want(k.since(), "none of the answers")
			k.write("y")
			a, ok := answered(got)
			if !ok || !a.Allow || a.Scope != permission.ScopeOnce || len(a.Changes) != 1 || string(a.Changes[0].After) != "theirs\n" {
				t.Errorf("%s: %+v", name, a)
			}
		})
	}
}
