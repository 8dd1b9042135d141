package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"forge/agent/config"
	"forge/agent/trail"
	"forge/mcp"
	"forge/provider"
	"forge/tools"
	"forge/tools/secrets"
	"forge/ui/lang"
)

// How long the logs may be, in bytes: as much again is kept of what came before.
const (
	logMax   = 2 << 20
	debugMax = 8 << 20
)

// openLog sends the log to a file: only the face writes to the terminal. Where everything is
// to be logged, that goes to a file of its own, and to stderr where that is wanted.
func (f *forge) openLog() {
	all := f.flags.Debug || os.Getenv("FORGE_DEBUG") == "1"
	w, err := trail.Open(f.dirs.Log(), logMax)
	if err != nil {
		f.notices = append(f.notices, lang.T("no log is kept: %s", err.Error()))
		if !all && !f.flags.Verbose {
			return
		}
	}
	var hs []slog.Handler
	if err == nil {
		f.atEnd(func() { w.Close() })
		hs = append(hs, slog.NewTextHandler(trail.Masked(w, masking(f.veil)), nil))
	}
	if all {
		w, err := trail.Open(f.dirs.Debug(), debugMax)
		if err != nil {
			f.notices = append(f.notices, lang.T("no log is kept: %s", err.Error()))
		} else {
			f.atEnd(func() { w.Close() })
			hs = append(hs, trail.Handler(trail.Masked(w, masking(f.veil)), f.conversation))
		}
	}
	if f.flags.Verbose {
		hs = append(hs, trail.Handler(trail.Masked(trail.Plain(os.Stderr, "forge: "), masking(f.veil)), nil))
	}
	if len(hs) > 0 {
		slog.SetDefault(slog.New(trail.All(hs...)))
	}
	slog.Debug("forge begins", "version", version(), "pid", os.Getpid())
}

// masking hides secrets in a log of everything, also where the person lets a model see
// them: veil is nil then.
func masking(veil tools.Veil) func(string) string {
	if veil == nil {
		veil = secrets.New(secrets.Options{})
	}
	return func(text string) string {
		text, _ = veil.Mask(text)
		return text
	}
}

// logsAll reports whether everything is logged.
func logsAll() bool { return slog.Default().Enabled(context.Background(), slog.LevelDebug) }

// conversation is the one there is, for the log; empty: none is kept.
func (f *forge) conversation() string {
	if f.sitting == nil {
		return ""
	}
	if id := f.sitting.logged.Load(); id != nil {
		return *id
	}
	return ""
}

// logConversation notes which conversation there is now.
func (f *forge) logConversation() {
	id := ""
	if s := f.agent.Session(); s != nil {
		id = s.ID()
	}
	f.sits().logged.Store(&id)
}

// timed logs what was asked of whom, and how long that took. It reads no header that could
// hold a key, and no body.
type timed struct{ under http.RoundTripper }

var requests atomic.Int64

// RoundTrip implements http.RoundTripper.
func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	n, began := requests.Add(1), time.Now()
	slog.Debug("request", "n", n, "method", r.Method, "url", provider.Address(r.URL.String()), "bytes", r.ContentLength)
	resp, err := t.under.RoundTrip(r)
	if err != nil {
		slog.Info("request failed", "n", n, "after", time.Since(began).Round(time.Millisecond).String(), "err", provider.Redact(err.Error()))
		return resp, err
	}
	level := slog.LevelDebug
	if resp.StatusCode >= 400 {
		level = slog.LevelInfo
	}
	pairs := []any{"n", n, "status", resp.StatusCode, "after", time.Since(began).Round(time.Millisecond).String(), "proto", resp.Proto}
	for name, key := range map[string]string{"X-Request-Id": "request", "Request-Id": "request", "Retry-After": "retry_after"} {
		if v := resp.Header.Get(name); v != "" {
			pairs = append(pairs, key, v)
		}
	}
	slog.Log(r.Context(), level, "response", pairs...)
	resp.Body = &timedBody{ReadCloser: resp.Body, n: n, began: began}
	return resp, nil
}

// timedBody tells when a reply has ended: at its end, or before, when it is closed because
// all that counts is there. Both may be at once.
type timedBody struct {
	io.ReadCloser
	n     int64
	began time.Time
	bytes atomic.Int64
	told  sync.Once
}

// Read implements io.Reader.
func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	if err != nil {
		why := ""
		if err != io.EOF {
			why = provider.Redact(err.Error())
		}
		b.ended(why)
	}
	return n, err
}

// Close implements io.Closer.
func (b *timedBody) Close() error {
	b.ended("")
	return b.ReadCloser.Close()
}

func (b *timedBody) ended(why string) {
	b.told.Do(func() {
		slog.Debug("reply ended", "n", b.n, "bytes", b.bytes.Load(), "after", time.Since(b.began).Round(time.Millisecond).String(), "err", why)
	})
}

// logServers logs how servers stand, before next hears of it.
func logServers(next func(mcp.Status)) func(mcp.Status) {
	return func(st mcp.Status) {
		slog.Debug("mcp server", "name", st.Name, "state", string(st.State), "why", st.Reason)
		if next != nil {
			next(st)
		}
	}
}

// logFiles are the logs there may be: of everything, and of what went wrong.
func logFiles() (debug, faults string, err error) {
	dirs, err := config.Paths()
	return dirs.Debug(), dirs.Log(), err
}
