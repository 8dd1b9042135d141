package main

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"forge/agent"
	"forge/agent/config"
	"forge/agent/subagent"
	"forge/tools"
	"forge/tools/trust"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// reloaded is what was read anew since the session began and the model is told of: its
// system prompt stays as it is to the byte. Its methods may be called from any goroutine.
type reloaded struct {
	mu   sync.Mutex
	text string // instructions as they are now; empty: as they were
	told bool   // in this conversation
}

// news is what the model is to be told.
func (r *reloaded) news() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.told || r.text == "" {
		return nil
	}
	r.told = true
	return []string{r.text}
}

// forget drops it: the system prompt has the instructions as they are.
func (r *reloaded) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.told = "", false
}

// again has it told once more: another conversation begins, or a summary takes its place.
func (r *reloaded) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = false
}

// inForce are the settings that are taken up without a restart.
var inForce = []string{"favorite_models", "ide.answers", "ide.context", "lang", "permissions.allow", "permissions.ask", "permissions.deny", "skills.off", "theme"}

// reload reads anew what can be without a restart, and says what changed and what waits
// for one. takes are the settings that the face can put in force by itself, and take has
// it do so. It is called between runs.
func (f *forge) reload(ctx context.Context, takes []string, say func(string), take func(ui.Reloaded)) error {
	f.awaitTrust(ctx, say) // else the same would be asked twice
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := 0
	tell := func(text string) {
		said++
		say(text)
	}
	var out ui.Reloaded
	if err := f.reloadSettings(&out, takes, tell); err != nil {
		return err
	}
	if err := f.reloadAgents(ctx, tell); err != nil {
		return err
	}
	if err := f.reloadSkills(ctx, tell); err != nil {
		return err
	}
	f.reloadInstructions(tell)
	take(out) // a server that is new asks by itself, at any time from now on
	f.reloadServers(tell)
	if said == 0 {
		say(lang.T("nothing changed: settings, rules, sub-agents, skills and instructions are as they were"))
	}
	say(lang.T("commands from files, texts of skills and themes are read whenever they are used"))
	return nil
}

// reloadSettings takes up what the settings say of rules, skills, language and theme.
func (f *forge) reloadSettings(out *ui.Reloaded, takes []string, tell func(string)) error {
	_, cfg, err := settings(f.hands.workspace.Root())
	if err != nil {
		return err
	}
	changed := cfg.Changed(f.cfg)
	if len(changed) == 0 && slices.Equal(cfg.Problems, f.cfg.Problems) { // a file that cannot be read has no settings
		return nil
	}
	for _, p := range cfg.Problems {
		tell(lang.Said(p))
	}
	if len(cfg.Problems) == 0 && len(f.cfg.Problems) > 0 {
		tell(lang.T("what was wrong with the settings is mended"))
	}
	var now, later, held []string
	for _, name := range changed {
		switch {
		case slices.Contains(inForce, name):
			now = append(now, name)
		case name == "keys" && slices.Contains(takes, name):
			now = append(now, name)
			f.keys, _ = bound(cfg) // what is wrong with them is among the problems
			out.Rekeyed, out.Keys = true, f.keys
		case slices.Contains(takes, name) && !(name == "screen.inline" && f.flags.Inline):
			now = append(now, name)
			held = append(held, name)
		default:
			later = append(later, name)
		}
	}
	rules, problems := rules(cfg.Permissions)
	f.hands.guard.SetRules(rules)
	for _, p := range append(problems, idle(rules, f.hands.workspace.Roots())...) {
		tell(lang.Said(p))
	}
	f.skills.switched(cfg.SkillsOff)
	f.bridging.Store(&cfg.IDE)
	if slices.Contains(now, "lang") && f.flags.Lang == "" {
		out.Lang = cfg.Lang
	}
	if slices.Contains(now, "theme") && f.flags.Theme == "" {
		out.Theme = cfg.Theme
	}
	for _, s := range config.Settings(f.dirs.File(), "") { // a project has no say in these
		if slices.Contains(held, s.Name) {
			if out.Settings == nil {
				out.Settings = map[string]string{}
			}
			out.Settings[s.Name] = cli.Typed(s.Value)
		}
	}
	// What waits for a restart stays as it is in f.cfg, and is named again until then.
	f.cfg.TakeUp(cfg, now)
	f.cfg.Problems = cfg.Problems
	if len(now) > 0 {
		tell(lang.T("in force now: %s", strings.Join(now, ", ")))
	}
	if len(later) > 0 {
		tell(lang.T("changed, and in force from the next start on: %s", strings.Join(later, ", ")))
	}
	return nil
}

