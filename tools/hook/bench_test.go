//go:build unix

package hook

import (
	"strings"
	"testing"

	"forge/tools"
)

// What hooks cost a call: none, one that is about other tools, one and eight that run.
func BenchmarkBefore(b *testing.B) {
	for _, c := range []struct{ name, settings string }{
		{"none", `{}`},
		{"about other tools", `{"PreToolUse":[{"matcher":"Write","hooks":[{"command":"true"}]}]}`},
		{"one", `{"PreToolUse":[{"hooks":[{"command":"true"}]}]}`},
		{"one that answers", `{"PreToolUse":[{"hooks":[{"command":"read -r x; echo {}"}]}]}`},
		{"eight", `{"PreToolUse":[` + strings.TrimSuffix(strings.Repeat(`{"command":"true #N"},`, 8), ",") + `]}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			settings := c.settings
			for i := range 8 {
				settings = strings.Replace(settings, "#N", "#"+string(rune('a'+i)), 1)
			}
			s := New(Options{Dir: b.TempDir()})
			hooks, _ := Parse([]byte(settings), Source{User, "x"})
			s.Add(hooks, false)
			call := bash("go test ./...")
			for b.Loop() {
				if s.Concern(call) != "" {
					s.Before(b.Context(), call, tools.Effect{})
				}
			}
		})
	}
}
