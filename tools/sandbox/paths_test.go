//go:build unix

package sandbox

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

//go:embed testdata/paths.tsv
var corpus string

//go:embed testdata/paths-unseen.tsv
var unseen string

// Rows that ask for what a Workspace does not do, and why.
func unsupported(r row) string {
	switch {
	case r.op == "rename" || r.op == "deltree":
		return "no tool renames or deletes a folder; commands that do are judged as commands"
	case r.op == "glob":
		return "patterns are matched by the search, which has tests of its own"
	case r.id == "P055":
		return "Remove takes back a file by its resolved name; nothing deletes a link"
	}
	return ""
}

type row struct{ id, class, setup, op, path, expect, check, why string }

func rows(t *testing.T, corpus string) []row {
	t.Helper()
	var out []row
	for line := range strings.Lines(corpus) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 8 {
			t.Fatalf("%d fields: %s", len(f), line)
		}
		for i := range f {
			f[i] = unescape(t, f[i])
		}
		out = append(out, row{f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]})
	}
	return out
}

func unescape(t *testing.T, field string) string {
	t.Helper()
	s, err := strconv.Unquote(`"` + strings.ReplaceAll(field, `"`, `\"`) + `"`)
	if err != nil {
		t.Fatalf("%s: %v", field, err)
	}
	for {
		before, rest, ok := strings.Cut(s, "{REP:")
		if !ok {
			return s
		}
		spec, after, _ := strings.Cut(rest, "}")
		text, count, _ := strings.Cut(spec, ":")
		n, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		s = before + strings.Repeat(text, n) + after
	}
}

// scene is one row's folders.
type scene struct {
	base, ws, home, root string
	allow, deny, after   []string
}

func (s *scene) fill(text string) string {
	return strings.NewReplacer("{B}", s.base, "{R}", s.ws, "{H}", s.home).Replace(text)
}

func TestPathCorpus(t *testing.T) {
	all := rows(t, corpus)
	if len(all) != 218 {
		t.Errorf("the corpus has %d rows, 218 were known", len(all))
	}
	all = append(all, rows(t, unseen)...)
	ran := 0
	for _, r := range all {
		t.Run(r.id, func(t *testing.T) {
			if why := unsupported(r); why != "" {
				t.Skip(why)
			}
			ran++
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() {
					if p := recover(); p != nil {
						t.Errorf("panic: %v", p)
					}
				}()
				check(t, r)
			}()
			select {
			case <-done:
			case <-time.After(20 * time.Second):
				t.Errorf("%s %q hangs", r.op, r.path)
			}
		})
	}
	if ran < 195 {
		t.Errorf("only %d rows ran", ran)
	}
}

func check(t *testing.T, r row) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Error(err)
		return
	}
	s := &scene{base: base, ws: filepath.Join(base, "ws"), home: filepath.Join(base, "home")}
	s.root = s.ws
	for _, dir := range []string{s.ws, s.home} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Error(err)
			return
		}
	}
	for step := range strings.SplitSeq(r.setup, " ; ") {
		if err := s.step(strings.TrimSpace(s.fill(step))); err != nil {
			t.Errorf("set up %s: %v", step, err)
			return
		}
	}
	w, err := OpenWorkspace(s.root, s.allow...)
	if err != nil {
		t.Error(err)
		return
	}
	defer w.Close()
	for _, step := range s.after {
		if err := s.step(step); err != nil {
			t.Errorf("set up %s: %v", step, err)
			return
		}
	}
	path := s.fill(r.path)
	got := &result{}
	s.do(w, r.op, path, got)
	judge(t, r, s, path, got)
}

