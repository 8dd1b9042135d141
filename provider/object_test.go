package provider

import "testing"

func TestObjectText(t *testing.T) {
	for raw, want := range map[string]string{
		`{"path":"a"}`:                    `{"path": "a"}`,
		`{ "a" : [1 ,2],"b":{"c":null} }`: `{"a": [1, 2], "b": {"c": null}}`,
		`{"s":"a:b, \"c\":\\","n":1.50}`:  `{"s": "a:b, \"c\":\\", "n": 1.50}`,
		"{\n\t\"k\":\"\\u4e2d 中\"\n}":     `{"k": "\u4e2d 中"}`,
		`{}`:                              `{}`,
		`{"cut":"\`:                       `{"cut": "\`,
	} {
		if got := ObjectText(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
		if again := ObjectText(want); again != want {
			t.Errorf("%s changes again: %s", want, again)
		}
	}
}
