package provider

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// heard collects what a watcher is told.
type heard struct {
	mu   sync.Mutex
	said []Silence
}

func (h *heard) hear(s Silence) { h.mu.Lock(); h.said = append(h.said, s); h.mu.Unlock() }

func (h *heard) all() []Silence {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Silence(nil), h.said...)
}

// A reply that goes silent is told after five seconds, with the limit that ends it, and
// again that it goes on; short silences are not told, and nothing after the end.
func TestWatchSilentReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newPipeServer()
		var h heard
		body, err := Post(Watch(t.Context(), h.hear), Call{Client: &http.Client{Transport: srv}, URL: "http://h/", Idle: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for _, pause := range []time.Duration{0, 4 * time.Second, 20 * time.Second, 4 * time.Second} {
				time.Sleep(pause)
				if _, err := srv.w.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
		b := make([]byte, 10)
		began := time.Now()
		for range 4 {
			if _, err := body.Read(b); err != nil {
				t.Fatal(err)
			}
		}
		got := h.all()
		if len(got) != 2 || got[0] != (Silence{WaitBytes, began.Add(4 * time.Second), time.Minute}) || got[1] != (Silence{}) {
			t.Fatalf("told %+v", got)
		}
		if _, err = body.Read(b); err == nil { // silent until the end
			t.Fatal("it ended by nothing")
		}
		body.Close()
		time.Sleep(time.Hour)
		got = h.all()
		if len(got) != 4 || got[2].For != WaitBytes || got[3] != (Silence{}) {
			t.Errorf("told %+v", got)
		}
	})
}

// A server that takes a request and says nothing is waited for, not connected to.
func TestWatchServerThatSaysNothing(t *testing.T) {
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	told := make(chan Silence, 4)
	done := make(chan error, 1)
	go func() {
		_, err := Post(Watch(ctx, func(s Silence) { told <- s }), Call{URL: s.URL, Payload: time.Hour})
		done <- err
	}()
	<-asked
	if got := <-told; got.For != WaitFirstByte || got.Limit != time.Hour || got.Since.IsZero() {
		t.Errorf("told %+v", got)
	}
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
	if got := <-told; got != (Silence{}) {
		t.Errorf("at the end told %+v", got)
	}
}
