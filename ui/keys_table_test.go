package ui

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/clipboard"
	"forge/ui/keymap"
	"forge/ui/reader"
	"forge/ui/theme"
)

// A scene is a screen in which an action can be seen to be done.
type scene func(m *Model)

// scenes are what a context needs before one of its keys is pressed, and what single
// actions need besides.
var (
	scenes = map[keymap.Context]scene{
		keymap.Screen:  func(m *Model) { talked(m); m.comp.SetValue("some words") },
		keymap.Empty:   talked,
		keymap.Suggest: func(m *Model) { talked(m); m.comp.SetGhost("mend the tests", "") },
		keymap.Running: func(m *Model) {
			m.o.Background = func(context.Context) int { return 1 }
			m.o.MoreTime = func() int { return 1 }
			tell(m, agent.UserMessage{Text: "build"}, agent.ToolStart{ID: "9", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "make", Limit: time.Minute}},
				agent.ToolRunning{ID: "9"})
		},
		keymap.Prompt: func(m *Model) { m.comp.SetValue("one two\nthree four five\nsix seven"); m.comp.Seek(16) },
		keymap.Menu:   func(m *Model) { typeText(m, "/m") },
		keymap.Read:   func(m *Model) { talked(m); m.read(); m.tr.step(-1, anyMatter); m.tr.step(-1, anyMatter) },
		keymap.Pager:  func(m *Model) { m.pager = longPager(); m.View(); m.pager.top = 40 },
		keymap.Line: func(m *Model) {
			m.pager = longPager()
			m.View()
			m.pager.line = &line{label: "/", text: "word", typed: func(s string) tea.Cmd { m.pager.look(s); return nil },
				done: func(s string) tea.Cmd { m.pager.look(s); return nil }, left: func() { m.pager.look("") }}
		},
	}
	props = map[keymap.Action]scene{
		keymap.PageDown:      atTop,
		keymap.HalfDown:      atTop,
		keymap.RowDown:       atTop,
		keymap.End:           atTop,
		keymap.PromptAfter:   atTop,
		keymap.EmptyEnd:      atTop,
		keymap.EmptyRowDown:  atTop,
		keymap.AskRead:       func(m *Model) { talked(m); m.asks[&ask{}] = "1" },
		keymap.EmptyRecall:   func(m *Model) { m.queue = []string{"what waits"} },
		keymap.Todos:         func(m *Model) { m.todos = []Todo{{Text: "a thing to do", State: "pending"}} },
		keymap.Expand:        func(m *Model) { m.comp.Reset(); m.comp.Paste(long(30)) },
		keymap.Complete:      func(m *Model) { typeText(m, " @m"); tap(m, "esc"); m.comp.SetValue("/mod") },
		keymap.Yank:          cutTwice,
		keymap.YankEarlier:   func(m *Model) { cutTwice(m); tap(m, "ctrl+y") },
		keymap.Undo:          cutTwice,
		keymap.Redo:          func(m *Model) { cutTwice(m); tap(m, "ctrl+_") },
		keymap.Copy:          func(m *Model) { tap(m, "shift+left") },
		keymap.Cut:           func(m *Model) { tap(m, "shift+left") },
		keymap.ReadCopyCode:  func(m *Model) { m.tr.focus = nil; m.tr.toTop(); m.tr.step(1, anyMatter); m.tr.step(1, anyMatter) },
		keymap.ReadHitNext:   readHits,
		keymap.ReadHitBefore: readHits,
		keymap.ReadHalfDown:  atTop,
		keymap.ReadStop: func(m *Model) {
			m.o.Crew.Stop = func([]string) bool { return true }
			hired(m, "a")
			m.tr.toEnd()
			m.View()
			m.tr.focus = nil
			m.tr.step(-1, anyMatter)
		},
		keymap.ReadTerminal: func(m *Model) {
			ranMake(m)
			m.tr.toEnd()
			m.tr.focus = nil
			m.tr.step(-1, anyMatter)
		},
		keymap.PagerTerminal:  func(m *Model) { m.pager.of = ranMake(m) },
		keymap.ReadEnd:        func(m *Model) { m.tr.toTop(); m.tr.focus = nil; m.tr.step(1, anyMatter) },
		keymap.PagerHitNext:   pagerHits,
		keymap.PagerHitBefore: pagerHits,
		keymap.PagerLeft:      func(m *Model) { tap(m, "w"); m.View(); tap(m, "right") },
		keymap.PagerRight:     func(m *Model) { tap(m, "w"); m.View() },
		keymap.PagerOther: func(m *Model) {
			m.pager.other = func() *pager { return &pager{title: "the other", draw: m.pager.draw} }
		},
		keymap.PagerResume:    func(m *Model) { m.pager.resume = func() tea.Cmd { return m.say("gone on with") } },
		keymap.ReadPromptNext: func(m *Model) { m.tr.toTop(); m.tr.focus = nil; m.tr.step(1, anyMatter) },
	}
)

func atTop(m *Model) { m.tr.toTop(); m.View() }

func cutTwice(m *Model) { tap(m, "ctrl+w", "left", "ctrl+w") }

func readHits(m *Model) {
	m.reads.hits = reader.Hits{}
	m.look("needle1")
}

