package search

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
)

func talk(t testing.TB, dir, cwd string, texts ...string) *session.Session {
	t.Helper()
	s, err := session.Create(dir, cwd, "main")
	if err != nil {
		t.Fatal(err)
	}
	say(t, s, texts...)
	t.Cleanup(func() { s.Close() })
	return s
}

func say(t testing.TB, s *session.Session, texts ...string) {
	t.Helper()
	for i, text := range texts {
		m := provider.UserText(text)
		if i%2 == 1 {
			m = provider.Message{Role: provider.Assistant, Stop: provider.StopEnd, Blocks: []provider.Block{
				provider.ToolUse{ID: fmt.Sprint(i), Name: "run_bash", Input: `{"command":"` + text + `"}`}}}
		}
		if err := s.Append(session.Record{Message: &m}); err != nil {
			t.Fatal(err)
		}
	}
}

func find(t testing.TB, x Index, text string) string {
	t.Helper()
	hits, err := x.Search(context.Background(), Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range hits {
		near := ""
		if h.Near {
			near = "~"
		}
		out = append(out, fmt.Sprintf("%s%s:%d[%s]", near, h.Who, h.Seq, h.Excerpt[h.From:h.To]))
	}
	return strings.Join(out, " ")
}

func TestSearch(t *testing.T) {
	dir := t.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}
	if got := find(t, x, "anything"); got != "" {
		t.Errorf("in no folder: %s", got)
	}
	s := talk(t, x.Sessions, "/w", "Why does the Median\nfail for an even count?", "grep -rn median .", "用户的中文问题在这里", "x", "say \"quoted words\" here, C:\\path")
	for query, want := range map[string]string{
		"median":             "call:2[median] you:1[Median]",
		"MEDIAN fail":        "you:1[Median]",
		`"fail for an"`:      "you:1[fail for an]",
		`"for fail"`:         "",
		"中文":                 "you:3[中文]",
		"medain":             "~call:2[median] ~you:1[Median]", // two letters swapped
		"medians":            "~call:2[median] ~you:1[Median]",
		"nothing at all":     "",
		"edia":               "call:2[edia] you:1[edia]",
		`c:\path`:            `you:5[C:\path]`,
		"go":                 "",
		"quoted":             "you:5[quoted]",
		"in":                 "", // no text of this has it
		"x":                  "call:4[x]",
		"问":                  "you:3[问]",
		"题在":                 "you:3[题在]",
		"鬱":                  "",
		"qz":                 "",
		"fail zebra":         "",
		"Zusammenarbeit":     "",
		"quotde words fialx": "",
	} {
		if got := find(t, x, query); got != want {
			t.Errorf("%s: found %q, want %q", query, got, want)
		}
	}
	if _, err := x.Search(t.Context(), Query{Text: `  "" `}); err != ErrNoWords {
		t.Errorf("no words: %v", err)
	}
	if hits, _ := x.Search(t.Context(), Query{Text: "medain", Exact: true}); len(hits) != 0 {
		t.Errorf("exact: %v", hits)
	}
	// What is said afterwards is found as well, and the excerpt is where the offset is.
	say(t, s, "and now the xylophone")
	hits, err := x.Search(t.Context(), Query{Text: "xylophone"})
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	raw, _ := os.ReadFile(s.Path())
	if line := raw[hits[0].Offset:]; !strings.Contains(string(line[:strings.IndexByte(string(line), '\n')]), "xylophone") {
		t.Errorf("the offset %d is not that of the line", hits[0].Offset)
	}
	if fi, err := os.Stat(filepath.Join(x.Dir, s.ID()+indexExt)); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("the index: %v %v", fi, err)
	}
}

