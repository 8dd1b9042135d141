package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/agent/session"
	"forge/agent/subagent"
	"forge/compact"
	"forge/models"
	"forge/provider"
	"forge/provider/catalog"
	"forge/tilde"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/trust"
	"forge/ui"
	"forge/ui/composer"
	"forge/ui/lang"
)

// crew is the sub-agents of a session.
type crew struct {
	of      *subagent.Crew
	waiting []trust.File // definitions of the project that nobody trusted yet

	mu     sync.Mutex
	models map[string]opened // by the name a definition has for it
}

// forget has models opened anew: a key was given or taken away.
func (c *crew) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.models)
}

type opened struct {
	p provider.Provider
	m provider.Model
	e provider.Effort
}

// agentPowers are the places where a project defines sub-agents. They can only narrow
// what an agent may do, but their words reach a model as its orders.
func agentPowers() []trust.Power {
	return []trust.Power{
		{Path: ".forge/agents/*.md", Does: lang.N("defines sub-agents")},
		{Path: ".claude/agents/*.md", Does: lang.N("defines sub-agents")},
	}
}

// agentFolder is where the person's own definitions lie.
func (f *forge) agentFolder() string { return filepath.Join(f.dirs.Config, "agents") }

// openCrew finds the definitions and gives the model its tool. Those of a project
// come once it is trusted.
func (f *forge) openCrew() error {
	f.crew = &crew{models: map[string]opened{}}
	defs := subagent.Builtin()
	files, problems := personal(f.agentFolder())
	f.notices = append(f.notices, problems...)
	user, problems := definitions(files, subagent.User)
	f.notices = append(f.notices, problems...)
	f.notices = append(f.notices, f.missing(user)...)
	defs = append(defs, user...)
	root := f.hands.workspace.Root()
	theirs, err := trust.Find(root, agentPowers())
	if err != nil {
		f.notices = append(f.notices, "sub-agents of this folder are left out: "+err.Error())
	}
	if len(theirs) > 0 {
		changes, err := trust.Open(f.dirs.Trust()).Changes(root, theirs)
		switch {
		case f.flags.TrustWorkspace || err == nil && len(changes) == 0:
			project, problems := definitions(theirs, subagent.Project)
			f.notices = append(append(f.notices, problems...), f.missing(project)...)
			defs = append(defs, project...)
		case f.flags.Headless:
			f.notices = append(f.notices, "sub-agents of this folder are left out: it is not trusted (--trust-workspace lets them)")
		default:
			f.crew.waiting = theirs
		}
	}
	f.crew.of = subagent.New(subagent.Options{
		Parallel: f.cfg.Agents.Parallel, Depth: f.cfg.Agents.Depth,
		Hands: f.hands.lend, Model: f.agentModel,
		System: func(role string, names []string) string {
			o := f.promptOptions(names)
			o.Role = role
			return agent.SystemPrompt(o)
		},
		Compact: func(p provider.Provider, m provider.Model) *compact.Compactor { return compact.New(f.compaction(p, m)) },
	})
	f.crew.of.Define(defs)
	return f.hands.registry.Set("agents", []tools.Tool{f.crew.of.Tool()}, false)
}

// trusted takes in the project's definitions: the person said yes to what they were
// shown of them, and exactly that is read.
func (f *forge) trusted(files []trust.File) {
	f.hooksTrusted(files)
	var agents []trust.File
	for _, file := range files {
		if slices.ContainsFunc(f.crew.waiting, func(w trust.File) bool { return w.Path == file.Path }) {
			agents = append(agents, file)
		}
	}
	f.skills.renew()
	if len(agents) == 0 {
		return
	}
	defs, problems := definitions(agents, subagent.Project)
	for _, p := range append(problems, f.missing(defs)...) {
		f.tell(p)
	}
	// The tool changes with the next turn.
	f.crew.of.Define(append(f.crew.of.Definitions(), defs...))
	f.hands.registry.SetSoon("agents", []tools.Tool{f.crew.of.Tool()}, false, func(err error) { f.tell("sub-agents: " + err.Error()) })
}

// lend makes the tools of a sub-agent: its parent's, but with a memory of its own of
// what was read, a todo list of its own, and commands in the background that end with
// it.
func (h *hands) lend(parent *tools.Registry, names []string) (*tools.Registry, func(), error) {
	env := h.newEnv()
	fresh := map[string]tools.Tool{}
	for _, t := range builtin.All(env) {
		fresh[t.Spec().Name] = t
	}
	ts := parent.Subset(names...).Active()
	for i, t := range ts {
		if own, ok := fresh[t.Spec().Name]; ok {
			ts[i] = own
		}
	}
	reg, err := tools.NewRegistry(ts...)
	return reg, env.Jobs.Close, err
}

// agentModel opens the model a definition names. A project's may choose among those of
// the provider in use, and send nothing to another.
func (f *forge) agentModel(ctx context.Context, d subagent.Definition) (provider.Provider, provider.Model, provider.Effort, error) {
	f.crew.mu.Lock()
	key := f.model.Provider + "\x00" + d.Source.Kind + "\x00" + d.Model
	was, ok := f.crew.models[key]
	f.crew.mu.Unlock()
	if ok {
		return was.p, was.m, was.e, nil
	}
	fail := func(err error) (provider.Provider, provider.Model, provider.Effort, error) {
		return nil, provider.Model{}, "", err
	}
	if f.flags.Demo {
		return fail(errors.New("the demo has one model"))
	}
	ref := catalog.ResolveModel(d.Model, "")
	if ref.Endpoint == "" || d.Source.Kind == subagent.Project && ref.Endpoint != f.model.Provider {
		ref = catalog.ResolveModel(d.Model, f.model.Provider)
	}
	c, ok := f.source.Endpoint(ctx, ref.Endpoint)
	if !ok {
		return fail(fmt.Errorf("provider %s is not reachable now", ref.Endpoint))
	}
	m, ok := c.Endpoint.Model(ref.ID)
	if !ok {
		return fail(fmt.Errorf("%s has no model %s", ref.Endpoint, ref.ID))
	}
	c.Model, c.Effort = m, ref.Effort
	c = f.source.Settle(c)
	p, err := f.source.Open(c)
	if err != nil {
		return fail(err)
	}
	f.crew.mu.Lock()
	f.crew.models[key] = opened{p, c.Model, models.Effort(c)}
	f.crew.mu.Unlock()
	return p, c.Model, models.Effort(c), nil
}

