package session

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

func text(s string) provider.Block { return provider.Text{Text: s} }

func user(bs ...provider.Block) *provider.Message {
	return &provider.Message{Role: provider.User, Blocks: bs}
}

func assistant(bs ...provider.Block) *provider.Message {
	return &provider.Message{Role: provider.Assistant, Origin: "anthropic/x", Stop: provider.StopToolUse, Blocks: bs,
		Usage: provider.Usage{Input: 10, Output: 5, Reported: true}}
}

func use(id string) provider.Block {
	return provider.ToolUse{ID: id, WireID: "w" + id, Name: "read_file", Input: `{"path":"a<b>.go"}`, Extra: `{"sig":1}`}
}

func result(id, s string) provider.Block {
	return provider.ToolResult{ID: id, Content: []provider.Block{text(s)}}
}

// conversation has every kind of record and block.
func conversation() []Record {
	cost, draft := 0.25, "half a thought"
	return []Record{
		{Model: &Model{Provider: "anthropic", ID: "x", Effort: "high"}},
		{Message: user(text("find the bug\nplease"), provider.Image{MIME: "image/png", Data: "iVBO"})},
		{Message: assistant(provider.Thinking{Text: "hm", Signature: "s\xffg", Field: "reasoning", Extra: "{}"}, text("looking"), use("1"), use("2")), Cost: &cost},
		{Message: user(result("1", "one"), provider.ToolResult{ID: "2", IsError: true, Content: []provider.Block{provider.Image{MIME: "image/png", Data: "AA=="}}}),
			Calls: []Call{{ID: "1", Kind: "write", Title: "edit a", Changes: []Change{{Path: "a", Op: "edit", Before: "a\x00\xfe", After: "b"}}}}},
		{Message: assistant(provider.Opaque{Origin: "anthropic/x", JSON: `{"type":"server_tool_use"}`}, use("3"))},
		{Message: user(result("3", "three"))},
		{Cut: &Cut{Summary: "a bug was found", From: 3, Before: 900, After: 100}},
		{Message: assistant(text("done"))},
		{Title: "the bug"},
		{Message: user(text("thanks, now the next")), Steer: true},
		{Strip: &Strip{Before: 2, What: StripThinking}},
		{Message: assistant(use("4"))},
		{Draft: &draft},
	}
}

func write(t *testing.T, dir string, rs []Record) *Session {
	t.Helper()
	s, err := Create(dir, "/home/me/project", "main")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestRecordsComeBackByteForByte(t *testing.T) {
	s := write(t, t.TempDir(), conversation())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	back, rs, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	want := conversation()
	if len(rs) != len(want) {
		t.Fatalf("%d records came back of %d", len(rs), len(want))
	}
	for i := range rs {
		if rs[i].Seq != i+1 || rs[i].Time.IsZero() {
			t.Errorf("record %d has seq %d and time %v", i, rs[i].Seq, rs[i].Time)
		}
		rs[i].Seq, rs[i].Time = 0, time.Time{}
		if !reflect.DeepEqual(rs[i], want[i]) {
			t.Errorf("record %d:\n got %+v\nwant %+v", i, rs[i], want[i])
		}
	}
	if h := back.Header(); h.Cwd != "/home/me/project" || h.Branch != "main" || h.ID != s.ID() || h.Version != Version {
		t.Errorf("header %+v", h)
	}
	if back.Title() != "the bug" {
		t.Errorf("title %q", back.Title())
	}
	if fi, _ := os.Stat(s.Path()); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", fi.Mode())
	}
}

func TestMessagesShowTheCut(t *testing.T) {
	ms := Messages(conversation())
	if err := Check(ms); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range ms {
		got = append(got, fmt.Sprintf("%s %d", m.Role, len(m.Blocks)))
	}
	// summary, call 3 and its result, done, thanks, call 4, its closing
	want := "user 1;assistant 2;user 1;assistant 1;user 1;assistant 1;user 1"
	if strings.Join(got, ";") != want {
		t.Fatalf("got %s\nwant %s", strings.Join(got, ";"), want)
	}
	if s := ms[0].PlainText(); !strings.Contains(s, "<summary>\na bug was found\n</summary>") {
		t.Errorf("summary message %q", s)
	}
	last := ms[6].Blocks[0].(provider.ToolResult)
	if last.ID != "4" || !last.IsError || last.Content[0] != text(Interrupted) {
		t.Errorf("open call closed as %+v", last)
	}
	if ms[1].Usage.Reported {
		t.Error("a kept message still reports the usage of a history that is gone")
	}
}

