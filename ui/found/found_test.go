package found

import (
	"testing"

	"forge/tools"
	"forge/ui/lang"
)

func TestLine(t *testing.T) {
	for _, c := range []struct {
		found  tools.Found
		en, zh string
		bad    bool
		more   int
	}{
		{tools.Found{By: "x", New: 1, Lines: []string{"a"}}, "x: 1 new error", "x：1 个新错误", true, 0},
		{tools.Found{By: "x", New: 3, Unsure: true, Lines: []string{"a"}}, "x: 3 errors, perhaps old ones", "x：3 个错误，可能有旧有的", true, 2},
		{tools.Found{By: "x", Old: 2, Gone: 1}, "x: 2 errors as before, 1 error gone", "x：2 个旧有错误，1 个错误已消失", false, 0},
		{tools.Found{By: "x", Elsewhere: 2}, "x: 2 new errors in other files", "x：其他文件中 2 个新错误", true, 2},
		{tools.Found{By: "x", Note: "is gone: it closed its output"}, "x: is gone: it closed its output", "x：已不在：它关闭了输出", true, 0},
	} {
		for tag, want := range map[string]string{lang.English: c.en, "zh": c.zh} {
			if err := lang.Use(tag); err != nil {
				t.Fatal(err)
			}
			if got := Line(c.found); got != want {
				t.Errorf("%+v is %q, want %q", c.found, got, want)
			}
		}
		if Bad(c.found) != c.bad || More(c.found) != c.more {
			t.Errorf("%+v: bad %v, %d more", c.found, Bad(c.found), More(c.found))
		}
	}
	if err := lang.Use(lang.English); err != nil {
		t.Fatal(err)
	}
}