func pagerHits(m *Model) { m.pager.look("word 7") }

func longPager() *pager {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "word %d %s\n", i, strings.Repeat("and more ", 20))
	}
	text := b.String() + "```\ncode\n```\n"
	return &pager{title: "a long thing", text: text, file: "thing.txt", draw: func(th *theme.Theme, w int) []string { return wrap(text, w, th.Text) }}
}

// acted is everything that can be seen of a screen, and what it has begun.
func (s scene) acted(t *testing.T, keys *keymap.Map, also scene, strokes ...string) string {
	t.Helper()
	o := testOptions(&fakeAgent{script: func(context.Context, agent.Prompt, agent.Sink) error { return nil }})
	o.History = []string{"what was asked before", "and after that"}
	o.Pictures = &Pictures{Clipboard: func(context.Context) (clipboard.Held, error) { return clipboard.Held{}, nil }}
	o.Clipboard = func(context.Context, string) error { return nil }
	o.Todos = func() []Todo { return nil }
	o.Models = func(context.Context) ([]ModelChoice, error) { return nil, nil }
	m := still(t, o, 80, 24)
	s(m)
	if also != nil {
		also(m)
	}
	m.View()
	rekey(m, keys)
	var begun []string
	for _, k := range strokes {
		_, cmd := m.Update(namedKey(k))
		begun = append(begun, commandNames(cmd)...)
	}
	rekey(m, keymap.Default()) // what is shown of keys is not what is compared
	if m.pager != nil && m.pager.title == "Keys and commands" {
		m.pager.list, m.pager.draw = nil, func(*theme.Theme, int) []string { return nil }
	}
	v := m.View()
	caret := ""
	if v.Cursor != nil {
		caret = fmt.Sprint(v.Cursor.Position)
	}
	_, x, y := m.comp.View(80, 8)
	return strings.Join([]string{v.Content, caret, fmt.Sprint(m.comp.Value(), x, y, m.prefix, m.reads != nil, m.tr.top, m.tr.follow), strings.Join(begun, " ")}, "\n")
}

// namedKey is the press of a key by its name in the map.
func namedKey(name string) tea.KeyPressMsg {
	var k tea.Key
	rest := name
	for mod, bit := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift, "super+": tea.ModSuper} {
		if strings.Contains(rest, mod) {
			rest, k.Mod = strings.Replace(rest, mod, "", 1), k.Mod|bit
		}
	}
	codes := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
		"insert": tea.KeyInsert, "space": tea.KeySpace, "f2": tea.KeyF2, "f9": tea.KeyF9}
	if c, ok := codes[rest]; ok {
		if k.Code = c; rest == "space" && k.Mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(rest)[0]
	if k.Mod == 0 {
		k.Text = rest
	}
	return tea.KeyPressMsg(k)
}

func tap(m *Model, keys ...string) {
	for _, k := range keys {
		m.Update(namedKey(k))
	}
}

// commandNames names the functions a command runs.
func commandNames(cmd tea.Cmd) []string {
	if cmd == nil {
		return nil
	}
	name := runtime.FuncForPC(reflect.ValueOf(cmd).Pointer()).Name()
	if strings.Contains(name, "submit") { // it only makes a message
		name += fmt.Sprint(cmd())
	}
	if strings.Contains(name, "polish") { // finer rows of what is shown already
		return nil
	}
	if !strings.Contains(name, "compactCmds") {
		return []string{name}
	}
	var out []string
	for _, c := range cmd().(tea.BatchMsg) {
		out = append(out, commandNames(c)...)
	}
	return out
}

// Every key of the map does what the map says: a key that was taken away does not do
// it any more, and another key in its place does the same. An action nobody does
// makes no difference, and is found here.
func TestEveryKeyOfTheMap(t *testing.T) {
	for _, b := range keymap.Actions() {
		s, ok := scenes[b.Action.Context()]
		if !ok {
			t.Errorf("%s: no scene tries it", b.Action)
			continue
		}
		t.Run(string(b.Action), func(t *testing.T) { everyKey(t, s, props[b.Action], b) })
	}
}

func everyKey(t *testing.T, s, also scene, b keymap.Binding) {
	t.Helper()
	moved, wrong := keymap.New([]keymap.Entry{{Action: string(b.Action), Keys: append(slices.Clone(b.Keys), "f9")}}) // hints go on naming the first
	without, more := keymap.New([]keymap.Entry{{Action: string(b.Action)}})
	if wrong = append(wrong, more...); len(wrong) > 0 {
		t.Fatalf("%v", wrong)
	}
	want := s.acted(t, moved, also, "f9")
	still := s.acted(t, moved, also)
	if want == still {
		t.Errorf("f9 in its place does nothing\n%s", want)
	}
	for _, k := range b.Keys {
		strokes := strings.Fields(k)
		if got := s.acted(t, keymap.Default(), also, strokes...); got != want {
			t.Errorf("%s does something else than f9 in its place:\n%s\n---\n%s", k, got, want)
		}
		if slices.Contains(without.Keys(b.Action), k) {
			continue // nobody can take it away
		}
		if got := s.acted(t, without, also, strokes...); got == want {
			t.Errorf("%s does the same when it is taken away:\n%s", k, got)
		}
	}
}
