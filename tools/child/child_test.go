package child

import (
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	if _, err := Find("npx -y thing", "", nil); err == nil || !strings.Contains(err.Error(), "put the rest into its args") {
		t.Errorf("a whole line as a command: %v", err)
	}
	if _, err := Find("", "", nil); err == nil {
		t.Error("no command at all is found")
	}
}

func TestEnvironment(t *testing.T) {
	got := Environ(map[string]string{"OWN": "1", "PATH": "/p"}, []string{"PATH=/bin", "HOME=/h", "OPENAI_API_KEY=k", "LC_ALL=C", "https_proxy=p", "FORGE_X=1", "NODE_OPTIONS=--inspect"})
	if want := "HOME=/h LC_ALL=C https_proxy=p OWN=1 PATH=/p"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}
