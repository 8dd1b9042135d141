package safe

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Of what a text from outside calls an address, only the web and mail can be clicked, and
// nothing in it ends the sequence it stands in.
func TestWebTarget(t *testing.T) {
	for address, want := range map[string]string{
		"https://go.dev/doc?a=b;c#d":        "https://go.dev/doc?a=b;c#d",
		"HTTP://go.dev":                     "http://go.dev",
		"https://例.cn/路":                    "https://%E4%BE%8B.cn/%E8%B7%AF",
		"https://go.dev/a b\"<>\\^`{|}":     "https://go.dev/a%20b%22%3C%3E%5C%5E%60%7B%7C%7D",
		"https://go.dev/%7Ea":               "https://go.dev/%7Ea",
		"mailto:ann@example.org":            "mailto:ann@example.org",
		"mailto:ann@example.org?attach=/a":  "",
		"mailto:ann":                        "",
		"mailto:@b":                         "",
		"javascript:alert(1)":               "",
		"JavaScript:alert(1)":               "",
		"file:///etc/passwd":                "",
		"FILE:///etc/passwd":                "",
		"vscode://file/etc/passwd":          "",
		"ssh://host":                        "",
		"data:text/html,x":                  "",
		"//go.dev":                          "",
		"go.dev":                            "",
		"":                                  "",
		"https:go.dev":                      "",
		"https://":                          "",
		"https:///etc/passwd":               "",
		"https://a\x1b]8;;file:///e\x1b\\b": "",
		"https://a\x07b":                    "",
		"https://a\nb":                      "",
		"https://a\u202eb":                  "",
		" https://a":                        "",
		"https://a/" + strings.Repeat("a", maxTarget): "",
		"https://a/" + strings.Repeat("例", 300):       "",
	} {
		if got := WebTarget(address); got != want {
			t.Errorf("%.60q: %.80q, want %q", address, got, want)
		}
	}
}

func TestFileTarget(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"/w/a b%.go", "file://box/w/a%20b%25.go"},
		{"/w/例?#;.go", "file://box/w/%E4%BE%8B%3F%23;.go"},
		{`C:\w\a.go`, "file:///C:/w/a.go"},
		{`\\server\share`, ""},
		{"a.go", ""},
		{"", ""},
		{"/w/a\x1b]8;;b", ""},
		{"/w/a\nb", ""},
	} {
		if got := FileTarget("box", c.path); got != c.want {
			t.Errorf("%q: %q, want %q", c.path, got, c.want)
		}
	}
}

// A row with links is as wide as without, is cut as without, and what is cut off leaves
// none open.
func TestLinkedRowsKeepTheirWidth(t *testing.T) {
	defer UseWide(false)
	if begin, end := Linked(""); begin != "" || end != "" {
		t.Fatalf("no target: %q %q", begin, end)
	}
	begin, end := Linked("https://go.dev/a;b?c=d")
	if want := "\x1b]8;id=2ojs23;https://go.dev/a;b?c=d\x07"; begin != want || end != "\x1b]8;;\x07" {
		t.Fatalf("%q %q", begin, end)
	}
	plain := "see “例子” here and there"
	row := "see " + begin + "“例子” here" + end + " and there"
	for _, wide := range []bool{false, true} {
		UseWide(wide)
		if a, b := Width(row), Width(plain); a != b {
			t.Errorf("wide %v: %d cells, without links %d", wide, a, b)
		}
		for w := 1; w <= Width(plain)+1; w++ {
			for name, cut := range map[string]func(string) string{
				"Truncate": func(s string) string { return Truncate(s, w, "~") },
				"Cut":      func(s string) string { return Cut(s, w/2, w) },
				"Skip":     func(s string) string { return Skip(s, w) },
			} {
				got := cut(row)
				if a, b := ansi.Strip(got), cut(plain); a != b {
					t.Errorf("wide %v: %s at %d: %q, without links %q", wide, name, w, a, b)
				}
				if strings.LastIndex(got, begin) > strings.LastIndex(got, end) {
					t.Errorf("wide %v: %s at %d leaves the link open: %q", wide, name, w, got)
				}
			}
		}
	}
}
