//go:build unix

package mcp

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Eight servers that each need a second are ready together: the last not long after
// the first, measured in the same run.
func TestServersStartTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	modes := map[string]string{}
	for i := range 8 {
		modes[fmt.Sprintf("s%d", i)] = "second"
	}
	var mu sync.Mutex
	began := time.Now()
	var ready []time.Duration
	h := mount(t, Options{Servers: bads(t, modes), Notify: func(s Status) {
		if s.State == Ready {
			mu.Lock()
			ready = append(ready, time.Since(began))
			mu.Unlock()
		}
	}})
	mounted := time.Since(began)
	if late := h.m.Wait(t.Context(), 20*time.Second); late != nil {
		t.Fatalf("not ready: %v", late)
	}
	mu.Lock()
	defer mu.Unlock()
	first, last := ready[0], ready[len(ready)-1]
	t.Logf("mounted in %s, the first ready after %s, the last after %s", mounted, first, last)
	if len(ready) != 8 || last > first*16/10 {
		t.Errorf("%d ready, the last %.2f times as late as the first", len(ready), float64(last)/float64(first))
	}
	if mounted > first/4 {
		t.Errorf("mounting took %s: it waits for servers", mounted)
	}
}

// Fifty calls to one server are under way at once, and each gets its own answer.
func TestCallsToOneServerRunTogether(t *testing.T) {
	_, s, err := dialBad(t, "gate")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var seen sync.Map
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got, err := call(t, s)
			if _, twice := seen.LoadOrStore(got, true); err != nil || twice {
				t.Errorf("got %q, %v", got, err)
			}
		}()
	}
	wg.Wait()
}

// A result of 5 MB costs less than 200 MB.
func TestLargeResultInLittleMemory(t *testing.T) {
	_, s, err := dialBad(t, "big5")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, err := call(t, s)
	runtime.ReadMemStats(&after)
	if err != nil || got != strings.Repeat("A", 5<<20) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; n >= 200 { // all that was ever allocated: more than the peak
		t.Errorf("%d MB", n)
	} else {
		t.Logf("%d MB", n)
	}
}
