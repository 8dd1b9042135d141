package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/ui/cockpit"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/ledger"
)

// The scenes of questions, panels and lists.
func init() {
	for c, s := range map[keymap.Context]scene{
		keymap.List: func(m *Model) {
			var list []dialog.Entry
			for i := range 40 {
				list = append(list, dialog.Entry{Label: fmt.Sprint("entry ", i)})
			}
			p := dialog.NewPicker(m.th, "Choose", list, func(i int) tea.Cmd { return m.say(fmt.Sprint("chosen ", i)) })
			p.Keys = map[keymap.Action]func(int) tea.Cmd{
				keymap.ListRename: func(int) tea.Cmd { return m.say("rename") }, keymap.ListDelete: func(int) tea.Cmd { return m.say("delete") }}
			p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListFavorite: func(int) tea.Cmd { return m.say("marked") }, keymap.ListEarlier: func(int) tea.Cmd { return m.say("earlier") }, keymap.ListLater: func(int) tea.Cmd { return m.say("later") }}
			posed(m, p)
		},
		keymap.Ask:  func(m *Model) { asked(m, tools.Effect{Kind: tools.Exec, Command: long(60)}) },
		keymap.Note: func(m *Model) { asked(m, tools.Effect{Kind: tools.Exec, Command: "make"}); tap(m, "c", "w", "h", "y") },
		keymap.Review: func(m *Model) {
			asked(m, tools.Effect{Kind: tools.Write, Changes: []tools.Change{
				{Path: "a.txt", Op: tools.Modify, Before: []byte(numbered(40, 0)), After: []byte(numbered(40, 9))},
				{Path: "b.txt", Op: tools.Modify, Before: []byte(numbered(40, 0)), After: []byte(numbered(40, 7))}}})
			tap(m, "]")
		},
		keymap.Files: func(m *Model) { scenes[keymap.Review](m); tap(m, "l") },
		keymap.Hunk:  func(m *Model) { scenes[keymap.Review](m); tap(m, "e", "z") },
		keymap.Question: func(m *Model) {
			q := dialog.NewQuestion(m.th, tools.Question{Title: "Open?", Body: long(80), URL: "https://example.com/" + long(1),
				Choices: []tools.Choice{{ID: "ok", Key: "a", Label: "opened"}, {ID: "no", Key: "d", Label: "decline"}}}, replies(m))
			posed(m, q)
			tap(m, "pgdown")
		},
		keymap.Inquiry: func(m *Model) {
			q := tools.Question{Topics: []tools.Topic{
				{Header: "One", Text: long(30), Many: true, Options: []tools.Alternative{{Label: "a"}, {Label: "b"}, {Label: "c"}}},
				{Header: "Two", Text: "?", Options: []tools.Alternative{{Label: "a"}, {Label: "b"}}}}}
			posed(m, dialog.NewInquiry(m.th, q, replies(m)))
			tap(m, "down")
			m.View()
		},
		keymap.Form:   func(m *Model) { posed(m, form(m)); tap(m, "down") },
		keymap.Choice: func(m *Model) { posed(m, form(m)); tap(m, "tab", "tab", "right") },
		keymap.Takeback: func(m *Model) {
			rows := []dialog.TakebackRow{{Path: "kept.txt", What: "was changed since", Kept: true}}
			for i := range 40 {
				rows = append(rows, dialog.TakebackRow{Path: fmt.Sprint("file", i), What: "as before", Hunks: diff.Hunks([]byte("a\n"), []byte("b\n"))})
			}
			takeback(m, rows)
			tap(m, "pgdown")
		},
		keymap.Window: func(m *Model) {
			var items []ledger.Item
			for i := range 40 {
				items = append(items, ledger.Item{ID: fmt.Sprint(i), Group: "talk", Kind: "result", Name: fmt.Sprint("result ", i), Tokens: 100 + i*37%90})
			}
			m.o.Ledger = &Ledger{Act: func(ledger.Action) error { return nil }, Text: func(string) (string, error) { return "", nil }, Window: func() ledger.Window { return ledger.Window{} }}
			m.window = ledger.NewContext(ledger.Window{Items: items, Tokens: 9000, Size: 100_000})
			m.window.Keys = m.o.Keys
			m.View()
			m.window.Scroll(-20)
		},
		keymap.Servers: func(m *Model) { panel(m, "") },
		keymap.Server:  func(m *Model) { panel(m, "docs"); m.View(); tap(m, "down", "down") },
		keymap.Login: func(m *Model) {
			panel(m, "docs")
			m.servers.panel.SetLogin(&cockpit.Login{Server: "docs", URL: "https://example.com", Browser: true})
			m.o.Browser = func(string) error { return nil }
		},
	} {
		scenes[c] = s
	}
	for a, s := range map[keymap.Action]scene{
		keymap.AskOnce:          atEnd,
		keymap.AskSession:       atEnd,
		keymap.AskRule:          atEnd,
		keymap.AskUp:            func(m *Model) { tap(m, "down", "down"); m.View() },
		keymap.AskPageUp:        func(m *Model) { tap(m, "end"); m.View() },
		keymap.AskTop:           func(m *Model) { tap(m, "end"); m.View() },
		keymap.ReviewRestore:    func(m *Model) { tap(m, "x") },
		keymap.ReviewTakeNew:    clash,
		keymap.ReviewTakeOld:    clash,
		keymap.ReviewSplit:      func(m *Model) { m.Update(tea.WindowSizeMsg{Width: 160, Height: 40}) },
		keymap.QuestionOpen:     atEnd,
		keymap.QuestionTop:      func(m *Model) { tap(m, "end"); m.View() },
		keymap.InquiryTake:      func(m *Model) { tap(m, "space") },
		keymap.TakebackDo:       func(m *Model) { m.dialogs.Close(); takeback(m, []dialog.TakebackRow{{Path: "a", What: "as before"}}) },
		keymap.ServersUp:        func(m *Model) { tap(m, "down") },
		keymap.ServersTop:       func(m *Model) { tap(m, "down") },
		keymap.ServerPageUp:     func(m *Model) { tap(m, "end"); m.View() },
		keymap.ServerPageBefore: func(m *Model) { tap(m, "right") },
		keymap.ListUp:           func(m *Model) { tap(m, "pgdown") },
		keymap.ListPageUp:       func(m *Model) { tap(m, "pgdown", "pgdown") },
	} {
		props[a] = s
	}
}

