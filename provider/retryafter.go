package provider

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"forge/lazy"
)

// retryAfter is the wait a server asked for, 0 where it said nothing. The most
// exact source wins: milliseconds, then seconds or a date, then the reset time of
// an exhausted allowance, then words in the body (lower case).
func retryAfter(h http.Header, text string) time.Duration {
	now := time.Now()
	if d, err := http.ParseTime(h.Get("Date")); err == nil && h.Get("Date") != "" {
		now = d // the server's clock, which its dates are meant by
	}
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms > 0 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	if v := strings.TrimSpace(h.Get("Retry-After")); v != "" {
		if d := untilReset(v, now, false); d > 0 {
			return d
		}
	}
	var longest time.Duration
	for _, pair := range [][2]string{
		{"Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
		{"Anthropic-Ratelimit-Input-Tokens-Remaining", "Anthropic-Ratelimit-Input-Tokens-Reset"},
		{"Anthropic-Ratelimit-Output-Tokens-Remaining", "Anthropic-Ratelimit-Output-Tokens-Reset"},
		{"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
		{"Ratelimit-Remaining", "Ratelimit-Reset"},
	} {
		if strings.TrimSpace(h.Get(pair[0])) == "0" {
			longest = max(longest, untilReset(h.Get(pair[1]), now, true))
		}
	}
	if longest > 0 {
		return longest
	}
	return waitInText(text)
}

// untilReset reads seconds ("1.5"), a duration ("6m0s", "20ms"), a date, or,
// where epoch is allowed, a Unix time in seconds or milliseconds.
func untilReset(v string, now time.Time, epoch bool) time.Duration {
	v = strings.TrimSpace(v)
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		switch {
		case n <= 0:
			return 0
		case epoch && n > 1e12:
			return max(0, time.UnixMilli(int64(n)).Sub(now))
		case epoch && n > 1e9:
			return max(0, time.Unix(int64(n), 0).Sub(now))
		case n > 1e8:
			return 0 // years: not a wait
		}
		return time.Duration(n * float64(time.Second))
	}
	if d, err := time.ParseDuration(v); err == nil {
		return max(0, d)
	}
	if t, err := time.Parse(time.RFC3339, v); err == nil {
		return max(0, t.Sub(now))
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

var (
	waitWords = lazy.Regexp{Expr: `(?:try again|retry|wait)[a-z ]{0,20}? (?:in|after|for) (?:about )?((?:\d+(?:\.\d+)?(?:ms|h|m|s))+|\d+(?:\.\d+)?) ?(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)?\b`}
	waitJSON  = lazy.Regexp{Expr: `"?(?:retrydelay|retry_after|retry_after_seconds)"?\s*:\s*"?(\d+(?:\.\d+)?)s?"?`}
)

// waitInText finds "please try again in 6.5s", "retry after 20 seconds", and
// Google's "retryDelay": "34s". text is in lower case.
func waitInText(text string) time.Duration {
	if m := waitJSON.Get().FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		return time.Duration(n * float64(time.Second))
	}
	m := waitWords.Get().FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	unit := "s"
	switch u := m[2]; {
	case strings.HasPrefix(u, "ms"), strings.HasPrefix(u, "milli"):
		unit = "ms"
	case strings.HasPrefix(u, "m"):
		unit = "m"
	case strings.HasPrefix(u, "h"):
		unit = "h"
	}
	v := m[1]
	if last := v[len(v)-1]; last >= '0' && last <= '9' {
		v += unit
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		return 0
	}
	return d
}
