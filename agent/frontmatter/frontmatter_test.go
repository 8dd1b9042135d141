package frontmatter

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRead(t *testing.T) {
	fields, body, err := Read("\xef\xbb\xbf---\r\ndescription: a: b # c\r\nhint: [x] and [y]\r\ntools: [a, 'b', c d]\r\nmore:\r\n  - one\r\n  - two\r\n---\r\nBody\r\n", "hint")
	want := []Field{
		{2, "description", "a: b", []string{"a:", "b"}}, {3, "hint", "[x] and [y]", []string{"[x]", "and", "[y]"}},
		{4, "tools", "a, b, c, d", []string{"a", "b", "c", "d"}}, {5, "more", "one, two", []string{"one", "two"}},
	}
	if err != nil || body != "Body\n" || !reflect.DeepEqual(fields, want) {
		t.Errorf("%+v, %q, %v", fields, body, err)
	}
	_, _, err = Read("---\nhint: [x\n---\n")
	var at *Error
	if !errors.As(err, &at) || at.Line != 2 {
		t.Errorf("a list without its end: %v", err)
	}
	if _, _, err = Read("---\nhint: [x\n---\n", "hint"); err != nil {
		t.Errorf("words with a bracket: %v", err)
	}
}

// What is wrong is said in a line, however long what is wrong is.
func TestLongLinesAreNamedByTheirBegin(t *testing.T) {
	long := strings.Repeat("长", 1<<16)
	for _, text := range []string{long, "a: x\n" + long, long + ": x\n" + long + ": x", "a: \"" + long, "a: '" + long, "a:\n  - x\n  " + long, "a:\n  - \"" + long} {
		_, _, err := Read("---\n" + text + "\n---\n")
		if err == nil || len(err.Error()) > 200 || !utf8.ValidString(err.Error()) || !strings.Contains(err.Error(), "…") {
			t.Errorf("%.20q: %.300v", text, err)
		}
	}
}

// An empty line divides a block, and ends nothing.
func TestEmptyLinesInBlocks(t *testing.T) {
	fields, body, err := Read("---\nabout: |\n  One.\n\n  Two.\n\nname: x\n\n---\nBody", "about")
	if err != nil || len(fields) != 2 || fields[0].Text != "One.\n\nTwo." || fields[1].Name != "name" || body != "Body" {
		t.Errorf("%+v, %q, %v", fields, body, err)
	}
}

func TestBegins(t *testing.T) {
	for text, want := range map[string]bool{"---\nx": true, "\xef\xbb\xbf--- \r\nx": true, "---": true, "----\n": false, "": false, "text\n---": false, " ---\n": false} {
		if Begins(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
