//go:build unix

package mcp

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The public conformance suite against what we serve. FORGE_MCP_SUITE is the command
// that runs it, its words divided by blanks; .ci/mcp makes one.
func TestConformanceServer(t *testing.T) {
	suite := strings.Fields(os.Getenv("FORGE_MCP_SUITE"))
	if len(suite) == 0 {
		t.Skip("FORGE_MCP_SUITE names no suite; run .ci/mcp")
	}
	for set, want := range map[string]int{"2026-07-28": 37, "2025-11-25": 30} {
		t.Run(set, func(t *testing.T) {
			srv := httptest.NewServer(fixture(t).guarded("", false))
			defer srv.Close()
			args := append(suite[1:len(suite):len(suite)], "server", "--url", srv.URL+Path, "--requirements", set, "-o", t.TempDir())
			if one := os.Getenv("MCP_SCENARIO"); one != "" {
				args = append(args, "--scenario", one)
			}
			out, err := exec.CommandContext(t.Context(), suite[0], args...).CombinedOutput()
			passed := scored(string(out))
			t.Logf("%d/%d required scenarios of %s", passed, want, set)
			if err != nil || passed != want && os.Getenv("MCP_SCENARIO") == "" {
				t.Errorf("%v\n%s", err, out)
			}
			srv.CloseClientConnections()
		})
	}
}

var (
	verdict   = regexp.MustCompile(`(?m)^✓ (\S+): \d+ passed, 0 failed`)
	notScored = regexp.MustCompile(`(?m)^  [✓✗] (\S+) \(`)
)

// scored counts the required scenarios that passed.
func scored(out string) int {
	_, summary, _ := strings.Cut(out, "=== SUMMARY ===")
	left := map[string]bool{}
	for _, m := range notScored.FindAllStringSubmatch(summary, -1) {
		left[m[1]] = true
	}
	n := 0
	for _, m := range verdict.FindAllStringSubmatch(summary, -1) {
		if !left[m[1]] {
			n++
		}
	}
	return n
}
