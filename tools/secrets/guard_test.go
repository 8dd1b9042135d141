package secrets_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"forge/tools/secrets"
)

// draw makes the letters of a part that is drawn by lot.
func draw(r *rand.Rand, part string) (string, bool) {
	m := regexp.MustCompile(`^([AHULBWD])(\d+)$`).FindStringSubmatch(part)
	if m == nil {
		return part, false
	}
	letters := map[string]string{
		"A": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "H": "0123456789abcdef", "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
		"L": "abcdefghijklmnopqrstuvwxyz0123456789", "B": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/",
		"W": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", "D": "123456789",
	}[m[1]]
	var n int
	fmt.Sscan(m[2], &n)
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
		// Neither end is a sign, and every value has digits and letters, as drawn ones
		// of that length have but for bad luck.
		if i == 0 || i == n-1 {
			b[i] = letters[r.IntN(min(len(letters), 16))]
		}
	}
	if n > 3 && m[1] != "D" {
		b[1], b[n/2] = '7', letters[len(letters)/3]
		if m[1] == "H" {
			b[2] = 'c'
		}
	}
	return string(b), true
}

func join(r *rand.Rand, parts string) string {
	var b strings.Builder
	for _, p := range strings.Fields(parts) {
		s, _ := draw(r, p)
		b.WriteString(s)
	}
	return b.String()
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for l := range strings.SplitSeq(strings.TrimRight(string(b), "\n"), "\n") {
		if l != "" && !strings.HasPrefix(l, "# ") {
			out = append(out, l)
		}
	}
	return out
}

// around are places a token may stand in.
var around = []string{
	"%s", "TOKEN=%s", "export X='%s'", "x: %s", "\"x\": \"%s\",", "the key is %s.", "  12\t x = \"%s\"", "[%s](a)", "Authorization: token %s",
	"https://a.example.org/?k=%s&b=1", "\\n%s\\n", "a\n%s\nb", "(%s)", "<k>%s</k>", "-e K=%s image", "k=%s;",
}

// TestTokens holds every provider's format in every place.
func TestTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, l := range lines(t, "tokens.txt") {
		slug, parts, _ := strings.Cut(l, "\t")
		for _, place := range around {
			value := join(r, parts)
			g := secrets.New(secrets.Options{})
			text := fmt.Sprintf(place, value)
			masked, hidden := g.Mask(text)
			if len(hidden) != 1 || !strings.Contains(hidden[0].Placeholder, "SECRET_"+slug+"_") {
				t.Errorf("%s in %q: hidden %v: %q", slug, place, hidden, masked)
				continue
			}
			if want := fmt.Sprintf(place, hidden[0].Placeholder); masked != want {
				t.Errorf("%s in %q: %q, want %q", slug, place, masked, want)
			}
		}
	}
}

// expand draws the marked parts of a line.
func expand(r *rand.Rand, line string) (text, pattern string) {
	var b, p strings.Builder
	line = strings.ReplaceAll(line, `\n`, "\n")
	p.WriteString("^")
	for {
		before, rest, ok := strings.Cut(line, "«")
		b.WriteString(before)
		p.WriteString(regexp.QuoteMeta(before))
		if !ok {
			break
		}
		inner, after, _ := strings.Cut(rest, "»")
		b.WriteString(join(r, inner))
		p.WriteString(`SECRET_[a-z_]+_[a-z2-7]{10}`)
		line = after
	}
	p.WriteString("$")
	return b.String(), p.String()
}

// TestLines holds secrets by what stands around them.
func TestLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, l := range lines(t, "lines.txt") {
		for range 5 { // other letters each time
			text, want := expand(r, l)
			g := secrets.New(secrets.Options{})
			masked, _ := g.Mask(text)
			if !regexp.MustCompile(want).MatchString(masked) {
				t.Errorf("%s\n%q\nbecame %q", l, text, masked)
				break
			}
		}
	}
}

// TestNothing holds what is no secret.
func TestNothing(t *testing.T) {
	g := secrets.New(secrets.Options{})
	all := lines(t, "nothing.txt")
	for _, l := range all {
		for _, text := range []string{l, "  12\t" + l, l + "\n" + l} {
			if masked, hidden := g.Mask(text); masked != text {
				t.Errorf("%q became %q (%v)", text, masked, hidden)
				break
			}
		}
	}
	whole := strings.Join(all, "\n")
	if masked, _ := g.Mask(whole); masked != whole {
		t.Error("together they are not left alone")
	}
}
