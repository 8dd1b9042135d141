//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"forge/agent/config"
	"forge/agent/session"
	"forge/agent/skill"
	"forge/provider"
)

// skillText is a SKILL.md.
func skillText(name, about, body string) string {
	return "---\nname: " + name + "\ndescription: " + about + "\n---\n" + body + "\n"
}

// A model loads a skill of the person's and reads its files, which lie outside the
// workspace, without a question; what a project has waits for trust; without skills a
// request carries nothing of them.
func TestSkillsHeadless(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	p := newProgram(t, "HOME="+at)
	p.home = at
	play := func(script string, args ...string) (string, string, int) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		return p.run(t, append([]string{"--demo=" + file, "-C", p.dir}, args...)...)
	}
	none := "expect not tool skill\ntext Nothing of the kind.\nend\n"
	if out, errOut, code := play(none, "-p", "hi"); code != 0 || out != "Nothing of the kind.\n" || errOut != "" {
		t.Fatalf("without skills: exit %d, %q, %q", code, out, errOut)
	}
	p.write(t, ".claude/skills/theirs/SKILL.md", skillText("theirs", "of the project", "Theirs."))
	out, errOut, code := play(none, "-p", "hi")
	if code != 0 || !strings.Contains(errOut, "not trusted (--trust-workspace lets them): .claude/skills/theirs/SKILL.md") {
		t.Errorf("an untrusted one: exit %d, %q, %q", code, out, errOut)
	}
	if _, errOut, code = play(none, "-p", "/theirs"); code != 1 || !strings.Contains(errOut, ".claude/skills/theirs/SKILL.md is not trusted; read it") {
		t.Errorf("an untrusted one called: exit %d, %q", code, errOut)
	}
	folder := filepath.Join(p.home, ".agents", "skills", "pdf")
	p.write(t, filepath.Join(folder, "SKILL.md"), skillText("pdf", "fills forms", "Look into forms.md."))
	p.write(t, filepath.Join(folder, "forms.md"), "Forms are blue.")
	p.write(t, filepath.Join(p.home, ".agents", "secret"), "not to be read")
	script := `expect tool skill
call skill {"name":"pdf"}
end
expect result[skill] Look into forms.md.
call read_file {"path":"` + folder + `/forms.md"}
call read_file {"path":"` + p.home + `/.agents/secret"}
end
expect result[read_file] Forms are blue.
expect not result[read_file] not to be read
text It is blue.
end
`
	if out, errOut, code := play(script, "-p", "fill it"); code != 0 || out != "It is blue.\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	// The person calls one, and what it is called with stands in it.
	p.write(t, filepath.Join(folder, "SKILL.md"), "\xef\xbb\xbf---\r\nname: pdf\r\ndescription: fills forms\r\ndisable-model-invocation: true\r\n---\r\nFill $ARGUMENTS.\r\n")
	if out, errOut, code := play("expect not tool skill\nexpect user Fill form.pdf.\ntext Filled.\nend\n", "-p", "/pdf form.pdf"); code != 0 || out != "Filled.\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if out, errOut, code := play("expect user Theirs.\ntext Trusted.\nend\n", "--trust-workspace", "-p", "/theirs"); code != 0 || out != "Trusted.\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	for line, told := range map[string]bool{"/pfd form.pdf": false, "/skill:pfd form.pdf": true} { // the first may be a path, or anything
		if out, errOut, code := play("text Sent.\nend\n", "-p", line); code != 0 || out != "Sent.\n" || strings.Contains(errOut, "there is no command "+strings.Fields(line)[0]) != told {
			t.Errorf("%s: exit %d, %q, %q", line, code, out, errOut)
		}
	}
	// Sub-agents have it as the other tools.
	p.write(t, filepath.Join(folder, "SKILL.md"), skillText("pdf", "fills forms", "Look into forms.md."))
	agents := `call task {"agent":"general","prompt":"fill it","description":"fill"}
end
expect result[task] The agent is done.
text All done.
end
agent general
call skill {"name":"pdf"}
end
expect result[skill] Look into forms.md.
text The agent is done.
end
`
	if out, errOut, code := play(agents, "-p", "fill it"); code != 0 || out != "All done.\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	// The list says where each is from.
	p.write(t, ".agents/skills/pdf/SKILL.md", "---\nno colon\n---\n")
	out, errOut, code = p.run(t, "skills", "list", "--json", "-C", p.dir)
	var list []map[string]any
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 3 {
		t.Fatalf("exit %d, %q, %q, %v", code, out, errOut, err)
	}
	if list[0]["trusted"] != false || list[1]["file"] != filepath.Join(folder, "SKILL.md") || !strings.Contains(list[2]["fault"].(string), "no setting") {
		t.Errorf("%v", list)
	}
	if out, _, _ = p.run(t, "skills", "list", "--lang", "zh", "-C", p.dir); !strings.Contains(out, "不是技能") || !strings.Contains(out, "~/.agents/skills/pdf/SKILL.md") {
		t.Errorf("%q", out)
	}
}

