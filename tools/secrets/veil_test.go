package secrets_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/secrets"
)

func lot(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(11, uint64(len(t.Name()))))
}

// keyBlock is something that looks like a private key and is none.
func keyBlock(r *rand.Rand, eol, prefix string) string {
	kind := strings.Join([]string{"RSA", "PRIVATE", "KEY"}, " ")
	raw := make([]byte, 300)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	body := base64.StdEncoding.EncodeToString(raw)
	var b strings.Builder
	b.WriteString(prefix + "-----BEGIN " + kind + "-----" + eol)
	for ; body != ""; body = body[min(len(body), 64):] {
		b.WriteString(prefix + body[:min(len(body), 64)] + eol)
	}
	b.WriteString(prefix + "-----END " + kind + "-----")
	return b.String()
}

// bodyLines are the lines of a block that may not be seen.
func bodyLines(block, eol string) []string {
	all := strings.Split(block, eol)
	var out []string
	for _, l := range all[1 : len(all)-1] {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

func TestPlaceholdersAreStable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "key")
	key, err := secrets.Key(file)
	if err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("the key's file: %v %v", fi.Mode(), err)
	}
	again, err := secrets.Key(file)
	if err != nil || !bytes.Equal(key, again) {
		t.Fatalf("another key the second time: %v", err)
	}
	text := "API_TOKEN=" + join(lot(t), "A40")
	first, hidden := secrets.New(secrets.Options{Key: key}).Mask(text)
	second, _ := secrets.New(secrets.Options{Key: key}).Mask(text)
	other, _ := secrets.New(secrets.Options{}).Mask(text)
	if first != second {
		t.Errorf("one key, two placeholders: %s, %s", first, second)
	}
	if first == other {
		t.Error("the placeholder does not depend on the key: it can be tried against guesses")
	}
	// A run that has not seen the value says so, and learns it by looking.
	later := secrets.New(secrets.Options{Key: key})
	if _, err := later.Held(first); err == nil || !strings.Contains(err.Error(), hidden[0].Placeholder) {
		t.Errorf("an unknown value: %v", err)
	}
	if got, err := later.Reveal(first, tools.Plain); err == nil {
		t.Errorf("revealed what it cannot know: %q", got)
	}
	later.Learn(text)
	if got, err := later.Reveal(first, tools.Plain); err != nil || got != text {
		t.Errorf("revealed %q, %v", got, err)
	}
	// What only looks like a placeholder is text.
	like := "SECRET_token_aaaaaaaaaa SECRET_KEY SECRET_ SECRET_password_"
	if held, err := later.Held(like); len(held) > 0 || err != nil {
		t.Errorf("taken for ours: %v, %v", held, err)
	}
	if got, err := later.Reveal(like, tools.Plain); got != like || err != nil {
		t.Errorf("changed to %q, %v", got, err)
	}
}

func TestMaskTwiceIsMaskOnce(t *testing.T) {
	g := secrets.New(secrets.Options{})
	r := lot(t)
	for _, l := range lines(t, "lines.txt") {
		text, _ := expand(r, l)
		once, _ := g.Mask(text)
		twice, hidden := g.Mask(once)
		if once != twice || len(hidden) > 0 {
			t.Errorf("%q became %q (%v)", once, twice, hidden)
		}
		if back, err := g.Reveal(once, tools.Plain); err != nil || back != text {
			t.Errorf("%q came back as %q, %v", text, back, err)
		}
	}
}

// TestKnownEverywhere holds that a value seen once is hidden where nothing says
// what it is.
func TestKnownEverywhere(t *testing.T) {
	g := secrets.New(secrets.Options{})
	value := join(lot(t), "A12")
	masked, hidden := g.Mask("DB_PASSWORD=" + value + "\n")
	if len(hidden) != 1 {
		t.Fatal(masked)
	}
	got, _ := g.Mask("x" + value + "y and " + value)
	if p := hidden[0].Placeholder; got != "x"+p+"y and "+p {
		t.Errorf("%q", got)
	}
}

