package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/agent/command"
	"forge/agent/config"
	"forge/agent/session"
	"forge/agent/skill"
	"forge/provider"
	"forge/tools"
	"forge/tools/trust"
	"forge/ui/lang"
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

	once   sync.Once
	mu     sync.Mutex
	off    []string
	told   string   // the names the model was told of last, with their descriptions
	loaded []string // in this conversation
}

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
	out = append(out, skill.Source{Scope: skill.User, Base: own, Dir: "skills", Show: filepath.ToSlash(shorten(filepath.Join(own, "skills")))})
	if home != "" {
		for _, name := range skillFolders[1:] {
			out = append(out, skill.Source{Scope: skill.User, Base: home, Dir: name, Show: "~/" + name})
		}
	}
	return out
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
		for base := range bases(set) {
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

// bases are the folders whose skills want to be trusted.
func bases(set skill.Set) map[string]bool {
	out := map[string]bool{}
	for _, k := range set.Skills {
		if k.Scope == skill.Project {
			out[k.Base] = true
		}
	}
	return out
}

// changes are the files of a folder's skills, and those of them that nobody trusts as they
// are now.
func (s *skills) changes(set skill.Set, base string) ([]trust.File, []trust.Change, error) {
	var powers []trust.Power
	for _, k := range set.Skills {
		if k.Scope == skill.Project && k.Base == base {
			powers = append(powers, trust.Power{Path: k.Path, Does: lang.N("is a skill: instructions for the model")})
		}
	}
	files, err := trust.Find(base, powers)
	if err != nil {
		return nil, nil, err
	}
	changes, err := s.store.Changes(base, files)
	return files, changes, err
}

// own are the files of the workspace's own skills, and wanted those files if somebody would
// have to trust one of them.
func (s *skills) own() (files, wanted []trust.File) {
	files, changes, err := s.changes(s.shelf.Look(), s.root)
	logged("skills not examined", err)
	if len(changes) > 0 && !s.all {
		wanted = files
	}
	return files, wanted
}

func (s *skills) wanted() []trust.File {
	_, wanted := s.own()
	return wanted
}

// greet asks about the skills of the folders above the workspace: of its own, the question
// about the workspace has asked.
func (s *skills) greet(ctx context.Context) {
	set := s.shelf.Look()
	for base := range bases(set) {
		if base == s.root || s.all {
			continue
		}
		if files, changes, err := s.changes(set, base); err == nil && len(changes) > 0 {
			logged("skills not in force", s.trusts(ctx, base, files, changes))
		}
	}
	s.renew()
}

// trusts asks whether files of a folder may speak to the model.
func (s *skills) trusts(ctx context.Context, base string, files []trust.File, changes []trust.Change) error {
	if s.asker == nil {
		return errors.New(lang.T("%s is not trusted; read it, then allow it with --trust-workspace", changes[0].Path))
	}
	r, err := s.asker.Ask(ctx, trustQuestion(base, changes, nil))
	switch {
	case err != nil:
		return err
	case r.Choice != "trust":
		return errors.New(lang.T("%s is not trusted; nothing was run or sent", changes[0].Path))
	}
	if err := s.store.Trust(base, files); err != nil {
		s.tell(lang.T("that this folder is trusted is not kept: %s", err.Error()))
	}
	return nil
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

// load reads a skill as it is now and opens its folder to reading. args is what a person
// typed behind its name; person says that one called it.
func (s *skills) load(ctx context.Context, name, args string, person bool) (string, error) {
	k, ok := s.look().Find(name)
	switch {
	case !ok || k.Off:
		return "", skill.ErrNone
	case !person && k.Person && !s.had(k.Name):
		return "", fmt.Errorf("skill %s: only the user calls it, with /%s", k.Name, k.Name)
	}
	text, err := s.text(ctx, k)
	if err != nil {
		return "", err
	}
	out, err := k.Text(text, args)
	if err != nil {
		return "", err
	}
	s.readable(k.Dir)
	s.mu.Lock()
	s.loaded = append(slices.DeleteFunc(s.loaded, func(n string) bool { return n == k.Name }), k.Name)
	s.mu.Unlock()
	if k.Waits { // not any more
		s.renew()
	}
	return out, nil
}

// text is a skill's file. What of a project's is not as it was trusted is asked about, and
// exactly what was asked about is read.
func (s *skills) text(ctx context.Context, k skill.Skill) ([]byte, error) {
	if k.Scope == skill.User {
		return k.Read()
	}
	files, changes, err := s.changes(skill.Set{Skills: []skill.Skill{k}}, k.Base)
	switch {
	case err != nil:
		return nil, err
	case len(files) != 1:
		return nil, errors.New(lang.T("%s is gone", k.Show))
	case len(changes) > 0 && !s.all:
		if err := s.trusts(ctx, k.Base, files, changes); err != nil {
			return nil, err
		}
	}
	return files[0].Text, nil
}

func (s *skills) had(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.loaded, name)
}

// took is told of the conversation there is from now on: what it loaded can be read again.
func (s *skills) took(records []session.Record) {
	var names []string
	for _, r := range records {
		if r.Message == nil {
			continue
		}
		for _, b := range r.Message.Blocks {
			switch b := b.(type) {
			case provider.Text:
				names = append(names, skill.Loaded(b.Text)...)
			case provider.ToolResult:
				for _, c := range b.Content {
					if t, ok := c.(provider.Text); ok {
						names = append(names, skill.Loaded(t.Text)...)
					}
				}
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	s.mu.Lock()
	s.loaded = names
	s.mu.Unlock()
	if len(names) == 0 || s.readable == nil {
		return
	}
	set := s.look()
	for _, n := range names {
		if k, ok := set.Find(n); ok && !k.Waits && !k.Off {
			s.readable(k.Dir)
		}
	}
}

// facts is what a summary says of the skills that were loaded: their names and files.
func (s *skills) facts() (out []string) {
	s.mu.Lock()
	names := slices.Clone(s.loaded)
	s.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	set := s.look()
	for _, n := range names {
		if k, ok := set.Find(n); ok && !k.Waits && !k.Off {
			out = append(out, k.Name+" ("+k.File+")")
		}
	}
	return out
}

// commands are the skills as a person calls them.
func (s *skills) commands() (out []command.Command) {
	for _, k := range s.look().Called() {
		out = append(out, command.Command{Name: k.Name, About: k.About, Hint: k.Hint, Scope: command.Skill, Path: k.Path, File: k.Show})
	}
	return out
}

// turn switches a skill on or off, and keeps that in the person's settings.
func (s *skills) turn(name string, on bool) error {
	s.mu.Lock()
	off := slices.DeleteFunc(slices.Clone(s.off), func(n string) bool { return n == name })
	s.mu.Unlock()
	if !on {
		off = append(off, name)
		slices.Sort(off)
	}
	var err error
	if len(off) == 0 {
		if err = config.Unset(s.file, "skills.off"); errors.Is(err, config.ErrUnset) {
			err = nil
		}
	} else {
		var list []byte
		if list, err = json.Marshal(off); err == nil {
			err = config.Set(s.file, "skills.off", string(list))
		}
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.off = off
	s.mu.Unlock()
	s.renew()
	return nil
}

// switched is told which ones are off by the settings.
func (s *skills) switched(off []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = slices.Clone(off)
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

// ask asks about every folder whose skills nobody trusts as they are.
func (s *skills) ask(ctx context.Context) error {
	set := s.shelf.Look()
	for base := range bases(set) {
		if s.all {
			break
		}
		if files, changes, err := s.changes(set, base); err == nil && len(changes) > 0 {
			logged("skills not in force", s.trusts(ctx, base, files, changes))
		}
	}
	return ctx.Err()
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
