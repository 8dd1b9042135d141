package clipboard

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func env(pairs ...string) func(string) string {
	return func(k string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == k {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestSequence(t *testing.T) {
	text := strings.Repeat("中文 and text ", 100)
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\a"
	if got := Sequence(text, env("TERM", "xterm-256color")); got != plain {
		t.Errorf("a terminal gets %.40q", got)
	}
	got := Sequence(text, env("TERM", "tmux-256color", "TMUX", "/tmp/x"))
	if !strings.HasPrefix(got, plain) || !strings.Contains(got, "\x1bPtmux;\x1b\x1b]52;c;") {
		t.Errorf("tmux gets %.40q", got)
	}
	if got := Sequence(text, env("TERM", "screen-256color", "STY", "1")); !strings.HasPrefix(got, "\x1bP") || strings.Count(got, "\x1bP") < 5 {
		t.Errorf("screen gets %.40q", got)
	}
	for _, term := range []string{"", "dumb", "linux"} {
		if got := Sequence(text, env("TERM", term)); got != "" {
			t.Errorf("TERM=%s gets %.40q", term, got)
		}
	}
	if Sequence(strings.Repeat("x", MaxSequence+1), env("TERM", "xterm")) != "" {
		t.Error("a text no terminal takes is sent")
	}
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		system string
		env    []string
		want   string
	}{
		{"linux", []string{"WAYLAND_DISPLAY", "w", "DISPLAY", ":0"}, "wl-copy xclip xsel"},
		{"linux", []string{"DISPLAY", ":0", "SSH_TTY", "/dev/pts/1"}, ""},
		{"linux", []string{"TMUX", "1", "SSH_TTY", "/dev/pts/1"}, "tmux"},
		{"linux", []string{"WSL_DISTRO_NAME", "x"}, "powershell.exe"},
		{"darwin", nil, "pbcopy"}, {"windows", nil, "powershell.exe"}, {"windows", []string{"SSH_CONNECTION", "x"}, ""}, {"linux", nil, ""},
	} {
		var names []string
		for _, argv := range writers(c.system, env(c.env...)) {
			names = append(names, argv[0])
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s %v: %q, not %q", c.system, c.env, got, c.want)
		}
	}
}

// A real program gets the text on its input, as it is.
func TestNative(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "got")
	script := "#!/bin/sh\ncat >'" + out + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	text := "中文\n\ttab \x00 end"
	if err := Native(context.Background(), text, env("TMUX", "1", "SSH_TTY", "x")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != text {
		t.Errorf("the program got %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\necho no server >&2; exit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Native(context.Background(), text, env("TMUX", "1")); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("a program that fails: %v", err)
	}
	if err := Native(context.Background(), text, env("SSH_TTY", "1")); !errors.Is(err, ErrNone) {
		t.Errorf("no program: %v", err)
	}
}
