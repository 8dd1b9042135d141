package loop

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		every  time.Duration
		prompt string
		err    error
	}{
		"5m check the deploy":                   {5 * time.Minute, "check the deploy", nil},
		"every 5m check":                        {5 * time.Minute, "check", nil},
		"Every 5 Minutes, check":                {5 * time.Minute, "check", nil},
		"30s x":                                 {30 * time.Second, "x", nil},
		"7d x":                                  {Longest, "x", nil},
		"1h30m x":                               {90 * time.Minute, "x", nil},
		"1h 30m x":                              {90 * time.Minute, "x", nil},
		"1 hour and 30 minutes x":               {90 * time.Minute, "x", nil},
		"1.5h x":                                {90 * time.Minute, "x", nil},
		"1h 30 files are to be read":            {time.Hour, "30 files are to be read", nil},
		"5m 10 m of it":                         {5 * time.Minute, "10 m of it", nil},
		"every hour: /review":                   {time.Hour, "/review", nil},
		"each day x":                            {day, "x", nil},
		"hourly x":                              {time.Hour, "x", nil},
		"daily look":                            {day, "look", nil},
		"check the deploy every 20 minutes":     {20 * time.Minute, "check the deploy", nil},
		"say why it polls every 5 m, hourly":    {0, "", ErrNoInterval},
		"check every hour":                      {time.Hour, "check", nil},
		"每5分钟检查部署":                              {5 * time.Minute, "检查部署", nil},
		"每隔 10 分钟，检查":                           {10 * time.Minute, "检查", nil},
		"每小时检查":                                 {time.Hour, "检查", nil},
		"2小时30分 检查":                             {150 * time.Minute, "检查", nil},
		"检查部署，每2小时":                             {2 * time.Hour, "检查部署", nil},
		"5m two\nlines":                         {5 * time.Minute, "two\nlines", nil},
		"29s x":                                 {0, "", ErrTooOften},
		"0m x":                                  {0, "", ErrTooOften},
		"8d x":                                  {0, "", ErrTooSeldom},
		"7d1s x":                                {0, "", ErrTooSeldom},
		strings.Repeat("9", 300) + "d x":        {0, "", ErrTooSeldom},
		"5m":                                    {0, "", ErrNoPrompt},
		"every 5 minutes":                       {0, "", ErrNoPrompt},
		"5 simple tests":                        {0, "", ErrNoInterval},
		"5 check":                               {0, "", ErrNoInterval},
		"check it":                              {0, "", ErrNoInterval},
		"everyone 5m":                           {0, "", ErrNoInterval},
		"-5m x":                                 {0, "", ErrNoInterval},
		"1.2.3m x":                              {0, "", ErrNoInterval},
		"":                                      {0, "", ErrNoInterval},
		"5m " + strings.Repeat("x", MaxBytes+1): {0, "", ErrTooLong},
	} {
		every, prompt, err := Parse(text)
		if every != want.every || prompt != want.prompt || !errors.Is(err, want.err) {
			t.Errorf("%.40q: %v, %.40q, %v; want %v, %q, %v", text, every, prompt, err, want.every, want.prompt, want.err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"5m x", "每5分钟检查", "check every 1h 30m", "1h and", "İ every 5m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		every, prompt, err := Parse(text)
		if err == nil && (every < Shortest || every > Longest || prompt == "" || !strings.Contains(text, prompt)) {
			t.Errorf("%q: %v, %q", text, every, prompt)
		}
	})
}

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func at(d time.Duration) time.Time { return start.Add(d) }

