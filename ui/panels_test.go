package ui

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/provider"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// panelOptions have something to show for every command; what is another's words, a
// tool's or a file's, is in capitals, so that it is told from forge's own.
func panelOptions() Options {
	o := sceneOptions()
	at := time.Date(2026, 1, 2, 3, 2, 5, 0, time.UTC)
	o.Models = func(context.Context) ([]ModelChoice, error) {
		return []ModelChoice{{Model: provider.Model{Provider: "demo", ID: "demo-1", Window: 100_000}, Note: "100k"}, {Model: provider.Model{Provider: "other", ID: strings.Repeat("long-name-", 9)}, Note: "1M"}}, nil
	}
	o.SetModel = func(c ModelChoice, _ provider.Effort) (provider.Model, error) { return c.Model, nil }
	o.Sessions = func() ([]SessionChoice, error) {
		return []SessionChoice{{ID: "a", Title: "THE MEDIAN 修复", When: at}, {ID: "b", Title: strings.Repeat("LONG ", 40), When: at.AddDate(0, -1, 0)}}, nil
	}
	o.Resume = func(string) error { return nil }
	o.Stored = Sessions{
		Preview: func(string) string { return strings.Repeat("WORDS OF IT\n", 30) },
		Search: func(context.Context, string) ([]Found, error) {
			return []Found{{ID: "a", Title: "THE MEDIAN", Excerpt: "OF IT"}}, nil
		},
		Rename: func(string, string) error { return nil }, Fork: func() error { return nil }, Export: func(string, string) (string, error) { return "/tmp/x.md", nil },
	}
	o.Earlier = func() []Earlier { return []Earlier{{Text: strings.Repeat("A PROMPT ", 30), When: at}} }
	patch := "diff --git a/x b/x\n@@ -1 +1 @@\n-" + strings.Repeat("OLD ", 60) + "\n+\tNEW\nnew file y (binary)\n"
	o.GitDiff = func(context.Context) (string, error) { return patch, nil }
	o.SessionDiff = func() string { return "diff x (moved from y)\n@@ -1 +1 @@\n-A\n+B\n" }
	o.Powers = func() []Power {
		return []Power{{Text: "run go test … in the workspace", Detail: "granted for this session", Revoke: func() error { return nil }}, {Text: "RULE(" + strings.Repeat("x", 90) + ")"}}
	}
	o.Tools = func() []ToolChoice {
		return []ToolChoice{{Name: "read_file", Owner: "forge", About: "READS A FILE", Tokens: 300, On: true}, {Name: "far", Owner: "docs", About: strings.Repeat("TELLS ", 30), Tokens: 12_000, Deferred: true, On: true}}
	}
	o.Settings = &Settings{File: "~/.config/forge/forge.json", List: func() []Setting {
		return []Setting{{Name: "model", About: "the model's ID", Value: "demo-1", Source: "forge.json"}, {Name: "effort", About: "how much the model may think", Words: []string{"low", "high"}, Default: "the model's"},
			{Name: "secrets.allow", About: "expressions of what looks like a secret and is none", Value: `["` + strings.Repeat("x", 90) + `"]`}}
	}, Set: func(string, string) error { return nil }, Unset: func(string) error { return nil }}
	o.Memory = func() []MemoryInfo {
		return []MemoryInfo{{Name: "AGENTS.md", Text: strings.Repeat("DO THIS.\n", 40), Tokens: 90}, {Name: "~/AGENTS.md", Text: "AND THAT", User: true}}
	}
	o.Agents = func() []AgentInfo {
		return []AgentInfo{{Name: "EXPLORE", About: strings.Repeat("FINDS OUT ", 12), Source: ".forge/agents/explore.md", Tools: "read_file"}}
	}
	o.Jobs = Jobs{End: func(string) error { return nil }, List: func() []Job {
		return []Job{{ID: "j1", Command: "MAKE ALL " + strings.Repeat("X", 90), Took: time.Minute, Running: true, Status: "running", Bytes: 4000}}
	}, Output: func(string) (string, error) { return "OUT\n", nil }}
	o.LSP = &LanguageServers{List: func() []LanguageServer {
		return []LanguageServer{{Name: "gopls", Command: "gopls", Folder: "~/" + strings.Repeat("x", 90), State: "ready", Runs: true, Pid: 1, Memory: 3e8, Errors: 2, Words: []string{strings.Repeat("WARN ", 90)}},
			{Name: "clangd", State: "failed", Reason: "it closed its output"}, {Name: "zls", Missing: true}}
	}}
	o.Doctor = func(context.Context, doctor.Terminal) doctor.Report {
		return doctor.Report{Version: "0.1", Findings: []doctor.Finding{{ID: "endpoint.x", Level: doctor.Fail, Text: strings.Repeat("WRONG ", 30), Fix: strings.Repeat("MEND ", 30)}, {ID: "terminal.y", Level: doctor.Ok, Text: "FINE"}}}
	}
	return o
}

// english finds two English words side by side.
var english = regexp.MustCompile(`\b[a-z]{3,} [a-z]{3,}`)

// others are panels whose scenes show what others wrote; golden frames have them.
var others = map[string]bool{"context": true, "mcp": true, "status": true, "theme": true}

// Whatever a command opens holds in every size and in both languages: no row is wider
// than the screen and there are as many as it has; in another language none of forge's
// own words is left in English.
func TestPanelsHold(t *testing.T) {
	defer lang.Use(lang.English)
	var all []string
	wrong := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, tag := range lang.Tags() {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		for _, c := range commands() {
			if c.name == "exit" || c.name == "new" || c.name == "init" || c.name == "compact" {
				continue
			}
			for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 10}, {24, 6}} {
				synctest.Test(t, func(t *testing.T) {
					w, h := size[0], size[1]
					m := staged(t, sight{"", func(*testing.T, *Model, func(time.Duration)) {}}, panelOptions(), w, h, colorprofile.ANSI)
					arg := ""
					if c.fill {
						arg = "X"
					}
					workNow(m, c.run(m, arg))
					rows := strings.Split(m.View().Content, "\n")
					if len(rows) > h {
						wrong("%s, /%s at %dx%d: %d rows", tag, c.name, w, h, len(rows))
					}
					for _, r := range rows {
						plain := ansi.Strip(r)
						if ansi.StringWidth(plain) > w {
							wrong("%s, /%s at %dx%d: %d cells: %q", tag, c.name, w, h, ansi.StringWidth(plain), plain)
						}
						if left := english.FindString(strings.ReplaceAll(plain, "esc esc", "")); tag != lang.English && left != "" && !others[c.name] {
							wrong("%s, /%s at %dx%d: %q is English: %q", tag, c.name, w, h, left, plain)
						}
					}
					time.Sleep(time.Minute)
				})
			}
		}
	}
	for _, w := range all {
		t.Error(w)
	}
}
