package composer

import "testing"

func TestHeard(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{"please make it faster\n", "please make it faster"},
		{"[Start speaking]\n\x1b[2K\rplease\x1b[2K\rplease make\x1b[31m it\x1b[0m\r\nfaster", "please make it faster"},
		{"[00:00:00.000 --> 00:00:02.500]  one\n[BLANK_AUDIO]\n\n two, [see]\n", "one two, [see]"},
		{"\n### Transcription 0 START | t0 = 0 ms | t1 = 9 ms\n\n[00:00:00.000 --> 00:00:02.000]   hello there\n\n### Transcription 0 END\n", "hello there"},
		{"\b\bhelo\b\bllo 你\b您\n", "hello 您"},
		{"你好\n世界\n", "你好世界"}, {"你好\nworld\n", "你好world"}, {"one\n, two\n", "one, two"},
		{"a\x07\x1b]0;title\x07b\x1b[2", "ab"}, {"", ""}, {"\n \n", ""},
	} {
		if got := Heard(test.raw); got != test.want {
			t.Errorf("%q: %q, want %q", test.raw, got, test.want)
		}
	}
}

func TestHear(t *testing.T) {
	c := New(Options{Emoji: names()})
	send(c, typed("Well now")...)
	send(c, "left", "left", "left", "left")
	for _, out := range []string{"[Start speaking]\n", "please ma", "\rplease make it\n", "faster :ta\n"} {
		c.Hear(out)
	}
	if c.Value() != "Well please make it faster :ta now" || c.MenuOpen() {
		t.Errorf("%q, menu %v", c.Value(), c.MenuOpen())
	}
	if send(c, "ctrl+_"); c.Value() != "Well now" {
		t.Errorf("undo: %q", c.Value())
	}
	// What is typed meanwhile stays, and what is heard goes on behind it.
	c.Reset()
	c.Hear("one two\n")
	send(c, typed("!")...)
	c.Hear("three\n")
	c.HeardAll()
	if c.Value() != "one two! three" && c.Value() != "one two!three" {
		t.Errorf("typed meanwhile: %q", c.Value())
	}
	if send(c, "ctrl+_"); c.Value() != "one two!" {
		t.Errorf("undo: %q", c.Value())
	}
	// In the place of what is selected.
	c.SetValue("old words")
	send(c, "alt+a")
	c.Hear("\x1b[1mnew\x1b[0m\n")
	c.HeardAll()
	if c.Value() != "new" {
		t.Errorf("selected: %q", c.Value())
	}
	c.Hear("你好\n")
	c.HeardAll()
	c.Hear("  \n")
	if c.Value() != "new你好" {
		t.Errorf("%q", c.Value())
	}
}