func TestPrivateKeys(t *testing.T) {
	r := lot(t)
	for _, c := range []struct{ eol, prefix string }{{"\n", ""}, {"\r\n", ""}, {`\n`, ""}, {"\n", "    "}, {"\n", "  12\t"}, {"\n", "+"}} {
		block := keyBlock(r, c.eol, c.prefix)
		text := `{"key": "` + block + `"}`
		g := secrets.New(secrets.Options{})
		masked, hidden := g.Mask(text)
		body := bodyLines(block, c.eol)
		for _, l := range body {
			l = strings.TrimLeft(strings.TrimPrefix(l, "12\t"), "+")
			if strings.Contains(masked, l) {
				t.Errorf("%q %q: %q is seen", c.eol, c.prefix, l)
			}
		}
		if strings.Count(masked, c.eol) != strings.Count(text, c.eol) || len(hidden) == 0 {
			t.Errorf("%q: lines were lost: %s", c.eol, masked)
		}
		if back, err := g.Reveal(masked, tools.Plain); err != nil || back != text {
			t.Errorf("%q: came back as %q, %v", c.eol, back, err)
		}
		// A few lines of it alone, as a later read shows them.
		if part, _ := g.Mask("see\n" + body[2] + "\n" + body[3]); strings.Contains(part, body[2][4:]) {
			t.Errorf("%q: a part of it is seen: %s", c.eol, part)
		}
	}
	block := keyBlock(r, "\n", "")
	for name, part := range map[string]string{"without its end": block[:300], "without its begin": block[100:]} {
		masked, _ := secrets.New(secrets.Options{}).Mask(part)
		for _, l := range strings.Split(part, "\n") {
			if len(l) == 64 && strings.Contains(masked, l) {
				t.Errorf("%s: %q is seen", name, l)
			}
		}
	}
	cert := strings.ReplaceAll(block, "RSA PRIVATE KEY", "CERTIFICATE")
	if masked, hidden := secrets.New(secrets.Options{}).Mask(cert); masked != cert {
		t.Errorf("a certificate was masked: %v", hidden)
	}
}

func TestAllowAndExtra(t *testing.T) {
	value := join(lot(t), "A40")
	text := "API_TOKEN=" + value + " ticket ACME-1234-5678"
	g := secrets.New(secrets.Options{Allow: []*regexp.Regexp{regexp.MustCompile("^" + value[:6])}, Extra: []*regexp.Regexp{regexp.MustCompile(`ticket (ACME-\d+-\d+)`)}})
	masked, hidden := g.Mask(text)
	if len(hidden) != 1 || masked != "API_TOKEN="+value+" ticket "+hidden[0].Placeholder {
		t.Errorf("%q %v", masked, hidden)
	}
}

// TestStream holds that text in any pieces is masked as the whole is, and that
// what cannot be a secret does not wait.
func TestStream(t *testing.T) {
	r := lot(t)
	var all strings.Builder
	for i, l := range lines(t, "lines.txt") {
		text, _ := expand(r, l)
		all.WriteString(text + "\n")
		if i%20 == 0 {
			all.WriteString(keyBlock(r, "\n", "") + "\nplain line\r\nprogress 10%\rprogress 20%\r")
		}
	}
	whole := all.String()
	g := secrets.New(secrets.Options{Key: []byte("a key for this test")})
	want, _ := g.Mask(whole)
	for _, size := range []int{1, 2, 3, 7, 64, 1000, 32 << 10} {
		var got bytes.Buffer
		w := secrets.New(secrets.Options{Key: []byte("a key for this test")}).Stream(&got)
		for rest := whole; rest != ""; {
			n := min(len(rest), size)
			if _, err := w.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got.String() != want {
			a, b := strings.Split(got.String(), "\n"), strings.Split(want, "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("in pieces of %d, line %d is %q, whole %q", size, i, a[i], b[i])
					break
				}
			}
		}
	}
	var got bytes.Buffer
	w := g.Stream(&got)
	fmt.Fprint(w, "Continue? [y/n] ")
	if got.String() != "Continue? [y/n] " {
		t.Errorf("a question waits: %q", got.String())
	}
	fmt.Fprint(w, "yes\nAPI_TOKEN=")
	fmt.Fprint(w, join(r, "A20"))
	fmt.Fprint(w, join(r, "A20")+"\nend")
	if s := got.String(); !strings.Contains(s, "API_TOKEN=SECRET_token_") || strings.Contains(s, "end") {
		t.Errorf("%q", s)
	}
}

