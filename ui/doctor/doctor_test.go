package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/terminal"
	"forge/ui/theme"
)

func one(id string, l Level) func(context.Context) []Finding {
	return func(context.Context) []Finding {
		return []Finding{{ID: id, Level: l, Text: id + " text", Fix: "do " + id}}
	}
}

// Findings stand in the order of the checks, however long each takes; one that
// panics or never ends costs no other.
func TestExamine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		began := time.Now()
		r := Examine(t.Context(), "v1", []Check{
			{ID: "a.slow", Run: func(ctx context.Context) []Finding {
				time.Sleep(time.Second)
				return one("a.slow", Ok)(ctx)
			}},
			{ID: "b.crash", Run: func(context.Context) []Finding { panic("boom") }},
			{ID: "c.never", Limit: 2 * time.Second, Run: func(context.Context) []Finding { <-never; return nil }},
			{ID: "d.heeds", Limit: time.Second, Run: func(ctx context.Context) []Finding {
				<-ctx.Done()
				return one("d.heeds", Warn)(ctx)
			}},
			{ID: "e.last", Run: one("e.last", Ok)},
		})
		var ids []string
		for _, f := range r.Findings {
			ids = append(ids, f.ID+"="+string(f.Level))
			if f.ID == "d.heeds" && f.Text != "d.heeds text" { // it said so while another was waited for
				t.Errorf("what it found is lost: %s", f.Text)
			}
		}
		if got, want := strings.Join(ids, " "), "a.slow=ok b.crash=warn c.never=warn d.heeds=warn e.last=ok"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if took := time.Since(began); took > 2*time.Second+grace {
			t.Errorf("it took %s: the checks did not run side by side, or were not bounded", took)
		}
		if text := r.Findings[1].Text; !strings.Contains(text, "boom") {
			t.Errorf("the crash is told as %q", text)
		}
		close(never)
	})
}

func TestReport(t *testing.T) {
	r := Report{Version: "1.2.3", Findings: []Finding{
		{ID: "key.openai", Level: Ok, Text: "a key"},
		{ID: "key.other", Level: Warn, Text: "odd\x1b[31m\nkey", Fix: "set it"},
		{ID: "endpoint.openai", Level: Fail, Text: "gone", Fix: "check it"},
	}}
	const want = "API keys\n  ok    a key\n  warn  odd key\n        -> set it\n\nendpoints\n  FAIL  gone\n        -> check it\n\n1 to mend, 1 to look at, 1 in order\n"
	if got := r.Plain(); got != want {
		t.Errorf("plain\n%q\nwant\n%q", got, want)
	}
	var b bytes.Buffer
	if err := r.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Version  string
		Ok       bool
		Fail     int
		Warn     int
		Findings []struct{ ID, Area, Level, Text, Fix string }
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Version != "1.2.3" || back.Ok || back.Fail != 1 || back.Warn != 1 || len(back.Findings) != 3 || back.Findings[2].Area != "endpoint" || back.Findings[2].Level != "fail" || back.Findings[2].Fix != "check it" {
		t.Errorf("JSON: %s", b.String())
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a sequence reached the JSON")
	}
}

// The rows hold in every width and both languages, and no level is told by its
// colour alone.
func TestView(t *testing.T) {
	defer lang.Use("en")
	r := Report{Findings: []Finding{
		{ID: "terminal.term", Level: Ok, Text: "xterm-256color, 80 columns and 24 rows"},
		{ID: "terminal.keyboard", Level: Warn, Text: strings.Repeat("很长的文字 and long words ", 9), Fix: "ctrl+j"},
		{ID: "sandbox.form", Level: Fail, Text: "none", Fix: strings.Repeat("install it ", 12)},
	}}
	for _, tag := range []string{"en", "zh"} {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		for _, g := range []theme.Glyphs{theme.Unicode(), theme.ASCII()} {
			th, err := theme.Named("dark", true, colorprofile.TrueColor, g)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range []int{10, 40, 80, 200} {
				rows := r.View(th, w)
				for _, row := range rows {
					if safe.Width(ansi.Strip(row)) > w {
						t.Errorf("%s %d: %q is wider", tag, w, ansi.Strip(row))
					}
				}
				all := ansi.Strip(strings.Join(rows, "\n"))
				for _, mark := range []string{g.Ok, g.Warn, g.Fail} {
					if !strings.Contains(all, "  "+mark+" ") {
						t.Errorf("%s %d %s: no %s in\n%s", tag, w, g.Name, mark, all)
					}
				}
			}
		}
	}
}

