package markdown

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"forge/ui/safe"
	"forge/ui/theme"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// TestApplyAtAnyTime lets final rows arrive late and in the middle of the
// stream, as they do from another goroutine.
func TestApplyAtAnyTime(t *testing.T) {
	rnd := rand.New(rand.NewSource(5))
	for name, text := range samples(t) {
		want := Render(dark(), 50, text)
		for range 20 {
			s := New(dark())
			var waiting func() Rendered
			for i := 0; i < len(text); {
				n := min(i+1+rnd.Intn(30), len(text))
				s.Append(text[i:n])
				i = n
				s.Rows(50)
				if waiting == nil {
					waiting = s.Pending()
				} else if rnd.Intn(4) == 0 {
					if s.Pending() != nil {
						t.Fatalf("%s: work was handed out twice", name)
					}
					s.Apply(waiting())
					waiting = nil
				}
			}
			s.Close()
			s.Rows(50)
			if waiting != nil {
				s.Apply(waiting())
			}
			settle(s)
			if !s.Settled() {
				t.Fatalf("%s: something is still open", name)
			}
			if got := s.Rows(50); !slices.Equal(got, want) {
				k := firstDiff(got, want)
				t.Fatalf("%s row %d:\n got %q\nwant %q", name, k, at(got, k), at(want, k))
			}
		}
	}
}

func TestStaleWorkIsIgnored(t *testing.T) {
	text := "| a | b |\n|---|---|\n| 1 | a cell that is `longer` |\n\nend\n"
	for name, change := range map[string]func(*Stream){
		"width": func(s *Stream) { s.Rows(20) },
		"theme": func(s *Stream) { s.SetTheme(theme.New(false, colorprofile.ANSI)); s.Rows(40) },
		"drop":  func(s *Stream) { s.Drop(); s.Rows(40) },
	} {
		s := New(dark())
		s.Append(text)
		s.Close()
		s.Rows(40)
		work := s.Pending()
		if work == nil {
			t.Fatalf("%s: no work for a table", name)
		}
		change(s)
		before := slices.Clone(s.Rows(s.w))
		if s.Apply(work()) {
			t.Errorf("%s: stale work was applied", name)
		}
		if !slices.Equal(before, s.Rows(s.w)) {
			t.Errorf("%s: stale work changed rows", name)
		}
		if s.Pending() == nil {
			t.Errorf("%s: the work is not offered again", name)
		}
	}
}

func TestDropKeepsTheText(t *testing.T) {
	text := samples(t)["answer"]
	s := grow(dark(), 60, 9, text)
	want := slices.Clone(s.Rows(60))
	s.Drop()
	if s.rows != nil || s.blocks != nil {
		t.Error("rows are still held")
	}
	if s.Text() != text {
		t.Error("the text is gone")
	}
	if got := s.Rows(60); !slices.Equal(got, want) {
		t.Errorf("row %d differs after Drop", firstDiff(got, want))
	}
}

// TestWorkTouchesNothing runs the work beside the stream; the race detector
// tells if they share anything.
func TestWorkTouchesNothing(t *testing.T) {
	text := answer(20 << 10)
	s := New(dark())
	done := make(chan Rendered)
	busy := false
	for i := 0; i < len(text); i += 16 {
		s.Append(text[i:min(i+16, len(text))])
		s.Rows(80)
		if work := s.Pending(); work != nil {
			busy = true
			go func() { done <- work() }()
		}
		select {
		case r := <-done:
			s.Apply(r)
			busy = false
		default:
		}
	}
	if busy {
		s.Apply(<-done)
	}
	s.Close()
	s.Rows(80)
	settle(s)
	if got, want := s.Rows(80), Render(dark(), 80, text); !slices.Equal(got, want) {
		k := firstDiff(got, want)
		t.Errorf("row %d:\n got %q\nwant %q", k, at(got, k), at(want, k))
	}
}

