package tilde

import (
	"path/filepath"
	"testing"
)

func TestShort(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home) // where Windows has it
	for path, want := range map[string]string{
		filepath.Join(home, "a", "b"): filepath.Join("~", "a", "b"),
		home:                          home,
		home + "more":                 home + "more",
		"relative":                    "relative",
		"":                            "",
	} {
		if got := Short(path); got != want {
			t.Errorf("%s is shown as %s, not as %s", path, got, want)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("USERPROFILE", "")
	if got := Short(filepath.Join(home, "a")); got != filepath.Join(home, "a") {
		t.Errorf("without a home: %s", got)
	}
}
