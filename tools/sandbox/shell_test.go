package sandbox

import (
	"slices"
	"testing"
)

func TestShells(t *testing.T) {
	for _, c := range []struct {
		shell string
		bash  bool
		argv  []string
	}{
		{"/bin/bash", true, []string{"/bin/bash", "-c", "dir"}},
		{`C:\Program Files\Git\bin\bash.exe`, true, []string{`C:\Program Files\Git\bin\bash.exe`, "-c", "dir"}},
		{"cmd", false, []string{"cmd", "/d", "/s", "/c", "chcp 65001 >nul 2>&1 & dir"}},
		{`C:\Windows\System32\CMD.EXE`, false, []string{`C:\Windows\System32\CMD.EXE`, "/d", "/s", "/c", "chcp 65001 >nul 2>&1 & dir"}},
		{"pwsh", false, []string{"pwsh", "-NoProfile", "-NonInteractive", "-Command", "dir"}},
	} {
		if got := shellArgv(c.shell, "dir", ""); !slices.Equal(got, c.argv) {
			t.Errorf("%s: %q", c.shell, got)
		}
		if got := ReadsAsBash(c.shell); got != c.bash {
			t.Errorf("%s reads as bash does: %v", c.shell, got)
		}
	}
}
