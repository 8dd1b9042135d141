package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/spell"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// command is one line of the slash table: what the menu lists, /help explains
// and Enter runs.
type command struct {
	name     string
	aliases  []string
	known    []string          // names it has in other agents: they run it where nothing here has that name
	stands   map[string]string // the argument that one of them says by itself
	args     string            // for the menu: "[model]"
	about    string
	busy     bool // may run while a run is on
	words    bool // takes words of several lines
	fill     bool // the palette writes it into the prompt, for its argument
	filed    bool // from a file of the person's or the project's: its words are in no catalogue
	run      func(m *Model, arg string) tea.Cmd
	complete func(m *Model, prefix string) []string
	search   func(m *Model, prefix string) []composer.Found // the same, off the loop
}

// means reports whether a name is the command's, or another one it has.
func (c command) means(name string) bool { return c.name == name || slices.Contains(c.aliases, name) }

// meant is every name it answers to.
func (c command) meant() []string { return slices.Concat(c.aliases, c.known) }

// names are those a beginning or a slip of the finger may mean. The long name of a
// command from a file is none: it begins as that of any other.
func (c command) names() []string {
	if c.filed {
		return []string{c.name}
	}
	return append([]string{c.name}, c.aliases...)
}

// said is what may follow the command and what it does, for a person.
func (c command) said() (args, about string) {
	if c.filed {
		return c.args, c.about
	}
	return lang.T(c.args), lang.T(c.about)
}

