package mcp

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"time"
)

// Fresh is a server's word on how long, and for whom, its list of tools holds.
type Fresh struct {
	Until   time.Time // zero: it does not say; it tells of changes, or never changes
	Private bool      // for who asked alone
}

// aged notes what a page of a list says of its age. A list is as fresh as its oldest
// page.
func (w *wire) aged(result json.RawMessage) {
	var r struct {
		TTL   *float64 `json:"ttlMs"`
		Scope string   `json:"cacheScope"`
	}
	if json.Unmarshal(result, &r) != nil || r.TTL == nil {
		return
	}
	until := time.Now().Add(time.Duration(min(max(*r.TTL, 0), 1e12)) * time.Millisecond)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fresh.Until.IsZero() || until.Before(w.fresh.Until) {
		w.fresh.Until = until
	}
	w.fresh.Private = w.fresh.Private || r.Scope != "public"
}

// anew begins a list at its first page.
func (w *wire) anew() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = Fresh{}
}

func (w *wire) freshness() Fresh {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.fresh
}

// How often a list is asked for at the most, whatever its server says of its age, and
// how long one that could not be asked for is used on.
const (
	leastFresh = time.Second
	usedOn     = 15 * time.Second
)

// freshen asks for the list of tools again once its time is over. It is called between
// turns: nothing is asked for that nobody wants.
func (s *server) freshen() {
	s.mu.Lock()
	over := s.state == Ready && !s.fresh.Until.IsZero() && time.Now().After(s.fresh.Until)
	s.mu.Unlock()
	if over {
		s.listChanged("tools")
	}
}

// aged notes how long the list that was read now is good for.
func (s *server) aged(f Fresh) {
	if least := time.Now().Add(leastFresh); !f.Until.IsZero() && f.Until.Before(least) {
		f.Until = least
	}
	s.mu.Lock()
	s.fresh = f
	s.mu.Unlock()
}

// holder names, without telling, whom a server's answers are for: the environment and
// the headers it was given. A private list is another one's for another of these.
func (m *manifest) holder(cfg ServerConfig) string {
	if m.Salt == "" {
		m.Salt = rand.Text()
	}
	b, err := json.Marshal([]any{m.Salt, cfg.Env, cfg.Headers})
	if err != nil { // maps of texts
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// known are the tools the server offered when it ran last, and whether that still
// holds by its own word. cfg is expanded.
func (s *server) known(cfg ServerConfig) (ts []RemoteTool, holds bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.manifest
	if m.Private && m.For != m.holder(cfg) {
		m.Last = nil // approvals stay, but these are another one's
	}
	return m.remembered(), m.Until.IsZero() || time.Now().Before(m.Until)
}

// ForgetLists drops what is remembered of a server's private lists, since the login
// they were made for is another one now. What was approved stays.
func ForgetLists(stateDir, name string, c ServerConfig) error {
	id := c.Identity()
	path := remembered(stateDir, name, id)
	m, err := loadManifest(path, id)
	if err != nil || !m.Private {
		return err
	}
	m.Last = nil
	return m.save(path)
}

// Forget drops all that is remembered of a server: it was removed.
func Forget(stateDir, name string, c ServerConfig) error {
	if err := os.Remove(remembered(stateDir, name, c.Identity())); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func remembered(stateDir, name, identity string) string {
	return manifestFile((&Manager{o: Options{StateDir: stateDir}}).manifestDir(), serverKeys([]string{name})[name], identity)
}

// How long after a list was asked for it is asked for again, if its server says at once
// that it has changed; the time doubles while it goes on saying so.
const (
	listGap     = 200 * time.Millisecond
	mostListGap = 5 * time.Second
)

// A pace keeps apart the lists of a server that never stops saying that they changed.
type pace struct {
	last time.Time // when the list was, or will be, asked for
	gap  time.Duration
}

// next tells how long to wait with the next list, and counts it.
func (p *pace) next(now time.Time) time.Duration {
	if p.gap == 0 || now.Sub(p.last) > 4*p.gap {
		p.gap = listGap
	} else {
		p.gap = min(2*p.gap, mostListGap)
	}
	at := p.last.Add(p.gap)
	if at.Before(now) {
		at = now
	}
	p.last = at
	return at.Sub(now)
}
