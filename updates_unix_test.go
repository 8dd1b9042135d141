//go:build unix

package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"forge/agent/config"
)

// feedFor serves a feed with a build for this machine.
func feedFor(t *testing.T, version, program string) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/forge" {
			io.WriteString(w, program)
			return
		}
		asked.Add(1)
		fmt.Fprintf(w, `{"version": %q, "notes": "https://forge.example/notes", "builds": {"%s/%s": {"url": "%s/forge", "sha256": "%x"}}}`,
			version, runtime.GOOS, runtime.GOARCH, s.URL, sha256.Sum256([]byte(program)))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/feed.json", asked
}

// forge update replaces the program it is, keeps a link a link, and says what to do where
// there is no feed or this one has no number.
func TestUpdate(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	program, link := filepath.Join(bin, "here", "forge"), filepath.Join(bin, "forge")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(program, b, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t)
	run := func(args ...string) (string, int) {
		c := p.command(args...)
		c.Path = link
		out, err := c.CombinedOutput()
		if _, exit := err.(*exec.ExitError); err != nil && !exit {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	if out, code := run("update"); code != 1 || !strings.Contains(out, "set update.url") {
		t.Errorf("exit %d, %s", code, out)
	}
	url, _ := feedFor(t, "v9.9.9", "#!/bin/sh\necho forge v9.9.9\n")
	p.write(t, p.settings(), `{"update": {"url": "`+url+`"}}`)
	if out, code := run("upgrade"); code != 1 || !strings.Contains(out, "was built from source") {
		t.Errorf("exit %d, %s", code, out)
	}
	if out, code := run("update", "--force"); code != 0 || !strings.Contains(out, "forge v9.9.9 is in "+program+" now") || !strings.Contains(out, "forge.example/notes") {
		t.Errorf("exit %d, %s", code, out)
	}
	if out, err := exec.Command(link).CombinedOutput(); err != nil || string(out) != "forge v9.9.9\n" {
		t.Errorf("%v, %s", err, out)
	}
	if fi, err := os.Lstat(link); err != nil || fi.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", fi, err)
	}
}

// A start tells of a newer forge once a day, and not where somebody asked to be left alone.
func TestANoticeOfAnUpdate(t *testing.T) {
	url, asked := feedFor(t, "v2.0.0", "")
	release = "v1.0.0"
	defer func() { release = "" }()
	for _, name := range []string{"CI", "DO_NOT_TRACK"} {
		t.Setenv(name, "")
	}
	f := &forge{cfg: &config.Config{Update: config.Update{URL: url}}, dirs: config.Dirs{State: t.TempDir()}}
	var told []string
	for range 2 { // once a day
		f.tellUpdate(t.Context(), func(s string) { told = append(told, s) })
	}
	if len(told) != 1 || !strings.Contains(told[0], "forge v2.0.0 is there, this is v1.0.0") {
		t.Errorf("%q", told)
	}
	if f.dirs.DueForUpdate(time.Now(), updateEvery) || !f.dirs.DueForUpdate(time.Now().Add(25*time.Hour), updateEvery) {
		t.Error("it is not asked once a day")
	}
	env := func(name, value string) func(string) string {
		return func(n string) string { return map[string]string{name: value}[n] }
	}
	quiet := func(why string, f *forge, getenv func(string) string) {
		t.Helper()
		if f.looksForUpdates(getenv) {
			t.Errorf("looked with %s", why)
		}
	}
	none := env("", "")
	if !f.looksForUpdates(none) || !f.looksForUpdates(env("DO_NOT_TRACK", "0")) {
		t.Error("it does not look")
	}
	quiet("DO_NOT_TRACK", f, env("DO_NOT_TRACK", "1"))
	quiet("CI", f, env("CI", "true"))
	quiet("update.check off", &forge{cfg: &config.Config{Update: config.Update{URL: url, Off: true}}}, none)
	quiet("no feed", &forge{cfg: &config.Config{}}, none)
	release = ""
	quiet("a build from source", f, none)
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