// atEnd shows a question to its end.
func atEnd(m *Model) {
	for range 12 {
		tap(m, "pgdown")
		m.View()
	}
}

// stage is the dialog that was posed last.
var stage interface{ SetKeys(*keymap.Map) }

// rekey changes the keys of a screen that stands.
func rekey(m *Model, keys *keymap.Map) {
	m.o.Keys = keys
	m.comp.SetKeys(keys)
	if m.dialogs.Active() && stage != nil {
		stage.SetKeys(keys)
	}
	if m.window != nil {
		m.window.Keys = keys
	}
	if m.servers.panel != nil {
		m.servers.panel.Keys = keys
	}
}

// posed puts a dialog on the screen, armed, with what it works out done.
func posed(m *Model, d dialog.Dialog) {
	stage = d.(interface{ SetKeys(*keymap.Map) })
	work(m, m.dialogs.Push(unticked{d}))
	m.dialogs.Now = func() time.Time { return m.now.Add(time.Hour) }
	m.View()
}

// unticked is a dialog that nobody waits for.
type unticked struct{ dialog.Dialog }

func (unticked) Guarded() bool { return false }

func (u unticked) Start() tea.Cmd {
	if s, ok := u.Dialog.(interface{ Start() tea.Cmd }); ok {
		return s.Start()
	}
	return nil
}

func asked(m *Model, e tools.Effect) {
	e.Title = "do something"
	posed(m, dialog.NewAsk(m.th, permission.Request{ID: "1", Effect: e, Call: tools.Call{Name: "it"}, StoredIn: "forge.json",
		Grants: []permission.Grant{{Text: "make"}}, Rules: []string{"run_bash(make)"}},
		func(a permission.Answer) { m.say(fmt.Sprintf("%v %v %s", a.Allow, a.Scope, a.Reason)) }))
}

func replies(m *Model) func(tools.Reply) {
	return func(r tools.Reply) { m.say(fmt.Sprintf("replied %s %v", r.Choice, r.Values)) }
}

func form(m *Model) dialog.Dialog {
	options := []tools.Option{{Value: "a", Label: "alpha"}, {Value: "b", Label: "beta"}, {Value: "c", Label: "gamma"}}
	return dialog.NewQuestion(m.th, tools.Question{Title: "Fill in", Choices: []tools.Choice{{ID: "ok", Label: "send"}, {ID: "no", Label: "decline"}},
		Fields: []tools.Field{{Name: "x", Label: "X"}, {Name: "y", Label: "Y"}, {Name: "z", Label: "Z", Many: true, Options: options, Default: "a"}, {Name: "last", Label: "Last"}}}, replies(m))
}

func takeback(m *Model, rows []dialog.TakebackRow) {
	d := dialog.NewTakeback(m.th, "Take back?", false, rows, func() tea.Cmd { return m.say("taken back") })
	d.Less = func() tea.Cmd { return m.say("less") }
	posed(m, d)
}

func clash(m *Model) {
	m.dialogs.Close()
	text := "<<<<<<< proposed\none\n=======\ntwo\n>>>>>>> in the file now\n"
	asked(m, tools.Effect{Kind: tools.Write, Changes: []tools.Change{{Path: "a.txt", Op: tools.Modify, Before: []byte("zero\n"), After: []byte(text), Conflicts: 1}}})
}

// numbered is n lines, every third of which differs by what.
func numbered(n, what int) string {
	out := ""
	for i := range n {
		if i%12 == 3 {
			out += fmt.Sprintln("line", i, what)
		} else {
			out += fmt.Sprintln("line", i)
		}
	}
	return out
}

func panel(m *Model, open string) {
	var list []cockpit.Server
	for _, name := range []string{"docs", "files", "mail"} {
		s := cockpit.Server{Name: name, State: cockpit.Ready}
		for i := range 40 {
			s.Tools = append(s.Tools, cockpit.Tool{Remote: fmt.Sprint("tool", i), On: true, Switched: true})
		}
		list = append(list, s)
	}
	m.o.Servers = &Servers{Status: func() []cockpit.Server { return list }, Log: func(string) (string, error) { return "", nil }}
	m.servers.list = list
	m.cmdMCP(open)
}
