package trust

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestApproval(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "trust.json")
	s, dir := Open(file), t.TempDir()
	if s.Approved(dir, "mcp:a", "h1") {
		t.Error("approved before anybody said yes")
	}
	if err := s.Approve(dir, "mcp:a", "h1"); err != nil {
		t.Fatal(err)
	}
	again := Open(file)
	if !again.Approved(dir, "mcp:a", "h1") || !again.Approved(dir+string(filepath.Separator)+".", "mcp:a", "h1") {
		t.Error("not approved after it")
	}
	for _, other := range [][3]string{{dir, "mcp:a", "h2"}, {dir, "mcp:b", "h1"}, {t.TempDir(), "mcp:a", "h1"}, {dir, "mcp:a", ""}} {
		if s.Approved(other[0], other[1], other[2]) {
			t.Errorf("%q is approved", other)
		}
	}
	if err := s.Approve(dir, "mcp:a", "h2"); err != nil {
		t.Fatal(err)
	}
	if s.Approved(dir, "mcp:a", "h1") || !s.Approved(dir, "mcp:a", "h2") {
		t.Error("the earlier form is still approved")
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := s.Revoke(dir, "mcp:a"); err != nil || s.Approved(dir, "mcp:a", "h2") {
		t.Errorf("revoked: %v", err)
	}
}

func TestApprovalThroughALink(t *testing.T) {
	s, real, link := Open(filepath.Join(t.TempDir(), "trust.json")), t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := s.Approve(link, "mcp:a", "h"); err != nil {
		t.Fatal(err)
	}
	if !s.Approved(real, "mcp:a", "h") {
		t.Error("the folder a link leads to is the same folder")
	}
	os.Remove(link)
	os.Mkdir(link, 0o700)
	if s.Approved(link, "mcp:a", "h") {
		t.Error("another folder took the place of the link and its approval")
	}
}

func TestBrokenRecordApprovesNothing(t *testing.T) {
	file, dir := filepath.Join(t.TempDir(), "trust.json"), t.TempDir()
	if err := os.WriteFile(file, []byte("{oops"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := Open(file)
	if s.Approved(dir, "mcp:a", "h") {
		t.Error("approved")
	}
	if err := s.Approve(dir, "mcp:a", "h"); err == nil {
		t.Error("a broken record was written over")
	}
}
