package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"forge/tools"
)

// What was wrong before an edit is not told as the edit's, wherever its line is now.
func TestNewIsToldFromOld(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", "unversioned", "utf8", "nosync", "greets", "pull", "sparing", "sparing unversioned", "lying"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mode, func(o *Options) {
				if strings.HasPrefix(mode, "sparing") { // its silence is waited for
					o.Servers[0].WaitMS = 2000
				}
				if mode == "lying" { // its first words are about nothing: they are waited for in vain
					o.Servers[0].WaitMS = 1500
				}
			})
			b.put("a.fk", "def one\nbad old\n")
			b.put("b.fk", "use one\nbad elsewhere\n")
			if mode == "pull" { // of files that are open alone
				b.told("b.fk", "use one\nbad elsewhere\n", "[fake: no new errors; 1 as before]")
			}
			if mode == "lying" {
				b.edit("a.fk", "\n\ndef one\nbad old\n")
				b.until("it is not believed", func() bool {
					i := b.m.list()[0]
					i.mu.Lock()
					defer i.mu.Unlock()
					return i.session != nil && i.session.liar() && !i.working
				})
				b.edit("a.fk", "def one\nbad old\n")
				b.until("it is read again", func() bool { i := b.m.list()[0]; i.mu.Lock(); defer i.mu.Unlock(); return !i.working })
				b.m.News()
			} else {
				b.told("a.fk", "\n\ndef one\nbad old\n", "[fake: no new errors; 1 as before]")
			}
			b.told("a.fk", "def one\nbad old\nbad new\n", "[fake: 1 error new, 1 as before]\na.fk:3:5: new is wrong (fake bad)")
			b.told("a.fk", "def one\nbad new\nwarn x\n", "[fake: 1 error gone, 1 left in what you changed]")
			b.told("a.fk", "def two\n", "[fake: no new errors in what you changed, 1 gone, 1 error new in other files]\nb.fk:1:5: one is wrong (fake use)")
			b.told("a.fk", "def one\n", "[fake: 1 error gone, none left in what you changed]")
			b.told("c.fk", "bad c\n", "[fake: 1 error new]\nc.fk:1:5: c is wrong (fake bad)")
		})
	}
}

// Columns are letters, whatever the server counts in and however lines end.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"good", "utf8"} {
		b := newBench(t, mode)
		b.told("a.fk", "eins\r\n变量😀 bad x\r\n", "[fake: 1 error new]\na.fk:2:9: x is wrong (fake bad)")
		b.told("名 前#.fk", "bad 変数\n", "[fake: 1 error new]\n名 前#.fk:1:5: 変数 is wrong (fake bad)")
	}
	for _, c := range []struct {
		line, units string
		offset, col int
	}{{"aé变😀z", utf8Units, 10, 5}, {"aé变😀z", utf16Units, 5, 5}, {"aé变😀z", utf16Units, 4, 4}, {"aé变😀z", utf32Units, 4, 5}, {"ab", utf16Units, 99, 3}, {"a\xffz", utf8Units, 2, 3}, {"", utf16Units, 0, 1}} {
		if got := column(c.line, c.offset, c.units); got != c.col {
			t.Errorf("%q at %d of %s is column %d, want %d", c.line, c.offset, c.units, got, c.col)
		}
	}
	for n, want := range []string{"a", "b", "", "c"} {
		if got, ok := lineOf("a\r\nb\n\rc", n); !ok || got != want {
			t.Errorf("line %d is %q, %v, want %q", n, got, ok, want)
		}
	}
	if _, ok := lineOf("a\nb", 2); ok {
		t.Error("there is no third line")
	}
	if got := native("/c:/a%b/x.go", true); got != filepath.Clean(filepath.FromSlash("C:/a%b/x.go")) {
		t.Error(got)
	}
	for _, p := range []string{"/a b/%41/变#?.go", "/x"} {
		if got := pathOf(uriOf(p)); got != p {
			t.Errorf("%q comes back as %q", p, got)
		}
	}
	if got := pathOf("untitled:1"); got != "" {
		t.Error(got)
	}
}

