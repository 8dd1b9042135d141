package ui

import (
	"context"
	"slices"
	"testing"

	mine "forge/agent/command"
	"forge/tools/permission"
)

func TestFindCommand(t *testing.T) {
	table := commands()
	for _, c := range []struct {
		word, runs string
		near       []string
	}{
		{"model", "model", nil},
		{"mode", "mode", nil}, // a whole name, though another begins with it
		{"MODE", "", nil},     // parseCommand lowers first
		{"h", "help", nil},
		{"q", "exit", nil}, // by an alias
		{"clear", "new", nil},
		{"sess", "resume", nil},
		{"mod", "", []string{"mode", "model"}},
		{"modle", "", []string{"mode", "model"}},
		{"exti", "", []string{"exit"}},
		{"xyzzy", "", nil},
		{"compactt", "", []string{"compact"}},
		{"", "", nil},
		{"config", "settings", nil}, // as other agents have it
		{"confi", "", nil},          // a beginning of that is none
		{"ps", "jobs", nil},
		{"bug", "feedback", nil},
		{"side", "btw", nil},
		{"vmi", "", []string{"vim"}},
		{"mcpp", "", []string{"mcp"}},
		{"lag", "", []string{"lang"}},
		{"pla", "plan", nil},
		{"cop", "copy", nil},
		{"cast", "", nil}, // two letters wrong in a short word
	} {
		got, near, ok := findCommand(table, c.word)
		if ok != (c.runs != "") || got.name != c.runs {
			t.Errorf("/%s runs %q, want %q", c.word, got.name, c.runs)
		}
		slices.Sort(near)
		if c.word != "MODE" && c.word != "" && !slices.Equal(near, c.near) {
			t.Errorf("/%s: near %q, want %q", c.word, near, c.near)
		}
	}
}

func TestTableOrder(t *testing.T) {
	seen := map[string]bool{}
	table := commands()
	for i, c := range table {
		for _, n := range append([]string{c.name}, c.meant()...) {
			if seen[n] {
				t.Errorf("/%s is there twice", n)
			}
			seen[n] = true
		}
		for _, d := range table[:i] {
			if len(d.name) > len(c.name) && d.name[:len(c.name)] == c.name {
				t.Errorf("/%s stands before /%s, so the menu would run it instead", d.name, c.name)
			}
		}
	}
}

func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		in, name, arg string
		ok            bool
	}{
		{"/model gpt 5", "model", "gpt 5", true},
		{"/HELP", "help", "", true},
		{"/usr/bin/go is broken", "", "", false},
		{"/tmp", "tmp", "", true},
		{"say /help", "", "", false},
		{"/help\nmore", "", "", false},
		{"/goal all of:\n- tests\n- 文档\n", "goal", "all of:\n- tests\n- 文档", true},
		{"/goal\nwords", "goal", "words", true},
		{"/side one\ntwo", "side", "one\ntwo", true},
		{"/login xai\nkey", "login", "xai\nkey", true},
		{"/goalie\nwords", "", "", false},
		{"/goal/x\nwords", "", "", false},
		{"/model a\nwords", "", "", false},
		{"/", "", "", true},
		{"// a comment", "", "", false},
	} {
		name, arg, ok := parseCommand(c.in)
		if name != c.name || arg != c.arg || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.in, name, arg, ok)
		}
	}
}

// Words behind a command that takes none stay in the prompt, and nothing is run: they
// may have been meant for the model.
func TestCommandsThatTakeNothing(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, c := range commands() {
			if c.args != "" {
				continue
			}
			a := &fakeAgent{}
			o := testOptions(a)
			o.New = func() error { t.Error("/new was run"); return nil }
			m := still(t, o, 80, 24)
			line := "/" + c.name + " fix the bug"
			m.runCommand(line, c.name, "fix the bug")
			if got := m.comp.Value(); got != line || m.pager != nil || m.dialogs.Active() || m.busy() {
				t.Errorf("%s: the prompt holds %q", line, got)
			}
		}
	})
}

// A command from a file has its name before a command that is only known by it elsewhere.
func TestFileBeforeAKnownName(t *testing.T) {
	if Taken("bug") || !Taken("feedback") {
		t.Error("a name from elsewhere is kept from files, or one of forge's is not")
	}
	table := append(commands(), command{name: "bug", filed: true})
	if c, _, ok := findCommand(table, "bug"); !ok || !c.filed {
		t.Errorf("/bug runs /%s", c.name)
	}
	l := &lines{o: testOptions(&fakeAgent{})}
	if got := l.known("bug"); got != "feedback" {
		t.Errorf("in lines /bug is %q", got)
	}
	l.o.FromFiles = &FromFiles{List: func(context.Context) mine.Set { return mine.Set{Commands: []mine.Command{{Name: "bug", Call: "bug"}}} }}
	if got, other := l.known("bug"), l.known("config"); got != "" || other != "settings" {
		t.Errorf("beside a file /bug is %q, /config %q", got, other)
	}
}

// /inline and /fullscreen say where to, and never go the other way.
func TestKnownNameSaysWhereTo(t *testing.T) {
	for name, inline := range map[string]bool{"inline": true, "fullscreen": false} {
		for _, now := range []bool{true, false} {
			bubble(t, func(t *testing.T) {
				o := testOptions(&fakeAgent{})
				o.Inline = now
				m := still(t, o, 80, 24)
				if m.runCommand("/"+name, name, ""); m.o.Inline != inline {
					t.Errorf("/%s went to inline %v", name, m.o.Inline)
				}
				if m.runCommand("/"+name+" full", name, wholeScreen); m.o.Inline {
					t.Errorf("/%s full does not", name)
				}
			})
		}
	}
}

func TestPlanCommand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		set := permission.ModeAsk
		o.SetMode = func(mode permission.Mode) { set = mode }
		m := still(t, o, 80, 24)
		m.runCommand("/plan", "plan", "")
		if set != permission.ModePlan || m.status.mode != permission.ModePlan {
			t.Errorf("the mode is %s, shown %s", set, m.status.mode)
		}
	})
}
