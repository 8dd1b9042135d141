package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestPaths(t *testing.T) {
	home := func() (string, error) { return "/home/me", nil }
	for name, c := range map[string]struct {
		goos string
		env  map[string]string
		want Dirs
	}{
		"plain":    {"linux", nil, Dirs{"/home/me/.config/forge", "/home/me/.local/state/forge", "/home/me/.cache/forge"}},
		"xdg":      {"darwin", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"}, Dirs{"/c/forge", "/s/forge", "/k/forge"}},
		"relative": {"linux", map[string]string{"XDG_CONFIG_HOME": "c"}, Dirs{"/home/me/.config/forge", "/home/me/.local/state/forge", "/home/me/.cache/forge"}},
		"windows":  {"windows", map[string]string{"APPDATA": "/a", "LOCALAPPDATA": "/l"}, Dirs{"/a/forge", "/l/forge/state", "/l/forge/cache"}},
	} {
		got, err := paths(c.goos, func(k string) string { return c.env[k] }, home)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	homeless := func() (string, error) { return "", errors.New("HOME is not set") }
	if _, err := paths("linux", func(string) string { return "" }, homeless); err == nil || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("without a home: %v", err)
	}
}

func TestLastUsed(t *testing.T) {
	d := Dirs{State: filepath.Join(t.TempDir(), "deep", "state")}
	if got := d.LastUsed(); !reflect.DeepEqual(got, LastUsed{}) {
		t.Errorf("nothing was used, yet %+v", got)
	}
	want := LastUsed{Provider: "p", Model: "m", Effort: "high"}
	if err := d.Remember(want); err != nil {
		t.Fatal(err)
	}
	if got := d.LastUsed(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	os.WriteFile(d.lastUsedFile(), []byte("{"), 0o600)
	if got := d.LastUsed(); !reflect.DeepEqual(got, LastUsed{}) {
		t.Errorf("from a torn file %+v", got)
	}
	if es, _ := os.ReadDir(d.State); len(es) != 1 {
		t.Errorf("left behind: %v", es)
	}
}

// The models chosen on screens are remembered, the last one first and each once, with its
// effort; what a run without a screen used is not among them, and takes nothing from them.
func TestRecentModels(t *testing.T) {
	d := Dirs{State: t.TempDir()}
	for _, l := range []LastUsed{
		{Provider: "p", Model: "m", Screen: true}, {Provider: "p", Model: "m:8b", Screen: true},
		{Provider: "p", Model: "m", Effort: "high", Screen: true}, {Provider: "p", Model: "mhigh", Screen: true},
		{Provider: "p", Model: "m", Effort: "low", Screen: true}, {Provider: "p", Model: "headless"}, {Model: "nameless", Screen: true},
	} {
		if err := d.Remember(l); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(d.LastUsed().Recent, " "); got != "p/m:low p/mhigh p/m:8b" {
		t.Errorf("%q", got)
	}
	for i := range 30 {
		if err := d.Remember(LastUsed{Provider: "p", Model: strconv.Itoa(i), Screen: true}); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.LastUsed().Recent; len(got) != recentModels || got[0] != "p/29" {
		t.Errorf("%q", got)
	}
}

// ring is a keyring in memory that can fail or hang.
type ring struct {
	keys  map[string]string
	err   error
	hang  chan struct{} // not nil: every call waits for it
	calls atomic.Int32
}

func (r *ring) enter() error {
	r.calls.Add(1)
	if r.hang != nil {
		<-r.hang
	}
	return r.err
}

func (r *ring) Get(_, name string) (string, error) {
	if err := r.enter(); err != nil {
		return "", err
	}
	return r.keys[name], nil
}

func (r *ring) Set(_, name, key string) error {
	if err := r.enter(); err != nil {
		return err
	}
	r.keys[name] = key
	return nil
}

func (r *ring) Delete(_, name string) error {
	if err := r.enter(); err != nil {
		return err
	}
	delete(r.keys, name)
	return nil
}

func TestSecretsInTheKeyring(t *testing.T) {
	r := &ring{keys: map[string]string{}}
	s := &Secrets{file: filepath.Join(t.TempDir(), "keys.json"), ring: r}
	if _, err := s.Get("p"); !errors.Is(err, ErrNoKey) || r.calls.Load() != 0 {
		t.Errorf("%v after %d calls: a name nobody stored is not worth a keyring", err, r.calls.Load())
	}
	if where, err := s.Set("p", "sk-secret"); err != nil || where != "keyring" {
		t.Fatalf("%q, %v", where, err)
	}
	if b, _ := os.ReadFile(s.file); strings.Contains(string(b), "secret") {
		t.Error("the key is in the file too")
	}
	if key, err := s.Get("p"); err != nil || key != "sk-secret" {
		t.Errorf("%q, %v", key, err)
	}
	if err := s.Delete("p"); err != nil || len(r.keys) != 0 {
		t.Errorf("%v, left %v", err, r.keys)
	}
	if _, err := s.Get("p"); !errors.Is(err, ErrNoKey) {
		t.Errorf("after deletion: %v", err)
	}
}

func TestSecretsInTheFile(t *testing.T) {
	for name, r := range map[string]Ring{"no keyring": nil, "a broken one": &ring{err: errors.New("locked")}} {
		s := &Secrets{file: filepath.Join(t.TempDir(), "state", "keys.json"), ring: r}
		where, err := s.Set("p", "sk-1")
		if err != nil || where != s.file {
			t.Fatalf("%s: %q, %v", name, where, err)
		}
		if _, err := s.Set("q", "sk-2"); err != nil {
			t.Fatal(err)
		}
		if fi, _ := os.Stat(s.file); fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v", name, fi.Mode())
		}
		os.Chmod(s.file, 0o644)
		if key, err := s.Get("p"); err != nil || key != "sk-1" {
			t.Errorf("%s: %q, %v", name, key, err)
		}
		if fi, _ := os.Stat(s.file); fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v after reading", name, fi.Mode())
		}
		names := s.Names()
		if slices.Sort(names); !slices.Equal(names, []string{"p", "q"}) {
			t.Errorf("names %q", names)
		}
		if err := s.Delete("p"); err != nil {
			t.Error(err)
		}
		if err := s.Delete("never"); err != nil {
			t.Error(err)
		}
		if _, err := s.Get("p"); !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: after deletion: %v", name, err)
		}
		os.WriteFile(s.file, []byte("{"), 0o600)
		if _, err := s.Set("p", "sk-3"); err == nil || !strings.Contains(err.Error(), s.file) {
			t.Errorf("%s: a broken file was overwritten: %v", name, err)
		}
	}
}

func TestStuckKeyringIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &ring{keys: map[string]string{}, hang: make(chan struct{})}
		s := &Secrets{file: filepath.Join(t.TempDir(), "keys.json"), ring: r}
		began := time.Now()
		where, err := s.Set("p", "sk-1")
		if err != nil || where != s.file || time.Since(began) != ringTimeout {
			t.Errorf("%q, %v after %v", where, err, time.Since(began))
		}
		if _, err := s.Set("q", "sk-2"); err != nil || time.Since(began) != ringTimeout || r.calls.Load() != 1 {
			t.Errorf("asked again: %v after %v, %d calls", err, time.Since(began), r.calls.Load())
		}
		if key, err := s.Get("p"); err != nil || key != "sk-1" {
			t.Errorf("%q, %v", key, err)
		}
		close(r.hang)
	})
}