// fake is a machine with an environment and some programs.
func fake(env map[string]string, programs map[string]string) Here {
	return Here{
		Getenv: func(name string) string { return env[name] },
		Look: func(p string) (string, error) {
			if _, ok := programs[p]; ok {
				return "/bin/" + p, nil
			}
			return "", exec.ErrNotFound
		},
		Output: func(_ context.Context, argv ...string) (string, error) {
			out, ok := programs[strings.TrimPrefix(argv[0], "/bin/")]
			switch {
			case !ok:
				return "", exec.ErrNotFound
			case out == "broken":
				return "", errors.New("no such library")
			}
			return out, nil
		},
	}
}

func levels(fs []Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.ID+"="+string(f.Level))
	}
	return strings.Join(out, " ")
}

func TestTerminal(t *testing.T) {
	yes := terminal.Answers{Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 1, Name: "kitty 0.35"}
	for _, c := range []struct {
		name string
		env  map[string]string
		t    Terminal
		tmux string
		want string
	}{
		{"all there", map[string]string{"TERM": "xterm-kitty", "LANG": "en_US.UTF-8"}, Terminal{Shown: true, W: 80, H: 24, Colours: "truecolor", Answers: yes}, "",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=ok"},
		{"old and small", map[string]string{"TERM": "xterm", "LANG": "C"}, Terminal{Shown: true, W: 30, H: 8, Colours: "ansi", Answers: terminal.Answers{Keyboard: terminal.No, Sync: terminal.No}}, "",
			"terminal.term=warn terminal.colour=warn terminal.keyboard=warn terminal.sync=warn terminal.locale=warn"},
		{"dumb", map[string]string{"TERM": "dumb"}, Terminal{Shown: true, W: 80, H: 24}, "", "terminal.term=warn terminal.colour=warn terminal.locale=warn"},
		{"no TERM", nil, Terminal{Shown: true, W: 80, H: 24}, "", "terminal.term=warn terminal.colour=warn terminal.locale=warn"},
		{"silent", map[string]string{"TERM": "vt220", "LANG": "C.UTF-8"}, Terminal{Shown: true, W: 80, H: 24, Colours: "ansi256", Answers: terminal.ReadAnswers("")}, "",
			"terminal.term=ok terminal.answers=warn terminal.colour=ok terminal.locale=ok"},
		{"wide symbols", map[string]string{"TERM": "xterm", "LANG": "en_US.UTF-8", "NO_COLOR": "1"}, Terminal{Shown: true, W: 80, H: 24, Answers: terminal.Answers{Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 2}}, "",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=ok"},
		{"wide symbols, taken for narrow", map[string]string{"TERM": "xterm", "LANG": "en_US.UTF-8", "NO_COLOR": "1"}, Terminal{Shown: true, W: 80, H: 24, Glyphs: "unicode", Answers: terminal.Answers{Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 2}}, "",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=warn"},
		{"narrow symbols, taken for wide", map[string]string{"TERM": "xterm", "LANG": "zh_CN.UTF-8", "NO_COLOR": "1"}, Terminal{Shown: true, W: 80, H: 24, Glyphs: "narrow", Answers: terminal.Answers{Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 1}}, "",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=warn"},
		{"tmux as it comes", map[string]string{"TERM": "tmux-256color", "LANG": "C.UTF-8", "TMUX": "x", "SSH_TTY": "y"}, Terminal{Shown: true, W: 80, H: 24, Colours: "ansi256", Answers: yes}, "3.3a\t500\toff\t0\t0\toff",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=ok terminal.ssh=ok " +
				"terminal.tmux=ok terminal.tmux.escape=warn terminal.tmux.clipboard=warn terminal.tmux.passthrough=warn terminal.tmux.focus=warn terminal.tmux.keys=warn"},
		{"tmux set up", map[string]string{"TERM": "tmux-256color", "LANG": "C.UTF-8", "TMUX": "x"}, Terminal{Shown: true, W: 80, H: 24, Colours: "truecolor", Answers: yes}, "3.5\t10\ton\ton\ton\ton",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=ok terminal.tmux=ok"},
		{"tmux gone", map[string]string{"TERM": "tmux-256color", "LANG": "C.UTF-8", "TMUX": "x"}, Terminal{Shown: true, W: 80, H: 24, Colours: "truecolor", Answers: yes}, "broken",
			"terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.locale=ok terminal.width=ok terminal.tmux=warn"},
		{"a pipe", map[string]string{"TERM": "xterm", "LANG": "C.UTF-8"}, Terminal{}, "", "terminal.shown=warn terminal.locale=ok"},
	} {
		h := fake(c.env, map[string]string{"tmux": c.tmux})
		r := Examine(t.Context(), "", h.Terminal(c.t))
		if got := levels(r.Findings); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
		fixed(t, c.name, r.Findings)
	}
}

// On Windows nobody sets TERM or a locale, and nothing is wrong.
func TestTerminalOnWindows(t *testing.T) {
	for vars, want := range map[string]string{"": "the console of Windows, 80 columns and 24 rows", "WT_SESSION": "Windows Terminal, 80 columns and 24 rows"} {
		h := fake(map[string]string{vars: "x"}, nil)
		h.System = "windows"
		r := Examine(t.Context(), "", h.Terminal(Terminal{Shown: true, W: 80, H: 24, Colours: "truecolor",
			Answers: terminal.Answers{Keyboard: terminal.Yes, Sync: terminal.Yes, Ambiguous: 1}}))
		if got := levels(r.Findings); got != "terminal.term=ok terminal.colour=ok terminal.keyboard=ok terminal.sync=ok terminal.width=ok" {
			t.Error(got)
		}
		if r.Findings[0].Text != want {
			t.Errorf("%q, want %q", r.Findings[0].Text, want)
		}
	}
}

// fixed: whatever is not in order says what to do about it.
func fixed(t *testing.T, name string, fs []Finding) {
	t.Helper()
	for _, f := range fs {
		if f.Level != Ok && f.Fix == "" {
			t.Errorf("%s: %s has no way to mend it: %s", name, f.ID, f.Text)
		}
		if f.Text == "" || strings.Contains(f.Text+f.Fix, "\n") {
			t.Errorf("%s: %s is not one line: %q", name, f.ID, f.Text)
		}
	}
}

func TestPrograms(t *testing.T) {
	for _, c := range []struct {
		name     string
		env      map[string]string
		programs map[string]string
		want     string
	}{
		{"all there", map[string]string{"TERM": "xterm", "EDITOR": "vim -f", "TMUX": "x"}, map[string]string{"git": "git version 2.39.5", "rg": "ripgrep 13.0.0\n-SIMD", "vim": "", "tmux": ""},
			"program.git=ok program.rg=ok program.clipboard=ok program.editor=ok"},
		{"none", map[string]string{"TERM": "dumb", "EDITOR": "nope"}, nil, "program.git=warn program.rg=ok program.clipboard=warn program.editor=warn"},
		{"broken", map[string]string{"TERM": "xterm", "TMUX": "x"}, map[string]string{"git": "broken", "rg": "broken"},
			"program.git=warn program.rg=warn program.clipboard=warn program.editor=warn"},
	} {
		r := Examine(t.Context(), "", fake(c.env, c.programs).Programs())
		if got := levels(r.Findings); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.name, got, c.want)
		}
		fixed(t, c.name, r.Findings)
	}
	r := Examine(t.Context(), "", fake(nil, map[string]string{"git": "git version 2.39.5 (Apple Git-1)"}).Programs())
	if text := r.Findings[0].Text; text != "git 2.39.5 (/bin/git)" {
		t.Errorf("git is told as %q", text)
	}
}

func TestRights(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("rights are no bits there")
	}
	dir := t.TempDir()
	for _, c := range []struct {
		mode    os.FileMode
		private bool
		want    string
	}{
		{0o600, true, ""}, {0o644, false, ""}, {0o644, true, "x=warn"}, {0o666, false, "x=fail"}, {0o620, true, "x=fail"},
	} {
		file := filepath.Join(dir, "it's a file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		fs := Rights(File{ID: "x", Path: file, Private: c.private})
		if got := levels(fs); got != c.want {
			t.Errorf("%#o private %v: %q, want %q", c.mode, c.private, got, c.want)
		}
		fixed(t, c.mode.String(), fs)
	}
	if fs := Rights(File{ID: "x", Path: filepath.Join(dir, "none")}); fs != nil {
		t.Errorf("a file that is not there: %v", fs)
	}
}

// A folder that is not there yet is looked at where it would be made, and nothing is
// left in it.
func TestState(t *testing.T) {
	dir := t.TempDir()
	r := Examine(t.Context(), "", State(filepath.Join(dir, "deep", "forge")))
	if !r.Well() || len(r.Findings) == 0 {
		t.Errorf("a good folder: %v", r.Findings)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r = Examine(t.Context(), "", State(filepath.Join(file, "forge")))
	if r.Well() {
		t.Errorf("a folder within a file: %v", r.Findings)
	}
	fixed(t, "within a file", r.Findings)

	if runtime.GOOS != "windows" {
		open := filepath.Join(dir, "open")
		if err := os.Mkdir(open, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := levels(writable(open)); got != "state.write=ok state.rights=warn" {
			t.Errorf("a folder that others may look into: %s", got)
		}
	}
}

func TestDisk(t *testing.T) {
	for _, c := range []struct {
		s    space
		ok   bool
		want string
	}{
		{space{free: 40 << 30}, true, "state.disk=ok"},
		{space{free: 100 << 20}, true, "state.disk=warn"},
		{space{free: 1 << 20}, true, "state.disk=fail"},
		{space{free: 40 << 30, network: "NFS"}, true, "state.disk=ok state.network=warn"},
		{space{}, false, ""},
	} {
		fs := disk(t.TempDir(), func(string) (space, bool) { return c.s, c.ok })
		if got := levels(fs); got != c.want {
			t.Errorf("%+v: %q, want %q", c.s, got, c.want)
		}
		fixed(t, c.want, fs)
	}
	if s := Size(3 << 20); s != "3 MB" {
		t.Errorf("size %q", s)
	}
}

// In the window what is to be mended stands above what is in order.
func TestViewBeginsWithWhatIsWrong(t *testing.T) {
	r := Report{Findings: []Finding{{ID: "a.one", Level: Ok, Text: "first"}, {ID: "b.two", Level: Warn, Text: "second"}, {ID: "b.three", Level: Ok, Text: "third"}, {ID: "c.four", Level: Fail, Text: "fourth"}}}
	all := strings.Join(r.View(theme.New(true, colorprofile.NoTTY), 80), "\n")
	last := 0
	for _, want := range []string{"fourth", "second", "first", "third"} {
		at := strings.Index(all, want)
		if at < last {
			t.Errorf("%s stands too early in\n%s", want, all)
		}
		last = at
	}
}
