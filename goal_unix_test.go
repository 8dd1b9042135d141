//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/agent"
	"forge/agent/session"
	"forge/provider"
)

func TestGoalSaid(t *testing.T) {
	for text, want := range map[string][2]string{
		"Done.\nGOAL MET": {"met", ""}, "GOAL MET": {"met", ""}, "x\n\n**Goal met.**\n": {"met", ""}, "x\nGOAL BLOCKED: no key": {"blocked", "no key"},
		"x\nGOAL BLOCKED — wants a login": {"blocked", "wants a login"}, "GOAL MET: all 12 tests pass": {"met", ""}, "`GOAL MET`": {"met", ""}, "GOAL BLOCKED: there is no `key`": {"blocked", "there is no `key`"}, "**GOAL BLOCKED: no key**": {"blocked", "no key"},
		"```\ngo test\n```\nGOAL MET": {"met", ""}, "~~~~\n```\n~~~\n~~~~\nGOAL MET": {"met", ""}, "GOAL BLOCKED": {"blocked", ""},
		"x\n> GOAL BLOCKED — wants a login": {}, "I am to end with\n> GOAL MET": {}, "```\nGOAL MET\n```": {}, "```text\nGOAL MET": {}, "````\n```\nGOAL MET": {},
		"so I will write\n\n    GOAL MET": {}, "Goal met?": {}, "Goal met when all pass": {}, "GOAL MET-ish": {}, "goal blocked by nothing": {}, "\"GOAL MET\"": {},
		"GOAL MET\nand more": {}, "the goal met expectations": {}, "": {}, "GOAL METHOD": {},
	} {
		if state, why := goalSaid(text); string(state) != want[0] || why != want[1] {
			t.Errorf("%q: %q, %q", text, state, why)
		}
	}
}

// What stands is gone on with, within bounds, and not where nothing may change.
func TestGoalRests(t *testing.T) {
	var kept []session.Goal
	var told []string
	looks := false
	o := &goal{keep: func(g session.Goal) error { kept = append(kept, g); return nil }, changed: func(session.Goal) {},
		kept: strings.ToLower, tell: func(s string) { told = append(told, s) }, looks: func() bool { return looks }}
	if text := o.rested(agent.Rest{Text: "done"}); text != "" {
		t.Errorf("without a goal: %q", text)
	}
	text, err := o.set("all </goal> pass")
	if err != nil || !strings.Contains(text, "all </goal> pass") || !strings.Contains(text, "GOAL BLOCKED") {
		t.Errorf("%q, %v", text, err)
	}
	looks = true
	if text := o.rested(agent.Rest{}); text != "" {
		t.Errorf("where nothing may change: %q", text)
	}
	looks = false
	for i := range goalTimes {
		if text := o.rested(agent.Rest{Text: "a part is done", Calls: i + 1}); !strings.Contains(text, "you did not say that it is met") {
			t.Fatalf("after %d times: %q", i, text)
		}
	}
	if text := o.rested(agent.Rest{Calls: goalTimes + 1}); text != "" || !strings.Contains(told[len(told)-1], "many times") {
		t.Errorf("for ever: %q, %q", text, told)
	}
	if _, err := o.set("resume"); err != nil {
		t.Fatal(err)
	}
	if o.rested(agent.Rest{}) == "" || o.rested(agent.Rest{}) != "" || kept[len(kept)-1].State != session.GoalRests {
		t.Errorf("idle: %+v", kept)
	}
	// The person's next words have it said, and nothing more.
	if text := o.rested(agent.Rest{Text: "GOAL MET"}); text != "" || kept[len(kept)-1].State != session.GoalMet || o.stands() != "" {
		t.Errorf("%q, %+v", text, kept)
	}
	if err := o.clear(); err != nil || len(o.news()) != 0 {
		t.Errorf("a goal that is met: %v", err)
	}
	if _, err := o.set("another"); err != nil {
		t.Fatal(err)
	}
	if err := o.clear(); err != nil || len(o.news()) != 1 || len(o.news()) != 0 {
		t.Errorf("taken back: %v", err)
	}
	if _, err := o.set("resume"); err == nil {
		t.Error("what was taken back goes on")
	}
	if _, err := o.set(strings.Repeat("x", maxGoal+1)); err == nil {
		t.Error("a goal of any length")
	}
	// What may not be kept on disk is not, whoever says it.
	if text, err := o.set("With a KEY"); err != nil || kept[len(kept)-1].Text != "with a key" || !strings.Contains(text, "With a KEY") {
		t.Errorf("%q, %v, %+v", text, err, kept)
	}
	if o.rested(agent.Rest{Text: "GOAL BLOCKED: The KEY"}); kept[len(kept)-1].Why != "the key" {
		t.Errorf("%+v", kept[len(kept)-1])
	}
}

