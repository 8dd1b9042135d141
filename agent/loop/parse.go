package loop

import (
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The errors of Parse.
var (
	ErrNoInterval = errors.New("it is not said how often")
	ErrNoPrompt   = errors.New("there is no prompt")
	ErrTooOften   = errors.New("it is too often")
	ErrTooSeldom  = errors.New("it is too seldom")
	ErrTooLong    = errors.New("the prompt is too long")
)

const day = 24 * time.Hour

// unit is the words of a unit of time.
type unit struct {
	of    time.Duration
	words []string // the longer of two that begin alike stand first
	tied  bool     // what follows may stand right behind them
}

func units() []unit {
	return []unit{
		{day, []string{"days", "day", "d"}, false},
		{time.Hour, []string{"hours", "hour", "hrs", "hr", "h"}, false},
		{time.Minute, []string{"minutes", "minute", "mins", "min", "m"}, false},
		{time.Second, []string{"seconds", "second", "secs", "sec", "s"}, false},
		{day, []string{"天", "日"}, true},
		{time.Hour, []string{"个小时", "小时"}, true},
		{time.Minute, []string{"分钟", "分"}, true},
		{time.Second, []string{"秒钟", "秒"}, true},
	}
}

// Parse reads how often and what: "5m PROMPT", "every 10 minutes PROMPT", "hourly PROMPT",
// or "PROMPT every 2 hours".
func Parse(text string) (every time.Duration, prompt string, err error) {
	text = strings.TrimSpace(text)
	every, prompt, ok := leading(text)
	if !ok {
		every, prompt, ok = trailing(text)
	}
	switch {
	case !ok:
		return 0, "", ErrNoInterval
	case every < Shortest:
		return 0, "", ErrTooOften
	case every > Longest:
		return 0, "", ErrTooSeldom
	case prompt == "":
		return 0, "", ErrNoPrompt
	case len(prompt) > MaxBytes:
		return 0, "", ErrTooLong
	}
	return every, prompt, nil
}

func leading(text string) (every time.Duration, rest string, ok bool) {
	for _, c := range []struct {
		word string
		is   time.Duration
	}{{"hourly", time.Hour}, {"daily", day}} {
		if rest, ok := word(text, c.word); ok {
			return c.is, behind(rest), true
		}
	}
	said := false
	for _, w := range []string{"every", "each"} {
		if rest, ok := word(text, w); ok {
			text, said = strings.TrimSpace(rest), true
			break
		}
	}
	for _, w := range []string{"每隔", "每"} {
		if rest, ok := strings.CutPrefix(text, w); ok && !said {
			text, said = strings.TrimSpace(rest), true
		}
	}
	if said {
		if u, rest, ok := unitIn(text); ok {
			return u, behind(rest), true
		}
	}
	every, rest, ok = amount(text)
	return every, behind(rest), ok
}

// trailing reads an interval at the end.
func trailing(text string) (every time.Duration, prompt string, ok bool) {
	for _, w := range []string{"every ", "each ", "每"} {
		i := strings.LastIndex(strings.ToLower(text), w)
		if i <= 0 || len(strings.ToLower(text)) != len(text) {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:i]); w != "每" && !unicode.IsSpace(before) {
			continue
		}
		if every, rest, ok := leading(text[i:]); ok && rest == "" {
			return every, strings.TrimRight(strings.TrimSpace(text[:i]), ",，"), true
		}
	}
	return 0, "", false
}

// behind is a prompt without what divides it from the interval.
func behind(rest string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(rest), ",:，：、"))
}

// amount reads numbers with their units, each unit smaller than the one before.
func amount(text string) (sum time.Duration, rest string, ok bool) { return under(text, Longest+1) }

func under(text string, limit time.Duration) (sum time.Duration, rest string, ok bool) {
	digits := 0
	for digits < len(text) && (text[digits] >= '0' && text[digits] <= '9' || text[digits] == '.') {
		digits++
	}
	n, err := strconv.ParseFloat(text[:digits], 64)
	if err != nil {
		return 0, text, false
	}
	of, rest, ok := unitIn(strings.TrimLeft(text[digits:], " "))
	if !ok || of >= limit {
		return 0, text, false
	}
	sum = Longest + 1 // as good as any more
	if n*float64(of) <= float64(Longest) {
		sum = time.Duration(n * float64(of))
	}
	next := strings.TrimLeft(rest, " ")
	if after, and := word(next, "and"); and {
		next = strings.TrimLeft(after, " ")
	}
	if more, end, ok := under(next, of); ok { // else a number is where the prompt begins
		return min(sum+more, Longest+1), end, true
	}
	return sum, rest, true
}

// unitIn reads a unit of time at the beginning.
func unitIn(text string) (of time.Duration, rest string, ok bool) {
	for _, u := range units() {
		for _, w := range u.words {
			rest, ok := cut(text, w)
			if !ok {
				continue
			}
			if r, _ := utf8.DecodeRuneInString(rest); u.tied || rest == "" || !unicode.IsLetter(r) {
				return u.of, rest, true
			}
		}
	}
	return 0, text, false
}

// word takes a whole word off the beginning.
func word(text, w string) (rest string, ok bool) {
	rest, ok = cut(text, w)
	if r, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && !unicode.IsSpace(r) && r != ',' && r != ':' {
		return text, false
	}
	return rest, true
}

// cut takes letters off the beginning, large or small.
func cut(text, w string) (rest string, ok bool) {
	if len(text) < len(w) || !strings.EqualFold(text[:len(w)], w) {
		return text, false
	}
	return text[len(w):], true
}
