package socket

import (
	"os"
	"strings"
	"testing"
)

// An empty file is no token: what is proved by it, anybody can prove.
func TestNoTokenIsNone(t *testing.T) {
	t.Setenv(TokenVar, "")
	p := Place{Dir: t.TempDir()}
	for _, text := range []string{"", "\n"} {
		if err := os.WriteFile(p.TokenFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := p.token(); err == nil || !strings.Contains(err.Error(), TokenVar) {
			t.Errorf("%q is the token %q, %v", text, got, err)
		}
	}
	if err := os.WriteFile(p.TokenFile(), []byte("words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := p.token(); got != "words" || err != nil {
		t.Errorf("the token is %q, %v", got, err)
	}
}
