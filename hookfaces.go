package main

import (
	"context"

	"forge/tools"
	"forge/tools/hook"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/doctor"
	"forge/ui/lang"
)

// hooksShown is what the screen can do with hooks.
func (f *forge) hooksShown() ui.Hooks {
	return ui.Hooks{Switch: f.hooks.set.Switch, List: func() (out []ui.Hook) {
		for _, st := range f.hooks.set.List() {
			out = append(out, ui.Hook{Event: string(st.Event), Matcher: st.Matcher, Name: st.Name, Command: st.Line(), Source: st.Source.File,
				Off: st.Off, Waiting: st.Waiting, Limit: st.Limit(), Ended: st.Last.What, At: st.Last.At, Took: st.Last.Took})
		}
		return out
	}}
}

// hooksBeside are the hooks of a folder for a command that prints and ends. What is wrong
// with them comes in notices.
func hooksBeside(flags cli.Flags) (*forge, func(), error) {
	f := &forge{flags: flags, beside: true}
	f.flags.Headless = false // nothing is said beside
	dir, err := f.workspaceDir()
	if err != nil {
		return nil, nil, err
	}
	if f.dirs, f.cfg, err = settings(dir); err != nil {
		return nil, nil, err
	}
	f.openVeil()
	w, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		return nil, nil, err
	}
	f.hands = &hands{workspace: w, guardian: sandbox.NewGuardian(self()), exec: &tools.Executor{}, guard: permission.New(permission.Options{})}
	f.openHooks()
	f.findHooks()
	return f, func() { f.hooks.set.Close(); f.hands.guardian.Close(); w.Close(); f.shut() }, nil
}

// hookCommands is what the hooks commands do.
func hookCommands() cli.HooksOptions {
	return cli.HooksOptions{
		List: func(flags cli.Flags) (out []cli.HookInfo, problems []string, err error) {
			f, done, err := hooksBeside(flags)
			if err != nil {
				return nil, nil, err
			}
			defer done()
			for _, st := range f.hooks.set.List() {
				out = append(out, cli.HookInfo{Event: string(st.Event), Matcher: st.Matcher, Command: st.Line(), Source: st.Source.File, Trusted: !st.Waiting, Seconds: st.Limit().Seconds()})
			}
			return out, f.notices, nil
		},
		Test: func(ctx context.Context, flags cli.Flags, t cli.HookTest) (out []cli.HookTrial, err error) {
			e, err := hook.EventOf(t.Event)
			if err != nil {
				return nil, cli.Usage{Err: err}
			}
			f, done, err := hooksBeside(flags)
			if err != nil {
				return nil, err
			}
			defer done()
			call, err := hook.Call(t.Tool, t.Input, f.hands.workspace.Root())
			if err != nil {
				return nil, cli.Usage{Err: err}
			}
			for _, a := range f.hooks.set.Try(ctx, e, call, t.Text) {
				out = append(out, cli.HookTrial{Command: a.Hook.Line(), What: a.What, MS: a.Took.Milliseconds(), Context: a.Context, System: a.System, Input: a.Input})
			}
			return out, nil
		},
	}
}

// hooks says which hooks there are, and what is wrong with them.
func (c checkup) hooks(context.Context) []doctor.Finding {
	one := func(l doctor.Level, text, fix string) []doctor.Finding {
		return []doctor.Finding{{ID: "hooks.set", Level: l, Text: text, Fix: fix}}
	}
	f, done, err := hooksBeside(cli.Flags{Dir: c.root})
	if err != nil {
		return one(doctor.Warn, lang.Said(err.Error()), "")
	}
	defer done()
	if len(f.notices) > 0 {
		return one(doctor.Warn, lang.Said(f.notices[0]), lang.T("mend it; forge hooks list shows what is left"))
	}
	all, waiting := f.hooks.set.List(), 0
	for _, st := range all {
		if st.Waiting {
			waiting++
		}
	}
	switch {
	case len(all) == 0:
		return one(doctor.Ok, lang.T("no hooks are set up"), "")
	case waiting > 0:
		return one(doctor.Warn, lang.T("hooks: %d, of which %d are not trusted and do not run", len(all), waiting), lang.T("open forge here and answer its question, or start it with --trust-workspace"))
	}
	return one(doctor.Ok, lang.T("hooks: %d", len(all)), "")
}
