package ide

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestFind(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	sub := filepath.Join(dir, "pkg")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	one := func(t *testing.T, folders string, want error) {
		t.Helper()
		file := e.offer(temp, folders)
		defer os.Remove(file)
		found := m.Find()
		if len(found) != 1 || !errors.Is(found[0].Why, want) {
			t.Errorf("%q: %+v, want %v", folders, found, want)
		}
	}
	sep := string(filepath.ListSeparator)
	one(t, dir, nil)
	one(t, "/elsewhere"+sep+dir, nil)
	one(t, filepath.Dir(dir), nil)
	one(t, sub, ErrElsewhere)
	one(t, dir+"2", ErrElsewhere)
	one(t, "", ErrNoFolder)
	one(t, "relative", ErrNoFolder)
	if found := (Places{Getenv: env(), Companions: filepath.Join(temp, "none")}).Find(dir); found != nil {
		t.Errorf("%+v", found)
	}
}

func TestFilesThatAreNotTrusted(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	said := func(port int, token string) map[string]any {
		return map[string]any{"port": port, "workspacePath": dir, "authToken": token}
	}
	for name, c := range map[string]struct {
		make func() string
		want error
	}{
		"a port of another": {func() string { return offerAs(t, temp, os.Getpid(), e.port, said(e.port+1, "t")) }, ErrBroken},
		"no token":          {func() string { return offerAs(t, temp, os.Getpid(), e.port, said(e.port, "")) }, ErrBroken},
		"a header in it":    {func() string { return offerAs(t, temp, os.Getpid(), e.port, said(e.port, "a\r\nb: c")) }, ErrBroken},
		"a dead process":    {func() string { return offerAs(t, temp, deadPID(t), e.port, said(e.port, "t")) }, ErrDead},
		"no JSON":           {func() string { return offerAs(t, temp, os.Getpid(), e.port, "text") }, ErrBroken},
		"too large": {func() string {
			return offerAs(t, temp, os.Getpid(), e.port, said(e.port, strings.Repeat("x", maxFileSize)))
		}, ErrBroken},
	} {
		file := c.make()
		found := m.Find()
		if len(found) != 1 || !errors.Is(found[0].Why, c.want) {
			t.Errorf("%s: %+v, want %v", name, found, c.want)
		}
		os.Remove(file)
	}
	if _, err := m.Connect(t.Context(), ""); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

func TestTwoEditors(t *testing.T) {
	a, b := newEditor(t), newEditor(t)
	dir, temp, m, _ := here(t)
	a.offer(temp, dir)
	b.offer(temp, dir)
	if _, err := m.Connect(t.Context(), ""); !errors.Is(err, ErrTwo) {
		t.Error(err)
	}
	if got, err := m.Connect(t.Context(), strconv.Itoa(b.port)); err != nil || got.Port != b.port {
		t.Errorf("%+v %v", got, err)
	}
	m.Places.Getenv = env("GEMINI_CLI_IDE_SERVER_PORT", strconv.Itoa(a.port))
	if got, err := m.Connect(t.Context(), ""); err != nil || got.Port != a.port || !got.Own {
		t.Errorf("%+v %v", got, err)
	}
	if s := m.Now(); s.Bridge.Port != a.port || !s.Connected {
		t.Errorf("%+v", s)
	}
	if _, err := m.Connect(t.Context(), "nobody"); err == nil {
		t.Error("nobody was found")
	}
}

// What crashed editors left does not hide the one that is there.
func TestManyStaleFiles(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	long := time.Now().Add(-time.Hour)
	for i := range 3 * maxFiles {
		file := write(t, filepath.Join(temp, "gemini", "ide", fmt.Sprintf("gemini-ide-server-1-%d.json", 1024+i)), []byte(`{}`))
		if err := os.Chtimes(file, long, long); err != nil {
			t.Fatal(err)
		}
	}
	e.offer(temp, dir)
	if b, err := m.Connect(t.Context(), ""); err != nil || b.Name != "Fake Code" {
		t.Errorf("%+v %v", b, err)
	}
	if n := len(m.Find()); n != maxFiles {
		t.Errorf("%d files were read", n)
	}
}

// Another program has the port: it gets a word, and forge a clear one.
func TestStrangerAtThePort(t *testing.T) {
	e := newEditor(t)
	dir, temp, m, _ := here(t)
	e.offer(temp, dir)
	e.token = "of another program"
	_, err := m.Connect(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "another program has its port") {
		t.Error(err)
	}
	if s := m.Now(); s.Connected || s.Why == nil {
		t.Errorf("%+v", s)
	}
}

func deadPID(t *testing.T) int {
	t.Helper()
	p, err := os.StartProcess(os.Args[0], []string{os.Args[0], "-test.run=^$"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	return p.Pid
}
