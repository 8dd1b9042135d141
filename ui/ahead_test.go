package ui

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"forge/agent"
)

// A key that is typed behind /login before its field is there, as a slow line hands it over,
// goes into the field: no letter of it stands in the prompt, goes to the model or is kept.
func TestAKeyTypedAheadOfItsField(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var sent []string
		a := &fakeAgent{script: func(_ context.Context, p agent.Prompt, _ agent.Sink) error {
			sent = append(sent, p.Text)
			return nil
		}}
		o := testOptions(a)
		k := &keys{kept: map[string]string{}}
		o.Logins = k.logins(o.Model)
		var stored []string
		o.AppendHistory = func(s string) { stored = append(stored, s) }
		o.SaveDraft = func(s string) { stored = append(stored, s) }
		find, looked := o.Logins.Find, make(chan struct{}, 8)
		o.Logins.Find = func(name string) (string, error) {
			<-looked // as a keyring that takes its time
			return find(name)
		}
		s := start(t, o, 80, 24)
		for _, typed := range []string{"QJXVQ1\r", "\x1b[200~QJXVQ1\x1b[201~\r", "QJ\x1b[200~XVQ1\x1b[201~\r"} {
			k.kept = map[string]string{}
			s.send("/login xai\r" + typed)
			synctest.Wait()
			hasNot(t, s.text(), "Q")
			looked <- struct{}{}
			synctest.Wait()
			if k.kept["xai"] != "QJXVQ1" {
				t.Errorf("kept %q", k.kept["xai"])
			}
			hasNot(t, s.text(), "Q")
		}
		s.send("/login nobody\rQJXVQ1\r") // no field comes
		looked <- struct{}{}
		s.see("no provider nobody")
		hasNot(t, s.text(), "Q")
		s.send("/login xai\rQJ\x1b") // thought better of it
		looked <- struct{}{}
		s.see("Paste your key for xAI")
		s.send("Z9\r")
		synctest.Wait()
		if k.kept["xai"] != "Z9" {
			t.Errorf("kept %q", k.kept["xai"])
		}
		s.send("good morning\r")
		synctest.Wait()
		if got := strings.Join(append(sent, stored...), "\n"); strings.Contains(got, "Q") || !strings.Contains(got, "good morning") {
			t.Errorf("sent and stored: %q", got)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
