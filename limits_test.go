package main

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// A run nobody watches ends by itself: after a hundred turns, where no other
// number was given. What was done until then is kept.
func TestHundredTurns(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "long.script", strings.Repeat("call todo {\"items\":[]}\nend\n\n", 150)+"text done\nend\n")
	out, errOut, code := p.run(t, "-p", "go", "-C", ".", "--demo=long.script", "--json")
	if code != 4 || gjson.Get(out, "turns").Int() != 100 || gjson.Get(out, "error.kind").String() != "limit" {
		t.Errorf("exit %d, %s", code, out)
	}
	if errOut != "forge: turn limit reached; raise --max-turns, or say \"go on\"\n" {
		t.Errorf("%q", errOut)
	}
	out, errOut, code = p.run(t, "-c", "-p", "go on", "-C", ".", "--demo=long.script", "--max-turns", "60", "--json")
	if code != 0 || gjson.Get(out, "turns").Int() != 51 || gjson.Get(out, "text").String() != "done" {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
}
