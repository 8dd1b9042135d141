package cli

import (
	"fmt"
	"strings"
	"testing"

	"forge/ui/lang"
)

// What a server's trial writes is said line by line; its own words stay.
func TestSpoken(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w := &spoken{w: &out}
	fmt.Fprint(w, "ready after 20ms\nserver: files", " 1.0\n  read_me  reads\n    careful: it hides text in a comment\n")
	if got, want := out.String(), "20ms 后就绪\n服务器：files 1.0\n  read_me  reads\n    注意：它在注释中隐藏文本\n"; got != want {
		t.Errorf("said %q, not %q", got, want)
	}
}

// Who said what a search found is said in the language in force, all there are.
func TestSpeakers(t *testing.T) {
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lang.Use(lang.English) }()
	for _, who := range []string{"you", "model", "thinking", "call", "result", "summary"} {
		if Speaker(who) == who {
			t.Errorf("%s is said in English", who)
		}
	}
}
