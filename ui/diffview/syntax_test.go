package diffview

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/tools/diff"
	"forge/ui/theme"
)

// A hunk that begins inside a comment or a string is coloured as one, on the side
// it is open on.
func TestSyntaxKnowsWhatIsOpen(t *testing.T) {
	th := theme.New(true, colorprofile.TrueColor)
	before := []byte("package a\n/*\n1\n2\n3\n4\nreturn 5\n6\n*/\nreturn 7\n")
	after := []byte(strings.Replace(strings.Replace(string(before), "return 5", "return 6", 1), "return 7", "return 8", 1))
	hunks := diff.Hunks(before, after)
	v := New(hunks, Options{Theme: th, Width: 80, Syntax: NewSyntax("a.go", before, after, hunks)})
	row := func(text string) string {
		for _, r := range v.Rows(0, v.Len()) {
			if strings.Contains(ansi.Strip(r), text) {
				return r
			}
		}
		t.Fatalf("no row with %q", text)
		return ""
	}
	for text, want := range map[string]struct{ has, not string }{
		"- return 5": {th.DelCode.Comment.Open, th.DelCode.Keyword.Open},
		"+ return 6": {th.AddCode.Comment.Open, th.AddCode.Keyword.Open},
		"- return 7": {th.DelCode.Keyword.Open, th.DelCode.Comment.Open},
		"+ return 8": {th.AddCode.Keyword.Open, th.AddCode.Comment.Open},
	} {
		if r := row(text); !strings.Contains(r, want.has) || strings.Contains(r, want.not) {
			t.Errorf("%q", r)
		}
	}
	// The comment ends on one side only: the line behind is source there.
	before, after = []byte("/* a\nb */\nreturn\n"), []byte("/* a\nb\nreturn 1\n")
	hunks = diff.Hunks(before, after)
	v = New(hunks, Options{Theme: th, Width: 80, Syntax: NewSyntax("a.go", before, after, hunks)})
	if r := row("- return"); !strings.Contains(r, th.DelCode.Keyword.Open) {
		t.Errorf("%q", r)
	}
	if r := row("+ return"); !strings.Contains(r, th.AddCode.Comment.Open) {
		t.Errorf("%q", r)
	}
}

// The changed word keeps its mark and its colour, and the text stays what it was.
func TestWordsOverSyntax(t *testing.T) {
	for name, th := range map[string]*theme.Theme{
		"dark": theme.New(true, colorprofile.TrueColor), "light": theme.New(false, colorprofile.ANSI256),
		"ansi": theme.New(true, colorprofile.ANSI), "none": theme.New(true, colorprofile.ASCII),
	} {
		before, after := []byte("	return call(\"日本\", 1) // why\n"), []byte("	return call(\"中国\", 2) // why\n")
		hunks := diff.Hunks(before, after)
		plain := New(hunks, Options{Theme: th, Width: 80})
		v := New(hunks, Options{Theme: th, Width: 80, Syntax: NewSyntax("a.go", before, after, hunks)})
		rows, same := v.Rows(0, v.Len()), plain.Rows(0, plain.Len())
		if ansi.Strip(strings.Join(rows, "\n")) != ansi.Strip(strings.Join(same, "\n")) {
			t.Errorf("%s: the text changed\n%s", name, strings.Join(rows, "\n"))
		}
		came := rows[len(rows)-1]
		if !strings.Contains(came, th.Add.Open+th.AddWord.Open+th.AddCode.Number.Open+"2") {
			t.Errorf("%s: the changed number has not both looks: %q", name, came)
		}
		if name == "none" && strings.Contains(came, "[3") && strings.Contains(came, ";3") {
			t.Errorf("colours without any: %q", came)
		}
	}
}

func TestSyntaxLeavesDataAlone(t *testing.T) {
	for _, path := range []string{"a.txt", "LICENSE", "x.md"} {
		if NewSyntax(path, nil, []byte("x\n"), diff.Hunks(nil, []byte("x\n"))) != nil {
			t.Errorf("%s has colours", path)
		}
	}
	long := []byte("x = \"" + strings.Repeat("a", maxSyntax) + "\"\n")
	hunks := diff.Hunks(nil, long)
	s := NewSyntax("a.go", nil, long, hunks)
	if runs := s.runs(&hunks[0].Lines[0], string(long), &theme.Code{}); len(runs) != 1 {
		t.Errorf("%d runs in a line of data", len(runs))
	}
}
