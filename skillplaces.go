package main

import (
	"os"
	"path/filepath"
	"strings"

	"forge/agent/config"
	"forge/agent/skill"
	"forge/tilde"
)

// skillFolders are where a folder may have skills, those of one name in this order.
var skillFolders = []string{".forge/skills", ".agents/skills", ".claude/skills"}

// skillSources are the places of skills, the nearest first: the workspace, the folders
// above it as far as its repository goes, the person's.
func skillSources(root, home, own string) (out []skill.Source) {
	up := []string{root}
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			for at := root; at != dir; {
				at = filepath.Dir(at)
				up = append(up, at)
			}
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for i, dir := range up {
		if dir == home { // those are the person's
			continue
		}
		for _, name := range skillFolders {
			out = append(out, skill.Source{Scope: skill.Project, Base: dir, Dir: name, Show: strings.Repeat("../", i) + name})
		}
	}
	out = append(out, skill.Source{Scope: skill.User, Base: own, Dir: "skills", Show: filepath.ToSlash(tilde.Short(filepath.Join(own, "skills")))})
	if home != "" {
		for _, name := range skillFolders[1:] {
			out = append(out, skill.Source{Scope: skill.User, Base: home, Dir: name, Show: "~/" + name})
		}
	}
	return out
}

// skillsAmongSecrets are the person's folders of skills that lie in folders commands see
// nothing of: a skill's scripts are run from there.
func skillsAmongSecrets(dirs config.Dirs) (out []string) {
	places := []string{filepath.Join(dirs.Config, "skills")}
	if home, err := os.UserHomeDir(); err == nil {
		places = append(places, filepath.Join(home, ".claude", "skills"))
	}
	for _, dir := range places {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			out = append(out, dir)
		}
	}
	return out
}