// commands is the table, in the order the menu lists it. A name that is the
// beginning of another stands before it.
func commands() []command {
	return []command{
		{name: "help", aliases: []string{"h"}, known: []string{"hotkeys", "keymap", "keybindings"}, about: lang.N("keys and commands"), busy: true, run: (*Model).cmdHelp},
		{name: "new", aliases: []string{"clear"}, about: lang.N("start a new conversation"), run: (*Model).cmdNew},
		{name: "resume", aliases: []string{"sessions"}, known: []string{"chat"}, args: lang.N("[session]"), about: lang.N("continue an earlier conversation"), run: (*Model).cmdResume},
		{name: "search", args: lang.N("[words]"), about: lang.N("find words in all conversations"), busy: true, fill: true, run: (*Model).cmdSearch},
		{name: "rename", known: []string{"title", "name"}, args: lang.N("[name|auto]"), about: lang.N("give this conversation a name"), busy: true, fill: true, run: (*Model).cmdRename, complete: (*Model).completeRename},
		{name: "fork", known: []string{"branch"}, args: "[n]", about: lang.N("go on in a copy, from before the last n prompts"), run: (*Model).cmdFork},
		{name: "export", args: lang.N("[markdown|html|jsonl] [file]"), about: lang.N("write this conversation to a file"), fill: true,
			run: (*Model).cmdExport, complete: (*Model).completeExport},
		{name: "share", args: lang.N("[markdown|html|jsonl] [file]"), about: lang.N("write this conversation to one page to give away; nothing is sent"), fill: true,
			run: (*Model).cmdShare, complete: (*Model).completeExport},
		{name: "continue", about: lang.N("go on with what was cut off, or with the plan"), run: (*Model).cmdContinue},
		{name: "mode", args: "[ask|edits|plan|auto]", about: lang.N("how much runs without a question"), busy: true,
			run: (*Model).cmdMode, complete: (*Model).completeMode},
		{name: "plan", args: lang.N("[what to plan]"), fill: true, about: lang.N("nothing is changed: the model reads and makes a plan"), busy: true, run: (*Model).cmdPlan},
		{name: "model", known: []string{"models"}, args: lang.N("[model]"), about: lang.N("choose the model"), busy: true, run: (*Model).cmdModel, complete: (*Model).completeModel},
		{name: "login", words: true, known: []string{"connect", "auth"}, args: lang.N("[provider]"), about: lang.N("give forge the key of a provider, typed hidden"), busy: true,
			run: (*Model).cmdLogin, search: (*Model).searchLogin},
		{name: "logout", words: true, args: lang.N("[provider]"), about: lang.N("let forge forget the key of a provider"), busy: true,
			run: (*Model).cmdLogout, search: (*Model).searchLogin},
		{name: "effort", known: []string{"thinking"}, args: lang.N("[level]"), about: lang.N("how much the model thinks"), busy: true, run: (*Model).cmdEffort, complete: (*Model).completeEffort},
		{name: "reasoning", args: "[hidden|line|full]", about: lang.N("how much of the model's reasoning is shown"), busy: true, run: (*Model).cmdReasoning, complete: (*Model).completeReasoning},
		{name: "focus", about: lang.N("the prompt, one row of work and the answer alone; again: back"), busy: true, run: (*Model).cmdFocus},
		{name: "times", args: "[on|off]", about: lang.N("show when each prompt and each answer was said"), busy: true, run: (*Model).cmdTimes, complete: completeTimes},
		{name: "compact", words: true, known: []string{"compress", "summarize"}, args: lang.N("[what to keep]"), about: lang.N("shorten the conversation for the model"), fill: true, run: (*Model).cmdCompact},
		{name: "mcp", args: lang.N("[server]"), about: lang.N("MCP servers: how they stand, their tools, log in"), busy: true, run: (*Model).cmdMCP, complete: (*Model).completeServer},
		{name: "context", about: lang.N("what the model sees: drop, pin, collapse, restore"), busy: true, run: (*Model).cmdContext},
		{name: "usage", known: []string{"stats", "cost"}, about: lang.N("tokens and money used up, budgets"), busy: true, run: (*Model).cmdUsage},
		{name: "status", known: []string{"about", "version"}, about: lang.N("how things stand: model, mode, sandbox, tokens, servers"), busy: true, run: (*Model).cmdStatus},
		{name: "statusline", about: lang.N("what the line at the bottom shows, and where"), busy: true, run: (*Model).cmdStatusLine},
		{name: "add-dir", known: []string{"directory", "adddir"}, args: lang.N("[path]"), about: lang.N("open one more folder to tools and commands; list them"), busy: true,
			run: (*Model).cmdAddDir, search: (*Model).searchFolder},
		{name: "cd", known: []string{"cwd"}, args: lang.N("[path]"), about: lang.N("go on with this conversation in another folder; say which it is in"), busy: true,
			run: (*Model).cmdCd, search: (*Model).searchFolder},
		{name: "uncompact", about: lang.N("take the last compaction back"), run: (*Model).cmdUncompact},
		{name: "diff", args: lang.N("[session]"), about: lang.N("what changed in the working tree, or in this conversation"), busy: true,
			run: (*Model).cmdDiff, complete: completeDiff},
		{name: "undo", args: lang.N("[turn]"), about: lang.N("take back the last changes to files; shows them first"),
			run: (*Model).cmdUndo, complete: completeUndo},
		{name: "redo", about: lang.N("bring again the changes that were taken back"), run: (*Model).cmdRedo},
		{name: "rewind", aliases: []string{"restore", "checkpoint"}, known: []string{"tree"}, about: lang.N("go back to an earlier prompt: conversation, files or both"), run: (*Model).cmdRewind},
		{name: "copy", args: "[n|code|all]", about: lang.N("copy the last answer, the nth last, its code, or everything"), busy: true,
			run: (*Model).cmdCopy, complete: (*Model).completeCopy},
		{name: "tui", known: []string{"inline", "fullscreen"}, stands: map[string]string{"inline": inTerminal, "fullscreen": wholeScreen}, args: "[full|inline]", about: lang.N("the whole screen, or rows beneath what is left in the terminal"), busy: true,
			run: (*Model).cmdTui, complete: completeTui},
		{name: "timeline", known: []string{"prompts"}, about: lang.N("the prompts of this conversation: go to one"), busy: true, run: (*Model).cmdTimeline},
		{name: "panel", known: []string{"sidebar"}, about: lang.N("a panel beside the conversation: how things stand, what changed"), busy: true, run: (*Model).cmdPanel},
		{name: "mouse", about: lang.N("leave the mouse to the terminal, or take it back"), busy: true, run: (*Model).cmdMouse},
		{name: "permissions", known: []string{"approvals", "policies"}, about: lang.N("rules and grants: what may run, take one back"), busy: true, run: (*Model).cmdPermissions},
		{name: "review", words: true, args: lang.N("[branch|commit] [what to look at]"), about: lang.N("let the model look for faults in what changed; it changes nothing"), fill: true,
			run: (*Model).cmdReview, search: (*Model).searchBranch},
		{name: "goal", words: true, args: lang.N("[goal|clear|resume]"), about: lang.N("what is to be reached over runs: the model goes on until it is"), busy: true, fill: true,
			run: (*Model).cmdGoal, complete: (*Model).completeGoal},
		{name: loopName, words: true, known: []string{"schedule"}, args: lang.N("[time prompt|stop [n]|resume]"), about: lang.N("send a prompt again and again: /loop 5m check the deploy"), busy: true, fill: true,
			run: (*Model).cmdLoop, complete: (*Model).completeLoop},
		{name: "jobs", known: []string{"ps", "tasks", "bashes", "shells"}, about: lang.N("what runs in the background: what it wrote, end it"), busy: true, run: (*Model).cmdJobs},
		{name: "stop", about: lang.N("end all commands that run in the background"), busy: true, run: (*Model).cmdStop},
		{name: "hooks", about: lang.N("your commands at set moments: how they ended, on and off"), busy: true, run: (*Model).cmdHooks},
		{name: "lsp", args: lang.N("[start|stop server]"), about: lang.N("language servers: how they stand, stop one, start one"), busy: true, run: (*Model).cmdLSP, complete: (*Model).completeLSP},
		{name: "tools", about: lang.N("the model's tools: what they cost, on and off"), busy: true, run: (*Model).cmdTools},
		{name: "settings", known: []string{"config"}, args: lang.N("[key]"), about: lang.N("every setting, and changing it"), busy: true,
			run: (*Model).cmdSettings, search: (*Model).searchSetting},
		{name: "theme", known: []string{"themes"}, args: lang.N("[name]"), about: lang.N("the colours of the screen, tried on while you choose"), busy: true,
			run: (*Model).cmdTheme, complete: (*Model).completeTheme},
		{name: "editor", about: lang.N("write the prompt in your own editor"), busy: true, run: (*Model).cmdEditor},
		{name: "ide", args: lang.N("[connect|disconnect]"), about: lang.N("the editor forge runs in: what is selected there, changes in its diff"), busy: true,
			run: (*Model).cmdIDE, complete: completeIDE},
		{name: "spell", words: true, known: []string{"spelling"}, args: lang.N("[text]"), about: lang.N("words that look wrong in a text, or in the last prompt"), busy: true, fill: true, run: (*Model).cmdSpell},
		{name: "dictate", known: []string{"voice"}, about: lang.N("dictate, with a command of yours that listens; end it"), busy: true, run: (*Model).cmdDictate},
		{name: "vim", about: lang.N("the keys of vi in the prompt, on or off"), busy: true, run: (*Model).cmdVim},
		{name: "lang", args: "[" + strings.Join(lang.Tags(), "|") + "]", about: lang.N("the language of forge's own words"), busy: true, run: (*Model).cmdLang, complete: (*Model).completeLang},
		{name: "btw", words: true, known: []string{"side"}, args: lang.N("[question]"), about: lang.N("ask something beside the work; the conversation does not see it"), busy: true, fill: true, run: (*Model).cmdBtw},
		{name: "recap", about: lang.N("what was done in this conversation and what is open, asked of the model"), busy: true, run: (*Model).cmdRecap},
		{name: "memory", about: lang.N("the instructions the model has: AGENTS.md, CLAUDE.md"), busy: true, run: (*Model).cmdMemory},
		{name: "init", words: true, args: lang.N("[what else]"), about: lang.N("let the model write AGENTS.md for this project"), fill: true, run: (*Model).cmdInit},
		{name: "agents", known: []string{"subagents"}, about: lang.N("sub-agents: those at work, what they did, stop one"), busy: true, run: (*Model).cmdAgents},
		{name: "skills", known: []string{"skill"}, about: lang.N("skills: where each is from, on and off, what is wrong with one"), busy: true, run: (*Model).cmdSkills},
		{name: "reload", about: lang.N("read settings, rules, skills, sub-agents and instructions anew"), run: (*Model).cmdReload},
		{name: "doctor", about: lang.N("examine keys, endpoints, terminal, sandbox, servers; what to mend"), busy: true, run: (*Model).cmdDoctor},
		{name: "feedback", known: []string{"bug"}, args: "[" + withTalk + "]", about: lang.N("write a report about forge for you to read and send"), busy: true,
			run: (*Model).cmdFeedback, complete: completeFeedback},
		{name: "release-notes", aliases: []string{"changelog"}, about: lang.N("what is new in this forge"), busy: true, run: (*Model).cmdChangelog},
		{name: "exit", aliases: []string{"quit"}, about: lang.N("leave forge"), busy: true, run: (*Model).cmdExit},
	}
}