// TestInCommand gives commands with values in them to a real shell: it must get
// the value, and do nothing else.
func TestInCommand(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	values := []string{
		"abcDEF123456", "a/b+c9==", "it's $HOME", `a"b\c`, "$(touch hit)", "`touch hit`", "; touch hit", "x'; touch hit; '", `x"; touch hit; "`, "a b  c", "*", "-n 9",
		"PATH=/tmp/x9", "!!9", "a\nb", "{a,b}9", "#c9", "x|touch hit", `\`, `'"'"'`,
	}
	dir := t.TempDir()
	for _, v := range values {
		g := secrets.New(secrets.Options{Extra: []*regexp.Regexp{regexp.MustCompile(`(?s)VALUE<(.*)>`)}})
		_, hidden := g.Mask("VALUE<" + v + ">")
		if len(hidden) != 1 {
			t.Fatalf("%q is not learnt", v)
		}
		p := hidden[0].Placeholder
		for _, c := range []struct{ command, want string }{
			{"printf %s P", v}, {"printf %s 'P'", v}, {`printf %s "P"`, v}, {`printf %s "a P b"`, "a " + v + " b"}, {`printf %s x'y'P"z"`, "xy" + v + "z"},
			{`printf %s a\ P`, "a " + v}, {"A=P; printf %s \"$A\"", v}, {"cat <<'E'\nP\nE", v + "\n"}, {"printf %s \"$(printf %s P)\"", v}, {"printf %s `printf %s P`", v},
			{"printf %s \\P", v},
		} {
			line, err := g.Reveal(strings.ReplaceAll(c.command, "P", p), tools.InCommand)
			if err != nil {
				continue // it does not know, and says so
			}
			cmd := exec.Command(bash, "-c", line)
			cmd.Dir = dir
			out, err := cmd.Output()
			if string(out) != c.want || err != nil {
				t.Errorf("%q in %s: %q (%v), line %q", v, c.command, out, err, line)
			}
			if _, err := os.Stat(filepath.Join(dir, "hit")); err == nil {
				t.Fatalf("%q in %s ran something", v, c.command)
			}
		}
		if line, err := g.Reveal("printf %s '"+p+"'", tools.InCommand); err != nil {
			t.Errorf("%q in plain quotes: %q, %v", v, line, err)
		}
	}
	for _, v := range []string{"/etc/shadow", "~/.ssh/id_1", "a1/../../../etc/x", "./run1"} { // a planted value is no way out of the workspace
		g := secrets.New(secrets.Options{Extra: []*regexp.Regexp{regexp.MustCompile(`(?s)VALUE<(.*)>`)}})
		_, hidden := g.Mask("VALUE<" + v + ">")
		if line, err := g.Reveal("cat "+hidden[0].Placeholder, tools.InCommand); err == nil {
			t.Errorf("%q became %q", v, line)
		}
	}
}

func FuzzMask(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	f.Add("")
	f.Add("-----BEGIN RSA PRIVATE KEY-----")
	f.Add("-----END RSA PRIVATE KEY-----")
	f.Add("password=\"")
	f.Add("://:@")
	f.Add("-u :")
	f.Add("--password ")
	f.Add("<password>")
	f.Add("8Q~")
	f.Add(keyBlock(r, "\n", ""))
	for _, l := range []string{"API_TOKEN=«A40»", "postgres://ann:«A16»@db/app", "Authorization: Bearer «W40»"} {
		text, _ := expand(r, l)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g := secrets.New(secrets.Options{})
		masked, hidden := g.Mask(text)
		if len(hidden) == 0 && masked != text {
			t.Fatalf("%q became %q, and nothing is told", text, masked)
		}
		if back, err := g.Reveal(masked, tools.Plain); err != nil || back != text {
			t.Fatalf("%q became %q and came back as %q: %v", text, masked, back, err)
		}
		var out bytes.Buffer
		w := g.Stream(&out)
		for i := range len(text) {
			w.Write([]byte{text[i]})
		}
		w.Close()
		if back, err := g.Reveal(out.String(), tools.Plain); err != nil || back != text {
			t.Fatalf("%q streamed as %q and came back as %q: %v", text, out.String(), back, err)
		}
	})
}
