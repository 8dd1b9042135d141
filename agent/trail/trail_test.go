package trail

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	session := ""
	log := slog.New(All(Handler(&b, func() string { return session }), slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})))
	log.Debug("request", "url", "https://h/v1", "bytes", 12, "why", "two words", "none", "")
	session = "20260102-030405-abcdef"
	log.With("agent", "scout").Warn("call", "took", 3*time.Millisecond)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%q", lines)
	}
	first, ok1 := Parse([]byte(lines[0]))
	second, ok2 := Parse([]byte(lines[1]))
	if got := first.String(); !ok1 || !strings.HasSuffix(got, ` request url=https://h/v1 bytes=12 why="two words" none=""`) {
		t.Errorf("%q", got)
	}
	if got := second.String(); !ok2 || !strings.HasSuffix(got, " WARN call agent=scout took=3ms [abcdef]") || !second.Of("abcdef") || !second.Of("20260102") || second.Of("fedcba") || first.Of("abcdef") {
		t.Errorf("%q", got)
	}
	for _, line := range []string{"", "time=x", "[]", `{"time":"no"}`, `{"a":`} {
		if _, ok := Parse([]byte(line)); ok {
			t.Errorf("%q is a record", line)
		}
	}
	var plain bytes.Buffer
	slog.New(Handler(Plain(&plain, "forge: "), nil)).Info("hello")
	if got := plain.String(); !strings.HasPrefix(got, "forge: ") || !strings.HasSuffix(got, " INFO hello\n") {
		t.Errorf("%q", got)
	}
}

// Two that write to the same log keep it in bounds, and no line is torn.
func TestTheLogStaysInBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "debug.log")
	const max = 20_000
	var wg sync.WaitGroup
	for w := range 2 {
		l, err := Open(path, max)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer l.Close()
			log := slog.New(Handler(l, nil))
			for i := range 400 {
				log.Debug("line", "n", fmt.Sprint(w, "-", i), "pad", strings.Repeat("x", 100))
			}
		})
	}
	wg.Wait()
	for _, p := range []string{path, Older(path)} {
		fi, err := os.Stat(p)
		if err != nil || fi.Size() > 2*max || // one of them goes on where the other is long at it
			fi.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: %v, %v", p, fi, err)
		}
	}
	n := 0
	if _, err := Read(path, func(_ []byte, r Record) {
		if n++; r.Message != "line" {
			t.Errorf("%+v", r)
		}
	}); err != nil || n < 100 {
		t.Errorf("%d records, %v", n, err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), nil); !os.IsNotExist(err) {
		t.Errorf("%v", err)
	}
}

// One that has put the log aside takes the others along: what they write is where it is
// looked for, and counts. So it is where somebody deleted the log.
func TestAllWriteToTheLogThereIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "debug.log")
	open := func() *File {
		l, err := Open(path, 1000)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	write := func(l *File, s string) {
		t.Helper()
		if _, err := l.Write([]byte(s + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	is := func(path, want string) {
		t.Helper()
		if b, err := os.ReadFile(path); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v, want %q", path, b, err, want)
		}
	}
	long := strings.Repeat("x", 599)
	a, b := open(), open()
	write(a, long)
	write(b, long) // a knows of the first alone
	write(a, "short")
	is(Older(path), long+"\n")
	is(path, long+"\nshort\n")
	if err := os.Remove(path); err != nil && os.PathSeparator == '/' {
		t.Fatal(err)
	}
	if os.PathSeparator == '/' { // elsewhere it cannot be deleted while it is open
		write(b, "again")
		write(a, "too")
		is(path, "again\ntoo\n")
	}
	// While another one is at it the log is left where it is, unless that one was killed.
	lock := path + ".turn"
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	write(a, long)
	write(a, long)
	if fi, err := os.Stat(path); err != nil || fi.Size() < 1200 {
		t.Errorf("%v, %v", fi, err)
	}
	ago := time.Now().Add(-2 * turnTime)
	if err := os.Chtimes(lock, ago, ago); err != nil {
		t.Fatal(err)
	}
	write(a, "anew")
	is(path, "anew\n")
	if _, err := os.Stat(lock); err == nil {
		t.Error("the lock stays")
	}
	// What a full disk cut off is not glued to what comes.
	write(b, "here")
	b.torn = true
	write(b, "whole")
	if got, err := os.ReadFile(path); err != nil || !strings.HasSuffix(string(got), "\n\nwhole\n") {
		t.Errorf("%q, %v", got, err)
	}
	a.Close()
	if _, err := a.Write([]byte("x")); err == nil {
		t.Error("written after the end")
	}
}

// What is in a record does not reach the terminal as an order, and one record does not
// hide the next.
func TestRecordsAreSafe(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(Handler(Masked(Plain(&b, ""), func(s string) string { return strings.ReplaceAll(s, "sk-live", "[HIDDEN]") }), nil))
	log.Info("o\x1b[2Jdd", "title", "a\x1b]0;pwned\x07b\u009b31m\u202e", "key", "sk-live", "名", "变量😀")
	log.Info("next")
	got := b.String()
	if strings.ContainsAny(got, "\x1b\x07\u009b\u202e") || strings.Contains(got, "sk-live") || !strings.Contains(got, "名=变量😀") || !strings.Contains(got, " INFO next\n") {
		t.Errorf("%q", got)
	}
	if got, want := Visible("a\u009b\U000e0041 变"), `a\u009b\udb40\udc41 变`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What comes is told once and in order, over a change of the file as well.
func TestFollow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "debug.log")
	l, err := Open(path, 3000)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	log := slog.New(Handler(l, nil))
	log.Debug("before")
	end, err := Read(path, func([]byte, Record) {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	got := make(chan string, 100)
	done := make(chan error, 1)
	go func() { done <- Follow(ctx, path, end, func(_ []byte, r Record) { got <- r.Message }) }()
	for i := range 8 {
		log.Debug(fmt.Sprint("n", i), "pad", strings.Repeat("x", 700))
		if m := <-got; m != fmt.Sprint("n", i) {
			t.Fatalf("%s instead of n%d", m, i)
		}
	}
	cancel()
	if err := <-done; err != nil || len(got) > 0 {
		t.Errorf("%v, %d more", err, len(got))
	}
}
