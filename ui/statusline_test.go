package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"forge/agent"
	"forge/tools/permission"
	"forge/ui/lang"
)

// lastLine is the line at the bottom.
func lastLine(m *Model) string {
	rows := strings.Split(shot(m), "\n")
	return rows[m.h-1]
}

// The line shows what it is told to, where it is told to; what must be seen is there
// whatever was left out.
func TestStatusLineIsArranged(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Status = []string{"branch", "folder", "nonsense", "|", "version", "gauge", "model", "branch"}
	o.Place = func() Place { return Place{Branch: "topic", Session: "20260102-030405-ab12", Title: "A name"} }
	m := still(t, o, 100, 24)
	work(m, m.readPlace())
	m.status.used = 25_000
	if got := strings.Join(strings.Fields(lastLine(m)), " "); got != "topic ~/project 0.1 ███░░░░░░░ 25% demo-1 · high" {
		t.Errorf("%q", got)
	}
	m.status.mode, m.status.sandbox = permission.ModeYolo, "none"
	m.status.wait("thinking", m.now)
	m.say("a word")
	for _, want := range []string{"yolo", "sandbox none", "thinking", "a word"} {
		if !strings.Contains(lastLine(m), want) {
			t.Errorf("no %q: %q", want, lastLine(m))
		}
	}
	for part, want := range map[string]string{"title": "A name", "session": "ab12", "time": "3 s"} {
		m.status.places = &arrangement{right: []string{part}}
		m.status.began = m.now.Add(-3 * time.Second)
		if !strings.HasSuffix(lastLine(m), want) {
			t.Errorf("%s: %q", part, lastLine(m))
		}
	}
	for _, part := range statusParts() { // every part can be drawn, and none breaks a narrow line
		m.status.places = &arrangement{left: []string{part[0]}}
		for _, w := range []int{20, 60} {
			if n := cellsOf(m.status.view(w, m.th, m.now, false)); n > w {
				t.Errorf("%s: %d cells of %d", part[0], n, w)
			}
		}
	}
}

// The list shows its result in the line at once; closing it keeps that, and the line as
// usual is no setting.
func TestStatusLineIsChosen(t *testing.T) { bubble(t, statusLineIsChosen) }

func statusLineIsChosen(t *testing.T) {
	stored := map[string]string{statusSetting: "old"}
	o := testOptions(&fakeAgent{})
	o.Settings = &Settings{
		Set:   func(name, value string) error { stored[name] = value; return nil },
		Unset: func(name string) error { delete(stored, name); return nil },
	}
	m := still(t, o, 100, 40)
	at := func(part string) {
		for range 40 {
			if strings.Contains(shot(m), "❯ "+part) {
				return
			}
			press(m, "down")
		}
		t.Fatalf("no %s:\n%s", part, shot(m))
	}
	work(m, m.runCommand("/statusline", "statusline", ""))
	at("version")
	press(m, "enter")
	has(t, lastLine(m), "0.1")
	places := len(usualStatus().left)
	has(t, shot(m), fmt.Sprintf("version ✓  left %d", places+1))
	for range places {
		tap(m, "shift+up")
	}
	if !strings.HasPrefix(lastLine(m), "0.1  ask") {
		t.Errorf("%q", lastLine(m))
	}
	at("model")
	press(m, "enter") // from the right: away
	if strings.Contains(lastLine(m), "demo-1") {
		t.Errorf("%q", lastLine(m))
	}
	work(m, m.key(keyMsg("esc")))
	var list []string
	if err := json.Unmarshal([]byte(stored[statusSetting]), &list); err != nil || list[0] != "version" || m.dialogs.Active() {
		t.Errorf("%v %v", stored, err)
	}
	work(m, m.runCommand("/statusline", "statusline", ""))
	at("as usual")
	press(m, "enter")
	work(m, m.key(keyMsg("esc")))
	if _, still := stored[statusSetting]; still || !strings.Contains(lastLine(m), "ask") {
		t.Errorf("%v %q", stored, lastLine(m))
	}
	work(m, m.runCommand("/statusline", "statusline", ""))
	delete(stored, statusSetting)
	if work(m, m.key(keyMsg("esc"))); len(stored) != 0 { // nothing was changed
		t.Errorf("%v", stored)
	}
	if _, ok := m.settingsMsg(settingKept{statusSetting, `["model"]`}); !ok || !strings.HasPrefix(lastLine(m), "demo-1") {
		t.Errorf("%q", lastLine(m))
	}
	lang.Use("zh")
	defer lang.Use(lang.English)
	work(m, m.runCommand("/statusline", "statusline", ""))
	has(t, shot(m), "状态栏")
}

