//go:build unix

package mcp

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"forge/tools"
)

// heard keeps what was written and tells of every line.
type heard struct {
	mu    sync.Mutex
	all   bytes.Buffer
	lines chan string
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	h.all.Write(p)
	h.mu.Unlock()
	h.lines <- string(p)
	return len(p), nil
}

// A server that takes its time is told of while it does.
func TestTryTellsOfTheWait(t *testing.T) {
	reg, err := tools.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	beat := make(chan time.Time)
	out := &heard{lines: make(chan string, 100)}
	done := make(chan error, 1)
	go func() {
		done <- try(ctx, Options{Servers: bads(t, map[string]string{"s": "deaf"}), Registry: reg, Workspace: t.TempDir()}, "s", out, beat)
	}()
	<-out.lines // what is tried
	for range 2 {
		beat <- time.Now()
		if line := <-out.lines; !strings.HasPrefix(line, "starting: ") || !strings.Contains(line, " of at most 30s") {
			t.Fatalf("said %q", line)
		}
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("a server that was never there works")
	}
}
