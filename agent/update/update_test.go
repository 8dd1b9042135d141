package update

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNewer(t *testing.T) {
	order := []string{"v0.9.9", "1.0.0-alpha", "v1.0.0-alpha.1", "v1.0.0-alpha.beta", "v1.0.0-rc.2", "v1.0.0-rc.11", "v1.0.0", "v1.0.1", "v1.10.0", "v2.0.0"}
	for i, a := range order {
		if !Numbered(a) || Newer(a+"+5-x.1", a) || Newer(a, a+"+5") { // what a build is called by is no step
			t.Errorf("%s with a build's name counts as another", a)
		}
		for j, b := range order {
			if got := Newer(a, b); got != (i > j) {
				t.Errorf("%s newer than %s: %v", a, b, got)
			}
		}
	}
	for _, v := range []string{"", "(devel)", "(devel) 49da4ad", "1.2", "v1.2.x", "latest", "v1.2.3-\x1b]0;x", "v1.2.3-new: run rm", "v1.2.3+\x1b]0;x", "v1.2.3+a b", "v1.+2.3", "v1.-2.3", "v1.2.3-" + strings.Repeat("x", 65)} {
		if Numbered(v) || Newer(v, "v0.0.1") || Newer("v9.9.9", v) {
			t.Errorf("%q counts as a version", v)
		}
	}
}

func TestSafe(t *testing.T) {
	for a, ok := range map[string]bool{"https://h/x": true, "http://127.0.0.1:1/x": true, "http://localhost/x": true, "http://h/x": false, "ftp://h": false, "file:///etc/passwd": false, "": false} {
		if err := Safe(a); (err == nil) != ok {
			t.Errorf("%q: %v", a, err)
		}
	}
}

// packed is a program in an archive.
func packed(t *testing.T, program string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range map[string]string{"forge-1.2.3/README.md": "read me", "forge-1.2.3/" + exeName: program} {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	w.Close()
	z.Close()
	return b.String()
}

// A folder that is not to be written to is named, with what to do, whatever forbids it.
func TestUnwritable(t *testing.T) {
	for _, err := range []error{&os.PathError{Op: "open", Path: "/x", Err: syscall.EROFS}, &os.PathError{Op: "open", Path: "/x", Err: os.ErrPermission}} {
		if got := unwritable("/opt", err); !strings.Contains(got.Error(), "/opt cannot be written to: update as whoever") {
			t.Error(got)
		}
	}
}

// The new program takes the old one's place if it has the sum and runs; else the old one
// stays as it is, and nothing is left beside it.
func TestInstall(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are scripts")
	}
	good := "#!/bin/sh\necho forge v1.2.3\n"
	for name, c := range map[string]struct {
		path, body, sum string
		want            string // of the error
	}{
		"as it is":    {path: "/forge", body: good},
		"packed":      {path: "/forge.tar.gz", body: packed(t, good)},
		"other sum":   {path: "/forge", body: good, sum: strings.Repeat("ab", 32), want: "is not what the feed describes"},
		"no sum":      {path: "/forge", body: good, sum: "none", want: "no sha256"},
		"older":       {path: "/forge", body: "#!/bin/sh\necho forge v1.2.2\n", want: `what came is forge "v1.2.2" and not v1.2.3`},
		"not forge":   {path: "/forge", body: "#!/bin/sh\necho other\n", want: "does not run here"},
		"broken":      {path: "/forge", body: "\x7fELF", want: "does not run here"},
		"no archive":  {path: "/forge.tar.gz", body: good, want: "unpack the update"},
		"other files": {path: "/forge.tar.gz", body: func() string { return packed(t, good)[:40] }(), want: "unpack the update"},
		"gone":        {path: "/none", body: "", want: "HTTP 404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/none" {
					http.NotFound(w, r)
					return
				}
				w.Write([]byte(c.body))
			}))
			defer s.Close()
			dir := t.TempDir()
			program := filepath.Join(dir, "forge")
			if err := os.WriteFile(program, []byte("#!/bin/sh\necho old\n"), 0o711); err != nil {
				t.Fatal(err)
			}
			sum := c.sum
			if sum == "" {
				sum = fmt.Sprintf("%x", sha256.Sum256([]byte(c.body)))
			}
			err := Install(context.Background(), http.DefaultClient, Build{URL: s.URL + c.path, Sum: sum}, "v1.2.3", program)
			b, _ := os.ReadFile(program)
			fi, statErr := os.Stat(program)
			if statErr != nil {
				t.Fatal(statErr)
			}
			if c.want == "" && (err != nil || string(b) != good || fi.Mode().Perm() != 0o711) {
				t.Errorf("%v, %q, %v", err, b, fi.Mode())
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(string(b), "old")) {
				t.Errorf("%v, %q", err, b)
			}
			if es, _ := os.ReadDir(dir); len(es) != 1 {
				t.Errorf("left behind: %v", es)
			}
		})
	}
}

// What an update left that was killed goes with the next one; what another is at does not.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{".forge-came-1": 2 * time.Hour, ".forge-next-2": 2 * time.Hour, ".forge-next-3": time.Minute, "forge": 2 * time.Hour} {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(at, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	sweep(dir, now.Add(-leftAfter))
	es, err := os.ReadDir(dir)
	if err != nil || len(es) != 2 || es[0].Name() != ".forge-next-3" || es[1].Name() != "forge" {
		t.Errorf("%v, %v", es, err)
	}
}

func TestRead(t *testing.T) {
	for body, want := range map[string]string{`{"version": "v1.2.3", "builds": {}}`: "", `{"version": "new"}`: "names no version", `<html>`: "cannot be read"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("User-Agent") != "forge" || r.Header.Get("Cookie") != "" || r.URL.RawQuery != "" {
				t.Errorf("sent: %v %v", r.URL, r.Header)
			}
			w.Write([]byte(body))
		}))
		f, err := Read(context.Background(), http.DefaultClient, s.URL)
		if s.Close(); want == "" && (err != nil || f.Version != "v1.2.3") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v", body, f, err)
		}
	}
	s := httptest.NewServer(http.RedirectHandler("http://elsewhere.example/feed", http.StatusFound))
	defer s.Close()
	if _, err := Read(context.Background(), http.DefaultClient, s.URL); err == nil || !strings.Contains(err.Error(), "over https alone") {
		t.Errorf("%v", err)
	}
}
