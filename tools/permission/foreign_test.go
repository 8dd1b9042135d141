package permission

import (
	"slices"
	"testing"
)

// What bash would only print, cmd may run: its lines are judged as what they are.
func TestALineForAnotherShellIsNotReadAsBash(t *testing.T) {
	for _, c := range []struct {
		line, in string // decided in "ask" mode, and in "auto"
		auto     string
	}{
		{"type notes.txt", "ask", "allow"},     // bash's tells what a name is, cmd's prints a file
		{`echo 'a & del x'`, "ask", "ask"},     // one word to bash, two commands to cmd
		{"echo a ^& b", "ask", "ask"},          // cmd's escape
		{"go test ./...", "ask", "allow"},      // every shell reads it alike
		{`go test '/x & del y'`, "ask", "ask"}, // the rule below is about bash's words
		{"del /q x", "ask", "ask"},
		{"DEL.exe x", "ask", "ask"},
		{`rd /s /q C:\work`, "ask", "ask"},
		{"powershell -c Remove-Item x", "ask", "ask"},
	} {
		for mode, want := range map[Mode]string{ModeAsk: c.in, ModeAuto: c.auto} {
			dir, m, s := shell(t, Options{Shell: `C:\Windows\system32\cmd.exe`, Mode: mode})
			if got := decided(t, m, s, "run_bash", run(dir, c.line), ""); got != want {
				t.Errorf("%s in %s: %s, want %s", c.line, mode, got, want)
			}
		}
	}
	for line, want := range map[string]string{"go test ./...": "allow", "go test '/x & del y'": "ask", "go test x & del y": "deny", "go test ^& d^el y": "deny"} {
		dir, m, s := shell(t, Options{Shell: "cmd", Rules: []Rule{rule(t, Allow, "run_bash(go test *)"), rule(t, Deny, "run_bash(del y)")}})
		for i := range m.rules {
			m.rules[i].Tier = TierUser
		}
		if line == "go test '/x & del y'" {
			m.rules = slices.DeleteFunc(m.rules, func(r Rule) bool { return r.Action == Deny })
		}
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want {
			t.Errorf("%s with rules: %s, want %s", line, got, want)
		}
	}
}

// The same lines where bash runs them are what they were.
func TestALineForBashIs(t *testing.T) {
	for _, sh := range []string{"", "bash", `C:\Program Files\Git\bin\bash.exe`, "sh"} {
		dir, m, s := shell(t, Options{Shell: sh})
		if got := decided(t, m, s, "run_bash", run(dir, "echo 'a & del x'"), ""); got != "allow" {
			t.Errorf("%q: %s", sh, got)
		}
	}
}