// What a command or a person changed in the meantime is told to the server before the
// edit is judged.
func TestOthersChange(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("a.fk", "def one\n")
	b.put("b.fk", "use one\n")
	b.told("b.fk", "use one\n\n", "")
	b.put("c.fk", "def two\n") // unseen so far
	b.told("b.fk", "use one\nuse two\n", "")
	if err := os.Remove(filepath.Join(b.dir, "c.fk")); err != nil {
		t.Fatal(err)
	}
	b.put("b.fk", "use two\nuse two\nuse three\n") // it is open
	b.told("a.fk", "def one\ndef three\n", "[fake: no new errors in what you changed, 2 errors new in other files]\nb.fk:1:5: two is wrong (fake use)\nb.fk:2:5: two is wrong (fake use)")
	if got := notes(t, b.dir); !strings.Contains(got, "watched c.fk") || !strings.Contains(got, `answer "c1"`) {
		t.Errorf("the server noted %s", got)
	}
	// Taken back, as /undo does.
	b.put("b.fk", "use one\n")
	b.m.Changed()
	b.until("the server was told", func() bool { return b.state().Errors == 0 })
	if news := b.m.News(); news != nil {
		t.Errorf("news of what is better: %q", news)
	}
}

// A server may ask at any time, also before it was greeted, and gets nothing done by it.
func TestAsksFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t, "asks")
	b.put("a.fk", "")
	b.told("a.fk", "bad x\n", "[fake: 1 error new]\na.fk:1:5: x is wrong (fake bad)")
	if got := notes(t, b.dir); !strings.Contains(got, `answer "e0"`) || !strings.Contains(got, `answer "a1"`) {
		t.Errorf("the server noted %s", got)
	}
}

// An edit does not wait for a server that is slow, and what that says later is news.
func TestLate(t *testing.T) {
	t.Parallel()
	b := newBench(t, "gated", func(o *Options) { o.Servers[0].WaitMS = 50 })
	b.put("a.fk", "bad old\n")
	text, found := b.edit("a.fk", "bad old\nbad new\n")
	if text != "" || len(found) != 1 || !strings.Contains(found[0].Note, "told later") {
		t.Errorf("told %q, %+v", text, found)
	}
	b.put("gate", "")
	var news []string
	b.until("it is told", func() bool { news = b.m.News(); return news != nil })
	if want := "[fake: 1 error new, 1 as before]\na.fk:2:5: new is wrong (fake bad)"; news[0] != want {
		t.Errorf("news %q, want %q", news, want)
	}
	if again := b.m.News(); again != nil {
		t.Errorf("told twice: %q", again)
	}
}

// A server that loads a project says nothing that counts until it is done.
func TestLoading(t *testing.T) {
	t.Parallel()
	b := newBench(t, "loads")
	b.put("a.fk", "bad old\n")
	b.put("b.fk", "bad elsewhere\n")
	b.told("a.fk", "bad old\nbad new\n", "[fake: 1 error new, 1 as before]\na.fk:2:5: new is wrong (fake bad)")
}

// A wait that takes a while has a name.
func TestWaitHasAName(t *testing.T) {
	t.Parallel()
	b := newBench(t, "mute", func(o *Options) { o.Servers[0].WaitMS = 1500 })
	b.put("a.fk", "x\n")
	b.edit("a.fk", "bad x\n")
	if b.waited.Load() != "fake" {
		t.Errorf("it waited for %v", b.waited.Load())
	}
}

// Edits that come while one waits are answered together, and none is lost.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("z.fk", "")
	b.edit("z.fk", "\n")
	var wg sync.WaitGroup
	var mu sync.Mutex
	all := ""
	for n := range 6 {
		wg.Go(func() {
			name := fmt.Sprintf("f%d.fk", n)
			if err := os.WriteFile(filepath.Join(b.dir, name), []byte("bad "+name+"\n"), 0o600); err != nil {
				t.Error(err)
			}
			text, _ := b.m.Check(t.Context(), []tools.Change{{Path: name, Op: tools.Create, After: []byte("bad " + name + "\n")}}, func(string) {})
			mu.Lock()
			all += text
			mu.Unlock()
		})
	}
	wg.Wait()
	all += strings.Join(b.m.News(), "\n")
	for n := range 6 {
		if !strings.Contains(all, fmt.Sprintf("f%d.fk:1:5", n)) {
			t.Errorf("f%d is not told: %s", n, all)
		}
	}
}

