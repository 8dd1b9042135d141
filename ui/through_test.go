package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/cockpit"
	"forge/ui/ledger"
)

// What is written while the transcript is read, and is no key of it, begins words for
// the prompt: a letter, what an input method commits, a paste.
func TestWritingWhileTheTranscriptIsRead(t *testing.T) {
	focused := func() *Model {
		m := still(t, testOptions(&fakeAgent{}), 80, 24)
		tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "an answer"}, agent.RunEnd{})
		do(m, "tab")
		if m.reads == nil {
			t.Fatal("nothing is read")
		}
		return m
	}
	for _, c := range []struct {
		msg  tea.Msg
		want string
	}{
		{keyMsg("w"), "w"},
		{keyMsg("W"), "W"},
		{keyMsg("@"), "@"},
		{keyMsg("7"), "7"},
		{tea.KeyPressMsg{Code: '你', Text: "你"}, "你"},
		{tea.KeyPressMsg{Code: tea.KeyExtended, Text: "你好"}, "你好"},
		{tea.PasteMsg{Content: "jk pasted"}, "jk pasted"},
	} {
		m := focused()
		m.Update(c.msg)
		if m.reads != nil || m.comp.Value() != c.want {
			t.Errorf("%v: the prompt has %q, still read: %v", c.msg, m.comp.Value(), m.reads != nil)
		}
	}
	m := focused()
	do(m, "k", "space", "j")
	if m.reads == nil || !m.comp.Empty() {
		t.Error("keys of the transcript went to the prompt")
	}

	m = focused()
	m.comp.SetVim(true)
	m.comp.SetValue("one two") // it was written before
	m.comp.Update(keyMsg("esc"))
	m.reads = &reading{}
	m.Update(keyMsg("x"))
	if m.reads == nil || m.comp.Value() != "one two" || m.status.flash == "" {
		t.Errorf("a letter was a command of vi: %q, said %q", m.comp.Value(), m.status.flash)
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: "你好"})
	if m.reads != nil || len(m.comp.Value()) != len("one two你好") {
		t.Errorf("what the input method committed is lost: %q", m.comp.Value())
	}
}

// So it does while something lies over the transcript: a command typed there is not half
// lost, half taken for keys, and a paste is not dropped.
func TestWritingOverWhatLiesThere(t *testing.T) {
	open := map[string]func(*testing.T) *Model{
		"help": func(t *testing.T) *Model {
			m := still(t, testOptions(&fakeAgent{}), 80, 24)
			m.cmdHelp("")
			return m
		},
		"servers": func(t *testing.T) *Model {
			o := testOptions(&fakeAgent{})
			f := &fleet{list: []cockpit.Server{{Name: "docs", State: cockpit.Ready}}, feed: o.Feed}
			o.Servers = f.options()
			m := still(t, o, 80, 24)
			m.servers.list = f.list
			m.cmdMCP("")
			return m
		},
		"window": func(t *testing.T) *Model {
			m := still(t, testOptions(&fakeAgent{}), 80, 24)
			m.window = ledger.NewContext(newFakeWindow().ledger().Window())
			m.window.Keys = m.o.Keys
			return m
		},
	}
	for name, open := range open {
		for _, c := range []struct {
			msg  tea.Msg
			want string
		}{
			{keyMsg("W"), "W"},
			{keyMsg("@"), "@"},
			{keyMsg("/"), "/"},
			{tea.KeyPressMsg{Code: tea.KeyExtended, Text: "你好"}, "你好"},
			{tea.PasteMsg{Content: "dr pasted"}, "dr pasted"},
		} {
			if name == "help" && c.want == "/" {
				continue // it finds words there
			}
			m := open(t)
			if !m.covered() {
				t.Fatalf("%s: nothing lies over the transcript", name)
			}
			m.Update(c.msg)
			if m.covered() || m.comp.Value() != c.want {
				t.Errorf("%s, %v: the prompt has %q, still covered: %v", name, c.msg, m.comp.Value(), m.covered())
			}
		}
		m := open(t)
		do(m, "down", "pgdown")
		if !m.covered() || !m.comp.Empty() {
			t.Errorf("%s: its keys went to the prompt", name)
		}
	}
}
