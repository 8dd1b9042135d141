package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestValid(t *testing.T) {
	for _, s := range []string{
		`{}`, ` [ ] `, `{"a":[1,-2.5e+3,true,false,null,"x\n\u00e9\"\\"]}`, `"\ud83d"`, `0`, "{\"a\" : \t1 ,\r\n\"b\":[[],{}]}",
		``, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[1 2]`, `{"a":1}x`, `"\x"`, `"\u12g4"`, `"\u12`, `"abc`, `"abc\`, `tru`, `-`, `1.`, `1e`, `{a:1}`, `{"a":1 "b":2}`,
		`"\u:000"`, `"\u@000"`, `}`, `]`,
	} {
		if got, want := valid(s), json.Valid([]byte(s)); got != want {
			t.Errorf("%q: valid %v, want %v", s, got, want)
		}
	}
	if !valid("\"a\tb\"") {
		t.Error("a raw tab in a string is refused")
	}
	if valid(strings.Repeat("[", 1<<20)) || valid(strings.Repeat("[", 300)+strings.Repeat("]", 300)) {
		t.Error("no bound on depth")
	}
}

func FuzzValid(f *testing.F) {
	f.Add(`{"a":[1,"\n",{"b":null}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		ok := valid(s)
		if json.Valid([]byte(s)) && !ok && strings.Count(s, "[")+strings.Count(s, "{") < maxDepth {
			t.Fatalf("%q is refused", s)
		}
		if !ok {
			return
		}
		// What is accepted beside the standard: control characters in strings, leading zeros.
		if strings.IndexFunc(s, func(r rune) bool { return r < ' ' }) < 0 && !strings.Contains(s, "0") && !gjson.Valid(s) {
			t.Fatalf("%q is accepted", s)
		}
	})
}
