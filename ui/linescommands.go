package ui

import (
	"context"

	"forge/ui/lang"
	"forge/ui/linear"
)

// lineRun is what a command in lines does.
type lineRun = func(ctx context.Context, arg string, say func(string)) (*linear.Choice, error)

// lineCommand is one of them. there says that forge has what it needs; beside, that it runs
// while something else is on, and else it waits for whoever uses the agent.
type lineCommand struct {
	there, beside bool
	name, about   string
	run           lineRun
	aliases       []string
}

// commands are those that make sense in lines.
func (l *lines) commands() (out []linear.Command) {
	for _, c := range l.commandTable() {
		if !c.there {
			continue
		}
		run := l.counted(c)
		if !c.beside {
			run = l.gated(run)
		}
		out = append(out, linear.Command{Name: c.name, About: c.about, Aliases: c.aliases, Beside: c.beside, Run: run})
	}
	return out
}

// gated is a command that nothing else uses the agent beside.
func (l *lines) gated(run lineRun) lineRun {
	return func(ctx context.Context, arg string, say func(string)) (c *linear.Choice, err error) {
		err = l.hold(ctx, func() error { c, err = run(ctx, arg, say); return err })
		return c, err
	}
}

func (l *lines) commandTable() []lineCommand {
	o := *l.now()
	return []lineCommand{
		{there: o.New != nil, name: "new", about: lang.N("start a new conversation"), run: l.fresh, aliases: []string{"clear"}},
		{there: o.Resume != nil && o.Sessions != nil, name: "resume", about: lang.N("continue an earlier conversation"), run: l.resume},
		{there: o.Models != nil && o.SetModel != nil, name: "model", about: lang.N("choose the model"), run: l.model},
		{there: o.SetMode != nil, name: "mode", about: lang.N("how much runs without a question"), run: l.mode},
		{there: o.SetMode != nil, name: "plan", about: lang.N("nothing is changed: the model reads and makes a plan"), run: l.plan},
		{there: true, name: "compact", about: lang.N("shorten the conversation for the model"), run: l.compact},
		{there: true, name: "uncompact", about: lang.N("take the last compaction back"), run: l.uncompact},
		{there: o.Ledger != nil, beside: true, name: "context", about: lang.N("what the model sees: drop, pin, collapse, restore"), run: l.window},
		{there: o.Ledger != nil, beside: true, name: "usage", about: lang.N("tokens and money used up, budgets"), run: l.usage},
		{there: true, name: "status", about: lang.N("how things stand: model, mode, sandbox, tokens, servers"), run: l.standing},
		{there: true, beside: true, name: "mcp", about: lang.N("MCP servers: how they stand, their tools, log in"), run: l.servers},
		{there: o.Jobs.List != nil, beside: true, name: "stop", about: lang.N("end all commands that run in the background"), run: l.stop},
		{there: true, beside: true, name: "lsp", about: lang.N("language servers: how they stand, stop one, start one"), run: l.lsp},
		{there: true, beside: true, name: "agents", about: lang.N("sub-agents: those at work, what they did, stop one"), run: l.agents},
		{there: o.Jobs.List != nil, beside: true, name: "jobs", about: lang.N("what runs in the background: what it wrote, end it"), run: l.jobs},
		{there: o.GitDiff != nil || o.SessionDiff != nil, name: "diff", about: lang.N("what changed in the working tree, or in this conversation"), run: l.diff},
		{there: o.Undo != nil, name: "undo", about: lang.N("take back the last changes to files; shows them first"), run: l.takeback("")},
		{there: o.Undo != nil, name: "redo", about: lang.N("bring again the changes that were taken back"), run: l.takeback("redo")},
		{there: o.Todos != nil, name: "todo", about: lang.N("the todo list"), run: l.todos},
		{there: o.Spelling != nil, beside: true, name: "spell", about: lang.N("words that look wrong in a text, or in the last prompt"), run: l.spell},
		{there: o.Folders != nil && o.Folders.Go != nil && o.Place != nil, name: "cd", about: lang.N("go on with this conversation in another folder; say which it is in"), run: l.cd},
		{there: o.Folders != nil, name: "add-dir", about: lang.N("open one more folder to tools and commands; list them"), run: l.addDir},
		{there: true, beside: true, name: "ide", about: lang.N("the editor forge runs in: what is selected there, changes in its diff"), run: l.ide},
		{there: o.Doctor != nil, name: "doctor", about: lang.N("examine keys, endpoints, terminal, sandbox, servers; what to mend"), run: l.doctor},
		{there: o.Feedback != nil, name: "feedback", about: lang.N("write a report about forge for you to read and send"), run: l.feedback},
		{there: true, name: "continue", about: lang.N("go on with what was cut off, or with the plan"), run: l.goOn},
		{there: true, name: "copy", about: lang.N("copy the last answer, the nth last, its code, or everything"), run: l.copy},
		{there: o.Stored.Search != nil && o.Stored.Read != nil, name: "search", about: lang.N("find words in all conversations"), run: l.search},
		{there: o.Btw != nil, beside: true, name: "btw", about: lang.N("ask something beside the work; the conversation does not see it"), run: l.btw},
		{there: o.Recap != nil, beside: true, name: "recap", about: lang.N("what was done in this conversation and what is open, asked of the model"), run: l.recap},
		{there: o.Memory != nil, beside: true, name: "memory", about: lang.N("the instructions the model has: AGENTS.md, CLAUDE.md"), run: l.memory},
		{there: true, name: "init", about: lang.N("let the model write AGENTS.md for this project"), run: l.init},
		{there: true, name: "lang", about: lang.N("the language of forge's own words"), run: l.language},
		{there: true, beside: true, name: "times", about: lang.N("say the time before a prompt is asked for, or not"), run: l.sayTimes},
		{there: o.SetModel != nil, name: "effort", about: lang.N("how much the model thinks"), run: l.effort},
		{there: o.Stored.Rename != nil, name: "rename", about: lang.N("give this conversation a name"), run: l.rename},
		{there: o.Stored.Fork != nil, name: "fork", about: lang.N("go on in a copy, from before the last n prompts"), run: l.fork},
		{there: o.Stored.Export != nil, name: "export", about: lang.N("write this conversation to a file"), run: l.export},
		{there: o.Powers != nil, name: "permissions", about: lang.N("rules and grants: what may run, take one back"), run: l.permissions},
		{there: o.Tools != nil, name: "tools", about: lang.N("the model's tools: what they cost, on and off"), run: l.tools},
		{there: o.Stored.Export != nil, name: "share", about: lang.N("write this conversation to one page to give away; nothing is sent"), run: l.share},
		{there: o.Reload != nil, name: "reload", about: lang.N("read settings, rules, skills, sub-agents and instructions anew"), run: l.reload},
		{there: o.Goal != nil && o.FromFiles != nil, name: "goal", about: lang.N("what is to be reached over runs: the model goes on until it is"), run: l.goal},
		{there: o.Loops != nil, beside: true, name: loopName, about: lang.N("send a prompt again and again: /loop 5m check the deploy"), run: l.loop},
		{there: o.FromFiles != nil, name: "review", about: lang.N("let the model look for faults in what changed; it changes nothing"), run: l.review},
		{there: o.Skills != nil, name: "skills", about: lang.N("skills: where each is from, on and off, what is wrong with one"), run: l.skills},
		{there: o.Hooks.List != nil, name: "hooks", about: lang.N("your commands at set moments: how they ended, on and off"), run: l.hooks},
		{there: o.Settings != nil, name: "settings", about: lang.N("every setting, and changing it"), run: l.settings},
		{there: o.Changelog != "", beside: true, name: "release-notes", about: lang.N("what is new in this forge"), run: l.changelog, aliases: []string{"changelog"}},
		{there: o.Logins != nil, name: "login", about: lang.N("give forge the key of a provider, typed hidden"), run: l.login, aliases: []string{"key"}},
		{there: o.Logins != nil, name: "logout", about: lang.N("let forge forget the key of a provider"), run: l.logout},
	}
}

func (l *lines) fresh(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	if err := l.now().New(); err != nil {
		return nil, err
	}
	say(lang.T("a new conversation has begun"))
	return nil, nil
}

func (l *lines) compact(ctx context.Context, arg string, _ func(string)) (*linear.Choice, error) {
	return nil, l.now().Agent.Compact(ctx, arg, l.now().Feed.Emit)
}

func (l *lines) uncompact(ctx context.Context, _ string, _ func(string)) (*linear.Choice, error) {
	return nil, l.now().Agent.Uncompact(ctx, l.now().Feed.Emit)
}

func (l *lines) todos(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	all := l.now().Todos()
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
}