// reloadAgents reads the definitions of sub-agents. A project's are asked about as at the
// start.
func (f *forge) reloadAgents(ctx context.Context, tell func(string)) error {
	before := f.crew.of.Definitions()
	defs := subagent.Builtin()
	files, problems := personal(f.agentFolder())
	mine, more := definitions(files, subagent.User)
	problems = append(problems, more...)
	defs = append(defs, mine...)
	root := f.hands.workspace.Root()
	theirs, err := trust.Find(root, agentPowers())
	if err != nil {
		problems = append(problems, lang.T("sub-agents of this folder are left out: %s", lang.Said(err.Error())))
	} else if len(theirs) > 0 {
		changes, err := trust.Open(f.dirs.Trust()).Changes(root, theirs)
		if err == nil && len(changes) > 0 && !f.flags.TrustWorkspace {
			err = f.skills.trusts(ctx, root, theirs, changes)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			problems = append(problems, lang.T("sub-agents of this folder are left out: %s", lang.Said(err.Error())))
		default:
			project, more := definitions(theirs, subagent.Project)
			problems = append(problems, more...)
			defs = append(defs, project...)
			f.crew.waiting = nil
		}
	}
	f.crew.of.Define(defs)
	now := f.crew.of.Definitions()
	names := differ(named(before, func(d subagent.Definition) string { return d.Name }), named(now, func(d subagent.Definition) string { return d.Name }))
	if len(names) == 0 {
		return nil
	}
	for _, p := range append(problems, f.missing(now)...) {
		tell(lang.Said(p))
	}
	f.hands.registry.SetSoon("agents", []tools.Tool{f.crew.of.Tool()}, false, func(err error) { f.tell(lang.Said(err.Error())) })
	tell(lang.T("sub-agents: %s", strings.Join(names, ", ")))
	return nil
}

// reloadSkills looks for skills again, and asks about those nobody trusts.
func (f *forge) reloadSkills(ctx context.Context, tell func(string)) error {
	before := f.skills.seen()
	if err := f.skills.ask(ctx); err != nil {
		return err
	}
	f.skills.renew()
	if names := differ(before, f.skills.seen()); len(names) > 0 {
		tell(lang.T("skills: %s", strings.Join(names, ", ")))
	}
	return nil
}

// reloadInstructions reads AGENTS.md and its like. The model is told of what is another
// with its next request.
func (f *forge) reloadInstructions(tell func(string)) {
	before := f.memory.files
	files, warnings := f.findInstructions()
	text := func(m agent.MemoryFile) string { return m.Name }
	names := differ(named(before, text), named(files, text))
	if len(names) == 0 {
		return
	}
	for _, w := range warnings {
		tell(lang.Said(w))
	}
	f.memory.mu.Lock()
	f.memory.files = files
	f.memory.mu.Unlock()
	f.reloaded.mu.Lock()
	f.reloaded.text, f.reloaded.told = instructionsNow(files), false
	f.reloaded.mu.Unlock()
	tell(lang.T("instructions, which the model is told with your next prompt: %s", strings.Join(names, ", ")))
}

// reloadServers starts servers that are new or configured in another way, and ends those
// that are not configured any more. Each of the project's is asked about with its whole
// command, unless it was approved as it is.
func (f *forge) reloadServers(tell func(string)) {
	if f.mounted == nil {
		return
	}
	all, problems := f.places.load(f.flags)
	if len(problems) > 0 { // what is missing may stand there
		for _, p := range problems {
			tell(lang.Said(p))
		}
		tell(lang.T("MCP servers stay as they are until that is mended"))
		return
	}
	maps.Copy(all, f.lent)
	if err := f.hands.narrow.check(f.hands.registry, all); err != nil {
		tell(lang.T("MCP servers stay as they are: %s", lang.Said(err.Error())))
		return
	}
	for name, c := range all {
		if was, had := f.server(name); c.Source.Scope == "project" && !(had && reflect.DeepEqual(was, c)) {
			f.keeper.anew(name)
		}
	}
	f.configure(all)
	names := f.mounted.Configure(all)
	if len(names) == 0 {
		return
	}
	f.awaited = false // the next prompt waits for them, as the first one does
	tell(lang.T("MCP servers: %s", strings.Join(names, ", ")))
	if f.feed != nil {
		f.feed.ServersChanged()
	}
}

func keysOf[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for k := range m {
		out[k] = true
	}
	return out
}

// named are things by their names.
func named[T any](all []T, name func(T) string) map[string]any {
	out := map[string]any{}
	for _, x := range all {
		out[name(x)] = x
	}
	return out
}

// differ names what is new, gone or another: "+a", "-b", "c".
func differ(before, now map[string]any) (out []string) {
	for _, name := range slices.Sorted(maps.Keys(keysOf(now))) {
		was, had := before[name]
		switch {
		case !had:
			out = append(out, "+"+name)
		case !reflect.DeepEqual(was, now[name]):
			out = append(out, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(keysOf(before))) {
		if _, has := now[name]; !has {
			out = append(out, "-"+name)
		}
	}
	return out
}