// TestEntitiesDoNotSmuggle holds that no spelling of a control character
// becomes one, cheaply or finally drawn.
func TestEntitiesDoNotSmuggle(t *testing.T) {
	for _, src := range []string{
		"&#27;[31mred", "&#x1b;]0;title&#7;", "&#155;2J", "a&#x202e;b", "&ZeroWidthSpace;x", "`&#27;[2J`", "[x](http://a/&#27;[2J)", "![&#27;c](http://a)",
		"| &#27;[31m |\n|---|\n| `&#8;` |", "> &#x9b;1m", "# &#27;c", "**&#27;[8m**", "[&#27;](&#27;)", "<http://a/&#27;[2J>", "&NewLine;x &Tab;y",
	} {
		src = safe.Output(src)
		s := New(plain())
		s.Append(src)
		cheap := strings.Join(s.Rows(60), "\n")
		s.Close()
		for what, got := range map[string]string{"cheap": cheap, "final": strings.Join(Render(plain(), 60, src), "\n")} {
			if safe.Output(got) != got || strings.ContainsAny(got, "\t") {
				t.Errorf("%s of %q: %q", what, src, got)
			}
		}
	}
}

func TestLinksShowTheirTargets(t *testing.T) {
	for src, want := range map[string]string{
		"[docs](https://evil.example/)":                 "docs https://evil.example/",
		"[https://good.example](https://evil.example/)": "https://good.example https://evil.example/",
		"[x](http://[bad)":                              "x http://[bad",
		"[x](<http://a b> \"t\")":                       "x http://a b",
		"[x](javascript:alert(1))":                      "x javascript:alert(1)",
		"**[b](http://c)**":                             "b http://c",
		"[same](same)":                                  "same",
		"[same](same) [x](http://c)":                    "same x http://c",
		"[doc](docs/x.md) and ![i](i.png)":              "doc docs/x.md and image: i i.png",
		"![p](http://c/?d=1)":                           "image: p http://c/?d=1",
	} {
		if got := strings.Join(Render(plain(), 80, src), "\n"); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
		for _, r := range Render(dark(), 80, src) {
			if strings.Contains(r, "\x1b]") {
				t.Errorf("%q: a hyperlink hides its target: %q", src, r)
			}
		}
	}
}

// TestOpenTextLooksClosed holds that marks that will be closed are not seen.
func TestOpenTextLooksClosed(t *testing.T) {
	for src, want := range map[string]string{
		"some **bold te":       "some bold te",
		"some `code wo":        "some code wo",
		"some *it":             "some it",
		"a ~~gone":             "a gone",
		"see [docs](https://e": "see docs https://e",
		"2 * 3":                "2 * 3",
		"snake_case":           "snake_case",
		"```go\nx := 1\n``":    "  x := 1",
		"- item\n- ":           "• item\n• ",
		"1. a\n2. b":           "1. a\n2. b",
	} {
		s := New(plain())
		s.Append(src)
		if got := strings.Join(s.Rows(40), "\n"); got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	s := New(dark())
	if rows := s.Rows(40); len(rows) != 0 {
		t.Errorf("rows of nothing: %q", rows)
	}
	s.Append("\n\n \n")
	s.Close()
	if rows := s.Rows(40); len(rows) != 0 {
		t.Errorf("rows of blanks: %q", rows)
	}
	if s.Pending() != nil {
		t.Error("work for nothing")
	}
	if !s.Settled() {
		t.Error("nothing is not settled")
	}
}

// TestRowsAreComplete holds that each row closes what it opens, so that a
// window may begin at any of them.
func TestRowsAreComplete(t *testing.T) {
	for name, text := range samples(t) {
		for _, r := range Render(dark(), 40, text) {
			open := map[string]bool{}
			for _, part := range strings.Split(r, "\x1b[")[1:] {
				params, _, _ := strings.Cut(part, "m")
				for _, p := range codes(params) {
					switch p {
					case "22", "23", "24", "27", "29", "39", "49":
						delete(open, p)
					case "1", "2":
						open["22"] = true
					case "38":
						open["39"] = true
					case "48":
						open["49"] = true
					default:
						if len(p) == 1 {
							open["2"+p] = true
						} else {
							open["39"] = true
						}
					}
				}
			}
			if len(open) > 0 {
				t.Errorf("%s: %q leaves %v open", name, ansi.Strip(r), open)
			}
		}
	}
}

// codes are the parameters of an SGR sequence, colours' own taken out.
func codes(params string) []string {
	ps := strings.Split(params, ";")
	var out []string
	for i := 0; i < len(ps); i++ {
		out = append(out, ps[i])
		if ps[i] == "38" || ps[i] == "48" {
			i += 2
			if ps[i-1] == "2" {
				i += 2
			}
		}
	}
	return out
}
