package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"forge/ui/safe"
	"forge/ui/theme"
)

func linking() *theme.Theme {
	th := dark()
	th.Links = true
	return th
}

// led is what a terminal makes of rows: for each target the text that leads there.
func led(t *testing.T, rows []string, w int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, row := range rows {
		em := vt.NewEmulator(w, 1)
		em.WriteString(row)
		for x := 0; x < w; x++ {
			if c := em.CellAt(x, 0); c != nil && c.Link.URL != "" {
				if !strings.HasPrefix(c.Link.Params, "id=") {
					t.Errorf("%q: a link without an id: %q", row, c.Link.Params)
				}
				out[c.Link.URL] += c.Content
			}
		}
		em.Close()
	}
	return out
}

func TestLinksLead(t *testing.T) {
	for src, want := range map[string]map[string]string{
		"see [the docs](https://go.dev/doc) there":                   {"https://go.dev/doc": "the docshttps://go.dev/doc"},
		"see https://go.dev/a_b. There":                              {"https://go.dev/a_b": "https://go.dev/a_b"},
		"<https://go.dev> and <ann@example.org>":                     {"https://go.dev": "https://go.dev", "mailto:ann@example.org": "ann@example.org"},
		"[write](mailto:ann@example.org)":                            {"mailto:ann@example.org": "writemailto:ann@example.org"},
		"a [b][c] d\n\n[c]: https://go.dev/c":                        {},
		"![chart](https://go.dev/c.png)":                             {"https://go.dev/c.png": "image: charthttps://go.dev/c.png"},
		"[**bold** and `code`](https://go.dev)":                      {"https://go.dev": "bold and codehttps://go.dev"},
		"| a | b |\n|---|---|\n| [x](http://y.z) | https://go.dev |": {"http://y.z": "xhttp://y.z", "https://go.dev": "https://go.dev"},
		// An address in a text leads where it says, whatever the link around it says.
		"[https://good.org](https://bad.org)": {"https://good.org": "https://good.org", "https://bad.org": "https://bad.org"},
		"[good.org/x](https://bad.org)":       {"https://bad.org": "https://bad.org"},
		// What may not be clicked is text like any other.
		"[x](javascript:alert(1)) [y](file:///etc/passwd) <javascript:alert> <file:///etc/passwd> [z](a/b.md) [w](#top)": {},
		"`https://go.dev`\n\n```\nhttps://go.dev\n```":                                                                   {},
	} {
		rows := Render(linking(), 70, src)
		got := led(t, rows, 70)
		if len(got) != len(want) {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
		for to, text := range want {
			if got[to] != text {
				t.Errorf("%q: to %q leads %q, want %q", src, to, got[to], text)
			}
		}
		// Nothing is longer, and nothing else is said, where the terminal takes no links.
		bare := Render(dark(), 70, src)
		if strings.Contains(strings.Join(bare, ""), "\x1b]") {
			t.Errorf("%q: a link where none is wanted: %q", src, bare)
		}
		for i := range rows {
			if ansi.Strip(rows[i]) != ansi.Strip(bare[i]) || safe.Width(rows[i]) != safe.Width(bare[i]) {
				t.Errorf("%q: row %d is another with links: %q and %q", src, i, rows[i], bare[i])
			}
		}
	}
}

// Rows without links cost what they cost before.
func TestLinksCostNothingElsewhere(t *testing.T) {
	src := "# head\n\nsome *prose* with `code`, [x](a.md) and a\n- list\n\n| a | b |\n|---|---|\n| c | d |\n"
	if with, without := Render(linking(), 40, src), Render(dark(), 40, src); !slices.Equal(with, without) {
		t.Errorf("%q\n%q", with, without)
	}
}

// A link that is broken into rows is one: each row begins and ends it, with one id.
func TestBrokenLinkIsOne(t *testing.T) {
	rows := Render(linking(), 12, "[the long way](https://go.dev)")
	begin, end := safe.Linked("https://go.dev")
	if len(rows) < 3 {
		t.Fatalf("%q", rows)
	}
	for _, r := range rows {
		if n := strings.Count(r, begin); n == 0 || n != strings.Count(r, end) || strings.Count(r, "\x1b]8;") != 2*n {
			t.Errorf("%q", r)
		}
	}
	if got := led(t, rows, 12)["https://go.dev"]; got != "the long wayhttps://go.dev" && got != "the longwayhttps://go.dev" {
		t.Errorf("%q", got)
	}
}

// A model's own sequence is no link: it is gone before the text is read.
func TestForeignSequencesAreNoLinks(t *testing.T) {
	for _, src := range []string{
		"\x1b]8;;file:///etc/passwd\x1b\\click\x1b]8;;\x1b\\",
		"\x1b]8;;https://bad.org\x07click\x1b]8;;\x07",
		"\u009d8;;https://bad.org\u009cclick",
		"[click](https://a\x1b]8;;https://bad.org\x07)",
		"[click](https://a&#27;]8;;https://bad.org&#7;)",
		"[click](https://a&#x202e;b)",
	} {
		for to := range led(t, Render(linking(), 70, safe.Output(src)), 70) {
			if !strings.HasPrefix(to, "https://a") {
				t.Errorf("%q leads to %q", src, to)
			}
		}
		all := strings.Join(Render(linking(), 70, safe.Output(src)), "")
		if strings.Contains(all, "\x1b]8;;https://bad.org") || strings.Contains(all, ";file:") {
			t.Errorf("%q: %q", src, all)
		}
	}
}
