package safe

import (
	"strings"
	"testing"
)

func TestDye(t *testing.T) {
	red, grey := Look{Fore: kindBasic | 1}, Look{Fore: kindBasic | 8}
	for _, c := range []struct {
		line string
		want []Dyed
	}{
		{"plain", []Dyed{{"plain", Look{}}}},
		{"\x1b[31mred\x1b[0m not", []Dyed{{"red", red}, {" not", Look{}}}},
		{"\x1b[31mred\x1b[m not", []Dyed{{"red", red}, {" not", Look{}}}},
		{"a\x1b[1;4mb\x1b[22mc\x1b[24md", []Dyed{{"a", Look{}}, {"b", Look{Bold: true, Underline: true}}, {"c", Look{Underline: true}}, {"d", Look{}}}},
		{"\x1b[90mgrey\x1b[39m.", []Dyed{{"grey", grey}, {".", Look{}}}},
		{"\x1b[38;5;1mred\x1b[38;5;200mpink\x1b[38;2;1;2;3mmix", []Dyed{{"red", red}, {"pink", Look{Fore: kindIndexed | 200}}, {"mix", Look{Fore: kindRGB | 0x010203}}}},
		{"\x1b[38:2::1:2:3mmix\x1b[4:3mwave\x1b[4:0m-", []Dyed{{"mix", Look{Fore: kindRGB | 0x010203}}, {"wave", Look{Fore: kindRGB | 0x010203, Underline: true}}, {"-", Look{Fore: kindRGB | 0x010203}}}},
		{"\x1b[41;97m FAIL \x1b[0m", []Dyed{{" FAIL ", Look{Fore: kindBasic | 15, Back: kindBasic | 1}}}},
		{"\x1b[5;8mhidden\x1b[7mr", []Dyed{{"hidden", Look{}}, {"r", Look{Reverse: true}}}},
		{"\x1b[31", nil},
		{"x\x1b[3", []Dyed{{"x", Look{}}}},
		{"\x1b[38;5mx", []Dyed{{"x", Look{}}}},
		{"\x1b[99999999999999999999mx", []Dyed{{"x", Look{}}}},
	} {
		got := Dye(c.line)
		same := len(got) == len(c.want)
		for i := 0; same && i < len(got); i++ {
			same = got[i] == c.want[i]
		}
		if !same {
			t.Errorf("%q: %v, want %v", c.line, got, c.want)
		}
	}
}

// Of all a command writes only colours and attributes are kept: what remains is what
// Output gives, with sequences between that end in m.
func TestColoured(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[1;31mno\x1b[0m":                                    "\x1b[1;31mno\x1b[0m",
		"\x1b[2J\x1b[H\x1b[31mx\x1b[K\x1b[?25l":                  "\x1b[31mx",
		"\x1b]0;title\a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b[>4;1m\x1b[?1m\x1b[1 qx":                            "x",
		"\x1bPq\x1b\\\x1b[5n\x1b[6n\x1bcx":                       "x",
		"a\x1b[31\x1b[32mb":                                      "a\x1b[32mb",
		"\u009b31mx":                                             "x",
		"\x1b[31mred\u202e\u200b\x1b[0m":                         "\x1b[31mred\x1b[0m",
	} {
		if got := Coloured(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzColoured(f *testing.F) {
	f.Add("\x1b[1;31mno\x1b[0m\n\x1b[3", "8;5;1mx\rnew\x1b]0;t\a")
	f.Add("a\x1b[38:2::1:2:3mb", "\u009b1m中文\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		c := Coloured(a + b)
		if got, want := Plain(c), Output(a+b); got != want {
			t.Errorf("%q: %q without looks, want %q", a+b, got, want)
		}
		for _, line := range strings.Split(c, "\n") {
			var text strings.Builder
			for _, d := range Dye(line) {
				text.WriteString(d.Text)
			}
			if got, want := text.String(), Plain(line); got != want || strings.IndexByte(got, 0x1b) >= 0 {
				t.Errorf("%q: pieces of %q, want %q", line, got, want)
			}
		}
		tail := NewTail(5)
		tail.Write(a)
		tail.Write(b)
		tail.Close()
		for i, l := range tail.Coloured() {
			if p := tail.Lines()[i]; p != Plain(l) || p != Output(p) {
				t.Errorf("the tail of %q has %q", a+b, p)
			}
		}
	})
}

// Output without a sequence costs what it did, and one full of them little more.
func BenchmarkColoured(b *testing.B) {
	for name, text := range map[string]string{
		"plain":  strings.Repeat("a line of output that has no colours at all\n", 1000),
		"dense":  strings.Repeat("\x1b[32mok\x1b[0m  \x1b[90mforge/ui\x1b[0m 0.12s\n", 1000),
		"output": strings.Repeat("中文 and \x1b[32mok\x1b[0m\n", 1000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tail := NewTail(2000)
				tail.Write(text)
			}
		})
	}
}
