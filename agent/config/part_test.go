package config

import "testing"

func TestPart(t *testing.T) {
	for text, want := range map[string]string{
		`{"permissions":{"deny":["x"]}}`:        "",
		`{"hooks": { } }`:                       "",
		`{"hooks": null}`:                       "",
		`[1]`:                                   "",
		`not json`:                              "",
		`{"a":1, "hooks": {"Stop": []}, "b":2}`: `{"Stop":[]}`,
		"\ufeff{ // mine\n\"hooks\": {/* c */ \"Stop\": [{\"command\": \"x // y\"},],},\n}": `{"Stop":[{"command":"x // y"}]}`,
		`{"hooks":{"a":[]},"hooks":{"b":[]}}`:                                               `{"b":[]}`,
	} {
		if got := string(Part([]byte(text), "hooks")); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
