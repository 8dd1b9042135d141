package ui

import (
	"strings"
	"testing"
)

// What was found is opened where the words stand, not where its message begins.
func TestFoundIsOpenedAtTheWords(t *testing.T) {
	lines := strings.Split("── you\nfirst\n"+strings.Repeat("log\n", 100)+"the panic came\nof an Index\npanic, index 3\n── demo\npanic index", "\n")
	for words, want := range map[string]int{"panic": 102, "INDEX panic": 104, "index of": 103, "nowhere": 1, "": 1, "demo": 1, `"panic"`: 102} {
		if got := hitRow(lines, 1, words, ""); got != want {
			t.Errorf("%q: line %d, want %d", words, got, want)
		}
	}
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.pager = m.readPager(readMsg{Found{Title: "a log"}, strings.Join(lines, "\n"), 1, "panic"})
	has(t, shot(m), "the panic came", "log\n")
	hasNot(t, shot(m), "first")
}

// A word that was found spelled otherwise is opened where it stands.
func TestHitRowOfANearWord(t *testing.T) {
	lines := []string{"── you", "── result", "first line", "the Configuraton is here", "── model", "configuraton again"}
	if got := hitRow(lines, 1, "configuration", "configuraton"); got != 3 {
		t.Errorf("row %d", got)
	}
	if got := hitRow(lines, 1, "configuration", ""); got != 1 {
		t.Errorf("row %d where nothing is known", got)
	}
}