// A skill of a folder above the workspace waits for an answer, is called by its name, is
// asked about again when it changed, and can be switched off.
func TestSkillsOnTheScreen(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", top).CombinedOutput(); err != nil {
		t.Skipf("no git: %s", out)
	}
	dir := filepath.Join(top, "part")
	filesIn(t, top, map[string]string{"part/main.txt": "x", ".agents/skills/部署/SKILL.md": skillText("部署", "部署这个项目", "Deploy (secret) to $ARGUMENTS."),
		"part/.forge/skills/near/SKILL.md": skillText("near", "the near one", "Near.")})
	env := commandModel(t)
	s := openTerminal(t, 80, 24, dir, env, "--provider", "openai", "-m", "demo", "-C", dir)
	s.see(".forge/skills/near/SKILL.md: is a skill")
	s.answer("Do you trust this folder?", "y")
	s.see(".agents/skills/部署/SKILL.md: is a skill")
	s.answer("Do you trust this folder?", "n")
	s.see("ask for something")
	s.send("/skills\r")
	s.see("部署  not trusted · ../.agents/skills/部署/SKILL.md")
	s.see("near  on · .forge/skills/near/SKILL.md")
	s.send("部署\r")
	s.see("› /部署")
	s.send("staging\r")
	s.answer("Do you trust this folder?", "y")
	s.see("› /部署 staging")
	s.see("It was sent.")
	filesIn(t, top, map[string]string{".agents/skills/部署/SKILL.md": skillText("部署", "部署这个项目", "Deploy (secret) elsewhere.")})
	s.send("/部署\r")
	s.see("It changed since you trusted it")
	s.answer("Do you trust this folder?", "n")
	s.see("is not trusted; nothing was run or sent")
	s.send("\x15/skills\r")
	s.see("near  on")
	s.send("near\x18")
	s.see("near  off")
	s.send("\x1b")
	s.lose("near  off")
	s.send("/near\r")
	s.see("no command /near")
	s.send("\x15\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	kept, err := os.ReadFile(filepath.Join(configOf(env), "forge.json"))
	if err != nil || !strings.Contains(string(kept), `"off": ["near"]`) {
		t.Errorf("%s, %v", kept, err)
	}
}

// Of several that are switched at once each is kept.
func TestSkillsSwitchedAtOnce(t *testing.T) {
	dir := t.TempDir()
	dirs := config.Dirs{Config: dir, State: dir}
	s := newSkills(dirs, &config.Config{}, t.TempDir(), false)
	var wg sync.WaitGroup
	var want []string
	for i := range 12 {
		name := fmt.Sprintf("skill-%02d", i)
		want = append(want, name)
		wg.Go(func() {
			if err := s.turn(name, false); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if c := config.Load(dirs.File(), ""); !slices.Equal(c.SkillsOff, want) || !slices.Equal(s.off, want) {
		t.Errorf("kept %q, held %q", c.SkillsOff, s.off)
	}
}

// Folders are asked about in the order their skills are found in, each once.
func TestBases(t *testing.T) {
	var set skill.Set
	var want []string
	for i := range 20 {
		base := fmt.Sprintf("/%02d", 20-i)
		want = append(want, base)
		for _, scope := range []skill.Scope{skill.User, skill.Project, skill.Project} {
			set.Skills = append(set.Skills, skill.Skill{Scope: scope, Base: base})
		}
	}
	if got := bases(set); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// What another forge switched stays so.
func TestSkillsSwitchedByTwo(t *testing.T) {
	dir := t.TempDir()
	dirs := config.Dirs{Config: dir, State: dir}
	one, two := newSkills(dirs, &config.Config{}, t.TempDir(), false), newSkills(dirs, &config.Config{}, t.TempDir(), false)
	for _, step := range []struct {
		s    *skills
		name string
		on   bool
		want string
	}{{one, "a", false, "a"}, {two, "b", false, "a b"}, {two, "a", true, "b"}, {one, "c", false, "b c"}, {two, "b", true, "c"}, {one, "c", true, ""}} {
		if err := step.s.turn(step.name, step.on); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(config.Load(dirs.File(), "").SkillsOff, " "); got != step.want || strings.Join(step.s.off, " ") != step.want {
			t.Errorf("%s %v: kept %q, held %q, want %q", step.name, step.on, got, step.s.off, step.want)
		}
	}
}

// What quotes a skill has loaded none: a file that a prompt named, or another tool.
func TestAQuotedSkillIsNotLoaded(t *testing.T) {
	const text = "<skill name=%q folder=\"/x\">\nDo.\n</skill>"
	message := func(role provider.Role, blocks ...provider.Block) session.Record {
		return session.Record{Message: &provider.Message{Role: role, Blocks: blocks}}
	}
	result := func(id, text string) provider.Block {
		return provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: text}}}
	}
	s := newSkills(config.Dirs{}, &config.Config{}, t.TempDir(), false)
	s.took([]session.Record{
		message(provider.User, provider.Text{Text: fmt.Sprintf(text, "called")}, provider.Text{Text: "<attached from=\"a\">\n" + fmt.Sprintf(text, "attached")}),
		message(provider.Assistant, provider.ToolUse{ID: "1", Name: "skill"}, provider.ToolUse{ID: "2", Name: "read_file"}),
		message(provider.User, result("1", fmt.Sprintf(text, "asked")+fmt.Sprintf(text, "inside")), result("2", fmt.Sprintf(text, "read"))),
	})
	if want := []string{"asked", "called"}; !slices.Equal(s.loaded, want) {
		t.Errorf("loaded %q, want %q", s.loaded, want)
	}
}

// In lines /skills says them, and switches one.
func TestSkillsInLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := commandModel(t)
	filesIn(t, configOf(env), map[string]string{"skills/pdf/SKILL.md": skillText("pdf", "fills forms", "Fill (secret)."), "skills/odd/SKILL.md": "---\nx\n---\n"})
	s := openTerminal(t, 200, 40, dir, env, "--provider", "openai", "-m", "demo", "-C", dir, "--screen-reader")
	s.see("prompt:")
	s.send("/skills\r")
	s.see("/pdf: on, ")
	s.see("forge/skills/odd/SKILL.md:2: no skill, \"x\" is no setting")
	s.send("/pdf\r")
	s.see("It was sent.")
	s.send("/skills off pdf\r")
	s.see("pdf: off")
	s.send("/pdf\r")
	s.see("no command /pdf here")
	s.send("/exit\r")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
