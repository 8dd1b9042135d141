package display

import (
	"strings"
	"testing"
)

// What a program set and left behind is undone, and nothing else is said; whatever the
// pieces are in which it came.
func TestUndo(t *testing.T) {
	for said, want := range map[string]string{
		"plain text\r\n":                          "",
		"\x1b[31mred\x1b[0m\x1b[?25l..\x1b[?25h":  "",
		"\x1b[31mred":                             "\x1b[m",
		"\x1b[?25l":                               "\x1b[?25h",
		"\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h":  "\x1b[?2004l\x1b[?1006l\x1b[?1000l\x1b[?1049l",
		"\x1b[?1049hx\x1b[?1049l":                 "",
		"\x1b[>1u\x1b[>5u\x1b[<u":                 "\x1b[<1u",
		"\x1b[?1049h\x1b[>1u":                     "\x1b[<1u\x1b[?1049l",
		"\x1b[=5;1u":                              "\x1b[=0;1u",
		"\x1b[>4;2m":                              "\x1b[>4m",
		"\x1b[2;5r":                               "\x1b7\x1b[r\x1b8",
		"\x1b[2;5r\x1b[r":                         "",
		"\x1b(0\x0e\x1b=":                         "\x1b>\x1b(B\x1b)B\x0f",
		"\x1b(0qq\x1b(B":                          "",
		"\x1b]0;a title that goes on":             "\x1b\\",
		"\x1b[12":                                 "\x18",
		"\x1b[?1049h\x1b[?25l\x1bc":               "",
		"\x1b[?1h\x1b[5 q\x1b[!p":                 "",
		"\x1b]8;;http://x\x1b\\\x1b[?7l":          "\x1b[?7h",
		"\x1b[" + strings.Repeat("1;", 500) + "m": "\x1b[m",
	} {
		for _, step := range []int{1, 2, 3, len(said)} {
			var w watch
			for i := 0; i < len(said); i += step {
				w.see([]byte(said[i:min(len(said), i+step)]))
			}
			if got := w.undo(); got != want {
				t.Errorf("%q in steps of %d: %q, not %q", said, step, got, want)
			}
		}
	}
}

// What is drawn in full-screen mode is not among what was said.
func TestScreensAreLeftOut(t *testing.T) {
	said := "before\r\n\x1b[?1049hdrawn \x1b[5;5Hhere\x1b[?1049lafter\r\n"
	for step := 1; step <= len(said); step++ {
		o := overheard{end: end{max: 1000}}
		for i := 0; i < len(said); i += step {
			o.take([]byte(said[i:min(len(said), i+step)]))
		}
		if r := o.result(nil); r.Said != "before\nafter" || !r.Screens || r.Cut != 0 {
			t.Fatalf("in steps of %d: %+v", step, r)
		}
	}
	o := overheard{end: end{max: 64}}
	for range 1000 {
		o.take([]byte("a line of output\r\n"))
	}
	if r := o.result(nil); r.Said != strings.TrimSuffix(strings.Repeat("a line of output\n", 3), "\n") || r.Cut != 18*997 {
		t.Errorf("%+v", r)
	}
}

// Lines are told as they stand at the end, as a terminal would show them.
func TestSpelled(t *testing.T) {
	for said, want := range map[string]string{
		"one\r\ntwo\r\n":                       "one\ntwo",
		"10%\r100%\r\n":                        "100%",
		"abc\b\b\x1b[Kx\r\n":                   "ax",
		"pas\b \b\b \bt\r\n":                   "pt",
		"\x1b[1m你好\x1b[0m\b\bx\r\n":            "你x",
		"a\tb":                                 "a       b",
		"one\r\ntwo\r\n\x1b[2A\x1b[Knew\r\n":   "new\ntwo",
		"\x1b]0;title\x07text\x1b]8;;x\x1b\\!": "text!",
		"e\u0301te":                            "e\u0301te",
		"abc\x1b[2D\x1b[1P\x1b[1@_":            "a_c",
		"bad \xff utf":                         "bad  utf",
		"one\x1b[2J\x1b[Htwo":                  "one\ntwo",
	} {
		if got := spelled([]byte(said)); got != want {
			t.Errorf("%q: %q, not %q", said, got, want)
		}
	}
}

// Whatever comes, nothing breaks, and what is undone leaves a terminal without modes.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{"\x1b[?1049h\x1b[2;3r", "\x1b[999999999C\x1b[@x", "你\b\b\x1b[Px", "\x1b[99A\x1b[J\x1b]x\x1b", "\u0301\x1b[G\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, said string) {
		o := overheard{end: end{max: 1 << 10}}
		for _, b := range []byte(said) {
			o.take([]byte{b})
		}
		o.result(nil)
		o.watch.see([]byte(o.watch.undo()))
		if left := o.watch.undo(); left != "" {
			t.Errorf("%q leaves %q", said, left)
		}
	})
}
