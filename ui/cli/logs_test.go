package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without a log of --debug the other one is shown; where that has nothing to say, nothing is
// announced.
func TestLogsWithoutDebug(t *testing.T) {
	dir := t.TempDir()
	faults := filepath.Join(dir, "faults.log")
	logs := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		root := Root(Options{Version: "test", Out: &out, Err: &out, Logs: LogsOptions{Files: func() (string, string, error) {
			return filepath.Join(dir, "debug.log"), faults, nil
		}}})
		root.SetArgs(append([]string{"logs"}, args...))
		if err := root.Execute(); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return out.String()
	}
	nothing := "forge --debug has logged nothing yet\n"
	if got := logs(); got != nothing {
		t.Errorf("without any log: %q", got)
	}
	if err := os.WriteFile(faults, []byte("one\ntwo\n\nthree\x1b[31m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := logs("-n", "2"); !strings.HasSuffix(got, ":\ntwo\nthree\n") {
		t.Errorf("the last two: %q", got)
	}
	if got := logs("abc123"); got != nothing {
		t.Errorf("of a session: %q", got)
	}
}