// parseCommand splits "/model gpt" into its name and argument. Text whose first
// word holds another slash is a path, and so a prompt; so are several lines, but behind a
// command that takes words.
func parseCommand(text string) (name, arg string, ok bool) {
	if !strings.HasPrefix(text, "/") {
		return "", "", false
	}
	name = text[1:]
	if i := strings.IndexAny(name, " \n"); i >= 0 {
		name, arg = name[:i], name[i:]
	}
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_') {
			return "", "", false
		}
	}
	name = strings.ToLower(name)
	if strings.Contains(text, "\n") && !slices.ContainsFunc(commands(), func(c command) bool { return c.words && (c.means(name) || slices.Contains(c.known, name)) }) {
		return "", "", false
	}
	return name, strings.TrimSpace(arg), true
}

// findCommand returns the command a name means: by its whole name or alias, by a whole
// name it has in other agents, or by a beginning that only one command has. Otherwise near holds the names that
// were probably meant; none of them runs.
func findCommand(table []command, name string) (c command, near []string, ok bool) {
	var begins []int
	for i, c := range table {
		if c.means(name) {
			return c, nil, true
		}
		names := c.names()
		if name != "" && slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name) }) {
			begins = append(begins, i)
		}
	}
	if i := slices.IndexFunc(table, func(c command) bool { return slices.Contains(c.known, name) }); i >= 0 {
		return table[i], nil, true
	}
	if len(begins) == 1 {
		return table[begins[0]], nil, true
	}
	for _, i := range begins {
		near = append(near, table[i].name)
	}
	if near != nil {
		return command{}, near, false
	}
	limit := 3 // three wrong letters are another word
	if len(name) <= 4 {
		limit = 2 // of a short one two are
	}
	best := limit
	for _, c := range table {
		for _, n := range c.names() {
			switch d := spell.Distance(name, n); {
			case d < best && d < len(n):
				best, near = d, []string{n}
			case d == best && d < limit && !slices.Contains(near, n):
				near = append(near, n)
			}
		}
	}
	return command{}, near, false
}

