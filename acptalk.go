package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"forge/agent"
	"forge/mcp"
	"forge/models"
	"forge/provider"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/acp"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
)

// edited is a conversation that an editor shows.
type edited struct {
	*forge
	face     *face
	line     *acp.Line
	commands *fileCommands
	first    sync.Once // prompt
	opening  string    // its first line

	life   context.Context // until it is closed
	beside sync.WaitGroup  // what lists models and prompts meanwhile

	listing sync.Mutex // while servers are asked for their prompts

	mu       sync.Mutex
	models   []provider.Model
	late     bool              // the list of them came too late for the beginning
	joined   bool              // all of it is there
	stirring bool              // commands are about to be listed
	offered  []ui.ServerPrompt // by servers that run
}

// talk is it for the protocol; n tells those apart that are not kept.
func (t *edited) talk(n int64) *acp.Talk {
	f := t.forge
	id := fmt.Sprintf("unkept-%d", n)
	if s := f.agent.Session(); s != nil {
		id = s.ID()
	}
	return &acp.Talk{
		ID: id, Root: f.hands.workspace.Root(),
		Run: t.run, Spent: f.agent.Totals,
		Told: f.agent.Told, Replay: func(n int, sink agent.Sink) {
			_, m := t.answering()
			f.agent.ReplayTo(n, m.Window, sink)
		},
		Busy: t.atWork, Empty: func() bool { return len(f.agent.History()) == 0 },
		Todos: func() (out []acp.Todo) {
			for _, x := range f.hands.env.Todos.List() {
				out = append(out, acp.Todo{Text: x.Text, State: x.Status})
			}
			return out
		},
		Title: t.title,
		Modes: t.modes(), Mode: f.hands.guard.Mode, SetMode: f.hands.guard.SetMode,
		Models: t.choices, Model: t.answers, SetModel: t.choose,
		Efforts: t.efforts, SetEffort: t.setEffort,
		Commands: t.slashes, Command: t.slash,
		Close: f.shut,
	}
}

// title is what the conversation is called: by the person, or by its first prompt, as the
// list of conversations has it.
func (t *edited) title() string {
	if s := t.agent.Session(); s != nil && s.Title() != "" {
		return s.Title()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opening == "" {
		if asked := t.agent.Asked(); len(asked) > 0 {
			t.opening, _, _ = strings.Cut(strings.TrimSpace(asked[len(asked)-1].Text), "\n") // the newest comes first
		}
	}
	return t.opening
}

// atWork reports whether a command of it runs in the background.
func (t *edited) atWork() bool {
	return slices.ContainsFunc(t.hands.env.Jobs.List(), func(j builtin.Job) bool { return j.Running })
}

// begins does what comes before a prompt, some of it before the first alone: what has to be
// asked is asked, and servers are waited for.
func (t *edited) begins(ctx context.Context) {
	f := t.forge
	f.wakeHooks(false)
	if greet := f.greet; greet != nil {
		f.greet = nil
		greet(ctx)
		if f.mounted != nil { // a project's servers have their answer now
			f.mounted.WaitAnswered(ctx, mcpWait)
		}
	}
	f.wakeHooks(true)
	f.skills.ready()
	t.first.Do(func() {
		for _, n := range f.skills.notices() {
			t.line.Notice(n)
		}
	})
	f.await(ctx, t.line.Notice)
}

// run sends a prompt, with what the editor gave along.
func (t *edited) run(ctx context.Context, w acp.Words, sink agent.Sink) error {
	f := t.forge
	t.begins(ctx)
	text := w.Text
	for i, data := range w.Pictures {
		m, err := f.keepPicture(data)
		if err != nil {
			return acp.Wrong{Err: fmt.Errorf(lang.T("picture %d of the prompt: %w"), i+1, err)}
		}
		m.N = i + 1
		text = strings.TrimPrefix(strings.TrimRight(text, " ")+" "+m.String(), " ")
	}
	for i, a := range w.Attached {
		f.given = append(f.given, provider.Attached{Label: a.Label, Text: f.bounded(fmt.Sprintf("given-%d", i+1), a.Text)})
	}
	prompt, err := t.commands.headless(ctx, text, t.line.Notice)
	if err == nil {
		err = t.send(ctx, prompt, sink)
	}
	f.given = nil
	return err
}

// send has a prompt worked on.
func (t *edited) send(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
	f := t.forge
	err := recorded{Agent: f.agent, journal: f.journal, kept: f.kept, look: f.onlyLook, begins: f.goal.begins}.Run(ctx, p, sink)
	if unsaved := f.unsaved(); unsaved != nil {
		t.line.Notice(unsaved.Error())
	}
	return err
}

// modes are those a policy allows. Yolo is there only where the editor was set up to
// start forge so: a slip in a menu is no consent to it.
func (t *edited) modes() (out []acp.Mode) {
	for _, m := range []acp.Mode{
		{ID: permission.ModeAsk, Name: lang.T("ask"), About: lang.T("writes, commands and what is unknown ask")},
		{ID: permission.ModeEdits, Name: lang.T("edits"), About: lang.T("edits inside the workspace run, the rest asks")},
		{ID: permission.ModePlan, Name: lang.T("plan"), About: lang.T("nothing changes: what would is refused")},
		{ID: permission.ModeAuto, Name: lang.T("auto"), About: lang.T("asks only about what is HIGH and above")},
		{ID: permission.ModeYolo, Name: lang.T("yolo"), About: lang.T("asks about nothing but what is CRITICAL")},
	} {
		if m.ID == permission.ModeYolo && t.flags.Mode != m.ID {
			continue
		}
		if t.cfg.Policy.AtMostMode(string(m.ID)) == string(m.ID) {
			out = append(out, m)
		}
	}
	return out
}

func modelID(m provider.Model) string { return m.Provider + "/" + m.ID }

func (t *edited) choices() (out []acp.Model) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range t.models {
		c := choice(m)
		out = append(out, acp.Model{ID: modelID(m), Name: modelID(m), About: c.Note})
	}
	return out
}