func TestNoBusNoKeyring(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"XDG_RUNTIME_DIR": dir}
	getenv := func(k string) string { return env[k] }
	if hasRing("linux", getenv) {
		t.Error("a bus would be started")
	}
	os.WriteFile(filepath.Join(dir, "bus"), nil, 0o600)
	if !hasRing("linux", getenv) || !hasRing("darwin", func(string) string { return "" }) {
		t.Error("a keyring was not seen")
	}
}

func TestOutputIsOfOneWorkspaceAndEnds(t *testing.T) {
	d := Dirs{State: t.TempDir()}
	a, b := d.Output("/proj/a"), d.Output("/proj/b")
	if a == b || a != d.Output("/proj/a/") || filepath.Dir(a) != filepath.Join(d.State, "output") {
		t.Fatalf("%s and %s", a, b)
	}
	d.PruneOutput(time.Now()) // nothing is there yet
	now := time.Now()
	put := func(path string, age time.Duration) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	gone := []string{put(filepath.Join(a, "old.txt"), 3*time.Hour), put(filepath.Join(b, "old.txt"), 3*time.Hour)}
	kept := []string{put(filepath.Join(a, "new.txt"), time.Hour), put(filepath.Join(d.State, "forge.log"), 3*time.Hour)}
	d.PruneOutput(now.Add(-2 * time.Hour))
	for _, path := range gone {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	for _, path := range kept {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}
