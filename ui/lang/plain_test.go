package lang

import "testing"

// Where signs of ambiguous width are kept away, those that tools put into a title are too;
// names and commands stay as they are.
func TestTitlesInPlainSigns(t *testing.T) {
	defer Use(English)
	defer Plainly(false)
	Plainly(true)
	for _, c := range []struct{ tag, say, want string }{
		{English, "edit a.go (+3 −1)", "edit a.go (+3 -1)"},
		{"zh", "edit a.go (+3 −1)", "编辑 a.go（+3 -1）"},
		{English, "move a→b.go → c.go", "move a→b.go > c.go"},
		{"zh", "move a.go → c.go", "移动 a.go > c.go"},
		{English, "run echo 'a · b → c'", "run echo 'a · b → c'"},
	} {
		if err := Use(c.tag); err != nil {
			t.Fatal(err)
		}
		if got := Title(c.say); got != c.want {
			t.Errorf("%s: %q is %q, want %q", c.tag, c.say, got, c.want)
		}
	}
	for tag, want := range map[string]string{English: "exit code 1 - 2 ms", "zh": "退出码 1 - 2 ms"} {
		if err := Use(tag); err != nil {
			t.Fatal(err)
		}
		if got := Outcome("exit code 1 · 2 ms"); got != want {
			t.Errorf("%s: %q, want %q", tag, got, want)
		}
	}
}