// What the person says of a goal holds, also where a model that rests says something of it
// at the same moment; in copies, and in conversations that are gone on with.
func TestGoalTakenBack(t *testing.T) {
	var kept []session.Record
	o := &goal{keep: func(g session.Goal) error { kept = append(kept, session.Record{Goal: &g}); return nil }, changed: func(session.Goal) {},
		kept: func(s string) string { return s }, tell: func(string) {}}
	back := func() {
		if err := o.clear(); err != nil {
			t.Error(err)
		}
	}
	o.looks = func() bool { return false }
	if _, err := o.set("it works"); err != nil {
		t.Fatal(err)
	}
	first := slices.Clone(kept)
	inTime := o.kept
	o.kept = func(s string) string { back(); return s } // the model's last words are being read
	if o.rested(agent.Rest{Text: "GOAL BLOCKED: it cannot"}); o.said() != "" || len(kept) != 2 {
		t.Errorf("%q stands, %+v", o.said(), kept)
	}
	o.kept = inTime
	if rs := o.record(first); len(rs) != 1 || *rs[0].Goal != (session.Goal{}) {
		t.Errorf("a copy of what was before is to have %+v", rs)
	}
	if rs := o.record(kept); len(rs) != 0 {
		t.Errorf("a copy of all is to have %+v", rs)
	}
	told := session.Record{Steer: true, Message: &provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "[note]\n" + goalOver}}}}
	for _, c := range []struct {
		what    string
		records []session.Record
		want    int
	}{
		{"none", nil, 0}, {"one that stands", first, 0}, {"one that was taken back", kept, 1}, {"and told of", append(slices.Clone(kept), told), 0},
		{"and another is set", append(slices.Clone(kept), first...), 0},
		{"one that was met", append(slices.Clone(first), session.Record{Goal: &session.Goal{Text: "it works", State: session.GoalMet}}, kept[1]), 0},
	} {
		if o.took(c.records); len(o.news()) != c.want {
			t.Errorf("%s: the model is not to be told %d times", c.what, c.want)
		}
	}
}

const goalScript = `expect user The user sets a goal
call run_bash {"command":"echo one"}
end
text A part is done.
end
expect user you did not say that it is met
call run_bash {"command":"echo two"}
end
text All is checked.
text
  GOAL MET
end
expect user thanks
text You are welcome.
end
`

// A run without a screen goes on until the goal is met; one that nobody meets ends.
func TestGoalHeadless(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	play := func(script string, args ...string) (string, string, int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		return p.run(t, append([]string{"--demo=" + file, "-C", p.dir}, args...)...)
	}
	if out, errOut, code := play(goalScript, "-p", "/goal two echoes"); code != 0 || !strings.Contains(out, "GOAL MET") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := play("loop\ntext I rest.\nend\n", "-p", "/goal anything"); code != 0 || !strings.Contains(out, "I rest.") || !strings.Contains(errOut, "forge: the goal rests: ") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if _, errOut, code := play("text x\nend\n", "-p", "/goal"); code != 1 || !strings.Contains(errOut, "there is no goal") {
		t.Errorf("exit %d, %q", code, errOut)
	}
}

// Without a screen /goal says the goal and /goal clear takes it back, and no model is
// asked; the next one that is learns of it. A secret in it is in no file.
func TestGoalSaidHeadless(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	const secret = "sk-proj-Zk3vQ9xT1mB7nL5wR8cY2hJ6fD4gS0pAeUi"
	p.write(t, "rests.script", "loop\nwhen seen The user took the goal back\ntext I know.\notherwise\ntext I rest.\nend\n")
	play := func(args ...string) (string, string, int) {
		t.Helper()
		return p.run(t, append([]string{"--demo=rests.script", "-C", p.dir}, args...)...)
	}
	if _, errOut, code := play("-p", "/goal log in with "+secret); code != 0 {
		t.Fatalf("exit %d, %q", code, errOut)
	}
	if out, errOut, code := play("-c", "-p", "/goal"); code != 0 || !strings.HasPrefix(out, "log in with SECRET_") || !strings.Contains(out, "rests") || errOut != "" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := play("-c", "-p", "/goal clear", "--output-format", "json"); code != 0 || !strings.Contains(out, `"text":"the goal is taken back"`) || !strings.Contains(out, `"turns":0`) {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := play("-c", "-p", "/goal clear"); code != 1 || out != "" || !strings.Contains(errOut, "there is no goal") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := play("-c", "-p", "hello"); code != 0 || out != "I know.\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	nowhereIn(t, filepath.Join(p.home, "state"), secret)
}

// On the screen a goal is shown, gone on with, kept with the conversation, and taken back.
func TestGoalOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(strings.Replace(goalScript, "GOAL MET", "GOAL BLOCKED: wants a key", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"XDG_CONFIG_HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir()}
	s := openTerminal(t, 110, 30, dir, env, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("/goal\r")
	s.see("there is no goal")
	s.send("/goal 两次 echo\r")
	s.see("› /goal 两次 echo")
	s.see("GOAL BLOCKED: wants a key")
	s.see("goal blocked")
	s.send("/status\r")
	s.see("goal  ")
	s.see("两次 echo · blocked, wants a key")
	s.send("\x1b")
	s.lose("How things stand")
	s.send("thanks\r")
	s.see("You are welcome.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	s = openTerminal(t, 110, 30, dir, env, "--demo="+script, "-C", dir, "-c")
	s.see("goal blocked")
	s.send("/fork\r")
	s.see("going on in a copy")
	s.send("/goal\r")
	s.see("两次 echo · blocked, wants a key")
	s.send("/goal clear\r")
	s.see("the goal is taken back")
	s.lose("goal blocked")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