// A server that dies is started again with the next edit, but not for ever, and each of
// these is no more than a word in a result.
func TestDies(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	text, found := b.edit("a.fk", "die\n")
	if !strings.Contains(text, "[language server fake is gone: it has ended: exit code 2; it said: panic: it died]") || len(found) != 1 {
		t.Errorf("told %q, %+v", text, found)
	}
	b.told("a.fk", "bad x\n", "[fake: 1 error; some may have been there before]\na.fk:1:5: x is wrong (fake bad)") // what was before is not shown to it again
	for range mostDeaths + 1 {
		b.edit("a.fk", "die\n")
	}
	if text, found := b.edit("a.fk", "bad y\n"); text != "" || found != nil {
		t.Errorf("it is tried for ever: %q %+v", text, found)
	}
	if st := b.state(); st.State != Failed || !strings.Contains(st.Reason, "it died") {
		t.Errorf("it stands as %+v", st)
	}
	if err := b.m.Start("fake"); err != nil {
		t.Fatal(err)
	}
	b.told("a.fk", "bad x\n", "[fake: 1 error new, 1 gone]\na.fk:1:5: x is wrong (fake bad)")
}

// Whatever a server does, a call has its result.
func TestBadServers(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{
		"garbage": "does not start: it writes what is no message of the protocol",
		"refuses": "does not start: no such project",
		"mute":    "",
		"deaf":    "",
		"child":   "",
		"earless": "it closed its input",
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, mode, func(o *Options) {
				if want == "" {
					o.Servers[0].WaitMS = 200
				}
			})
			b.put("a.fk", "x\n")
			text, found := b.edit("a.fk", "bad x\n")
			if want != "" && (len(found) != 1 || !strings.Contains(found[0].Note, want) || !strings.Contains(text, want)) {
				t.Errorf("told %q, %+v", text, found)
			}
			if mode == "deaf" || mode == "mute" {
				big := strings.Repeat("x", 1<<20)
				for n := range 6 { // more than a pipe holds
					b.edit("a.fk", fmt.Sprint(big, n))
				}
			}
		})
	}
}

// A server that floods everything is heard, in bounds.
func TestNoisy(t *testing.T) {
	t.Parallel()
	b := newBench(t, "noisy", func(o *Options) { o.Servers[0].WaitMS = 60_000 }) // a machine may take long over so many words
	b.put("a.fk", "")
	text, found := b.edit("a.fk", "bad x\n")
	if len(text) > 10_000 || len(found) != 1 || found[0].New == 0 || len(found[0].Lines) > mostLines {
		t.Errorf("%d bytes are told, %d lines", len(text), len(found[0].Lines))
	}
	st := b.state()
	if len(st.Words) > tailLines+1 || st.Errors > mostFindings*2 {
		t.Errorf("kept: %d words, %d errors", len(st.Words), st.Errors)
	}
	if all := strings.Join(st.Words, ""); strings.ContainsAny(all, "\x1b\u202e") {
		t.Errorf("what nobody sees is left in %q", all)
	}
}

// However much a server finds, what is kept of it has bounds, and room made is used again.
func TestFindingsHaveBounds(t *testing.T) {
	f := newFindings()
	put := func(n, many int) {
		f.take(publishParams{URI: uriOf(fmt.Sprintf("/f%d", n)), Diagnostics: make([]diagnostic, many)})
	}
	for n := range 3 * mostFiles {
		put(n, mostFindings+1)
	}
	if n := f.count(severityError); n != mostInAll || len(f.all()) != mostFiles {
		t.Errorf("%d findings of %d files", n, len(f.all()))
	}
	clean := newFindings()
	for n := range mostFiles {
		clean.take(publishParams{URI: uriOf(fmt.Sprintf("/f%d", n))})
	}
	clean.take(publishParams{URI: uriOf("/new"), Diagnostics: make([]diagnostic, 2)})
	if n := len(clean.of("/new").findings); n != 2 || len(clean.all()) != mostFiles {
		t.Errorf("%d findings of a file behind %d clean ones, of %d", n, mostFiles, len(clean.all()))
	}
	put(0, 0)
	put(mostFiles-1, 3)
	if n := len(f.of("/f1999").findings); n != 3 {
		t.Errorf("%d findings where there is room", n)
	}
}

