package provider

import (
	"strings"
	"testing"
)

func TestCallName(t *testing.T) {
	for in, want := range map[string]string{
		"read_file":                 "read_file",
		"mcp__a-b__C9":              "mcp__a-b__C9",
		"":                          "unnamed",
		"  ":                        "unnamed",
		"functions.read file":       "functions_read_file",
		"9lives":                    "_9lives",
		"-x":                        "_-x",
		"lé s":                      "l__s",
		"工具":                        "unnamed",
		strings.Repeat("a", 64):     strings.Repeat("a", 64),
		strings.Repeat("long_", 30): strings.Repeat("long_", 12) + "long",
	} {
		if got := CallName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestPairedEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b"}`:                  `{"a":"b"}`,
		`{"a":"\ud83d\ude00"}`:       `{"a":"\ud83d\ude00"}`,
		`{"a":"\uD83D\uDE00"}`:       `{"a":"\uD83D\uDE00"}`,
		`{"a":"\ud83d"}`:             `{"a":"\ufffd"}`,
		`{"a":"\ud83dx\ude00"}`:      `{"a":"\ufffdx\ufffd"}`,
		`{"a":"\ud83d\ud83d\ude00"}`: `{"a":"\ufffd\ud83d\ude00"}`,
		`{"a":"\\ud83d"}`:            `{"a":"\\ud83d"}`,
		`{"a":"\\\ud83d"}`:           `{"a":"\\\ufffd"}`,
		`{"a":"\ud7ff\ue000"}`:       `{"a":"\ud7ff\ue000"}`,
		`{"\udc00":"\""}`:            `{"\ufffd":"\""}`,
	} {
		if got := PairedEscapes(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
