package child

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	if _, err := Find("npx -y thing", "", nil); err == nil || !strings.Contains(err.Error(), "put the rest into its args") {
		t.Errorf("a whole line as a command: %v", err)
	}
	if _, err := Find("", "", nil); err == nil {
		t.Error("no command at all is found")
	}
}

// A program of the folder a server runs in is none that is looked up by its name, by forge
// or by the server.
func TestNoProgramOfTheFolder(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	name := "tool"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, d := range []string{dir, bin} {
		if err := os.WriteFile(filepath.Join(d, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list := func(dirs ...string) string { return strings.Join(dirs, string(os.PathListSeparator)) }
	t.Setenv("PATH", list(".", "", "node_modules/.bin", bin))
	env := Environ(nil, os.Environ())
	if !slices.Contains(env, "PATH="+bin) {
		t.Errorf("%q", env)
	}
	if got, err := Find("tool", dir, env); err != nil || got != filepath.Join(bin, name) {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("PATH", ".")
	if got, err := Find("tool", dir, Environ(nil, os.Environ())); err == nil {
		t.Errorf("%q was found", got)
	}
}

func TestEnvironment(t *testing.T) {
	got := Environ(map[string]string{"OWN": "1", "PATH": "/p"}, []string{"PATH=/bin", "HOME=/h", "OPENAI_API_KEY=k", "LC_ALL=C", "https_proxy=p", "FORGE_X=1", "NODE_OPTIONS=--inspect"})
	if want := "HOME=/h LC_ALL=C https_proxy=p OWN=1 PATH=/p"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

// A relative folder in a list of folders is one of the workspace. A list of none but such is
// left out: an empty one means the workspace, too.
func TestNoFolderOfTheWorkspace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lists have another sign between folders there")
	}
	got := Environ(nil, []string{"PATH=.", "LD_LIBRARY_PATH=/usr/lib/x:", "DYLD_LIBRARY_PATH=lib::/l", "GOPATH=/go"})
	if want := "LD_LIBRARY_PATH=/usr/lib/x DYLD_LIBRARY_PATH=/l GOPATH=/go"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "forge-no-such-tool"), []byte("#!/bin/sh\necho ran\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var errs strings.Builder
	p, err := Start([]string{"/bin/sh", "-c", "forge-no-such-tool"}, dir, Environ(nil, []string{"PATH=."}), &errs, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.End()
	if b, err := io.ReadAll(p.Stdout); err != nil || len(b) > 0 {
		t.Errorf("a program of the workspace %q, %v", b, err)
	}
}