// A program of the person's home is there before it was started.
func TestMissing(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if err := os.WriteFile(filepath.Join(home, "server.exe"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m := New(Options{Root: t.TempDir(), Servers: []Server{{Name: "a", Command: "~/server.exe"}, {Name: "b", Command: "~/other.exe"}}})
	defer m.Close()
	for _, st := range m.Status() {
		if st.Missing != (st.Name == "b") {
			t.Errorf("%+v", st)
		}
	}
	if got, want := (Server{Command: "~/server.exe", Args: []string{"-x"}}).Starts(home), filepath.Join(home, "server.exe")+" -x"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Server{Command: "no-such-server"}).Starts(home); got != "no-such-server" {
		t.Errorf("%q", got)
	}
}

type record struct{ yes map[string]bool }

func (r record) Approved(folder, item, hash string) bool { return r.yes[folder+item+hash] }
func (r record) Approve(folder, item, hash string) error {
	r.yes[folder+item+hash] = true
	return nil
}

// Nothing of a folder runs before somebody said yes.
func TestTrust(t *testing.T) {
	t.Parallel()
	asked := 0
	answer, kept := false, record{map[string]bool{}}
	with := func(o *Options) {
		o.Consent, o.Approvals = false, kept
		o.Ask = func(context.Context, Server, string) (bool, error) { asked++; return answer, nil }
	}
	b := newBench(t, "good", with)
	b.put("a.fk", "")
	b.told("a.fk", "bad x\n", "")
	b.told("a.fk", "bad y\n", "")
	if st := b.state(); st.State != Barred || asked != 1 || st.Pid != 0 {
		t.Errorf("asked %d times, it stands as %+v", asked, st)
	}
	answer = true
	if err := b.m.Start("fake"); err != nil {
		t.Fatal(err)
	}
	b.told("a.fk", "bad x\n", "") // it did not wait for the answer
	var news []string
	b.until("it is told", func() bool { news = b.m.News(); return news != nil })
	if want := "[fake: 1 error new]\na.fk:1:5: x is wrong (fake bad)"; news[0] != want {
		t.Errorf("news %q, want %q", news, want)
	}
	if asked != 2 || len(kept.yes) != 1 {
		t.Errorf("asked %d times, kept %v", asked, kept.yes)
	}
	// Taken back, it is asked about before the next start.
	clear(kept.yes)
	if err := b.m.Start("fake"); err != nil {
		t.Fatal(err)
	}
	b.edit("a.fk", "bad y\n")
	b.until("it is told", func() bool { news = b.m.News(); return news != nil })
	if asked != 3 || len(kept.yes) != 1 {
		t.Errorf("taken back: asked %d times, kept %v", asked, kept.yes)
	}
	// Another folder is another question.
	other := t.TempDir()
	b.edit(filepath.Join(other, "a.fk"), "bad x\n")
	b.until("it is told", func() bool { news = b.m.News(); return news != nil })
	if !strings.Contains(news[0], filepath.Join(other, "a.fk")+":1:5") || asked != 4 || len(kept.yes) != 2 {
		t.Errorf("news %q, asked %d times, kept %v", news, asked, kept.yes)
	}
	nobody := newBench(t, "good", with, func(o *Options) { o.Ask = nil })
	nobody.told("a.fk", "bad x\n", "")
	if st := nobody.state(); st.State != Barred || !strings.Contains(st.Reason, "not trusted") {
		t.Errorf("with nobody there it stands as %+v", st)
	}
	closed := newBench(t, "good", with, func(o *Options) {
		o.Approvals = nil
		o.Ask = func(ctx context.Context, _ Server, _ string) (bool, error) { <-ctx.Done(); return false, ctx.Err() }
		o.Servers[0].WaitMS = 20
	})
	if _, found := closed.edit("a.fk", "bad x\n"); len(found) != 1 || !strings.Contains(found[0].Note, "waits for your answer") {
		t.Errorf("while it is asked: %+v", found)
	}
	if st := closed.state(); st.State != Asking {
		t.Errorf("while it is asked it stands as %+v", st)
	}
}

// What a server says of a file that is not for the model is not told, whoever changed it:
// its messages quote the file.
func TestWithheld(t *testing.T) {
	t.Parallel()
	var secret atomic.Bool
	b := newBench(t, "good", func(o *Options) {
		o.Withheld = func(path string) bool { return filepath.Base(path) == "key.fk" || secret.Load() }
	})
	b.put("a.fk", "def one\n")
	b.put("key.fk", "use one\n")
	b.put("b.fk", "use one\n")
	b.told("a.fk", "def one\n\n", "")
	b.told("a.fk", "def two\n", "[fake: no new errors in what you changed, 1 error new in other files]\nb.fk:1:5: one is wrong (fake use)")
	b.told("key.fk", "bad hunter2\n", "")
	if got := notes(t, b.dir); strings.Contains(got, "opened key.fk") {
		t.Errorf("it was shown: %s", got)
	}
	b.told("a.fk", "bad x\n", "[fake: 1 error new]\na.fk:1:5: x is wrong (fake bad)")
	secret.Store(true) // a rule came in between
	b.told("a.fk", "bad hunter2\n", "")
	if news := b.m.News(); news != nil {
		t.Errorf("news: %q", news)
	}
}

// Stopped stays stopped, and too large is ended.
func TestStopAndMemory(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("a.fk", "")
	b.edit("a.fk", "x\n")
	if b.state().State != Ready {
		t.Fatalf("it stands as %+v", b.state())
	}
	if err := b.m.Stop("fake"); err != nil {
		t.Fatal(err)
	}
	b.told("a.fk", "bad x\n", "")
	if st := b.state(); st.State != Stopped || st.Pid != 0 {
		t.Errorf("it stands as %+v", st)
	}
	if err := b.m.Stop("none"); err == nil {
		t.Error("one that is not there is stopped")
	}
	large := newBench(t, "good", func(o *Options) { o.Servers[0].MemoryMB = 1 })
	large.put("a.fk", "")
	large.told("a.fk", "bad x\n", "[fake: 1 error new]\na.fk:1:5: x is wrong (fake bad)")
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is known on Linux alone")
	}
	large.until("it is ended", func() bool { return large.state().State == Failed })
	if st := large.state(); !strings.Contains(st.Reason, "more than the 1 MB") {
		t.Errorf("it stands as %+v", st)
	}
}

