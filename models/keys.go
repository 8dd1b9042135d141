package models

import (
	"context"
	"maps"
	"strings"
)

// Keys is every key forge knows of, for a report to be rid of them. No command runs for it.
func (s *Source) Keys(ctx context.Context) (out []string) {
	for _, u := range s.Usable(ctx) {
		key := u.Key
		if key == lateKey { // no command runs for a report: what it gave so far
			s.keyed.mu.Lock()
			key = s.keyed.key
			s.keyed.mu.Unlock()
		}
		if key != "" {
			out = append(out, key)
		}
	}
	s.keyed.mu.Lock()
	headers := maps.Clone(s.keyed.headers)
	s.keyed.mu.Unlock()
	for _, name := range s.cfg.Borrowed {
		for _, v := range append(strings.Fields(s.cfg.Headers[name]), strings.Fields(headers[name])...) { // as in "Bearer KEY"
			if len(v) >= 8 { // a short word stands everywhere
				out = append(out, v)
			}
		}
	}
	return out
}
