package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"forge/agent/config"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/ui/cli"
)

// rules reads the rules of the settings and policies. One that cannot be read is
// told about, with its place; where it would have denied or asked, all is asked
// about instead and no allow rule counts.
func rules(p config.Permissions) (rs []permission.Rule, problems []string) {
	unread := p.Unread
	// A way to ask of a policy's rank holds in every mode.
	everything := permission.Rule{Action: permission.Ask, Tool: "*", Tier: permission.TierPolicy}
	if unread { // what a file would have denied is not known
		rs = append(rs, everything)
	}
	for _, text := range p.Rules {
		at := fmt.Sprintf("%s:%d", text.File, text.Line)
		r, err := permission.ParseRule(permission.Action(text.Action), text.Text)
		r.Tier, r.Source = tier(text.Scope), at
		switch {
		case err == nil:
			rs = append(rs, r)
		case r.Action == permission.Allow || text.Action == string(permission.Allow):
			problems = append(problems, at+": "+err.Error()+"; left out")
		default:
			unread = true
			problems = append(problems, at+": "+err.Error()+"; until that is mended forge asks before everything and no allow rule counts")
			everything.Source = at
			rs = append(rs, everything)
		}
	}
	if !unread {
		return rs, problems
	}
	kept := rs[:0]
	for _, r := range rs {
		if r.Action != permission.Allow {
			kept = append(kept, r)
		}
	}
	return kept, problems
}

func tier(s config.Scope) permission.Tier {
	switch s {
	case config.ScopePolicy:
		return permission.TierPolicy
	case config.ScopeProject:
		return permission.TierProject
	}
	return permission.TierUser
}

// idle tells of the person's allow rules that cannot count.
func idle(rs []permission.Rule, roots []string) (problems []string) {
	for _, r := range rs {
		if ok, why := permission.CheckAllow(r, roots); !ok && r.Tier == permission.TierUser {
			problems = append(problems, fmt.Sprintf("%s: %s is not in force: %s", r.Source, r, why))
		}
	}
	return problems
}

// explained is what is in force in a folder, and what is wrong with the settings, for
// `forge permissions explain`.
func explained(dir string, flags cli.Flags) (o permission.Options, problems []string, err error) {
	_, cfg, err := settings(dir)
	if err != nil {
		return o, nil, err
	}
	rules, misread := rules(cfg.Permissions)
	w, err := sandbox.OpenWorkspace(dir, flags.AddDirs...)
	if err != nil {
		return o, nil, err
	}
	defer w.Close()
	problems = slices.Concat(cfg.Problems, misread, idle(rules, w.Roots()))
	return permission.Options{Rules: rules, Roots: w.Roots(), Strictest: permission.Mode(cfg.Policy.Mode), Sandbox: confined(flags, cfg), Shell: sandbox.FindShell(w.Root())}, problems, nil
}

// confined says what is wanted of the sandbox; what there is of it only a start
// finds out, since that takes running a program.
func confined(flags cli.Flags, cfg *config.Config) string {
	want := cfg.Policy.AtMostSandbox(cmp.Or(flags.Sandbox, cfg.Sandbox, string(sandbox.Auto)))
	switch {
	case want == string(sandbox.Off):
		return want
	case network(flags, cfg):
		return want + ", network open"
	}
	return want + ", no network"
}

// standings is every rule that is written down for a folder, and what it counts
// for, for `forge permissions list`.
func standings(dir string, flags cli.Flags) (out []permission.Standing, problems []string, err error) {
	_, cfg, err := settings(dir)
	if err != nil {
		return nil, nil, err
	}
	w, err := sandbox.OpenWorkspace(dir, flags.AddDirs...)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	var rs []permission.Rule
	unread := cfg.Permissions.Unread
	problems = cfg.Problems
	for _, text := range cfg.Permissions.Rules {
		r, err := permission.ParseRule(permission.Action(text.Action), text.Text)
		if err != nil {
			unread = unread || text.Action != string(permission.Allow)
			problems = append(problems, fmt.Sprintf("%s:%d: %v", text.File, text.Line, err))
			continue
		}
		r.Tier, r.Source = tier(text.Scope), fmt.Sprintf("%s:%d", text.File, text.Line)
		rs = append(rs, r)
	}
	return permission.Standings(rs, w.Roots(), unread), problems, nil
}

// changeRule adds a rule to the person's settings or the project's, or takes it out.
func changeRule(dir string, c cli.RuleChange) (file string, err error) {
	dirs, err := config.Paths()
	if err != nil {
		return "", err
	}
	file = dirs.File()
	if c.Project {
		w, err := sandbox.OpenWorkspace(dir)
		if err != nil {
			return "", err
		}
		defer w.Close()
		file = config.ProjectFile(w.Root())
		// A link in a repository must not have the person's hand write elsewhere.
		if real, err := filepath.EvalSymlinks(file); err == nil && real != filepath.Join(w.Root(), ".forge", "forge.json") {
			return "", fmt.Errorf("%s is a link; write to %s itself", file, real)
		}
	}
	if !c.Remove {
		return file, config.AddRule(file, string(c.Rule.Action), c.Rule.Text())
	}
	same := func(text string) bool {
		r, err := permission.ParseRule(c.Rule.Action, text)
		return text == c.Text || err == nil && r.Text() == c.Rule.Text()
	}
	err = config.RemoveRule(file, string(c.Rule.Action), same)
	if errors.Is(err, config.ErrNoRule) {
		err = fmt.Errorf("%s has no rule %q; forge permissions list tells which there are", file, string(c.Rule.Action)+" "+c.Text)
	}
	return file, err
}