// runCommand runs a line that parseCommand accepted. What does not run stays in
// the composer, to be mended.
func (m *Model) runCommand(line, name, arg string) tea.Cmd {
	m.status.flash = "" // it told of what was typed before
	c, near, ok := findCommand(m.table, name)
	switch why := m.filedMissing(name); {
	case !ok && why != "":
		m.giveBack(line)
		return m.say(why)
	case !ok && len(near) > 0:
		m.comp.SetValue(line)
		return m.say(lang.T("no command /%s; did you mean /%s?", name, strings.Join(near, lang.T(" or /"))))
	case !ok:
		m.comp.SetValue(line)
		return m.say(lang.T("no command /%s; /help lists them", name))
	case arg != "" && c.args == "" && !c.filed: // words nobody would read: they may have been meant for the model
		m.comp.SetValue(line)
		return m.say(lang.T("/%s takes nothing behind it", c.name))
	case m.moving: // it is meant for what there is then
		m.behind = append(m.behind, line)
		return nil
	case m.busy() && !c.busy:
		m.queue = append(m.queue, line)
		return m.say(m.o.Keys.Named(lang.T("/%s waits for the end of the run; esc stops it", c.name), keymap.Interrupt))
	}
	m.use("/" + c.name)
	if arg == "" {
		arg = c.stands[name]
	}
	return c.run(m, arg)
}

// menu is the table as the composer lists it.
func (m *Model) menu() []composer.Command {
	var out []composer.Command
	apart := m.apart()
	for _, c := range m.table {
		entry := composer.Command{Name: c.name, Aliases: c.aliases, Known: c.known}
		entry.Args, entry.About = c.said()
		if complete := c.complete; complete != nil {
			entry.Complete = func(prefix string) []string { return complete(m, prefix) }
		}
		if search := c.search; search != nil {
			entry.Search = func(prefix string) []composer.Found { return search(apart, prefix) }
		}
		out = append(out, entry)
	}
	return append(out, m.promptMenu()...)
}
