package composer

import (
	"strings"
	"testing"
)

// names is a small table to look emoji up in.
func names() *Emoji {
	table := map[string]string{"tada": "🎉", "taco": "🌮", "family": "👨‍👩‍👧‍👦", "火箭": "🚀"}
	return &Emoji{
		Named: func(name string) (string, bool) { sign, ok := table[name]; return sign, ok },
		Find: func(query string) (found []Found) {
			for _, name := range []string{"tada", "taco", "family", "火箭"} {
				if strings.HasPrefix(name, strings.ToLower(query)) {
					found = append(found, Found{Text: table[name], About: ":" + name + ":"})
				}
			}
			return found
		},
	}
}

// Where there is no room for a name, the sign stays; and the name has the whole row.
func TestEmojiKeepsItsSign(t *testing.T) {
	long := &Emoji{Find: func(string) []Found {
		return []Found{{Text: "🥲", About: ":smiling_face_with_tear:"}}
	}, Named: func(string) (string, bool) { return "", false }}
	c := New(Options{Emoji: long})
	send(c, typed(":smi")...)
	for width, want := range map[int]string{30: "🥲 :smiling_face_with_tear:", 20: "🥲 :smiling_face"} {
		rows := c.MenuView(width)
		if len(rows) != 1 || !strings.Contains(rows[0], want) || cells(rows[0]) > width {
			t.Errorf("in %d cells: %q", width, rows)
		}
	}
}

func TestEmojiMenu(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{":ta", "🎉"}, {"nice :ta", "nice 🎉"}, {"nice\n:TA", "nice\n🎉"}, {"(:taco", "(🌮"}, {":火", "🚀"}, {"好 :火箭", "好 🚀"},
		{"/rename :ta", "/rename 🎉"}, {":family", "👨‍👩‍👧‍👦"}, {"```\nx\n```\n:ta", "```\nx\n```\n🎉"},
	} {
		c := New(Options{Emoji: names(), Commands: []Command{{Name: "rename"}}})
		send(c, typed(test.text)...)
		if !c.MenuOpen() {
			t.Errorf("%q opens nothing", test.text)
			continue
		}
		for _, row := range c.MenuView(30) {
			if cells(row) > 30 {
				t.Errorf("%q: row %q is %d cells wide", test.text, row, cells(row))
			}
		}
		if sent := send(c, "enter"); len(sent) > 0 || c.Value() != test.want || c.MenuOpen() {
			t.Errorf("%q: %q, sent %q", test.text, c.Value(), sent)
		}
		if send(c, "ctrl+_"); c.Value() != test.text {
			t.Errorf("undo gave %q back, not %q", c.Value(), test.text)
		}
	}
}

// What is no emoji opens nothing at any letter of it, and is sent as it is written.
func TestEmojiIsNotInTheWay(t *testing.T) {
	for _, text := range []string{
		"a::ta", "std::tada", "http://tada", "https://example.org:tada", "10:30", "at 10:30 :30", "foo: tada", "foo:\n  tada: ta", "key: value",
		"::ta", ":t", ": tada", ":ta?", ":-)", "`:ta", "see `x :tada`", "```yaml\n:tada", "~~~\n:tada", "- a\n  ```\n  :tada", "~~~\n```\n:tada", "!echo :tada", "C:\\tada", "说:火箭", ":zz", ":tada;",
	} {
		c := New(Options{Emoji: names()})
		for _, k := range typed(text) {
			if send(c, k); c.MenuOpen() && !strings.HasPrefix(text, ":ta") {
				t.Errorf("a menu opened at %q", c.Value())
			}
		}
		if sent := send(c, "enter"); len(sent) != 1 || sent[0] != text {
			t.Errorf("%q: sent %q", text, sent)
		}
	}
	c := New(Options{})
	if send(c, typed(":tada")...); c.MenuOpen() {
		t.Error("a menu without a table")
	}
	c.SetEmoji(names())
	send(c, typed(" :ta")...)
	if send(c, "esc"); c.MenuOpen() || c.Value() != ":tada :ta" {
		t.Errorf("after esc: %q", c.Value())
	}
	if send(c, "c", "o"); c.MenuOpen() {
		t.Error("the menu came back at once")
	}
	if send(c, "tab"); !c.MenuOpen() {
		t.Error("tab does not bring the menu back")
	}
	if c.SetEmoji(nil); c.MenuOpen() {
		t.Error("the menu stays when it is switched off")
	}
}

func TestEmojiClosed(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"done :tada:", "done 🎉"}, {":TADA:!", "🎉!"}, {":tada::taco:", "🎉:taco:"}, {":nope:", ":nope:"}, {"a:tada:", "a:tada:"}, {"`:tada:`", "`:tada:`"},
		{"!echo :tada:", "!echo :tada:"}, {"::", "::"},
	} {
		c := New(Options{Emoji: names()})
		if send(c, typed(test.text)...); c.Value() != test.want {
			t.Errorf("%q: %q", test.text, c.Value())
		}
	}
	c := New(Options{Emoji: names()})
	send(c, typed("x :tada:")...)
	if send(c, "ctrl+_"); c.Value() != "x :tada:" {
		t.Errorf("undo: %q", c.Value())
	}
	p := New(Options{Emoji: names(), Plain: true})
	if send(p, typed(":tada:")...); p.Value() != ":tada:" || p.MenuOpen() {
		t.Errorf("in a file: %q", p.Value())
	}
}