// A command of the person's own is told how things stand when that changes, at most every
// 300 ms and never at rest; of what it writes the first line is shown, and nothing of it
// that is no colour reaches the terminal.
func TestStatusScript(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []facts
		var times []time.Time
		o := testOptions(&fakeAgent{script: func(ctx context.Context, _ agent.Prompt, sink agent.Sink) error {
			for i := range 10 { // changes fast
				sink(agent.TurnEnd{Used: 1000 * (i + 1), Window: 100_000})
				if err := pause(ctx, 100*time.Millisecond); err != nil {
					return err
				}
			}
			return nil
		}})
		o.StatusCommand = "mine"
		o.RunStatus = func(ctx context.Context, command string, in []byte) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			var f facts
			if err := json.Unmarshal(in, &f); err != nil || command != "mine" {
				t.Errorf("%s: %v", command, err)
			}
			told, times = append(told, f), append(times, time.Now())
			return "\x1b[2J\x1b]0;owned\x07\x1b[31mred\x1b[0m of " + f.Model.ID + "\x1b[10A\nsecond", nil
		}
		s := start(t, o, 80, 24)
		s.see("red of demo-1")
		if text := s.text(); strings.Contains(text, "second") || strings.Contains(s.raw.String(), "owned") {
			t.Errorf("%s", text)
		}
		time.Sleep(time.Second)
		mu.Lock()
		before := len(told)
		mu.Unlock()
		time.Sleep(time.Hour)
		mu.Lock()
		if len(told) != before {
			t.Errorf("%d runs at rest", len(told)-before)
		}
		mu.Unlock()
		s.send("go\r")
		time.Sleep(3 * time.Second)
		mu.Lock()
		for i := 1; i < len(times); i++ {
			if d := times[i].Sub(times[i-1]); d < scriptPause {
				t.Errorf("run %d came %v after the one before", i, d)
			}
		}
		last := told[len(told)-1]
		if n := len(told) - before; n < 3 || n > 6 || last.Window.Used != 10_000 || last.Window.Percent != 10 || last.Running || last.Mode != "ask" || last.Columns != 80 {
			t.Errorf("%d runs, the last of %+v", len(told)-before, last)
		}
		mu.Unlock()
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Forge waits for the command when it leaves, and says once why one fails.
func TestStatusScriptEndsAndFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.StatusCommand = "mine"
		ended := false
		o.RunStatus = func(ctx context.Context, _ string, _ []byte) (string, error) {
			<-ctx.Done()
			time.Sleep(time.Second) // it is asked, then killed
			ended = true
			return "", ctx.Err()
		}
		s := start(t, o, 80, 24)
		s.send("\x04")
		if err := s.wait(); err != nil || !ended {
			t.Errorf("%v, ended %v", err, ended)
		}

		m := still(t, o, 80, 24)
		for range 2 {
			m.scripted(scriptSaid{command: "mine", err: errors.New("exit status 1: \x1b[2Jno \x1b]0;owned\x07jq")})
		}
		if m.flashes != 1 {
			t.Errorf("said %d times", m.flashes)
		}
		has(t, shot(m), "the command of the status line: exit status 1: no jq")
	})
}

// The window's title says what it is told to.
func TestTitleShows(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Getenv = func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] }
	o.Place = func() Place { return Place{Branch: "topic"} }
	m := still(t, o, 80, 24)
	if got := m.title(); got != "forge ~/project" {
		t.Errorf("%q", got)
	}
	m.settingsMsg(settingKept{titleSetting, `["folder", "branch", "model", "mode"]`})
	work(m, m.readPlace())
	if got := m.title(); got != "forge project topic demo-1 ask" {
		t.Errorf("%q", got)
	}
}