func add(t *testing.T, b *Book, every time.Duration, prompt string, now time.Time) Loop {
	t.Helper()
	l, err := b.Add(every, prompt, now)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// due is the prompt that is due, empty: none is.
func due(b *Book, now time.Time) string {
	if l, ok := b.Next(now); ok && l.Due(now) {
		return l.Prompt
	}
	return ""
}

// What is missed is not made up for: after a run that was longer than the interval, after a
// sleep, and where the person's own runs were in the way.
func TestMissedTimes(t *testing.T) {
	b := &Book{}
	if l := add(t, b, 5*time.Minute, "x", start); due(b, start) != "x" || l.N != 1 {
		t.Fatalf("%+v is not due at once", l)
	}
	b.Begin(1, start)
	if _, ok := b.Next(at(time.Hour)); ok {
		t.Error("it is due beside its own run")
	}
	if _, _, ok := b.End(1, Done, at(12*time.Minute)); !ok || due(b, at(14*time.Minute)) != "" || due(b, at(15*time.Minute)) != "x" {
		t.Errorf("after a long run: %+v", b.List())
	}
	now := at(8 * time.Hour) // it slept
	b.Begin(1, now)
	b.End(1, Done, now.Add(time.Second))
	if due(b, now.Add(2*time.Minute)) != "" || due(b, now.Add(5*time.Minute)) != "x" {
		t.Errorf("after a sleep: %+v", b.List())
	}
	if l := b.List()[0]; l.Runs != 2 {
		t.Errorf("%d runs", l.Runs)
	}
	// A clock that was set back a day.
	if l, _ := b.Next(at(-24 * time.Hour)); l.Next.Sub(at(-24*time.Hour)) != 5*time.Minute {
		t.Errorf("next at %v", l.Next)
	}
}

func TestWhichIsFirst(t *testing.T) {
	b := &Book{}
	if b.Any() {
		t.Error("there is one")
	}
	add(t, b, 10*time.Minute, "a", start)
	add(t, b, 5*time.Minute, "b", start.Add(time.Second))
	b.Begin(1, start)
	if due(b, at(time.Second)) != "b" {
		t.Error("the other is not due")
	}
	b.End(1, Done, at(time.Minute))
	b.Begin(2, at(time.Minute))
	b.End(2, Done, at(2*time.Minute))
	if l, ok := b.Next(at(2 * time.Minute)); !ok || l.Prompt != "b" {
		t.Errorf("%+v", l)
	}
	if got := b.Stop(7); got != nil {
		t.Errorf("%+v", got)
	}
	if got := b.Stop(2); len(got) != 1 || got[0].Prompt != "b" || len(b.List()) != 1 {
		t.Errorf("%+v", got)
	}
	if _, _, ok := b.End(2, Failed, start); ok {
		t.Error("what was stopped ends again")
	}
	if l := add(t, b, time.Minute, "c", start); l.N != 3 {
		t.Errorf("a number is used twice: %+v", l)
	}
	if got := b.Stop(0); len(got) != 2 || b.Any() {
		t.Errorf("%+v", got)
	}
	for i := range Most {
		add(t, b, time.Minute, strings.Repeat("x", i+1), start)
	}
	if _, err := b.Add(time.Minute, "one more", start); !errors.Is(err, ErrMany) {
		t.Error(err)
	}
}

func TestHowALoopEnds(t *testing.T) {
	run := func(b *Book, how Outcome, now time.Time) Why {
		t.Helper()
		b.Begin(1, now)
		_, why, ok := b.End(1, how, now)
		if !ok {
			t.Fatal("it is not there")
		}
		return why
	}
	b := &Book{}
	add(t, b, time.Minute, "x", start)
	for i, how := range []Outcome{Failed, Failed, Done, Failed, Stopped, Failed} {
		if why := run(b, how, at(time.Duration(i)*time.Minute)); why != NotEnded {
			t.Fatalf("run %d: %s", i, why)
		}
	}
	if why := run(b, Failed, at(7*time.Minute)); why != Failing || b.Any() {
		t.Errorf("three failures in a row: %q", why)
	}
	add(t, b, time.Minute, "x", start)
	if why := run(b, Broke, start); why != Spent || b.Any() {
		t.Errorf("nothing may be spent: %q", why)
	}
	add(t, b, 7*24*time.Hour, "x", start)
	if why := run(b, Done, start); why != NotEnded {
		t.Errorf("after the first run: %q", why)
	}
	if why := run(b, Done, at(Life)); why != Old || b.Any() {
		t.Errorf("after a week: %q", why)
	}
	add(t, b, time.Minute, "x", start)
	if got := b.Expired(at(Life)); got != nil {
		t.Errorf("%+v", got)
	}
	if got := b.Expired(at(Life + 2*time.Hour)); len(got) != 1 || b.Any() {
		t.Errorf("%+v", got)
	}
}

// Where the conversation is another one the loops end; in a copy of it they go on; those of
// one that is gone on with wait for the person.
func TestAnotherConversation(t *testing.T) {
	var kept [][]Loop
	b := &Book{Keep: func(l []Loop) error { kept = append(kept, l); return nil }}
	save := func() {
		t.Helper()
		if err := b.Save(); err != nil {
			t.Fatal(err)
		}
	}
	add(t, b, time.Minute, "x", start)
	save()
	save()
	if len(kept) != 1 || len(kept[0]) != 1 {
		t.Fatalf("kept %+v", kept)
	}
	if gone, rest := b.Took(kept[0]); gone != nil || rest != nil || !b.Any() {
		t.Errorf("in a copy: %+v, %+v", gone, rest)
	}
	gone, rest := b.Took(nil)
	if len(gone) != 1 || rest != nil || b.Any() {
		t.Errorf("in a new one: %+v, %+v", gone, rest)
	}
	save()
	if len(kept) != 1 {
		t.Errorf("a new conversation is told of none: %+v", kept)
	}
	if gone, rest = b.Took(kept[0]); gone != nil || len(rest) != 1 || b.Any() {
		t.Errorf("opened again: %+v, %+v", gone, rest)
	}
	if _, ok := b.Next(start); ok {
		t.Error("it runs unasked")
	}
	now := at(48 * time.Hour)
	if all := b.Resume(now); len(all) != 1 || all[0].Due(now) || !all[0].Due(now.Add(time.Minute)) || len(b.Rest()) != 0 {
		t.Errorf("resumed: %+v", all)
	}
	save()
	b.Took(kept[1])
	b.Took(nil)
	b.Took(kept[0])
	add(t, b, time.Hour, "another", start) // then those before are not wanted any more
	save()
	if last := kept[len(kept)-1]; len(last) != 1 || last[0].Prompt != "another" {
		t.Errorf("%+v", last)
	}
	b.Took(kept[0])
	b.Stop(0)
	save()
	if last := kept[len(kept)-1]; len(last) != 0 {
		t.Errorf("stopped, and kept: %+v", last)
	}
	if !slices.Equal(b.Kept(), nil) {
		t.Errorf("%+v", b.Kept())
	}
}
