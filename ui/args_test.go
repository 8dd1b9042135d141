package ui

import (
	"testing"
)

func TestArgsOfEveryPrefix(t *testing.T) {
	const whole = `{"path":"a/b.go","edits":[{"old":"x\n\"y\"","new":"\u00e9\ud83d\ude00"}],"n":12,"content":"line 1\nline 2\\"}`
	for n := range len(whole) + 1 {
		for _, a := range args(whole[:n]) {
			switch a.name {
			case "path":
				if want := "a/b.go"; a.text != want && (!a.open || want[:len(a.text)] != a.text) {
					t.Errorf("%d: path = %q open=%v", n, a.text, a.open)
				}
			case "content":
				if want := "line 1\nline 2\\"; a.text != want && (!a.open || want[:len(a.text)] != a.text) {
					t.Errorf("%d: content = %q open=%v", n, a.text, a.open)
				}
			}
		}
	}
	got := args(whole)
	if len(got) != 4 || got[3].text != "line 1\nline 2\\" || got[3].open || got[2].text != "12" {
		t.Errorf("%#v", got)
	}
}

func TestArgsOfRubbish(t *testing.T) {
	for _, s := range []string{"", "{", "null", "[1,2", `"str`, "}}}", `{"a"`, `{"a":`, `{"a":"\`, `{"a":"\u12`, "\x00"} {
		for _, a := range args(s) {
			if a.name == "" {
				t.Errorf("%q gave an argument without a name", s)
			}
		}
	}
	if got := args(`{"a":"\u12`); len(got) != 1 || got[0].text != "" || !got[0].open {
		t.Errorf("half an escape: %#v", got)
	}
}

func FuzzArgs(f *testing.F) {
	f.Add(`{"a":"b","c":[1,{"d":"e`)
	f.Fuzz(func(t *testing.T, s string) { args(s) })
}
