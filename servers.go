package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"forge/agent/config"
	"forge/mcp"
	"forge/tools/trust"
	"forge/ui/cli"
	"forge/ui/lang"
)

// servers is where the MCP servers of a workspace are configured and remembered.
type servers struct {
	dir   string // the workspace, absolute
	dirs  config.Dirs
	files mcp.Files
	trust *trust.Store
}

func newServers(dir string) (*servers, error) {
	dirs, err := config.Paths()
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	return &servers{dir: dir, dirs: dirs, trust: trust.Open(dirs.Trust()),
		files: mcp.Files{User: filepath.Join(dirs.Config, "mcp.json"), Settings: dirs.File(), Project: mcp.ProjectFile(dir)}}, nil
}

// load reads what is configured, what the command line names included.
func (s *servers) load(flags cli.Flags) (map[string]mcp.ServerConfig, []string) {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	files := s.files
	files.Named = flags.MCPConfig
	return files.Load(flags.MCP, self)
}

// options is what mounting needs of the places; the rest is its caller's.
func (s *servers) options(all map[string]mcp.ServerConfig) mcp.Options {
	return mcp.Options{Servers: all, Login: mcp.Logins(s.dirs.Secrets()), Approvals: s.trust, Workspace: s.dir, Version: version(), StateDir: s.dirs.State, OutDir: s.dirs.Output(s.dir)}
}

// mcpWait is how long the first prompt waits for servers that are still starting;
// then it goes without them and says so.
const mcpWait = 3 * time.Second

// mount starts the servers in the background.
func (f *forge) mount(ctx context.Context, face *face) error {
	s, err := newServers(f.hands.workspace.Root())
	if err != nil {
		return err
	}
	for _, file := range f.flags.MCPConfig {
		if _, err := mcp.ReadNamed(file); err != nil {
			return cli.Usage{Err: err}
		}
	}
	all, problems := s.load(f.flags)
	f.notices = append(f.notices, problems...)
	maps.Copy(all, f.lent)
	if err := f.hands.narrow.check(f.hands.registry, all); err != nil {
		return cli.Usage{Err: err}
	}
	keeper := newDoorkeeper(s, face.turns, f.flags.TrustWorkspace)
	keeper.also = func() []trust.File { return append(f.skills.wanted(), f.hooksWanted()...) }
	keeper.more, keeper.trusted = func() bool { return len(f.crew.waiting) > 0 || len(keeper.also()) > 0 }, f.trusted
	if face.turns != nil { // nobody there: nothing is asked, and nothing of the project starts
		f.greeted = make(chan struct{})
		f.greet = func(ctx context.Context) {
			defer close(f.greeted)
			f.skills.ready()
			keeper.greet(ctx, all, face.turns.Ask, f.tell)
			f.skills.greet(ctx)
		}
	}
	if len(all) == 0 && face.feed == nil { // a face that can reload may get some
		return nil
	}
	f.places, f.keeper = s, keeper
	f.configure(all)
	o := s.options(all)
	o.Registry, o.Window, o.Mark = f.hands.registry, f.model.Window, f.hands.guardian.Mark
	o.Approvals, o.Keep = keeper, f.hands.narrow.offers()
	if face.turns != nil {
		o.Asker = keeper
	}
	if f.cfg.DeferAbove != nil {
		o.Share = max(*f.cfg.DeferAbove/100, 1e-9) // 0 is a share, too: nothing is carried
	}
	if face.feed != nil {
		tell := onceEach(face.feed.Notice)
		o.Notify = func(st mcp.Status) {
			tell(st)
			face.feed.ServersChanged()
		}
	}
	if f.said != nil {
		tell := onceEach(f.said)
		o.Notify = func(st mcp.Status) {
			tell(st)
			f.stirred()
		}
	}
	if logsAll() {
		o.Notify = logServers(o.Notify)
	}
	f.mounted = mcp.Mount(ctx, o)
	f.close = append(f.close, f.mounted.Close)
	return nil
}

// configure takes the servers there are from now on.
func (f *forge) configure(all map[string]mcp.ServerConfig) {
	f.serving.Lock()
	defer f.serving.Unlock()
	f.configured = all
}

// server is how a server is configured, if one has that name.
func (f *forge) server(name string) (mcp.ServerConfig, bool) {
	f.serving.Lock()
	defer f.serving.Unlock()
	c, ok := f.configured[name]
	return c, ok
}

// serves reports whether a server is configured.
func (f *forge) serves() bool {
	f.serving.Lock()
	defer f.serving.Unlock()
	return len(f.configured) > 0
}

// onceEach tells of servers, and nothing twice in a row of the same one.
func onceEach(say func(string)) func(mcp.Status) {
	var mu sync.Mutex
	last := map[string]string{}
	return func(st mcp.Status) {
		var lines []string
		tellServer(st, func(s string) { lines = append(lines, s) })
		all := strings.Join(lines, "\n")
		mu.Lock()
		again := last[st.Name] == all
		if all != "" {
			last[st.Name] = all
		}
		mu.Unlock()
		for _, l := range lines {
			if !again {
				say(l)
			}
		}
	}
}

// tellServer says what a person should know of a server's state: that it is not
// there, and why. One that is tried again is not worth a word yet.
func tellServer(st mcp.Status, say func(string)) {
	switch st.State {
	case mcp.Failed, mcp.NeedsLogin, mcp.Unapproved:
		if strings.Contains(st.Reason, "trying again") || strings.HasPrefix(st.Reason, "waiting") {
			return
		}
		if st.State == mcp.NeedsLogin {
			say(lang.T("MCP server %s wants a login: %s", st.Name, lang.Said(st.Reason)))
			return
		}
		say(lang.T("MCP server %s is %s: %s", st.Name, lang.Said(string(st.State)), lang.Said(st.Reason)))
	case mcp.Ready:
		for _, c := range st.Changes {
			what := lang.T("tool %s is not the one that was approved; it is held back", c.Tool)
			if c.Tool == "" {
				what = lang.T("its instructions are not those that were approved; they are held back")
			}
			say(lang.T("MCP server %s: %s", st.Name, what))
		}
	}
}

// await waits for servers before the first prompt, and says which are not there.
func (f *forge) await(ctx context.Context, say func(string)) {
	if f.mounted == nil || f.awaited {
		return
	}
	f.awaited = true
	for _, name := range f.mounted.Wait(ctx, mcpWait) {
		say(lang.T("MCP server %s is still starting; this goes on without it", name))
	}
	for _, st := range f.mounted.Status() {
		if st.State == mcp.Failed && strings.Contains(st.Reason, "trying again") {
			say(lang.T("MCP server %s is not there yet: %s", st.Name, lang.Said(st.Reason)))
		}
	}
	for _, problem := range f.hands.narrow.missing(f.mounted.Status()) {
		say(problem)
	}
}
