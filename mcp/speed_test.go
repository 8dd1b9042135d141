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

// Eight servers that each need a second are ready together, and mounting them waits for
// none: how much later the last is than the first, and how much of the first's time
// mounting took.
func BenchmarkEightServers(b *testing.B) {
	modes := map[string]string{}
	for i := range 8 {
		modes[fmt.Sprintf("s%d", i)] = "second"
	}
	for b.Loop() {
		var mu sync.Mutex
		var ready []time.Duration
		began := time.Now()
		h := mount(b, Options{Servers: bads(b, modes), Notify: func(s Status) {
			if s.State == Ready {
				mu.Lock()
				ready = append(ready, time.Since(began))
				mu.Unlock()
			}
		}})
		mounted := time.Since(began)
		if late := h.m.Wait(b.Context(), 20*time.Second); late != nil {
			b.Fatalf("not ready: %v", late)
		}
		mu.Lock()
		b.ReportMetric(float64(ready[7])/float64(ready[0]), "last/first")
		b.ReportMetric(float64(mounted)/float64(ready[0]), "mount/first")
		mu.Unlock()
		h.m.Close()
	}
}

// Fifty calls of 200 ms to one server take as long as how many of one, in the same run.
func BenchmarkFiftyCalls(b *testing.B) {
	_, s, err := dialBad(b, "slow")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		began := time.Now()
		if _, err := call(b, s); err != nil {
			b.Fatal(err)
		}
		one := time.Since(began)
		began = time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := call(b, s); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64(time.Since(began))/float64(one), "fifty/one")
	}
}

// A result of 5 MB: how much more memory is in use at the most while it comes.
func BenchmarkLargeResult(b *testing.B) {
	_, s, err := dialBad(b, "big5")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		peak, done, told := before.HeapAlloc, make(chan bool), make(chan bool)
		go func() {
			defer close(told)
			var now runtime.MemStats
			for {
				select {
				case <-done:
					return
				default:
					runtime.ReadMemStats(&now)
					peak = max(peak, now.HeapAlloc)
					runtime.Gosched()
				}
			}
		}()
		b.StartTimer()
		if got, err := call(b, s); err != nil || len(got) != 5<<20 {
			b.Fatalf("%d bytes, %v", len(got), err)
		}
		close(done)
		<-told
		b.ReportMetric(float64(peak-before.HeapAlloc)/(1<<20), "peak-MB")
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
