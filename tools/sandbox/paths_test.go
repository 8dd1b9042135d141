//go:build unix

package sandbox_test

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"forge/tools"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/tools/search"
)

//go:embed testdata/paths.tsv
var corpus string

//go:embed testdata/paths-unseen.tsv
var unseen string

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

// scene is one row's folders, and the rules there.
type scene struct {
	base, ws, home, root string
	allow, after         []string
	rules                []permission.Rule
	guard                *permission.Manager
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
	for _, r := range all {
		t.Run(r.id, func(t *testing.T) {
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
	w, err := sandbox.OpenWorkspace(s.root, s.allow...)
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
	s.guard = permission.New(permission.Options{Rules: s.rules, Roots: w.Roots(), Mode: permission.ModeAuto, Asker: got, Protected: func(p string) bool {
		rel, err := filepath.Rel(w.Root(), p)
		return err == nil && sandbox.Protected(rel)
	}})
	s.do(w, r.op, path, got)
	judge(t, r, s, path, got)
}

// result is how an operation ended.
type result struct {
	err    error
	ask    bool   // it needs an approval of its own
	denied bool   // a rule forbids it
	seen   string // all that it showed
}

// Ask implements permission.Asker: the answer is no, and that it was asked is noted.
func (g *result) Ask(context.Context, permission.Request) (permission.Answer, error) {
	g.ask = true
	return permission.Answer{}, nil
}

// may has the guard judge a call.
func (s *scene) may(got *result, e tools.Effect) bool {
	v, err := s.guard.Authorize(context.Background(), tools.Call{Name: "any"}, e)
	got.err = err
	got.denied = !v.Allow && !got.ask
	return v.Allow
}

func (s *scene) do(w *sandbox.Workspace, op, path string, got *result) {
	switch op {
	case "race":
		got.err = s.race(path, func() error {
			p, err := w.Resolve(path)
			if err != nil {
				return err
			}
			return change(w, "write", p)
		})
		return
	case "rename":
		got.err = s.rename(w, path, got)
		return
	case "delete", "deltree":
		got.err = s.remove(w, path, got)
		return
	case "racemove", "racedelete":
		got.err = s.race(path, func() error {
			if err := os.WriteFile(filepath.Join(s.ws, "in"), []byte("X"), 0o644); err != nil {
				return err
			}
			if op == "racemove" {
				_ = s.remove(w, path, got)
				return s.rename(w, "in => "+path, got)
			}
			return s.remove(w, path, got)
		})
		return
	case "mkdir": // folders are made for the files in them
		op, path = "write", path+"/file"
	}
	if op == "glob" {
		got.err = s.glob(w, path, got)
		return
	}
	p, err := w.Resolve(path)
	if err != nil {
		got.err = err
		return
	}
	e := tools.Effect{Kind: tools.Write, Paths: []string{p.Abs}}
	if op == "read" || op == "list" || op == "walk" {
		e.Kind = tools.Read
	}
	if !s.may(got, e) {
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
	default:
		got.err = change(w, op, p)
	}
}

func (s *scene) tree(w *sandbox.Workspace, name string) (t sandbox.Tree, err error) {
	p, err := w.ResolveEntry(name)
	if err == nil {
		t, err = w.Tree(p, 1000)
	}
	return t, err
}

func (s *scene) remove(w *sandbox.Workspace, name string, got *result) error {
	t, err := s.tree(w, name)
	if err != nil {
		return err
	}
	c := tools.Change{Path: t.Path.Name, Op: tools.Delete}
	if t.Info().IsDir() {
		c.Thing = tools.Folder
	}
	if !s.may(got, tools.Effect{Kind: tools.Write, Paths: t.Under(t.Path), Changes: []tools.Change{c}}) {
		return got.err
	}
	_, err = w.Delete(t)
	return err
}

func (s *scene) rename(w *sandbox.Workspace, names string, got *result) error {
	a, b, _ := strings.Cut(names, " => ")
	t, err := s.tree(w, a)
	if err != nil {
		return err
	}
	to, err := w.ResolveEntry(b)
	if err == nil {
		err = w.Vacant(t, to)
	}
	if err != nil {
		return err
	}
	e := tools.Effect{Kind: tools.Write, Paths: append(t.Under(t.Path), t.Under(to)...), Changes: []tools.Change{{Path: to.Name, From: t.Path.Name, Op: tools.Move}}}
	if !s.may(got, e) {
		return got.err
	}
	return w.Move(t, to)
}

func (s *scene) glob(w *sandbox.Workspace, pattern string, got *result) error {
	root, err := w.Resolve(".")
	if err == nil {
		pattern, err = w.Pattern(root, pattern)
	}
	if err != nil || !s.may(got, tools.Effect{Kind: tools.Read, Paths: []string{root.Abs}}) {
		return err
	}
	found, err := search.Glob(context.Background(), search.Scope{Root: root.Abs, Hide: s.guard.Forbidden("any")}, pattern, 0)
	got.seen = strings.Join(found.Paths, "\n")
	return err
}

func change(w *sandbox.Workspace, op string, p sandbox.Path) error {
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

func (s *scene) walk(w *sandbox.Workspace, p sandbox.Path, got *result, depth int) error {
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
		if hide := s.guard.Forbidden("any"); hide != nil && hide(c.Abs) {
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

// race tries while the folder of the path flips between a folder and a link out.
func (s *scene) race(path string, try func() error) error {
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
	worked := 0
	for range 500 {
		if try() == nil {
			worked++
		}
	}
	close(stop)
	<-done
	if worked == 0 {
		return errors.New("not one of the tries worked")
	}
	return nil
}
