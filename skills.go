package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/agent/command"
	"forge/agent/config"
	"forge/agent/skill"
	"forge/tools"
	"forge/tools/trust"
)

// skills is the skills of a session: found, trusted, told to the model and loaded. Its
// methods may be called from any goroutine.
type skills struct {
	shelf skill.Shelf
	store *trust.Store
	all   bool   // --trust-workspace
	file  string // the person's settings

	root     string              // the workspace
	registry *tools.Registry     // where the model's tool is put; nil: nowhere
	readable func(dir string)    // opens a skill's folder to reading
	asker    tools.Asker         // nil: nobody is there
	tell     func(string)        // says something to the person
	veiled   func(string) string // a text without its secrets

	once     sync.Once
	turning  sync.Mutex // held while one is switched on or off
	offering sync.Mutex // held from a look to what the model is told of it: the last look counts
	mu       sync.Mutex
	off      []string
	told     string   // the names the model was told of last, with their descriptions
	loaded   []string // in this conversation
}

// newSkills is those of a workspace, for whoever only looks.
func newSkills(dirs config.Dirs, cfg *config.Config, root string, all bool) *skills {
	home, err := os.UserHomeDir()
	logged("home folder not found", err)
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real // as the workspace is named
	}
	return &skills{shelf: skill.Shelf{Sources: skillSources(root, home, dirs.Config)}, store: trust.Open(dirs.Trust()), all: all,
		file: dirs.File(), root: root, off: cfg.SkillsOff, veiled: func(s string) string { return s }}
}

// openSkills makes those of the session. Nothing is looked for yet.
func (f *forge) openSkills(face *face) {
	s := newSkills(f.dirs, f.cfg, f.hands.workspace.Root(), f.flags.TrustWorkspace)
	if f.scratch() { // the demo shows forge, not what somebody has at home
		s.shelf.Sources = nil
	}
	s.registry, s.asker, s.tell, s.veiled = f.hands.registry, face.turns, f.tell, f.kept
	s.readable = f.hands.lendFolder
	f.skills = s
}

// look finds them as they are now.
func (s *skills) look() skill.Set {
	set := s.shelf.Look()
	s.mu.Lock()
	off := slices.Clone(s.off)
	s.mu.Unlock()
	waits := map[string]bool{}
	if !s.all {
		for _, base := range bases(set) {
			files, changes, err := s.changes(set, base)
			for _, f := range files {
				waits[filepath.Join(base, filepath.FromSlash(f.Path))] = err != nil
			}
			for _, c := range changes {
				waits[filepath.Join(base, filepath.FromSlash(c.Path))] = true
			}
		}
	}
	for i, k := range set.Skills {
		if k.Scope == skill.Project && !s.all {
			w, known := waits[k.File]
			set.Skills[i].Waits = w || !known
		}
		set.Skills[i].Off = slices.Contains(off, k.Name)
	}
	set.Settle()
	return set
}

// ready looks for them once, before the first request.
func (s *skills) ready() { s.once.Do(func() { s.offer(s.registry.Set) }) }

// renew tells the model of those there are now, from its next turn on.
func (s *skills) renew() {
	s.offer(func(owner string, ts []tools.Tool, deferred bool) error {
		s.registry.SetSoon(owner, ts, deferred, func(err error) { s.tell("skills: " + err.Error()) })
		return nil
	})
}

// offer puts the model's tool where it is kept; without skills there is none. A list that
// is the same stays the one it was: whatever changes in it costs the prompt cache.
func (s *skills) offer(put func(owner string, ts []tools.Tool, deferred bool) error) {
	if s.registry == nil {
		return
	}
	s.offering.Lock()
	defer s.offering.Unlock()
	offered := s.look().Offered()
	var told strings.Builder
	for i, k := range offered {
		offered[i].About = s.veiled(k.About)
		fmt.Fprintf(&told, "%s\x00%s\x00", k.Name, k.About)
	}
	s.mu.Lock()
	same := s.told == told.String()
	s.told = told.String()
	s.mu.Unlock()
	if same {
		return
	}
	var ts []tools.Tool
	if len(offered) > 0 {
		ts = []tools.Tool{skill.Tool(offered, func(ctx context.Context, name string) (string, error) { return s.load(ctx, name, "", false) })}
	}
	if err := put("skills", ts, false); err != nil {
		s.tell("skills: " + err.Error())
	}
}

// commands are the skills as a person calls them.
func (s *skills) commands() (out []command.Command) {
	for _, k := range s.look().Called() {
		out = append(out, command.Command{Name: k.Name, About: k.About, Hint: k.Hint, Scope: command.Skill, Path: k.Path, File: k.Show})
	}
	return out
}

// seen is what there is to be known of those that are meant by their names.
func (s *skills) seen() map[string]any {
	out := map[string]any{}
	s.mu.Lock()
	told := s.told
	s.mu.Unlock()
	for at := strings.Split(told, "\x00"); len(at) > 1; at = at[2:] {
		out[at[0]] = at[1]
	}
	return out
}
