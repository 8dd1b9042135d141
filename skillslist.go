package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"forge/agent/skill"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// screen is what the faces can do with them.
func (s *skills) screen() *ui.Skills {
	return &ui.Skills{List: s.list, Switch: s.turn}
}

// list is all of them for a person: those that are meant by their names, those that are
// not, and what is none.
func (s *skills) list() (out []ui.SkillInfo) {
	set := s.look()
	for _, over := range []bool{false, true} {
		for _, k := range set.Skills {
			if (k.Over != "") != over {
				continue
			}
			out = append(out, ui.SkillInfo{Name: k.Name, About: k.About, File: k.Show, Off: k.Off, Waits: k.Waits, Over: k.Over, Notes: allSaid(k.Notes), Person: k.Person, Model: k.Model, License: k.License})
		}
	}
	for _, f := range set.Faults {
		out = append(out, ui.SkillInfo{File: place(f), Notes: []string{lang.Said(f.Err.Error())}})
	}
	return out
}

func place(f skill.Fault) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.File
}

// skillList is all of them for `forge skills list`.
func skillList(flags cli.Flags) ([]cli.SkillLine, error) {
	dir, err := filepath.Abs(cmp.Or(flags.Dir, "."))
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	dirs, cfg, err := settings(dir)
	if err != nil {
		return nil, err
	}
	set := newSkills(dirs, cfg, dir, flags.TrustWorkspace).look()
	var out []cli.SkillLine
	for _, k := range set.Skills {
		out = append(out, cli.SkillLine{Name: k.Name, Description: k.About, File: k.File, Show: k.Show, Scope: string(k.Scope), License: k.License,
			On: !k.Off, Trusted: !k.Waits, HiddenBy: k.Over, Person: k.Person, Model: k.Model, Notes: allSaid(k.Notes)})
	}
	for _, f := range set.Faults {
		out = append(out, cli.SkillLine{Show: place(f), File: place(f), Fault: lang.Said(f.Err.Error())})
	}
	return out, nil
}

// The words of agent/skill for a person, for lang to find.
var _ = [...]string{
	lang.N("it is over 256 KiB; put what is not always needed into files beside it"),
	lang.N("there is no front matter; write name and description between two lines of ---"),
	lang.N("description is missing; the model is told how the text begins"),
	lang.N("description has %d characters; the model is told the first %d"),
	lang.N("%s is neither true nor false; it is taken for false"),
	lang.N("the name %s is written in small letters: %s"), lang.N("it is named %s and lies in a folder named %s"),
	lang.N("%q is no name for a skill; small letters, digits and - are, 64 at most"),
	lang.N("name is missing; it is called as its folder is"), lang.N("%q is no name for a skill; it is called as its folder is"),
	lang.N("there are too many skills; this one and those behind it are left out"),
	lang.N(`the path of a project's skill may have none of * ? [ \; rename the folder`),
	lang.N("its file is named %s; other agents want SKILL.md"),
}

// maxNamed is how many of them a notice names; `forge skills list` names all.
const maxNamed = 10

// notices says what of a project's skills is left out where nobody can be asked.
func (s *skills) notices() (out []string) {
	var names []string
	for _, k := range s.look().Skills {
		if k.Waits {
			names = append(names, k.Show)
		}
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("… (+%d)", more))
	}
	if len(names) > 0 {
		out = append(out, lang.T("skills are left out, they are not trusted (--trust-workspace lets them): %s", strings.Join(names, ", ")))
	}
	return out
}
