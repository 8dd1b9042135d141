package session

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPicturesAreKeptOnce(t *testing.T) {
	p := Pictures{Dir: filepath.Join(t.TempDir(), "pictures")}
	a, err := p.Keep([]byte("one"), ".png")
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.Keep([]byte("one"), ".png")
	if err != nil || again != a {
		t.Errorf("%s and %s, %v", a, again, err)
	}
	b, err := p.Keep([]byte("two"), ".jpg")
	if err != nil || a == b {
		t.Errorf("%s and %s, %v", a, b, err)
	}
	if data, err := p.Read(b); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	if fi, err := os.Stat(p.Path(a)); err != nil || fi.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("others may read it: %v, %v", fi.Mode(), err)
	}
	if es, err := os.ReadDir(p.Dir); err != nil || len(es) != 2 {
		t.Errorf("%d files, %v", len(es), err)
	}
	if _, err := p.Keep([]byte("x"), "/../../x"); err == nil {
		t.Error("kept outside of its folder")
	}
	for _, name := range []string{"../drafts/x", "", "x.png", "0000000000000000.png"} {
		if _, err := p.Read(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestOldPicturesGo(t *testing.T) {
	p := Pictures{Dir: t.TempDir()}
	var names []string
	for _, s := range []string{"old", "new", "old but wanted again"} {
		name, err := p.Keep([]byte(s), ".png")
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	long := time.Now().AddDate(-1, 0, 0)
	for _, i := range []int{0, 2} {
		if err := os.Chtimes(p.Path(names[i]), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Keep([]byte("old but wanted again"), ".png"); err != nil {
		t.Fatal(err)
	}
	p.Prune(time.Now().AddDate(0, -1, 0))
	for i, want := range []bool{false, true, true} {
		if _, err := p.Read(names[i]); (err == nil) != want {
			t.Errorf("%d: there is %v", i, err == nil)
		}
	}
}
