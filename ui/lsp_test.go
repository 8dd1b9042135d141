package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
	"forge/ui/lang"
)

// What a language server found stands in the card of the edit, the worst first, folded
// where there is much of it.
func TestCardShowsWhatWasFound(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 40)
	change := tools.Change{Path: "a.go", Op: tools.Modify, Before: []byte("1\n"), After: []byte("2\n")}
	lines := []string{"a.go:1:2: undefined: 变量\x1b[31m (compiler X)", "l2", "l3", "l4", "l5", "l6", "l7", "l8"}
	tell(m,
		agent.ToolStart{ID: "1", Name: "edit_file", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go (+1 −1)", Changes: []tools.Change{change}}},
		agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{change}, Result: tools.Result{Text: "changed a.go",
			Found: []tools.Found{{By: "gopls", New: 9, Old: 1, Gone: 2, Elsewhere: 1, Lines: lines}, {By: "lint", Note: "is starting; what it finds is told later"}}}},
	)
	text := shot(m)
	has(t, text, "gopls: 9 new errors, 1 new error in other files, 1 error as before, 2 errors gone", "undefined: 变量", "5 lines more", "lint: is starting; what it finds is told later")
	if strings.Contains(text, "l5") || strings.Contains(text, "[31m") {
		t.Errorf("shown:\n%s", text)
	}
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	defer lang.Use(lang.English)
	tell(m, agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{change}, Result: tools.Result{Text: "changed a.go",
		Found: []tools.Found{{By: "gopls", New: 2}, {By: "lint", Note: "does not start: it closed its output"}}}})
	has(t, shot(m), "gopls：2 个新错误", "lint：无法启动：它关闭了输出")
}

// /lsp lists the servers, shows what one says, ends it and lets it start again, by a key
// or by words.
func TestLSPOnTheScreen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		runs := true
		o.LSP = &LanguageServers{
			List: func() []LanguageServer {
				s := LanguageServer{Name: "gopls", Command: "gopls -remote=auto", State: "ready", Runs: runs, Memory: 300 << 20, Errors: 2, Folder: "~/src", Pid: 7, Words: []string{"go.mod is \x1b]0;odd\a"}}
				if !runs {
					s = LanguageServer{Name: "gopls", Command: "gopls", State: "stopped", Reason: "by you"}
				}
				return []LanguageServer{s, {Name: "zls", Missing: true}}
			},
			Stop:  func(name string) error { runs = false; return nil },
			Start: func(name string) error { runs = true; return errors.New("no such luck with " + name) },
		}
		s := start(t, o, 100, 24)
		s.send("/lsp\r")
		s.see("ready, 2 errors")
		s.see("not installed")
		s.send("\r")
		s.see("it runs as: gopls -remote=auto")
		s.see("go.mod is")
		s.send("q")
		s.send("/lsp\r")
		s.see("ctrl+x stop it")
		s.send("\x18")
		s.see("stopped, by you")
		s.send("\x1b")
		s.send("/lsp restart gopls\r")
		s.see("no such luck with gopls")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// In lines, too.
func TestLSPInLines(t *testing.T) {
	l := &lines{}
	said := func(arg string) (string, error) {
		var out []string
		_, err := l.lsp(context.Background(), arg, func(s string) { out = append(out, s) })
		return strings.Join(out, "\n"), err
	}
	if got, err := said(""); err != nil || !strings.Contains(got, "language servers are off") {
		t.Errorf("said %q, %v", got, err)
	}
	stopped := ""
	l.o.LSP = &LanguageServers{
		List: func() []LanguageServer {
			return []LanguageServer{{Name: "gopls", Command: "gopls", State: "failed", Reason: "it closed its output"}}
		},
		Stop: func(name string) error { stopped = name; return nil },
	}
	for arg, want := range map[string]string{"": "gopls: failed, it closed its output", "gopls": "it runs as: gopls", "stop gopls": "gopls: failed", "zls": "no language server is named zls"} {
		if got, err := said(arg); err != nil || !strings.Contains(got, want) {
			t.Errorf("/lsp %s says %q, %v", arg, got, err)
		}
	}
	if stopped != "gopls" {
		t.Errorf("stopped %q", stopped)
	}
}
