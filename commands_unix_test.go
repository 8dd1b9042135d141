//go:build unix

package main

import (
	"os"
	"testing"
)

// A conversation that has a name and nothing else is neither copied nor written to a
// file: what would be said of the copy, or stand in the file, would not be true.
func TestNothingSaidYet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTerminal(t, 80, 24, dir, nil, "--demo", "-C", dir)
	s.see("ask for something")
	s.send("/rename a name\r")
	s.see("is called a name now")
	s.send("/export\r")
	s.see("nothing was said yet")
	s.send("/diff session\r")
	s.see("has changed no file")
	s.send("/fork\r")
	s.see("copy the conversation")
	s.send("/fork 2\r")
	s.see("nothing was asked in this conversation yet")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 0 {
		t.Errorf("%v, and written: %v", err, all)
	}
}
