package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"forge/agent"
	"forge/tools"
	"forge/ui/safe"
)

func TestPathsInTitles(t *testing.T) {
	for _, c := range []struct{ title, path, want string }{
		{"read ui/feed.go", "/w/ui/feed.go", "ui/feed.go"},
		{"edit a.go (+2 −2)", "/w/a.go", "a.go"},
		{"read /etc/hosts lines 1 to 3", "/etc/hosts", "/etc/hosts"},
		{"read a.go a.go", "/w/a.go", "a.go"},
		{"read data.go", "/w/a.go", ""},
		{"read a.gob", "/w/a.go", ""},
		{"list the folder", "/w", ""},
		{"读取 例/子.go", "/w/例/子.go", "例/子.go"},
	} {
		from, to := pathIn(c.title, c.path)
		if got := c.title[from:to]; got != c.want {
			t.Errorf("%q of %q: %q, want %q", c.title, c.path, got, c.want)
		}
	}
	file := filepath.Join(t.TempDir(), "a.go")
	own := tools.Effect{Kind: tools.Read, Title: "read a.go", Paths: []string{file}}
	if got := linked(own.Title, own, true); !strings.Contains(got, "\x1b]8;id=") {
		t.Errorf("no link: %q", got)
	}
	for name, e := range map[string]tools.Effect{
		"of a server":   {Kind: tools.Read, Title: own.Title, Paths: own.Paths, Server: "x"},
		"a command":     {Kind: tools.Exec, Title: own.Title, Paths: own.Paths},
		"of two":        {Kind: tools.Read, Title: own.Title, Paths: []string{file, file}},
		"not a path":    {Kind: tools.Read, Title: own.Title, Paths: []string{"a.go"}},
		"with controls": {Kind: tools.Read, Title: own.Title, Paths: []string{"/w\x1b]8;;x\x07/a.go"}},
	} {
		if got := linked(e.Title, e, true); got != e.Title {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := linked(own.Title, own, false); got != own.Title {
		t.Errorf("not wanted: %q", got)
	}
}

// linkScript reads a file and answers with an address and a sequence of the model's own.
func linkScript(file string) *fakeAgent {
	return &fakeAgent{script: func(_ context.Context, _ agent.Prompt, sink agent.Sink) error {
		sink(agent.ToolStart{ID: "1", Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read a.go", Paths: []string{file}}})
		sink(agent.ToolRunning{ID: "1"})
		sink(agent.ToolEnd{ID: "1", Name: "read_file", Result: tools.Result{Text: "x"}})
		text := "See [the docs](https://go.dev/doc), \x1b]8;;https://bad.org\x07not here\x1b]8;;\x07 and [no](javascript:x).\n\nThat is all."
		sink(agent.TextDelta{Text: text})
		return nil
	}}
}

// In a terminal that takes links, the address of an answer and the path on a card lead
// where they say, on the whole screen and inline; the screen looks the same as without.
func TestLinksOnTheScreen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	show := func(t *testing.T, way string, inline bool) (looks, raw string, leads map[string]string) {
		synctest.Test(t, func(t *testing.T) {
			o := testOptions(linkScript(file))
			o.Links, o.Inline = way, inline
			o.Getenv = func(name string) string {
				return map[string]string{"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}[name]
			}
			s := start(t, o, 80, 24)
			s.send("go\r")
			s.see("That is all.")
			leads = map[string]string{}
			s.mu.Lock()
			for y := range 24 {
				for x := range 80 {
					if c := s.em.CellAt(x, y); c != nil && c.Link.URL != "" {
						leads[c.Link.URL] += c.Content
					}
				}
			}
			s.mu.Unlock()
			looks = s.text()
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			raw = s.raw.String()
		})
		return looks, raw, leads
	}
	for name, inline := range map[string]bool{"whole": false, "inline": true} {
		t.Run(name, func(t *testing.T) {
			looks, raw, leads := show(t, "auto", inline)
			want := map[string]string{
				safe.FileTarget(host, file): "a.go",
				"https://go.dev/doc":        "the docshttps://go.dev/doc",
			}
			if len(leads) != len(want) {
				t.Errorf("%q\n%s", leads, looks)
			}
			for to, text := range want {
				if leads[to] != text {
					t.Errorf("to %q leads %q, want %q\n%s", to, leads[to], text, looks)
				}
			}
			if begin, _ := safe.Linked("https://go.dev/doc"); !strings.Contains(raw, begin+"\x1b[") && !strings.Contains(raw, begin+"the") {
				t.Errorf("%q is not told", begin)
			}
			if strings.Contains(raw, "\x1b]8;;https") || strings.Contains(raw, "]8;id=") && strings.LastIndex(raw, "\x1b]8;id=") > strings.LastIndex(raw, "\x1b]8;;\x07") {
				t.Error("a link of the model's, or one that is left open")
			}
			off, raw, leads := show(t, "off", inline)
			if off != looks || len(leads) > 0 || strings.Contains(raw, "\x1b]8;") {
				t.Errorf("off: %q\n%s\n--- on\n%s", leads, off, looks)
			}
		})
	}
}

// What is copied of a row with links is its text.
func TestLinksAreNotCopied(t *testing.T) {
	o := testOptions(linkScript("/w/a.go"))
	o.Links = "on"
	o.Getenv = func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] }
	m := still(t, o, 80, 24)
	tell(m, agent.TextDelta{Text: "See [the docs](https://go.dev/doc) now.\n\n"},
		agent.RunEnd{})
	work(m, m.tr.polish())
	row := ""
	var at pane
	for _, p := range m.tr.panes {
		if _, ok := p.(*answer); ok {
			at, row = p, m.tr.cut(p, 0, 1)[0]
		}
	}
	if !strings.Contains(row, "\x1b]8;id=") {
		t.Fatalf("no link: %q", row)
	}
	from := strings.Index("  See the docs", "the")
	c := &choice{from: point{at, 0, from}, to: point{at, 0, from + 7}}
	if got := c.text(m.tr); !strings.Contains(got, "the docs") || strings.Contains(got, "\x1b") {
		t.Errorf("copied %q", got)
	}
}
