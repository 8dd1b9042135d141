//go:build linux

package builtin

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"forge/tools/sandbox"
)

// A person's own line runs in the workspace folder and outside the sandbox that
// holds the model's commands; the whole group ends when they have enough of it.
func TestRunOwn(t *testing.T) {
	r := newRig(t, map[string]string{"f": "hello\n"})
	outside := filepath.Join(t.TempDir(), "new")
	if p, err := sandbox.NewPolicy(sandbox.PolicyOptions{Form: sandbox.Landlock, Roots: r.env.Workspace.Roots(), Home: t.TempDir()}); err == nil {
		defer p.Close()
		r.env.Policy = p
	}
	var live strings.Builder
	res, err := r.env.RunOwn(t.Context(), "cat f; echo x > "+outside+"; exit 3", &live)
	if err != nil || live.String() != "hello\n" || !res.IsError || times.ReplaceAllString(res.Text, "T") != "hello\n[exit code 3, T]\n" {
		t.Errorf("%+v %v, live %q", res, err, live.String())
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "x\n" {
		t.Errorf("outside stands %q %v", b, err)
	}
	if res, err := r.env.RunOwn(t.Context(), "a\x00b", &live); err == nil {
		t.Errorf("a NUL byte gives %+v", res)
	}

	ctx, cancel := context.WithCancel(t.Context())
	pids := writer(func(b []byte) {
		if strings.Count(string(b), "\n") == 1 {
			cancel()
		}
	})
	res, err = r.env.RunOwn(ctx, "sleep 600 & echo $! ; wait", pids)
	first, rest, _ := strings.Cut(res.Text, "\n")
	pid, numErr := strconv.Atoi(first)
	if err != nil || numErr != nil || !res.IsError || !strings.HasPrefix(rest, "[cancelled by the user, ") {
		t.Fatalf("%+v %v", res, err)
	}
	gone(t, pid)
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) { w(b); return len(b), nil }
