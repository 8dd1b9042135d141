package spelling

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the test program be a checker of its own: it knows a few words.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "checker" {
		os.Exit(play(os.Args[2]))
	}
	os.Exit(m.Run())
}

func play(lang string) int {
	known := map[string][]string{"en": {"hello", "world", "don't"}, "de": {"hallo", "welt"}}[lang]
	switch lang {
	case "mute":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0) // says nothing until its input ends
		return 0
	case "brief":
		fmt.Println("@(#) International Ispell Version 3.1.20 (but really brief)")
		return 3
	case "lines":
		for line := "@(#) lines"; ; line = "& helo 1 1: hello" {
			if _, err := fmt.Println(line); err != nil {
				return 0
			}
		}
	case "line":
		for line := "@(#) a line\n"; ; line = strings.Repeat("x", 4096) {
			if _, err := fmt.Print(line); err != nil {
				return 0
			}
		}
	case "frail": // answers one word, and ends over the next
		known = []string{"hello", "world"}
	}
	if known == nil {
		fmt.Fprintf(os.Stderr, "Can't open dictionary %q\n", lang)
		return 1
	}
	fmt.Println("@(#) International Ispell Version 3.1.20 (but really a test)")
	answered := false
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch line := in.Text(); {
		case strings.HasPrefix(line, "*"):
			known = append(known, line[1:])
		case strings.HasPrefix(line, "^"):
			word := line[1:]
			if lang == "frail" {
				if answered || word == "deadly" {
					fmt.Fprintln(os.Stderr, "out of memory")
					return 3
				}
				answered = true
			}
			switch {
			case slices.Contains(known, word):
			case word[0] == 'h':
				fmt.Printf("& %s 2 1: %s, h%s\n", word, known[0], lang)
			default:
				fmt.Printf("# %s 1\n", word)
			}
			fmt.Println()
		}
	}
	return 0
}

// testPrograms is this test program as a checker, behind one that is not installed.
func testPrograms(t *testing.T) []Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []Program{
		{"forge-no-such-checker", func(string) []string { return nil }},
		{self, func(lang string) []string { return []string{"checker", lang} }},
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"helo wrld, it's me!", "helo|wrld|it's|me"},
		{"say “helo” (agian) — fine.", "say|helo|agian|fine"},
		{"run `helo wrld` now", "run|now"},
		{"a ` alone helo", "alone|helo"},
		{"see\n```go\nfoo wrng\n```\nrigth", "see|rigth"},
		{"see\n  ~~~\nfoo\n```\nwrng\n~~~\nrigth", "see|rigth"},
		{"open src/mian.go and ~/notes or C:\\temp\\x", "open|and|or"},
		{"@mian.go /commnad https://exmaple.org mail me@exmaple.org", "mail"},
		{"camelCase snake_case v2beta HTTP Hello HTTPServer iPhone", "Hello"},
		{"foo.bar() a::b std::vectr :tada: --falg -v $HOEM #tga x=y <tga> {a}", ""},
		{"e.g. this, i.e. that. End", "this|that|End"},
		{"!echo helo", ""},
		{"/rename helo wrld", "helo|wrld"},
		{"你好helo世界，wrld。再见", "helo|wrld"},
		{"こんにちはhelo 안녕", "helo"},
		{"well-knwon und Grüße, naïve don’t 'quoted' O'Neil", "well|knwon|und|Grüße|naïve|don’t|quoted"},
		{"[paste 1: 240 lines] I a", ""},
		{"see file:12 and foo: bar", "see|and|foo|bar"},
	} {
		var got []string
		for _, w := range Words(test.text) {
			got = append(got, test.text[w.From:w.To])
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, strings.Join(got, "|"), test.want)
		}
	}
}

func TestCheck(t *testing.T) {
	c := New([]string{"en"}, testPrograms(t), os.Environ())
	defer c.Close()
	wrong, verdicts, err := c.Wrong("hello helo wrld helo don’t")
	if err != nil || strings.Join(wrong, " ") != "helo wrld" || strings.Join(verdicts["helo"].Meant, " ") != "hello hen" || len(verdicts["wrld"].Meant) > 0 {
		t.Fatalf("%q %v %v", wrong, verdicts, err)
	}
	if err := c.Learn("wrld"); err != nil {
		t.Fatal(err)
	}
	if wrong, _, err = c.Wrong("wrld helo"); err != nil || strings.Join(wrong, " ") != "helo" {
		t.Fatalf("after learning: %q %v", wrong, err)
	}
	c.Use([]string{"en", "de"})
	if wrong, verdicts, err = c.Wrong("hallo hello welt hola"); err != nil || strings.Join(wrong, " ") != "hola" || strings.Join(verdicts["hola"].Meant, " ") != "hello hen hallo hde" {
		t.Fatalf("in two languages: %q %v %v", wrong, verdicts, err)
	}
	c.Use(nil)
	if c.On() {
		t.Error("on without a language")
	}
}

