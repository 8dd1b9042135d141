//go:build unix

package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// A program that a project brings, by an environment that is activated, opens no address.
func TestNoBrowserOfTheProject(t *testing.T) {
	dir, others := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	bin := filepath.Join(dir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(others, "link")
	if err := os.Symlink(bin, link); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{bin, others} {
		if err := os.WriteFile(filepath.Join(at, "xdg-open"), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	list := string(filepath.ListSeparator)
	t.Setenv("PATH", bin+list+link+list+".venv/bin"+list+others)
	if got, err := (withheld{}).look("xdg-open"); err != nil || got != filepath.Join(others, "xdg-open") {
		t.Errorf("%q, %v", got, err)
	}
	if got := (withheld{}).environ(); !slices.Contains(got, "PATH="+others) {
		t.Errorf("what it runs is found elsewhere: %q", got)
	}
	if got, err := (withheld{others}).look("xdg-open"); err == nil {
		t.Errorf("%q lies in a folder of the work forge was not started in", got)
	}
	t.Setenv("PATH", bin)
	t.Setenv("BROWSER", "xdg-open")
	t.Setenv("DISPLAY", ":0")
	if open, _ := Browser(); open != nil || (withheld{}).open("http://127.0.0.1:1/") == nil {
		t.Error("the project's is run")
	}
	t.Setenv("BROWSER", "")
	if got, err := (withheld{}).look(filepath.Join(bin, "xdg-open")); err != nil || got != filepath.Join(bin, "xdg-open") {
		t.Errorf("%q, %v: one that is named with its folder", got, err)
	}
	if _, err := exec.LookPath("xdg-open"); err != nil {
		t.Error(err) // it would have been found
	}
}
