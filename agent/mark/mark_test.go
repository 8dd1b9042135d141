package mark

import (
	"reflect"
	"testing"
)

func TestMarks(t *testing.T) {
	a := Mark{1, 640, 480, "3f2a9c1b7d20e4a1.png"}
	b := Mark{2, 1, 9999, "0000000000000000.webp"}
	text := "see " + a.String() + " and\n" + b.String() + "!"
	if got := In(text); !reflect.DeepEqual(got, []Mark{a, b}) {
		t.Errorf("%+v", got)
	}
	if got, want := Short(text), "see [image 1: 640x480] and\n[image 2: 1x9999]!"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWordsAreNoMarks(t *testing.T) {
	for _, s := range []string{"", "[image 1: 640x480]", "[image 1: 640x480 ../../etc/passwd]", "[image 1: 640x480 3f2a9c1b7d20e4a1.exe]",
		"[image 12345: 1x1 3f2a9c1b7d20e4a1.png]", "[image x: 1x1 3f2a9c1b7d20e4a1.png]", "[image 1: 640x480 3F2A9C1B7D20E4A1.png]"} {
		if In(s) != nil || Short(s) != s {
			t.Errorf("%q was taken for a mark", s)
		}
	}
}

func TestNumberedAnew(t *testing.T) {
	x, y := "3f2a9c1b7d20e4a1.png", "0000000000000000.gif"
	text := Mark{3, 1, 2, x}.String() + Mark{3, 5, 6, y}.String() + Mark{9, 1, 2, x}.String()
	if got, want := Number(text), "[image 1: 1x2 "+x+"][image 2: 5x6 "+y+"][image 1: 1x2 "+x+"]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