// A checker that has no dictionary, ends or says nothing is told of once, and Close ends
// one that is waited for.
func TestFailing(t *testing.T) {
	c := New([]string{"xx"}, testPrograms(t), os.Environ())
	defer c.Close()
	var missing *Missing
	if _, _, err := c.Wrong("hello"); !errors.As(err, &missing) || missing.None || !strings.Contains(missing.Said, `"xx"`) {
		t.Fatalf("%v", err)
	}
	c.Use([]string{"brief"})
	_, _, err := c.Wrong("hello")
	if err == nil {
		t.Fatal("a checker that has ended answers")
	}
	if _, _, again := c.Wrong("world"); again != err {
		t.Fatalf("it was asked again: %v", again)
	}
	if _, err := Who(testPrograms(t)[:1], "en", os.Environ()); !errors.As(err, &missing) || !missing.None {
		t.Fatalf("%v", err)
	}
	if name, err := Who(testPrograms(t), "de", os.Environ()); err != nil || name == "" {
		t.Fatalf("%q %v", name, err)
	}

	c.Use([]string{"mute"})
	asked := make(chan error)
	go func() { _, _, err := c.Wrong("hello"); asked <- err }()
	for running := 0; running == 0; {
		c.mu.Lock()
		running = len(c.running)
		c.mu.Unlock()
	}
	c.Close()
	if err := <-asked; err == nil {
		t.Error("an answer from one that says nothing")
	}
	if _, _, err := c.Wrong("hello"); err == nil || c.On() {
		t.Errorf("closed, and %v", err)
	}
}

// A checker that writes without an end costs an answer, not the memory of the machine.
func TestFlooding(t *testing.T) {
	for _, lang := range []string{"lines", "line"} {
		c := New([]string{lang}, testPrograms(t), os.Environ())
		defer c.Close()
		if _, _, err := c.Wrong("hello"); err == nil || !strings.Contains(err.Error(), "more than 64 KB") {
			t.Errorf("%s: %v", lang, err)
		}
	}
}

// One that ends over its work is started anew, a few times; one that cannot answer a word
// at all, or ends all the time, is given up, in its own last words, until somebody asks.
func TestStartedAnew(t *testing.T) {
	c := New([]string{"frail"}, testPrograms(t), os.Environ())
	defer c.Close()
	if wrong, _, err := c.Wrong("hello world helo wrld"); err != nil || strings.Join(wrong, " ") != "helo wrld" {
		t.Fatalf("%q %v", wrong, err)
	}
	_, _, err := c.Wrong("deadly")
	if err == nil || !strings.Contains(err.Error(), "out of memory") {
		t.Fatalf("%v", err)
	}
	if _, _, again := c.Wrong("another"); again != err {
		t.Errorf("asked again: %v", again)
	}
	c.Again()
	if wrong, _, err := c.Wrong("another"); err != nil || len(wrong) != 1 {
		t.Errorf("tried anew: %q %v", wrong, err)
	}
	if _, _, err := c.Wrong("a one two three four five six seven"); err == nil {
		t.Error("it is started without an end")
	}
}

func TestLanguages(t *testing.T) {
	for setting, want := range map[string]string{"": "", "off": "", "en_GB": "en_GB", " en-GB, de_DE ": "en_GB de_DE", "-d": "!", "en GB": "!", "en_GB,": "!", "en;rm": "!"} {
		langs, err := Languages(setting)
		if got := strings.Join(langs, " "); (err != nil) != (want == "!") || err == nil && got != want {
			t.Errorf("%q: %q %v", setting, got, err)
		}
	}
}

// The real checkers, each where it is installed.
func TestRealCheckers(t *testing.T) {
	for _, p := range Programs() {
		t.Run(p.Name, func(t *testing.T) {
			if _, err := exec.LookPath(p.Name); err != nil {
				t.Skip(p.Name + " is not installed")
			}
			home := t.TempDir() // its own dictionary is written there
			env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"))
			c := New([]string{"en_US"}, []Program{p}, env)
			defer c.Close()
			var missing *Missing
			wrong, verdicts, err := c.Wrong("hello wrold naïve don't forgebox")
			if errors.As(err, &missing) {
				t.Skip(err)
			}
			if err != nil || strings.Join(wrong, " ") != "wrold forgebox" && strings.Join(wrong, " ") != "wrold naïve forgebox" || !slices.Contains(verdicts["wrold"].Meant, "world") {
				t.Fatalf("%q %v %v", wrong, verdicts, err)
			}
			if err := c.Learn("forgebox"); err != nil {
				t.Fatal(err)
			}
			c.Close()
			if again := New([]string{"en_US"}, []Program{p}, env); again != nil {
				defer again.Close()
				if wrong, _, err := again.Wrong("forgebox wrold"); err != nil || strings.Join(wrong, " ") != "wrold" {
					t.Fatalf("learned, and in the next one %q %v", wrong, err)
				}
			}
			if p.Name == "hunspell" || p.Name == "aspell" {
				if _, err := Who([]Program{p}, "xx_XX", env); !errors.As(err, &missing) || missing.Said == "" {
					t.Errorf("a language nobody has: %v", err)
				}
			}
		})
	}
}