func (t *edited) answers() (id, name string) {
	_, m := t.answering()
	return modelID(m), modelID(m)
}

// choose goes on with another model; while a run is on, from its next call on.
func (t *edited) choose(id string, running bool) error {
	t.mu.Lock()
	models := t.models
	t.mu.Unlock()
	_, now := t.answering()
	for _, m := range append([]provider.Model{now}, models...) {
		if modelID(m) == id {
			return t.soon(running, func() error {
				if _, now := t.answering(); modelID(now) == id { // it keeps its effort
					return nil
				}
				_, err := t.setModel(ui.ModelChoice{Model: m}, "")
				return err
			})
		}
	}
	return fmt.Errorf(lang.T("there is no model %s"), id)
}

// plain is the name of the effort that a model has by itself.
const plain = "default"

func (t *edited) efforts() (all []string, now string) {
	c, m := t.answering()
	for _, e := range m.Efforts {
		all = append(all, string(e))
	}
	if now = string(models.Effort(c)); now == "" && len(all) > 0 {
		all, now = append([]string{plain}, all...), plain
	}
	return all, now
}

func (t *edited) setEffort(e string, running bool) error {
	if e == plain {
		e = ""
	}
	return t.soon(running, func() error {
		_, m := t.answering() // another one may have been chosen before it
		_, err := t.setModel(ui.ModelChoice{Model: m}, provider.Effort(e))
		return err
	})
}

// soon does what may only be done between calls of the model.
func (t *edited) soon(running bool, do func() error) error {
	if !running {
		return do()
	}
	t.agent.Soon(func() {
		if err := do(); err != nil {
			t.line.Notice(err.Error())
		}
		t.line.OptionsChanged()
	})
	return nil
}

// slashes are the commands that make sense in an editor, and those from files.
func (t *edited) slashes() []acp.Command {
	out := []acp.Command{
		{Name: "compact", About: lang.T("shorten the conversation for the model"), Hint: lang.T("[what to keep]")},
		{Name: "uncompact", About: lang.T("take the last compaction back")},
		{Name: "undo", About: lang.T("take back the last changes to files; shows them first"), Hint: lang.T("[turn]")},
		{Name: "redo", About: lang.T("bring again the changes that were taken back")},
		{Name: "diff", About: lang.T("what this conversation changed in files")},
		{Name: reviewName, About: lang.T("let the model look for faults in what changed; it changes nothing"), Hint: lang.T("[branch|commit] [what to look at]")},
		{Name: goalName, About: lang.T("what is to be reached over runs: the model goes on until it is"), Hint: lang.T("[goal|clear|resume]")},
		{Name: "init", About: lang.T("let the model write AGENTS.md for this project"), Hint: lang.T("[what else]")},
		{Name: "usage", About: lang.T("tokens and money used up, budgets")},
		{Name: "mcp", About: lang.T("MCP servers and how they stand")},
	}
	for _, c := range t.commands.look().Commands {
		out = append(out, acp.Command{Name: c.Call, About: c.About, Hint: c.Hint})
	}
	for _, c := range t.offers() {
		if !slices.ContainsFunc(out, func(x acp.Command) bool { return x.Name == c.Name }) { // a file has that name
			out = append(out, c)
		}
	}
	return out
}

