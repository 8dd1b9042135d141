package ui

import (
	"context"

	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/linear"
)

// commands are those that make sense in lines.
func (l *lines) commands() (out []linear.Command) {
	add := func(name, about string, run func(ctx context.Context, arg string, say func(string)) (*linear.Choice, error)) {
		out = append(out, linear.Command{Name: name, About: about, Run: func(ctx context.Context, arg string, say func(string)) (c *linear.Choice, err error) {
			err = l.hold(ctx, func() error { c, err = run(ctx, arg, say); return err })
			return c, err
		}})
	}
	beside := func(name, about string, run func(ctx context.Context, arg string, say func(string)) (*linear.Choice, error)) {
		out = append(out, linear.Command{Name: name, About: about, Beside: true, Run: run})
	}
	o := l.o
	if o.New != nil {
		add("new", lang.N("start a new conversation"), func(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
			if err := o.New(); err != nil {
				return nil, err
			}
			say(lang.T("a new conversation has begun"))
			return nil, nil
		})
	}
	if o.Resume != nil && o.Sessions != nil {
		add("resume", lang.N("continue an earlier conversation"), l.resume)
	}
	if o.Models != nil && o.SetModel != nil {
		add("model", lang.N("choose the model"), l.model)
	}
	if o.SetMode != nil {
		add("mode", lang.N("how much runs without a question"), l.mode)
		add("plan", lang.N("nothing is changed: the model reads and makes a plan"), func(ctx context.Context, _ string, say func(string)) (*linear.Choice, error) {
			return l.mode(ctx, string(permission.ModePlan), say)
		})
	}
	add("compact", lang.N("shorten the conversation for the model"), func(ctx context.Context, arg string, _ func(string)) (*linear.Choice, error) {
		return nil, o.Agent.Compact(ctx, arg, o.Feed.Emit)
	})
	if o.Ledger != nil {
		beside("context", lang.N("what the model sees: drop, pin, collapse, restore"), l.window)
		beside("usage", lang.N("tokens and money used up, budgets"), l.usage)
	}
	add("status", lang.N("how things stand: model, mode, sandbox, tokens, servers"), l.standing)
	beside("mcp", lang.N("MCP servers: how they stand, their tools, log in"), l.servers)
	beside("lsp", lang.N("language servers: how they stand, stop one, start one"), l.lsp)
	beside("agents", lang.N("sub-agents: those at work, what they did, stop one"), l.agents)
	if o.GitDiff != nil || o.SessionDiff != nil {
		add("diff", lang.N("what changed in the working tree, or in this conversation"), l.diff)
	}
	if o.Undo != nil {
		add("undo", lang.N("take back the last changes to files; shows them first"), l.takeback(""))
		add("redo", lang.N("bring again the changes that were taken back"), l.takeback("redo"))
	}
	if o.Todos != nil {
		add("todo", lang.N("the todo list"), func(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
			all := o.Todos()
			if len(all) == 0 {
				say(lang.T("no todo list yet"))
			}
			for _, t := range all {
				state := map[string]string{"done": lang.T("done"), "in_progress": lang.T("in progress")}[t.State]
				if state == "" {
					state = lang.T("open")
				}
				say(state + ": " + t.Text)
			}
			return nil, nil
		})
	}
	if o.Spelling != nil {
		beside("spell", lang.N("words that look wrong in a text, or in the last prompt"), l.spell)
	}
	if o.Folders != nil {
		add("add-dir", lang.N("open one more folder to tools and commands; list them"), l.addDir)
	}
	beside("ide", lang.N("the editor forge runs in: what is selected there, changes in its diff"), l.ide)
	if o.Doctor != nil {
		add("doctor", lang.N("examine keys, endpoints, terminal, sandbox, servers; what to mend"), l.doctor)
	}
	if o.Feedback != nil {
		add("feedback", lang.N("write a report about forge for you to read and send"), l.feedback)
	}
	for _, c := range []struct {
		there       bool
		name, about string
		run         func(ctx context.Context, arg string, say func(string)) (*linear.Choice, error)
	}{
		{true, "continue", lang.N("go on with what was cut off, or with the plan"), l.goOn},
		{true, "copy", lang.N("copy the last answer, the nth last, its code, or everything"), l.copy},
		{true, "init", lang.N("let the model write AGENTS.md for this project"), l.init},
		{true, "lang", lang.N("the language of forge's own words"), l.language},
		{o.SetModel != nil, "effort", lang.N("how much the model thinks"), l.effort},
		{o.Stored.Rename != nil, "rename", lang.N("give this conversation a name"), l.rename},
		{o.Stored.Fork != nil, "fork", lang.N("go on in a copy, from before the last n prompts"), l.fork},
		{o.Stored.Export != nil, "export", lang.N("write this conversation to a file"), l.export},
		{o.Powers != nil, "permissions", lang.N("rules and grants: what may run, take one back"), l.permissions},
		{o.Tools != nil, "tools", lang.N("the model's tools: what they cost, on and off"), l.tools},
		{o.Stored.Export != nil, "share", lang.N("write this conversation to one page to give away; nothing is sent"), l.share},
		{o.Reload != nil, "reload", lang.N("read settings, rules, skills, sub-agents and instructions anew"), l.reload},
		{o.Goal != nil && o.FromFiles != nil, "goal", lang.N("what is to be reached over runs: the model goes on until it is"), l.goal},
		{o.FromFiles != nil, "review", lang.N("let the model look for faults in what changed; it changes nothing"), l.review},
		{o.Skills != nil, "skills", lang.N("skills: where each is from, on and off, what is wrong with one"), l.skills},
		{o.Hooks.List != nil, "hooks", lang.N("your commands at set moments: how they ended, on and off"), l.hooks},
		{o.Settings != nil, "settings", lang.N("every setting, and changing it"), l.settings},
	} {
		if c.there {
			add(c.name, c.about, c.run)
		}
	}
	if o.Logins != nil {
		add("login", lang.N("give forge the key of a provider, typed hidden"), l.login)
		add("logout", lang.N("let forge forget the key of a provider"), l.logout)
	}
	for i := range out {
		if out[i].Name == "new" {
			out[i].Aliases = []string{"clear"}
		}
		if out[i].Name == "login" {
			out[i].Aliases = []string{"key"}
		}
	}
	return out
}