func TestCutDropsOnlyBoundThinking(t *testing.T) {
	ms := []provider.Message{*user(text("a")), *assistant(text("b")), *user(text("c")),
		*assistant(provider.Thinking{Text: "t", Signature: "s"}, provider.Opaque{JSON: `{"type":"redacted_thinking","data":"x"}`}, provider.Thinking{Text: "open"}, text("d"))}
	got := Cut{Summary: "s", From: 2}.Apply(ms)
	if want := []provider.Block{provider.Thinking{Text: "open"}, text("d")}; !reflect.DeepEqual(got[2].Blocks, want) {
		t.Errorf("kept %+v, want %+v", got[2].Blocks, want)
	}
	if len(ms[3].Blocks) != 4 {
		t.Error("the cut changed the history it was given")
	}
}

// Whatever is left of a file, it loads to a history a server accepts, and can be
// gone on with.
func TestFileCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, conversation())
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cut"+fileExt)
	for n := range len(whole) {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s, rs, err := Open(path)
		if !bytes.Contains(whole[:n], []byte("\n")) {
			if err == nil {
				t.Fatalf("cut at %d: a file without a line opened", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if want := bytes.Count(whole[:n], []byte("\n")) - 1; len(rs) != want {
			t.Fatalf("cut at %d: %d records of %d", n, len(rs), want)
		}
		if err := Check(Messages(rs)); err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if n%29 != 0 { // an fsync each is slow; the append is the same at each
			s.Close()
			continue
		}
		if err := s.Append(Record{Message: user(text("on"))}); err != nil {
			t.Fatal(err)
		}
		s.Close()
		next, again, err := Open(path)
		if err != nil || len(again) != len(rs)+1 {
			t.Fatalf("cut at %d: after an append %d records, want %d (%v)", n, len(again), len(rs)+1, err)
		}
		if err := Check(Messages(again)); err != nil {
			t.Fatalf("cut at %d and gone on: %v", n, err)
		}
		next.Close()
	}
}

func TestLostAndForeignLines(t *testing.T) {
	s := write(t, t.TempDir(), conversation())
	s.Close()
	whole, _ := os.ReadFile(s.Path())
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for i := range lines {
		for _, with := range []string{"", "junk\n", `{"seq":3,"type":"hologram","hologram":1}` + "\n", "\n", "{\"type\":\"message\"}\n"} {
			hurt := append(bytes.Join(lines[:i], nil), with...)
			hurt = append(hurt, bytes.Join(lines[min(i+1, len(lines)):], nil)...)
			os.WriteFile(s.Path(), hurt, 0o600)
			back, rs, err := Open(s.Path())
			if err != nil {
				t.Fatalf("line %d replaced by %q: %v", i, with, err)
			}
			if err := Check(Messages(rs)); err != nil {
				t.Errorf("line %d replaced by %q: %v", i, with, err)
			}
			back.Close()
			if now, _ := os.ReadFile(s.Path()); !bytes.Equal(now, hurt) {
				t.Errorf("line %d: opening changed the file", i)
			}
		}
	}
}

// What is passed over is counted, so that a person can be told; and the numbers go on
// after those of a newer forge.
func TestWhatIsPassedOver(t *testing.T) {
	s := write(t, t.TempDir(), []Record{{Message: user(text("one"))}})
	s.Close()
	f, _ := os.OpenFile(s.Path(), os.O_WRONLY|os.O_APPEND, 0)
	fmt.Fprintf(f, "junk\n\n{\"seq\":40,\"type\":\"hologram\",\"hologram\":1}\n{\"seq\":41,\"type\":\"title\",\"title\":\"%s\"}\n{\"seq\":42,\"torn", strings.Repeat("x", maxLine))
	f.Close()
	back, rs, err := Open(s.Path())
	if err != nil || len(rs) != 1 || back.Broken() != 2 {
		t.Fatalf("%d records, %d broken lines, %v", len(rs), back.Broken(), err)
	}
	if seq, err := back.Add(Record{Message: user(text("two"))}); err != nil || seq != 41 {
		t.Errorf("the next number is %d, %v", seq, err)
	}
	back.Close()
}

func TestWhatIsNoFileIsNotOpened(t *testing.T) {
	dir := t.TempDir() // a folder stands for a pipe here, which not every system has
	for what, err := range map[string]error{
		"open": second(Open(dir)), "tail": last(Tail(dir, 10)), "list": last(describe(dir)),
	} {
		if err == nil || !strings.HasSuffix(err.Error(), dir+": not a regular file") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func second(_ *Session, _ []Record, err error) error { return err }
func last[T any](_ T, err error) error               { return err }

func TestHugeLineIsSkipped(t *testing.T) {
	s := write(t, t.TempDir(), []Record{{Message: user(text("one"))}})
	s.Close()
	f, _ := os.OpenFile(s.Path(), os.O_WRONLY|os.O_APPEND, 0)
	fmt.Fprintf(f, `{"seq":2,"type":"title","title":"%s"}`+"\n", strings.Repeat("x", maxLine))
	f.Close()
	back, rs, err := Open(s.Path())
	if err != nil || len(rs) != 1 {
		t.Fatalf("%d records, %v", len(rs), err)
	}
	if err := back.Append(Record{Message: user(text("two"))}); err != nil {
		t.Fatal(err)
	}
	back.Close()
	if _, rs, _ = Open(s.Path()); len(rs) != 2 {
		t.Errorf("%d records after the huge line", len(rs))
	}
}

func TestOversizedPicturesAreLeftOut(t *testing.T) {
	s := write(t, t.TempDir(), []Record{{Message: user(text("see"), provider.Image{MIME: "image/png", Data: strings.Repeat("A", maxLine)})}})
	defer s.Close()
	_, rs, err := Open(s.Path())
	if err != nil || len(rs) != 1 {
		t.Fatalf("%d records, %v", len(rs), err)
	}
	if got := rs[0].Message.PlainText(); got != "see[picture left out: picture too large to keep]" {
		t.Errorf("kept %q", got)
	}
	if err := s.Append(Record{Message: user(text(strings.Repeat("x", maxLine)))}); err == nil {
		t.Error("a record over the limit was taken")
	}
}

func TestNothingIsWrittenBeforeAMessage(t *testing.T) {
	dir := t.TempDir()
	s := write(t, dir, []Record{{Model: &Model{Provider: "p", ID: "m"}}, {Title: "t"}})
	if es, _ := os.ReadDir(dir); len(es) != 0 {
		t.Fatalf("files before the first message: %v", es)
	}
	if err := s.Append(Record{Message: user(text("go"))}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, rs, err := Open(s.Path()); err != nil || len(rs) != 3 {
		t.Errorf("%d records, %v", len(rs), err)
	}
}

func TestSecondOpenerReadsOnly(t *testing.T) {
	s := write(t, t.TempDir(), conversation()[:3])
	second, rs, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != 3 || second.ReadOnly() == "" {
		t.Errorf("second opener: %d records, read-only %q", len(rs), second.ReadOnly())
	}
	if err := second.Append(Record{Title: "x"}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("append by the second opener: %v", err)
	}
	forked, err := Fork(filepath.Dir(s.Path()), "/elsewhere", "", rs)
	if err != nil {
		t.Fatal(err)
	}
	defer forked.Close()
	if _, copied, err := Open(forked.Path()); err != nil || len(copied) != 3 {
		t.Errorf("fork has %d records, %v", len(copied), err)
	}
	s.Close()
	third, _, err := Open(s.Path())
	if err != nil || third.ReadOnly() != "" {
		t.Errorf("after the first closed: %q, %v", third.ReadOnly(), err)
	}
	third.Close()
}

func TestNewerVersionIsReadOnly(t *testing.T) {
	s := write(t, t.TempDir(), conversation()[:3])
	s.Close()
	b, _ := os.ReadFile(s.Path())
	os.WriteFile(s.Path(), bytes.Replace(b, []byte(`"version":1`), []byte(`"version":9`), 1), 0o600)
	newer, rs, err := Open(s.Path())
	if err != nil || len(rs) != 3 || newer.ReadOnly() != "a newer forge wrote it" {
		t.Errorf("%d records, read-only %q, %v", len(rs), newer.ReadOnly(), err)
	}
}

func TestFullDiskLosesNothing(t *testing.T) {
	s := write(t, t.TempDir(), conversation()[:2])
	real := s.file
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full: ", err)
	}
	defer full.Close()
	s.file = full
	if err := s.Append(conversation()[2]); err == nil {
		t.Fatal("a full disk took a record")
	}
	s.file = real
	if err := s.Append(conversation()[3]); err != nil {
		t.Fatal(err)
	}
	s.Close()
	_, rs, err := Open(s.Path())
	if err != nil || len(rs) != 4 {
		t.Fatalf("%d records, %v", len(rs), err)
	}
	if err := Check(Messages(rs)); err != nil {
		t.Error(err)
	}
}

// What Append said was saved is there after a kill.
func TestKilledWriter(t *testing.T) {
	if dir := os.Getenv("FORGE_SESSION_CHILD"); dir != "" {
		s, err := Create(dir, "/w", "")
		for i := 0; err == nil; i++ {
			err = s.Append(Record{Message: user(text(strings.Repeat("x", i%5000)))})
			fmt.Println(i + 1)
		}
		os.Exit(1)
	}
	for _, after := range []int{1, 2, 17, 60} {
		dir := t.TempDir()
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilledWriter$")
		cmd.Env = append(os.Environ(), "FORGE_SESSION_CHILD="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for n, sc := 0, bufio.NewScanner(out); n < after && sc.Scan(); n++ {
		}
		cmd.Process.Kill()
		cmd.Wait()
		found, err := List(dir)
		if after == 1 && err == nil && len(found) == 0 { // its only messages were blank
			continue
		}
		if err != nil || len(found) != 1 {
			t.Fatalf("after %d: %d sessions, %v", after, len(found), err)
		}
		s, rs, err := Open(found[0].Path)
		if err != nil || len(rs) < after {
			t.Errorf("%d records were saved, %d are there: %v", after, len(rs), err)
			continue
		}
		s.Close()
	}
}

func FuzzOpen(f *testing.F) {
	var seed []byte
	for i, r := range conversation() {
		r.Seq = i
		b, err := encode(r)
		if err != nil {
			f.Fatal(err)
		}
		seed = append(seed, b...)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "f"+fileExt)
		os.WriteFile(path, b, 0o600)
		s, rs, err := Open(path)
		if err != nil {
			return
		}
		defer s.Close()
		ms := Messages(rs)
		for _, m := range ms { // IDs that a file has twice are the one thing not mended
			if len(m.ToolUses()) > 0 {
				return
			}
		}
		if err := Check(ms); err != nil {
			t.Fatal(err)
		}
	})
}

// What a crash of the machine must not take is on disk when Append returns; what only
// tells of work under way is not waited for.
func TestDiskIsWaitedFor(t *testing.T) {
	s, err := Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	waited := 0
	s.synced = func() { waited++ }
	results := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "1", Content: []provider.Block{text("done")}}}}
	for i, c := range []struct {
		r    Record
		wait bool
	}{
		{Record{Message: user(text("do it"))}, true},
		{Record{Message: &provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "1", Name: "t", Input: "{}"}}}}, true},
		{Record{Early: &results}, true},
		{Record{Message: &results}, true},
		{Record{Queue: &Queue{Prompts: []string{"later"}}}, true},
		{Record{Cut: &Cut{Summary: "s", From: 1}}, true},
		{Record{Trim: &Trim{}}, true},
		{Record{Undo: &Undo{}}, true},
		{Record{Partial: &Partial{Text: "a"}}, false},
		{Record{Spent: &Spent{}}, false},
		{Record{Asked: &Asked{ID: "1"}}, false},
		{Record{End: &End{Why: EndDone}}, false},
	} {
		waited = 0
		if err := s.Append(c.r); err != nil || (waited > 0) != c.wait {
			t.Errorf("record %d, a %s: waited %d times, %v", i, c.r.kind(), waited, err)
		}
	}
	waited = 0
	if err := s.Close(); err != nil || waited != 1 {
		t.Errorf("at the end: waited %d times, %v", waited, err)
	}
}

// A copy has its name once it is whole: a kill amid it leaves no half of a
// conversation that would be gone on with.
func TestCopyIsWholeOrNotThere(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	s.synced = func() {
		if list, err := List(dir); err != nil || len(list) > 0 {
			t.Errorf("half a copy is listed: %+v, %v", list, err)
		}
		if _, err := Latest(dir, "/w"); err == nil {
			t.Error("half a copy is gone on with")
		}
	}
	if err := s.fill(conversation()); err != nil {
		t.Fatal(err)
	}
	s.synced = nil
	list, err := List(dir)
	if err != nil || len(list) != 1 || list[0].ID != s.ID() {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := s.Append(Record{Message: user(text("more"))}); err != nil { // it is the same file
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != s.ID()+fileExt {
		t.Errorf("left %v, %v", entries, err)
	}
}
