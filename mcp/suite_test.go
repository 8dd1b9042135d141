//go:build unix

package mcp

import (
	"net/http/httptest"
	"os"
	"os/exec"
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
	for set, want := range map[string]string{"2026-07-28": "37/37", "2025-11-25": "30/30"} {
		t.Run(set, func(t *testing.T) {
			srv := httptest.NewServer(fixture(t).guarded("", false))
			defer srv.Close()
			args := append(suite[1:len(suite):len(suite)], "server", "--url", srv.URL+Path, "--requirements", set, "-o", t.TempDir())
			if one := os.Getenv("MCP_SCENARIO"); one != "" {
				args = append(args, "--scenario", one)
			}
			out, err := exec.CommandContext(t.Context(), suite[0], args...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("want %s: %v\n%s", want, err, out)
			}
			srv.CloseClientConnections()
		})
	}
}
