package main

import (
	"context"
	"errors"
	"slices"

	"forge/agent/skill"
	"forge/tools/trust"
	"forge/ui/lang"
)

// bases are the folders whose skills want to be trusted, the nearest first, which is the
// order they are asked about in.
func bases(set skill.Set) (out []string) {
	for _, k := range set.Skills {
		if k.Scope == skill.Project && !slices.Contains(out, k.Base) {
			out = append(out, k.Base)
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
	for _, base := range bases(set) {
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

// ask asks about every folder whose skills nobody trusts as they are.
func (s *skills) ask(ctx context.Context) error {
	set := s.shelf.Look()
	for _, base := range bases(set) {
		if s.all {
			break
		}
		if files, changes, err := s.changes(set, base); err == nil && len(changes) > 0 {
			logged("skills not in force", s.trusts(ctx, base, files, changes))
		}
	}
	return ctx.Err()
}
