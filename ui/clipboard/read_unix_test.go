//go:build unix

package clipboard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// programsHere makes a folder of scripts the only place programs are found in.
func programsHere(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

const onX = `case "$*" in
*TARGETS) printf 'TARGETS\nimage/bmp\nimage/png\nimage/jpeg\n' ;;
*image/png) printf 'a png' ;;
*) exit 1 ;;
esac`

func TestReadPicture(t *testing.T) {
	for _, c := range []struct {
		system  string
		env     []string
		scripts map[string]string
		want    string
	}{
		{"linux", []string{"DISPLAY", ":0"}, map[string]string{"xclip": onX}, "a png"},
		{"linux", []string{"DISPLAY", ":0", "SSH_TTY", "x"}, map[string]string{"xclip": onX}, "a png"},
		{"linux", []string{"WAYLAND_DISPLAY", "w", "DISPLAY", ":0"}, map[string]string{"xclip": "exit 9", "wl-paste": `case "$*" in
--list-types) echo image/webp ;;
"--no-newline --type image/webp") printf 'a webp' ;;
*) exit 1 ;;
esac`}, "a webp"},
		{"darwin", nil, map[string]string{"osascript": `echo '«data PNGf6120706e67»'`}, "a png"},
		{"linux", []string{"WSL_DISTRO_NAME", "x"}, map[string]string{"powershell.exe": `printf 'PYSBwbmc=\r\n'`}, "a png"},
	} {
		programsHere(t, c.scripts)
		held, err := read(context.Background(), c.system, env(c.env...))
		if err != nil || string(held.Picture) != c.want {
			t.Errorf("%s %v: %q %q, %v", c.system, c.env, held.Picture, held.Text, err)
		}
	}
}

func TestReadText(t *testing.T) {
	for _, c := range []struct {
		system  string
		env     []string
		scripts map[string]string
		want    string
	}{
		{"linux", []string{"DISPLAY", ":0"}, map[string]string{"xclip": `case "$*" in
*TARGETS) printf 'text/plain\ntext/uri-list\n' ;;
*uri-list) printf 'file:///a.png' ;;
esac`}, "file:///a.png"},
		{"linux", []string{"WAYLAND_DISPLAY", "w"}, map[string]string{"wl-paste": `case "$*" in
--list-types) echo 'text/plain;charset=utf-8' ;;
*) printf '中文' ;;
esac`}, "中文"},
		{"darwin", nil, map[string]string{"osascript": `case "$*" in *furl*) echo /a/b.png ;; *) exit 1 ;; esac`}, "/a/b.png"},
		{"darwin", nil, map[string]string{"osascript": "exit 1", "pbpaste": "printf words"}, "words"},
		{"windows", nil, map[string]string{"powershell.exe": `printf 'Ttwo\r\nlines\r\n'`}, "two\r\nlines"},
	} {
		programsHere(t, c.scripts)
		held, err := read(context.Background(), c.system, env(c.env...))
		if err != nil || held.Text != c.want || held.Picture != nil {
			t.Errorf("%s %v: %q %q, %v", c.system, c.env, held.Picture, held.Text, err)
		}
	}
}

func TestNothingRead(t *testing.T) {
	programsHere(t, nil)
	x := env("DISPLAY", ":0")
	if _, err := read(context.Background(), "linux", x); !errors.Is(err, ErrNoReader) {
		t.Errorf("without a program: %v", err)
	}
	if _, err := read(context.Background(), "darwin", env("SSH_TTY", "x")); !errors.Is(err, ErrRemote) {
		t.Errorf("over ssh: %v", err)
	}
	programsHere(t, map[string]string{"xclip": "echo 'Error: target TARGETS not available' >&2; exit 1"})
	if _, err := read(context.Background(), "linux", x); !errors.Is(err, ErrEmpty) {
		t.Errorf("an empty clipboard: %v", err)
	}
	programsHere(t, map[string]string{"xclip": "echo \"Error: Can't open display: :0\" >&2; exit 1"})
	if _, err := read(context.Background(), "linux", x); err == nil || !strings.Contains(err.Error(), "open display") {
		t.Errorf("no display: %v", err)
	}
	programsHere(t, map[string]string{"xclip": "exit 0"})
	if _, err := read(context.Background(), "linux", x); !errors.Is(err, ErrEmpty) {
		t.Errorf("no kinds: %v", err)
	}
}

// Whoever calls says where programs are found: one that lies elsewhere is not run.
func TestProgramsAreFoundWhereTheCallerSays(t *testing.T) {
	bad, good := t.TempDir(), t.TempDir()
	for dir, says := range map[string]string{bad: "bad", good: "good"} {
		if err := os.WriteFile(filepath.Join(dir, "xclip"), []byte("#!/bin/sh\ncase \"$*\" in *TARGETS) echo UTF8_STRING;; *UTF8_STRING) printf "+says+";; *) : > "+filepath.Join(dir, "copied")+";; esac\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bad+":"+os.Getenv("PATH"))
	env := map[string]string{"DISPLAY": ":0", "PATH": good}
	getenv := func(name string) string { return env[name] }
	if held, err := read(t.Context(), "linux", getenv); err != nil || held.Text != "good" {
		t.Errorf("%+v %v", held, err)
	}
	if runtime.GOOS == "linux" { // another system has a program of its own
		if err := Native(t.Context(), "x", getenv); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(filepath.Join(good, "copied")); err != nil {
			t.Error(err)
		}
	}
	env["PATH"] = "."
	if _, err := read(t.Context(), "linux", getenv); err != ErrNoReader {
		t.Errorf("%v where none is", err)
	}
}
