package sandbox

import "testing"

// What is told of the forms agrees with what a policy takes, and whatever cannot be
// had says why.
func TestTrials(t *testing.T) {
	p, err := NewPolicy(PolicyOptions{Roots: []string{t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	found := false
	for _, trial := range Trials() {
		if trial.Name == p.Name() {
			found = true
			if trial.Why != "" && p.Active() {
				t.Errorf("commands are confined by %s, and of that is told: %s", p.Name(), trial.Why)
			}
		}
		if trial.Name == string(None) && trial.Why == "" {
			t.Error("there is no form, and nobody says why")
		}
	}
	if p.Active() && !found {
		t.Errorf("%s confines commands and is not told of", p.Name())
	}
}