// An index that grew with its session finds what one made at once finds.
func TestIndexGrows(t *testing.T) {
	dir := t.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}
	s := talk(t, x.Sessions, "/w", "begin")
	for i := range 40 {
		var b strings.Builder
		for j := range 600 {
			fmt.Fprintf(&b, "word%d_%d filler text ", i, j)
		}
		say(t, s, b.String())
		if got := find(t, x, fmt.Sprintf("word%d_599", i)); !strings.HasPrefix(got, "you:") {
			t.Fatalf("after %d: %q", i, got)
		}
	}
	for i := range 40 {
		if got, want := find(t, x, fmt.Sprintf("word%d_17 ", i)), fmt.Sprintf("you:%d[word%d_17]", i+2, i); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	files, _ := x.files()
	grown, err := x.parts(files[0])
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := build(s.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(grown.spans) != len(fresh.spans) || grown.upTo != fresh.upTo || string(grown.rows) != string(fresh.rows) {
		t.Errorf("%d and %d parts, to %d and %d, rows equal: %v", len(grown.spans), len(fresh.spans), grown.upTo, fresh.upTo, string(grown.rows) == string(fresh.rows))
	}
}

// A line that is too long to be read is in no part: a part is read whole.
func TestHugeLineIsInNoPart(t *testing.T) {
	dir := t.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}
	s := talk(t, x.Sessions, "/w", "before it")
	f, err := os.OpenFile(s.Path(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"type":"message","seq":7,"note":"` + strings.Repeat("within", 3<<20) + "\"}\n"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	say(t, s, "after it")
	for _, word := range []string{"before", "after"} {
		if got := find(t, x, word); !strings.Contains(got, "["+word+"]") {
			t.Errorf("%s: %q", word, got)
		}
	}
	files, err := x.files()
	if err != nil {
		t.Fatal(err)
	}
	p, err := x.parts(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range p.spans {
		if n := span[1] - span[0]; n > 1<<20 {
			t.Errorf("a part of %d bytes", n)
		}
	}
	if len(p.spans) != 2 {
		t.Errorf("parts %v", p.spans)
	}
}

// A broken index is made anew, whatever is wrong with it, and one that cannot be
// kept is not missed.
func TestBrokenIndex(t *testing.T) {
	dir := t.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}
	s := talk(t, x.Sessions, "/w", "a pomegranate")
	find(t, x, "pomegranate")
	name := filepath.Join(x.Dir, s.ID()+indexExt)
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(good); n += 1 + len(good)/50 {
		for what, bad := range map[string][]byte{"cut": good[:n], "flipped": append(append(append([]byte{}, good[:n]...), good[n]^0x40), good[n+1:]...), "zeros": make([]byte, n)} {
			if err := os.WriteFile(name, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := find(t, x, "pomegranate"); got != "you:1[pomegranate]" {
				t.Fatalf("%s at %d: %q", what, n, got)
			}
			if now, _ := os.ReadFile(name); string(now) != string(good) {
				t.Fatalf("%s at %d: the index was not made anew", what, n)
			}
		}
	}
	x.Dir = filepath.Join(name, "no folder")
	if got := find(t, x, "pomegranate"); got != "you:1[pomegranate]" {
		t.Errorf("without an index: %q", got)
	}
	x.Dir = filepath.Join(dir, "i")
	second := talk(t, x.Sessions, "/w", "an apricot")
	if got := find(t, x, "apricot"); got != "you:1[apricot]" {
		t.Error(got)
	}
	s.Close()
	os.Remove(s.Path())
	find(t, x, "apricot")
	if left, _ := os.ReadDir(x.Dir); len(left) != 1 {
		t.Errorf("the index of a session that is gone stays: %v", left)
	}
	for range 2 {
		if err := x.Forget(second.ID()); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(x.Dir); len(left) != 0 {
		t.Errorf("the index of a session that is gone stays: %v", left)
	}
}

func FuzzDecode(f *testing.F) {
	dir := f.TempDir()
	s := talk(f, dir, "/w", "a pomegranate")
	p, err := build(s.Path(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(p.encode())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := decode(b); err == nil {
			w := word{text: "pomegranate", edits: 2}
			p.candidates(&pattern{words: []word{w}})
			p.share(w, p.may("pome"))
		}
	})
}

// What the quick look passes over is near nothing.
func TestQuickLook(t *testing.T) {
	for line, want := range map[string]bool{
		`{"text":"first\nmedain here"}`: true, `{"text":"the MEDIANS"}`: true, `{"text":"medium\u0007median"}`: true, `medin`: true,
		`{"text":"a mdeian"}`: true, `{"text":"meadows and medical"}`: false, `amediandb`: false, ``: false, `\`: false, `median`: true,
	} {
		w := word{text: "median", edits: 1}
		if got := w.mayBeNear([]byte(line)); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
	if !(word{text: "größer", edits: 1}).mayBeNear([]byte("x")) {
		t.Error("a word of other letters was passed over")
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		a, b string
		d    int
		want bool
	}{{"session", "sesion", 1, true}, {"session", "sessoin", 1, true}, {"compaction", "compcation", 2, true}, {"größe", "grösse", 1, false}, {"größe", "grösse", 2, true}, {"", "ab", 1, false}} {
		if near(c.a, c.b, c.d) != c.want {
			t.Errorf("near(%q, %q, %d) is %v", c.a, c.b, c.d, !c.want)
		}
	}
}

// library writes n sessions of about size bytes each, of pieces of this repository's
// code and documents, with one word of its own in each.
func library(b *testing.B, dir string, n, size int) {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var all []byte
	here := filepath.Join("..", "..", "agent", "search") // its tests hold words that shall be nowhere
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && d.Type().IsRegular() && (ext == ".go" || ext == ".md") && !strings.HasPrefix(path, here) {
			var text []byte
			text, err = os.ReadFile(path)
			all = append(all, text...)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		var out []byte
		line, _ := session.Line(session.Record{Header: &session.Header{Version: 1, ID: fmt.Sprint(i), Cwd: "/w"}})
		out = append(out, line...)
		for seq := 1; len(out) < size; seq++ {
			at := random.IntN(len(all) - 4000)
			text := strings.ToValidUTF8(string(all[at:at+4000]), "?")
			if seq == 50 {
				text += fmt.Sprintf(" needle%05dhaystack", i)
			}
			m := provider.UserText(text)
			line, err := session.Line(session.Record{Seq: seq, Message: &m})
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, line...)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("20260101-%06d-abcdef.jsonl", i)), out, 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// sessionsInBench is how many sessions of 500 KB are searched.
const sessionsInBench = 1000

// BenchmarkSearch answers over 1,000 sessions of 500 MB together.
func BenchmarkSearch(b *testing.B) {
	dir := b.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s"), Dir: filepath.Join(dir, "i")}
	library(b, x.Sessions, sessionsInBench, 500<<10)
	b.Run("first", func(b *testing.B) {
		for range b.N {
			os.RemoveAll(x.Dir)
			if _, err := x.Search(context.Background(), Query{Text: "xqzzyjqwx", Exact: true}); err != nil {
				b.Fatal(err)
			}
		}
		b.SetBytes(500 << 20)
	})
	for name, q := range map[string]Query{
		"rare": {Text: "needle00007haystack"}, "none": {Text: "xqzzyjqwx", Exact: true}, "short": {Text: "qzj", Exact: true}, "two letters": {Text: "qz", Exact: true}, "Chinese": {Text: "鬱", Exact: true}, "looser": {Text: "zqxv"}, "common": {Text: "the"},
		"two": {Text: "needle00500 haystack"}, "near": {Text: "needel00007haystack"},
		"near2": {Text: "permisison descirbe"}, "near3": {Text: "compactoin xylophonist"},
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				if _, err := x.Search(context.Background(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