// Bounds of the person's own definitions.
const (
	maxDefinition  = 256 << 10
	maxDefinitions = 200
)

// personal reads the definitions of the person's own folder.
func personal(dir string) (files []trust.File, problems []string) {
	names, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return nil, []string{"sub-agents: " + err.Error()}
	}
	for i, name := range names {
		info, err := os.Stat(name)
		switch {
		case i >= maxDefinitions:
			return files, append(problems, fmt.Sprintf("%s: only the first %d definitions are read", tilde.Short(dir), maxDefinitions))
		case err == nil && !info.Mode().IsRegular():
			err = errors.New("it is not a regular file")
		case err == nil && info.Size() > maxDefinition:
			err = fmt.Errorf("it is over %d KiB", maxDefinition>>10)
		}
		var text []byte
		if err == nil {
			text, err = os.ReadFile(name)
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s is left out: %v", tilde.Short(name), err))
			continue
		}
		files = append(files, trust.File{Path: name, Text: text})
	}
	return files, problems
}

// definitions reads files into agents. A malformed one is left out and told of, with
// its file and line. A project cannot take the place of an agent that is built in.
func definitions(files []trust.File, kind string) (defs []subagent.Definition, problems []string) {
	for _, file := range files {
		d, notes, err := subagent.Parse(tilde.Short(file.Path), string(file.Text))
		problems = append(problems, notes...)
		reserved := slices.ContainsFunc(subagent.Builtin(), func(b subagent.Definition) bool { return strings.EqualFold(b.Name, d.Name) })
		if err == nil && kind == subagent.Project && reserved {
			err = fmt.Errorf("%s: a project cannot define the agent %s anew; give it another name", tilde.Short(file.Path), d.Name)
		}
		if err != nil {
			problems = append(problems, "sub-agent left out: "+err.Error())
			continue
		}
		d.Source = subagent.Source{Kind: kind, File: file.Path}
		defs = append(defs, d)
	}
	return defs, problems
}

// promptOptions is what every system prompt of this session is made of.
func (f *forge) promptOptions(names []string) agent.PromptOptions {
	root := f.hands.workspace.Root()
	return agent.PromptOptions{
		Cwd: root, Date: f.began.Format(time.DateOnly), GitBranch: f.branch,
		Tools: names, Memory: f.memory.files, Append: firstText(f.flags.AppendSystem, f.cfg.AppendSystemPrompt),
	}
}

// agents lists the sub-agents for /agents.
func (f *forge) agents() (out []ui.AgentInfo) {
	for _, d := range f.crew.of.Definitions() {
		a := ui.AgentInfo{Name: d.Name, About: lang.T(d.Description), Source: lang.T(d.Source.Kind), Tools: strings.Join(d.Tools, ", "), Model: d.Model}
		if d.Source.File != "" {
			a.Source += ", " + tilde.Short(d.Source.File)
		}
		if d.Tools == nil {
			a.Tools = lang.T("all")
		}
		if len(d.Without) > 0 {
			a.Tools += " " + lang.T("but not %s", strings.Join(d.Without, ", "))
		}
		if d.ReadOnly {
			a.Tools += " " + lang.T("(only reads)")
		}
		out = append(out, a)
	}
	return out
}

// childBytes is how much of the stored conversation of a sub-agent is read, in bytes.
const childBytes = 4 << 20

// crewNow is what the screen can do with sub-agents that were started.
func (f *forge) crewNow() ui.Crew {
	return ui.Crew{Stop: f.crew.of.Stop, Retell: f.retellChild}
}

// retellChild tells the stored conversation of a sub-agent: its end, where it is long.
func (f *forge) retellChild(sessions []string, sink agent.Sink) error {
	s := f.agent.Session()
	if s == nil {
		return errors.New(lang.N("this conversation is not kept"))
	}
	path := s.Path()
	for _, id := range sessions {
		var err error
		if path, err = session.ChildPath(path, id); err != nil {
			return err
		}
	}
	rs, err := session.Tail(path, childBytes)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > childBytes {
		sink(agent.Notice{Text: lang.T("only its end is shown; all of it is in %s", path)})
	}
	agent.Retell(rs, f.model.Window, sink)
	return nil
}

// The words of sources and of the agents built in, for lang to find.
var _ = [...]string{lang.N("built in"), lang.N("user"), lang.N("project"), lang.N("finds things out; only reads"), lang.N("has all tools")}

// namedAgents are the sub-agents whose names begin with what was typed behind an @.
func (f *forge) namedAgents(query string) (out []composer.Found) {
	if query == "" {
		return nil
	}
	for _, a := range f.agents() {
		if strings.HasPrefix(a.Name, query) {
			out = append(out, composer.Found{Text: a.Name, About: lang.T("sub-agent: %s", a.About)})
		}
	}
	return out
}