// A server starts where its project begins, and not in a home folder.
func TestRoots(t *testing.T) {
	b := newBench(t, "good")
	for _, d := range []string{"x/y/z", "x/y/n"} {
		if err := os.MkdirAll(filepath.Join(b.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.put("x/mark", "")
	b.put("x/y/mark", "")
	s := Server{Roots: []string{"mark", "*.cabal"}}
	at := func(s Server, path string) string {
		root, ok := b.m.rootOf(s, filepath.Join(b.dir, path))
		if !ok {
			return "none"
		}
		rel, err := filepath.Rel(b.dir, root)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.ToSlash(rel)
	}
	if got := at(s, "x/y/z/a.fk"); got != "x" {
		t.Errorf("it starts in %s", got)
	}
	if got := at(s, "a.fk"); got != "." {
		t.Errorf("without a mark it starts in %s", got)
	}
	s.Needs = true
	if got := at(s, "a.fk"); got != "none" {
		t.Errorf("without the mark it needs it starts in %s", got)
	}
	b.put("a.cabal", "")
	if got := at(s, "a.fk"); got != "." {
		t.Errorf("with a pattern's mark it starts in %s", got)
	}
	t.Setenv("HOME", b.dir)
	t.Setenv("USERPROFILE", b.dir)
	if got := at(Server{}, "a.fk"); got != "none" {
		t.Errorf("in a home folder it starts in %s", got)
	}
	if m := newBench(t, "good", func(o *Options) { o.Resolve = func(string) (string, error) { return "", errors.New("outside") } }).m; m != nil {
		if text, found := m.Check(t.Context(), []tools.Change{{Path: "../x.fk", Op: tools.Create}}, func(string) {}); text != "" || found != nil {
			t.Errorf("a file outside: %q %+v", text, found)
		}
	}
}

// What is no text, or too much of it, is not shown; what is deleted is told.
func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	b := newBench(t, "good")
	b.put("a.fk", "def one\n")
	b.put("b.fk", "use one\n")
	b.told("b.fk", "use one\n\n", "")
	for _, text := range []string{"bad \xff\xfe\n", "bad x\x00\n", strings.Repeat("bad x\n", maxText/6+1)} {
		b.told("c.fk", text, "")
	}
	b.told("c.fk", "\ufeffbad x\n", "[fake: 1 error new]\nc.fk:1:5: x is wrong (fake bad)")
	if err := os.Remove(filepath.Join(b.dir, "a.fk")); err != nil {
		t.Fatal(err)
	}
	b.m.Check(t.Context(), []tools.Change{{Path: "a.fk", Op: tools.Delete}}, func(string) {})
	b.until("it is told", func() bool { return strings.Contains(notes(t, b.dir), "watched a.fk") })
	b.told("b.fk", "use one\n", "[fake: 1 error new]\nb.fk:1:5: one is wrong (fake use)")
	for n := range mostOpen + 1 {
		b.edit(fmt.Sprintf("many%d.fk", n), "x\n")
	}
	if got := notes(t, b.dir); !strings.Contains(got, "closed b.fk") {
		t.Errorf("no file is ever closed: %s", got)
	}
}

func TestRead(t *testing.T) {
	names := func(raw string) (string, string) {
		servers, problems := Read([]byte(raw))
		var out []string
		for _, s := range servers {
			out = append(out, s.Name)
		}
		return strings.Join(out, " "), strings.Join(problems, "\n")
	}
	all, _ := names("true")
	for raw, want := range map[string]string{
		``: "", `false`: "", `{}`: "", `true`: all, `{"*": true}`: all,
		`{"gopls": true}`: "gopls",
		`{"pyright": {"level": "warning"}, "gopls": true}`:      "gopls pyright",
		`{"*": true, "gopls": false}`:                           strings.TrimPrefix(all, "gopls "),
		`{"own": {"command": "x", "files": ["*.x"]}}`:           "own",
		`{"gopls": {"disabled": true}}`:                         "",
		`{"gopls": {"command": "g", "args": ["-remote=auto"]}}`: "gopls",
	} {
		if got, problems := names(raw); got != want || problems != "" {
			t.Errorf("%s gives %q, %s\nwant %q", raw, got, problems, want)
		}
	}
	for raw, want := range map[string]string{
		`{"own": true}`:                                   "no such server is known",
		`{"own": {"command": "x"}}`:                       "files is missing",
		`{"own": {"files": ["*.x"]}}`:                     "command is missing",
		`{"gopls": {"comand": "x"}}`:                      "comand",
		`{"gopls": {"level": "all"}}`:                     "neither error nor warning",
		`{"gopls": {"wait_ms": 60000}}`:                   "0 to 10000",
		`{"gopls": {"memory_mb": -1}}`:                    "below 0",
		`{"own": {"command": "x", "files": ["src/*.x"]}}`: "no pattern",
		`{"own": {"command": "x", "files": ["["]}}`:       "no pattern",
		`{"*": 1}`: "true or false",
		`[]`:       "must be true, false",
	} {
		if got, problems := names(raw); got != "" || !strings.Contains(problems, want) {
			t.Errorf("%s gives %q, %q, want %q", raw, got, problems, want)
		}
	}
	for _, s := range known() {
		if s.Command == "" || len(s.Files) == 0 || s.language("x"+filepath.Ext(strings.ReplaceAll(s.Files[0], "*", "x"))) == "" || !slices.ContainsFunc(s.Files, func(p string) bool { return strings.HasPrefix(p, "*.") }) {
			t.Errorf("%s is not whole: %+v", s.Name, s)
		}
	}
	if got := string(section([]byte(`{"a":{"b.c":1,"d":{"e":2}}}`), "a.b.c")) + string(section([]byte(`{"a":{"d":{"e":2}}}`), "a.d.e")) + string(section(nil, "a")); got != "12null" {
		t.Error(got)
	}
}

// Why a server ended stands before its stack.
func TestTail(t *testing.T) {
	for text, want := range map[string]string{
		"":         "",
		"one\ntwo": "two",
		"at x\nTypeError: no y\n    at z\n\nNode.js v20\n": "TypeError: no y",
		"error: no such component\n0: main\n1: <unknown>":  "error: no such component",
	} {
		tl := &tail{}
		if _, err := tl.Write([]byte(text)); err != nil || tl.last() != want {
			t.Errorf("%q ends with %q, want %q", text, tl.last(), want)
		}
	}
}

func TestFrames(t *testing.T) {
	read := func(s string) (out []string, err error) {
		f := newFrameReader(strings.NewReader(s))
		for {
			b, err := f.next()
			if err != nil {
				return out, err
			}
			out = append(out, string(b))
		}
	}
	got, _ := read("hello\nContent-Type: x\r\ncontent-length: 2\r\n\r\n{}Content-Length: 3\r\n\r\nabc")
	if !slices.Equal(got, []string{"{}", "abc"}) {
		t.Errorf("%q", got)
	}
	for _, s := range []string{"Content-Length: -1\r\n\r\n", "Content-Length: x\r\n\r\n", strings.Repeat("x", maxNoise*2), strings.Repeat("x\n", maxNoise)} {
		if _, err := read(s); !errors.Is(err, errNoise) {
			t.Errorf("%.20q: %v", s, err)
		}
	}
}
