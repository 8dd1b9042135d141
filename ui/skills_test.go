package ui

import (
	"sync"
	"testing"

	"forge/ui/lang"
)

// The list of skills says how each stands and what is wrong with the others, switches
// one, and writes one into the prompt before what stands there.
func TestSkillsList(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var mu sync.Mutex
		off := map[string]bool{}
		o := testOptions(&fakeAgent{})
		o.Skills = &Skills{
			List: func() []SkillInfo {
				mu.Lock()
				defer mu.Unlock()
				return []SkillInfo{
					{Name: "pdf", About: "fills\x1b[31m forms", File: "~/.agents/skills/pdf/SKILL.md", Off: off["pdf"], Notes: []string{"name is missing"}},
					{Name: "ship", About: "ships it", File: ".agents/skills/ship/SKILL.md", Waits: true},
					{Name: "quiet", About: "by itself", File: "q/SKILL.md", Model: true},
					{Name: "pdf", About: "another", File: "~/.claude/skills/pdf/SKILL.md", Over: "~/.agents/skills/pdf/SKILL.md"},
					{File: ".claude/skills/bad/SKILL.md:2", Notes: []string{"is no setting"}},
				}
			},
			Switch: func(name string, on bool) error {
				mu.Lock()
				defer mu.Unlock()
				off[name] = !on
				return nil
			},
		}
		s := start(t, o, 100, 30)
		s.send("/skills\r")
		s.see("pdf  on · name is missing · ~/.agents/skills/pdf/SKILL.md · fills forms")
		s.see("ship  not trusted")
		s.see("quiet  on, when the model wants it")
		s.see("pdf  hidden by ~/.agents/skills/pdf/SKILL.md")
		s.see(".claude/skills/bad/SKILL.md:2  no skill · is no setting")
		s.send("\x18")
		s.see("pdf  off")
		s.send("\r")
		s.see("pdf is off; it can be switched on in /skills")
		s.send("/skills\r")
		s.see("type to filter")
		s.send("ship\r")
		s.see("› /ship")
		s.send("\x15/skills\r")
		s.see("type to filter")
		s.send("bad\r")
		s.see(".claude/skills/bad/SKILL.md:2 · no skill · is no setting")
		if err := lang.Use("zh"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = lang.Use("en") }()
		s.send("/skills\r")
		s.see("quiet  开，由模型按需使用")
		s.send("\x04")
	})
}