// slash runs one of forge's own.
func (t *edited) slash(ctx context.Context, line string, sink agent.Sink, say func(string)) (bool, error) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	arg = strings.TrimSpace(arg)
	f := t.forge
	switch name = strings.ToLower(name); name {
	case "compact":
		return true, f.agent.Compact(ctx, arg, sink)
	case "uncompact":
		return true, f.agent.Uncompact(ctx, sink)
	case "undo", "redo":
		what := name
		if name == "undo" {
			what = arg
		}
		return true, t.takesBack(ctx, what, say)
	case "diff":
		d := f.sessionDiff()
		if d == "" {
			say(lang.T("this conversation changed no file"))
			return true, nil
		}
		say(acp.Fenced("diff", strings.TrimRight(safe.Output(d), "\n")))
		return true, nil
	case goalName:
		said, ok, err := f.goal.asked(line)
		if ok && err == nil {
			say(said)
		}
		return ok, err
	case loopName:
		say(lang.T("/loop is for forge's screen and its plain lines: an editor's agent speaks when it is spoken to"))
		return true, nil
	case "usage":
		u := f.agent.Totals()
		said := lang.T("tokens in: %s, out: %s; calls of the model: %d", cli.Tokens(u.Usage.Input), cli.Tokens(u.Usage.Output), u.Turns)
		if u.CostKnown {
			said += lang.T("; cost: $%s", strconv.FormatFloat(u.Cost, 'f', 4, 64))
		}
		say(said)
		return true, nil
	case "mcp":
		say(t.servers())
		return true, nil
	case "cd": // what is said of files there would be said of others than the editor shows
		say(lang.T("the folder of this conversation is your editor's to choose: begin another conversation there"))
		return true, nil
	case "init":
		t.begins(ctx)
		return true, t.send(ctx, agent.Prompt{Text: ui.InitText(arg), Line: line}, sink)
	}
	return t.serverPrompt(ctx, line, sink)
}

// servers says how each server stands.
func (t *edited) servers() string {
	if t.mounted == nil {
		return lang.T("no MCP server is configured")
	}
	var lines []string
	for _, st := range t.mounted.Status() {
		l := "- " + safe.Line(st.Name) + ": " + lang.Said(string(st.State))
		if st.State == mcp.Ready {
			l += ", " + lang.Count(len(st.Tools), "1 tool", "%d tools")
		} else if st.Reason != "" {
			l += ": " + safe.Line(lang.Said(st.Reason))
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

// takesBack shows what would be done to files, and does it after a yes.
func (t *edited) takesBack(ctx context.Context, what string, say func(string)) error {
	if what != "" && what != "turn" && what != "redo" {
		say(lang.T("/undo takes back what the last prompt changed, /undo turn its last step"))
		return nil
	}
	b, err := t.undo(what)
	switch {
	case err != nil:
		return err
	case b == nil && what == "redo":
		say(lang.T("there is nothing to bring again"))
		return nil
	case b == nil:
		say(lang.T("no file was changed in this conversation that could be taken back"))
		return nil
	}
	var files []string
	for _, x := range b.Files {
		row := x.Path
		if x.Do == ui.TakebackKeep {
			row += ": " + lang.T("stays as it is") + " (" + lang.Said(x.Why) + ")"
		}
		files = append(files, row)
	}
	title, yes := lang.T("Take back the changes to these files?"), lang.T("take them back")
	if b.Redo {
		title, yes = lang.T("Bring the changes to these files again?"), lang.T("bring them again")
	}
	r, err := t.line.Questions().Ask(ctx, tools.Question{ID: "takeback", Source: "forge", Title: title, Body: strings.Join(files, "\n"),
		Choices: []tools.Choice{{ID: "yes", Label: yes, Key: "y"}, {ID: "no", Label: lang.T("leave them"), Key: "n"}}})
	if err != nil || r.Choice != "yes" {
		return err
	}
	changed, kept, err := b.Apply()
	switch {
	case err != nil:
		return err
	case len(changed) == 0:
		return errors.New(lang.T("nothing was changed"))
	}
	say(b.Said(changed, kept))
	return nil
}
