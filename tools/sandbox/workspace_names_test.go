package sandbox

import "testing"

// A name that begins with a slash lies at the top of a volume, and not in the workspace.
func TestOnVolume(t *testing.T) {
	for name, want := range map[string]string{
		"a/b": "a/b", "": "", `C:\a`: `C:\a`, `\\host\share\a`: `\\host\share\a`, "//host/share": "//host/share",
		"/etc/hosts": "D:/etc/hosts", `\Windows`: `D:\Windows`, "/": "D:/",
		"/c/proj/a.go": "C:/proj/a.go", "/C": "C:", "/c/": "C:/", "/cc/x": "D:/cc/x", "/1/x": "D:/1/x",
	} {
		if got := onVolume(name, "D:"); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
	if same := sameFolder("windows"); !same("Work", "wORK") || same("work", "works") {
		t.Error("names on Windows")
	}
	if same := sameFolder("linux"); same("Work", "work") || !same("a", "a") {
		t.Error("names elsewhere")
	}
}
