package trust

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var powers = []Power{{Path: ".mcp.json", Does: "starts servers"}, {Path: ".forge/agents/*.md", Does: "defines agents"}}

func TestTrustIsBoundToEveryFileWithPower(t *testing.T) {
	dir, s := t.TempDir(), Open(filepath.Join(t.TempDir(), "state", "trust.json"))
	find := func() []File {
		t.Helper()
		files, err := Find(dir, powers)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	changes := func() []Change {
		t.Helper()
		cs, err := s.Changes(dir, find())
		if err != nil {
			t.Fatal(err)
		}
		return cs
	}
	if got := find(); len(got) != 0 {
		t.Errorf("an empty folder has %v", got)
	}
	write(t, dir, ".mcp.json", "one")
	write(t, dir, ".forge/agents/a.md", "agent")
	write(t, dir, "README.md", "no power")
	if cs := changes(); len(cs) != 2 || cs[0].Path != ".forge/agents/a.md" || !cs[0].New || cs[1].Does != "starts servers" {
		t.Errorf("%+v", cs)
	}
	if err := s.Trust(dir, find()); err != nil {
		t.Fatal(err)
	}
	if cs := changes(); len(cs) != 0 {
		t.Errorf("trusted, but %+v", cs)
	}
	write(t, dir, ".mcp.json", "two")
	write(t, dir, ".forge/agents/b.md", "more")
	if cs := changes(); len(cs) != 2 || !cs[0].New || cs[0].Path != ".forge/agents/b.md" || string(cs[1].Was) != "one" || string(cs[1].Text) != "two" {
		t.Errorf("%+v", cs)
	}
	if cs, err := s.Changes(t.TempDir(), find()); err != nil || len(cs) != 3 {
		t.Errorf("another folder: %+v %v", cs, err)
	}
}

func TestFilesThatCannotBeShown(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "mcp.json")
	for name, put := range map[string]func(dir string) error{
		"a folder":          func(d string) error { return os.Mkdir(filepath.Join(d, ".mcp.json"), 0o700) },
		"a link out":        func(d string) error { return os.Symlink(outside, filepath.Join(d, ".mcp.json")) },
		"a link to nothing": func(d string) error { return os.Symlink("nothing", filepath.Join(d, ".mcp.json")) },
		"longer than is read": func(d string) error {
			return os.WriteFile(filepath.Join(d, ".mcp.json"), make([]byte, maxPower+1), 0o600)
		},
	} {
		dir := t.TempDir()
		if err := put(dir); err != nil {
			t.Skip(err)
		}
		if files, err := Find(dir, powers); err == nil {
			t.Errorf("%s: found %+v", name, files)
		}
	}
	dir := t.TempDir()
	write(t, dir, "real.json", "x")
	write(t, dir, "other.json", "x")
	hash := map[string]bool{}
	for _, to := range []string{"real.json", "other.json"} {
		if err := os.Symlink(to, filepath.Join(dir, ".mcp.json")); err != nil {
			t.Skip(err)
		}
		files, err := Find(dir, powers)
		if err != nil || len(files) != 1 || files[0].Link != to {
			t.Fatalf("%+v %v", files, err)
		}
		hash[files[0].Hash] = true
		os.Remove(filepath.Join(dir, ".mcp.json"))
	}
	if len(hash) != 2 {
		t.Error("where a link leads is no part of what is trusted")
	}
}

// Of a file that holds other things too, what has power is shown and bound, and no more.
func TestPartOfAFile(t *testing.T) {
	dir, s := t.TempDir(), Open(filepath.Join(t.TempDir(), "state", "trust.json"))
	some := []Power{{Path: "settings", Does: "runs", Part: func(text []byte) []byte {
		_, part, _ := bytes.Cut(text, []byte("runs:"))
		return part
	}}}
	find := func(text string) []File {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "settings"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files, err := Find(dir, some)
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	if files := find("harmless"); len(files) != 0 {
		t.Errorf("%+v has no power", files)
	}
	files := find("one runs:x")
	if len(files) != 1 || string(files[0].Text) != "x" {
		t.Fatalf("%+v", files)
	}
	if err := s.Trust(dir, files); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Changes(dir, find("two runs:x")); err != nil || len(c) != 0 {
		t.Errorf("something beside it was asked about: %+v %v", c, err)
	}
	if c, err := s.Changes(dir, find("two runs:y")); err != nil || len(c) != 1 || string(c[0].Was) != "x" {
		t.Errorf("another one was not asked about: %+v %v", c, err)
	}
}
