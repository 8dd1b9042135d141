package main

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// A conversation that is closed leaves nothing open in its folder: an editor may keep one
// forge for days.
func TestEditorClosesItsFolder(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	e := openEditor(t, p, "text Here.\nend\n")
	s := e.begin()
	e.say(s.SessionId, acp.TextBlock("/none and so on"))
	if _, err := e.CloseSession(t.Context(), acp.CloseSessionRequest{SessionId: s.SessionId}); err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	fds := filepath.Join("/proc", strconv.Itoa(e.cmd.Process.Pid), "fd")
	all, err := os.ReadDir(fds)
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range all {
		if to, err := os.Readlink(filepath.Join(fds, fd.Name())); err == nil && to == dir {
			t.Errorf("%s is open: %s", fd.Name(), to)
		}
	}
	e.leave()
}