func (s *scene) step(step string) error {
	verb, rest, _ := strings.Cut(step, " ")
	two := func(sep string) (string, string) { a, b, _ := strings.Cut(rest, sep); return a, b }
	switch verb {
	case "":
		return nil
	case "dir":
		return os.MkdirAll(rest, 0o755)
	case "file":
		p, text := two("=")
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			return err
		}
		return os.WriteFile(p, []byte(text), 0o644)
	case "link":
		p, to := two(" -> ")
		return os.Symlink(to, p)
	case "hard":
		p, to := two(" -> ")
		return os.Link(to, p)
	case "fifo":
		return syscall.Mkfifo(rest, 0o644)
	case "sock":
		// The name of a socket may be 108 bytes long: bind it from inside its folder.
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: rest, Net: "unix"})
		if err != nil {
			return err
		}
		l.SetUnlinkOnClose(false)
		return l.Close()
	case "mode":
		p, octal := two(" ")
		m, err := strconv.ParseUint(octal, 8, 32)
		if err != nil {
			return err
		}
		return os.Chmod(p, fs.FileMode(m))
	case "root":
		s.root = rest
		return nil
	case "allowdir":
		s.allow = append(s.allow, rest)
		return nil
	case "denyrule":
		s.deny = append(s.deny, filepath.Clean(rest))
		return nil
	case "after":
		s.after = append(s.after, rest)
		return nil
	case "rename":
		from, to := two(" ")
		return os.Rename(from, to)
	}
	return fmt.Errorf("unknown step %q", step)
}

// result is how an operation ended.
type result struct {
	err    error
	ask    bool   // it needs an approval of its own
	denied bool   // a rule forbids the resolved path
	seen   string // all that it showed
}

func (s *scene) do(w *Workspace, op, path string, got *result) {
	if op == "race" {
		got.err = s.race(w, path)
		return
	}
	if op == "mkdir" { // folders are made for the files in them
		op, path = "write", path+"/file"
	}
	p, err := w.Resolve(path)
	if err != nil {
		got.err = err
		return
	}
	if s.forbidden(p.Abs) {
		got.denied = true
		return
	}
	reads := op == "read" || op == "list" || op == "walk"
	if !reads && Protected(p.Rel) {
		got.ask = true
		return
	}
	switch op {
	case "read":
		data, err := w.ReadFile(p, 1<<20)
		got.seen, got.err = string(data), err
	case "list":
		es, err := w.ReadDir(p)
		got.seen, got.err = fmt.Sprint(es), err
	case "walk":
		got.err = s.walk(w, p, got, 0)
	case "delete":
		before, err := w.ReadFile(p, 1<<20)
		if err == nil {
			err = w.Remove(p, before)
		}
		got.err = err
	default:
		got.err = change(w, op, p)
	}
}

func change(w *Workspace, op string, p Path) error {
	before, err := w.ReadFile(p, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist) && op != "edit":
		before, err = nil, nil
	case err == nil && before == nil:
		before = []byte{}
	}
	if err != nil {
		return err
	}
	after := []byte("X")
	switch op {
	case "create":
		before = nil
	case "append":
		after = append(bytes.Clone(before), 'X')
	}
	return w.Write(p, before, after, 0)
}

func (s *scene) walk(w *Workspace, p Path, got *result, depth int) error {
	if depth > 20 {
		return errors.New("the walk does not end")
	}
	es, err := w.ReadDir(p)
	if err != nil {
		return err
	}
	for _, e := range es {
		got.seen += e.Name() + "\n"
		if !e.IsDir() && !e.Type().IsRegular() {
			continue
		}
		c, err := w.Resolve(filepath.Join(p.Abs, e.Name()))
		if err != nil {
			return err
		}
		if s.forbidden(c.Abs) {
			continue
		}
		if e.IsDir() {
			if err := s.walk(w, c, got, depth+1); err != nil {
				return err
			}
			continue
		}
		data, err := w.ReadFile(c, 1<<20)
		if err != nil {
			return err
		}
		got.seen += string(data) + "\n"
	}
	return nil
}

func (s *scene) forbidden(abs string) bool {
	for _, d := range s.deny {
		if abs == d || strings.HasPrefix(abs, d+"/") {
			return true
		}
	}
	return false
}

