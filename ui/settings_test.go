package ui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/tools/permission"
	"forge/ui/lang"
)

// A setting is chosen, changed and shown as it is then; a value that is refused is
// told about, and nothing else happens.
func TestSettings(t *testing.T) {
	defer lang.Use(lang.English)
	bubble(t, func(t *testing.T) {
		values := map[string]string{"wire": "openai"}
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{File: "~/forge.json",
			List: func() []Setting {
				return []Setting{{Name: "wire", About: "what base_url speaks", Words: []string{"openai", "anthropic"}, Value: values["wire"], Source: "~/forge.json"},
					{Name: "model", About: "the model's ID", Value: values["model"], Default: "the model last used"},
					{Name: "theme", Value: values["theme"]}}
			},
			Set: func(name, value string) error {
				if value == "bad" {
					return errors.New("it is none")
				}
				values[name] = value
				return nil
			},
			Unset: func(name string) error { delete(values, name); return nil },
		}
		m := still(t, o, 80, 24)
		work(m, m.runCommand("/settings", "settings", ""))
		if text := shot(m); !strings.Contains(text, "wire  openai (~/forge.json) · what base_url speaks") || !strings.Contains(text, "model  unset: the model last used") {
			t.Fatalf("%s", text)
		}
		work(m, m.key(keyMsg("enter"))) // wire
		work(m, m.key(keyMsg("down")))
		work(m, m.key(keyMsg("enter")))
		if values["wire"] != "anthropic" || !strings.Contains(shot(m), "wire ✓  anthropic") {
			t.Errorf("%v\n%s", values, shot(m))
		}
		work(m, m.key(keyMsg("esc")))

		work(m, m.storeSettingTest("model", "bad"))
		if values["model"] != "" || !strings.Contains(shot(m), "not stored: it is none") {
			t.Errorf("%v\n%s", values, shot(m))
		}
		work(m, m.storeSettingTest("theme", "light"))
		if m.o.Theme != "light" {
			t.Errorf("%s\n%s", m.o.Theme, shot(m))
		}
		work(m, m.key(keyMsg("esc")))
		for _, key := range strings.Split("/settings th", "") {
			if key == " " {
				work(m, m.key(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}))
				continue
			}
			work(m, m.key(keyMsg(key)))
		}
		has(t, shot(m), "› theme")
		work(m, m.key(keyMsg("tab")))
		if got := m.comp.Value(); got != "/settings theme" || m.searchSetting("theme") != nil {
			t.Errorf("completed to %q", got)
		}
		m.comp.Reset()
		work(m, m.runCommand("/settings nonsense", "settings", "nonsense"))
		if m.dialogs.Active() {
			t.Errorf("%s", shot(m))
		}
	})
}

func (m *Model) storeSettingTest(name, value string) tea.Cmd {
	return m.keepSetting(Setting{Name: name}, value)
}

// Another language is there at once, in what is drawn and in the menu.
func TestLangLive(t *testing.T) {
	defer lang.Use(lang.English)
	bubble(t, func(t *testing.T) {
		stored := ""
		o := testOptions(&fakeAgent{})
		o.Settings = &Settings{Set: func(name, value string) error { stored = name + "=" + value; return nil }}
		m := still(t, o, 80, 24)
		if !strings.Contains(shot(m), "? for keys") {
			t.Fatal(shot(m))
		}
		work(m, m.runCommand("/lang zh", "lang", "zh"))
		if text := shot(m); !strings.Contains(text, "? 查看按键") || !strings.Contains(text, "说出你的需求") || stored != "lang=zh" {
			t.Errorf("%s\n%s", stored, text)
		}
		typeText(m, "/hel")
		if text := shot(m); !strings.Contains(text, "按键与命令") {
			t.Error(text)
		}
		for _, row := range strings.Split(shot(m), "\n") {
			if cellsOf(row) > 80 {
				t.Errorf("%d cells: %s", cellsOf(row), row)
			}
		}
		m.comp.Reset()
		work(m, m.runCommand("/lang tlh", "lang", "tlh"))
		if lang.Tag() != "zh" || !strings.Contains(shot(m), "没有语言") {
			t.Errorf("%s\n%s", lang.Tag(), shot(m))
		}
		work(m, m.runCommand("/lang en", "lang", "en"))
		if text := shot(m); !strings.Contains(text, "? for keys") {
			t.Error(text)
		}
	})
}

// What may run is listed, and what is the person's is taken back on a second Enter.
func TestPermissionsAndTools(t *testing.T) {
	bubble(t, func(t *testing.T) {
		revoked, on := false, true
		o := testOptions(&fakeAgent{})
		var mode permission.Mode
		o.SetMode = func(m permission.Mode) { mode = m }
		o.Powers = func() []Power {
			if revoked {
				return nil
			}
			return []Power{{Text: "run go test", Detail: "granted for this session", Revoke: func() error { revoked = true; return nil }}}
		}
		o.Tools = func() []ToolChoice {
			return []ToolChoice{{Name: "grep", Owner: "forge", About: "finds", Tokens: 200, On: on}, {Name: "far", Owner: "docs", Tokens: 900, On: true, Deferred: true}}
		}
		o.SwitchTool = func(name string, to bool) error { on = to; return nil }
		m := still(t, o, 80, 24)
		work(m, m.runCommand("/permissions", "permissions", ""))
		if text := shot(m); !strings.Contains(text, "mode ask") || !strings.Contains(text, "run go test  granted for this session") {
			t.Fatalf("%s", text)
		}
		for _, k := range []string{"down", "enter", "down", "enter"} {
			work(m, m.key(keyMsg(k)))
		}
		if !revoked || strings.Contains(shot(m), "run go test") {
			t.Errorf("%v\n%s", revoked, shot(m))
		}
		for _, k := range []string{"enter", "down", "down", "enter"} { // the mode
			work(m, m.key(keyMsg(k)))
		}
		if mode != permission.ModePlan || m.dialogs.Active() {
			t.Errorf("%s\n%s", mode, shot(m))
		}
		work(m, m.runCommand("/tools", "tools", ""))
		if text := shot(m); !strings.Contains(text, "Tools: 200 tokens of each request") || !strings.Contains(text, "far  found by search · 900 tokens · docs") {
			t.Errorf("%s", text)
		}
		work(m, m.key(keyMsg("enter")))
		if on || !strings.Contains(shot(m), "❯ grep  off · 200 tokens") || !strings.Contains(shot(m), "Tools: 0 tokens") {
			t.Errorf("%v\n%s", on, shot(m))
		}
	})
}

// A value that is refused stands in the form again, with the reason, to be mended.
func TestARefusedSettingIsThereToBeMended(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		stored := ""
		o.Settings = &Settings{
			List: func() []Setting { return []Setting{{Name: "max_turns", About: "model calls", Value: stored}} },
			Set: func(_, value string) error {
				if value != "12" {
					return errors.New("it is none")
				}
				stored = value
				return nil
			},
		}
		s := start(t, o, 80, 24)
		s.send("/settings max_turns\r")
		s.see("model calls")
		s.send("1x\r")
		s.see("not stored: it is none")
		s.see("1x")
		s.send("\x7f2\r")
		s.see("max_turns is stored")
		if stored != "12" {
			t.Errorf("stored %q", stored)
		}
		s.send("\x1b")
		s.gone("type to filter")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