// race writes while the folder of the path flips between a folder and a link out.
func (s *scene) race(w *Workspace, path string) error {
	dir := filepath.Dir(filepath.Join(s.ws, path))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(dir, dir+"2")
			_ = os.Symlink(filepath.Join(s.base, "out"), dir)
			_ = os.Remove(dir)
			_ = os.Rename(dir+"2", dir)
		}
	}()
	written := 0
	for range 500 {
		p, err := w.Resolve(path)
		if err == nil && change(w, "write", p) == nil {
			written++
		}
	}
	close(stop)
	<-done
	if written == 0 {
		return errors.New("not one of the writes was made")
	}
	return nil
}

func judge(t *testing.T, r row, s *scene, path string, got *result) {
	t.Helper()
	what := fmt.Sprintf("%s %.60q (%s)", r.op, path, r.why)
	refused := got.err != nil || got.denied
	switch r.expect {
	case "allow":
		if refused || got.ask {
			t.Errorf("%s: must work: %+v", what, got)
		}
	case "deny":
		if !refused {
			t.Errorf("%s: must be refused: %+v", what, got)
		}
	case "notfound":
		if !errors.Is(got.err, fs.ErrNotExist) {
			t.Errorf("%s: must not be found: %+v", what, got)
		}
	case "ask", "askoralow":
		if !got.ask {
			t.Errorf("%s: must be asked about: %+v", what, got)
		}
	case "either":
	default:
		t.Errorf("unknown expectation %s", r.expect)
	}
	out := filepath.Join(s.base, "out")
	if got.err != nil && strings.Contains(got.err.Error(), out) && !strings.Contains(path, out) {
		t.Errorf("%s: the error tells what lies outside: %v", what, got.err)
	}
	if got.err != nil && len(got.err.Error()) > 1000+2*len(path) {
		t.Errorf("%s: an error of %d bytes", what, len(got.err.Error()))
	}
	for c := range strings.SplitSeq(r.check, " ; ") {
		if c = strings.TrimSpace(s.fill(c)); c != "" {
			s.verify(t, what, c, got)
		}
	}
}

func (s *scene) verify(t *testing.T, what, c string, got *result) {
	t.Helper()
	verb, rest, _ := strings.Cut(c, " ")
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s: %s", what, c, fmt.Sprintf(format, args...))
	}
	switch verb {
	case "content":
		p, text, _ := strings.Cut(rest, "=")
		if data, err := os.ReadFile(p); err != nil || string(data) != text {
			fail("it holds %q, %v (%+v)", data, err, got)
		}
	case "absent":
		if fi, err := os.Lstat(rest); err == nil {
			fail("it is there: %v", fi.Mode())
		}
	case "islink", "isdir":
		fi, err := os.Lstat(rest)
		if err != nil || fi.IsDir() != (verb == "isdir") || (fi.Mode()&fs.ModeSymlink != 0) != (verb == "islink") {
			fail("%v, %v", fi, err)
		}
	case "mode":
		p, octal, _ := strings.Cut(rest, " ")
		if fi, err := os.Lstat(p); err != nil || fmt.Sprintf("%04o", fi.Mode().Perm()) != octal {
			fail("%v, %v", fi, err)
		}
	case "noworldwrite":
		if fi, err := os.Lstat(rest); err != nil || fi.Mode().Perm()&0o002 != 0 {
			fail("%v, %v", fi, err)
		}
	case "notemp":
		es, err := os.ReadDir(rest)
		if err != nil {
			fail("%v", err)
		}
		for _, e := range es {
			if strings.HasSuffix(e.Name(), ".tmp") {
				fail("%s is left", e.Name())
			}
		}
	case "nosee":
		if strings.Contains(got.seen, rest) {
			fail("it was shown: %q", got.seen)
		}
	default:
		fail("unknown check")
	}
}
