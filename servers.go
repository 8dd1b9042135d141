package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent/config"
	"forge/mcp"
	"forge/mcp/demo"
	"forge/tools"
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
		o.Notify = onceEach(f.said)
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

// state says in a word how a configured server stands.
func (s *servers) state(name string, c mcp.ServerConfig) string {
	switch {
	case c.Problem != "":
		return fmt.Sprintf(lang.N("unusable: %s"), c.Problem)
	case c.Disabled:
		return "disabled"
	case c.Source.Scope == "project" && !s.trust.Approved(s.dir, "mcp:"+name, c.Identity()):
		return lang.N("not approved")
	}
	return "configured"
}

// approved is an error for a project's server that nobody said yes to.
func (s *servers) approved(name string, c mcp.ServerConfig) error {
	if s.state(name, c) != "not approved" {
		return nil
	}
	return fmt.Errorf(lang.T("%s is this folder's and not approved; forge mcp get %s shows it, forge mcp approve %s allows it"), name, name, name)
}

// forget drops what is kept of a server that was removed: its login, unless another
// server is at the same address, and what is remembered of its tools.
func (s *servers) forget(name string, c mcp.ServerConfig) error {
	left, _ := s.load(cli.Flags{})
	for _, other := range left {
		if other.URL == c.URL {
			return mcp.Forget(s.dirs.State, name, c)
		}
	}
	_, err := mcp.Logout(s.dirs.Secrets(), c)
	return errors.Join(err, mcp.Forget(s.dirs.State, name, c))
}

// one finds a configured server.
func (s *servers) one(f cli.Flags, name string) (mcp.ServerConfig, error) {
	all, _ := s.load(f)
	c, ok := all[name]
	switch {
	case !ok:
		return c, fmt.Errorf(lang.T("no MCP server %q is configured; forge mcp list tells which are"), name)
	case c.Problem != "":
		return c, fmt.Errorf("%s: %s", c.Source, c.Problem)
	}
	return c, nil
}

// catalogue is the MCP registry of an address; empty: that of the environment, else
// the official one.
func catalogue(base string) mcp.Catalogue {
	if base == "" {
		base = os.Getenv("FORGE_MCP_REGISTRY")
	}
	return mcp.Catalogue{Base: base}
}

// mcpCommands is what the mcp commands do.
func mcpCommands() cli.MCPOptions {
	return cli.MCPOptions{
		List: func(f cli.Flags) (out []cli.MCPServer, problems []string, err error) {
			s, err := newServers(f.Dir)
			if err != nil {
				return nil, nil, err
			}
			all, problems := s.load(f)
			for _, n := range slices.Sorted(maps.Keys(all)) {
				c := all[n]
				raw, err := json.Marshal(c)
				if err != nil {
					return nil, nil, err
				}
				out = append(out, cli.MCPServer{Name: n, Command: c.Line(), Where: c.Source.String(), Scope: c.Source.Scope, State: s.state(n, c), Config: raw})
			}
			return out, problems, nil
		},
		Add: func(f cli.Flags, scope string, n cli.MCPNew) (string, error) {
			s, err := newServers(f.Dir)
			if err != nil {
				return "", err
			}
			c := mcp.ServerConfig{Type: n.Type, Env: n.Env, Headers: n.Headers, Cwd: n.Cwd}
			if len(n.Words) == 0 {
				return "", errors.New(lang.T("a server needs a command or a URL"))
			}
			if w := n.Words[0]; len(n.Words) == 1 && (strings.HasPrefix(w, "http://") || strings.HasPrefix(w, "https://") || n.Type != "" && n.Type != "stdio") {
				c.URL = w
			} else {
				c.Command, c.Args = w, n.Words[1:]
			}
			file := s.files.User
			if scope == "project" {
				file = s.files.Project
			}
			return file, mcp.Add(file, n.Name, c, n.Replace)
		},
		Remove: func(f cli.Flags, scope, name string) (string, error) {
			s, err := newServers(f.Dir)
			if err != nil {
				return "", err
			}
			all, _ := s.load(cli.Flags{})
			c, ok := all[name]
			file := c.Source.File
			switch {
			case scope == "user":
				file = s.files.User
			case scope == "project":
				file = s.files.Project
			case !ok:
				return "", fmt.Errorf(lang.T("no MCP server is named %q"), name)
			}
			if !ok || c.Source.File != file { // another one of that name
				in, err := mcp.ParseFile(file, scope)
				if err != nil {
					return file, err
				}
				c = in[name]
			}
			if err := mcp.Remove(file, name); err != nil {
				return file, err
			}
			return file, s.forget(name, c)
		},
		Test: func(ctx context.Context, f cli.Flags, name string, out io.Writer) error {
			s, err := newServers(f.Dir)
			if err != nil {
				return err
			}
			all, problems := s.load(f)
			for _, p := range problems {
				fmt.Fprintln(os.Stderr, "forge: "+p)
			}
			if err := s.approved(name, all[name]); err != nil {
				return err
			}
			o := s.options(all)
			if o.Registry, err = tools.NewRegistry(); err != nil {
				return err
			}
			return mcp.Try(ctx, o, name, out)
		},
		Approve: func(f cli.Flags, name string) error {
			s, err := newServers(f.Dir)
			if err != nil {
				return err
			}
			all, _ := s.load(cli.Flags{})
			c, ok := all[name]
			switch {
			case !ok:
				return fmt.Errorf(lang.T("no MCP server is named %q"), name)
			case c.Source.Scope != "project":
				return errors.New(lang.T("only a project's servers need an approval; this one is yours"))
			}
			return s.trust.Approve(s.dir, "mcp:"+name, c.Identity())
		},
		Login: func(ctx context.Context, f cli.Flags, name string, in io.Reader, out io.Writer) error {
			s, err := newServers(f.Dir)
			if err != nil {
				return err
			}
			c, err := s.one(f, name)
			if err == nil {
				err = s.approved(name, c) // its address is sent to, and its headers are
			}
			if err != nil {
				return err
			}
			if file, ok := in.(*os.File); ok && !term.IsTerminal(file.Fd()) {
				in = nil
			}
			if err := mcp.Login(ctx, mcp.LoginOptions{Vault: s.dirs.Secrets(), Out: out, In: in}, name, c); err != nil {
				return err
			}
			return mcp.ForgetLists(s.dirs.State, name, c)
		},
		Logout: func(f cli.Flags, name string) (bool, error) {
			s, err := newServers(f.Dir)
			if err != nil {
				return false, err
			}
			c, err := s.one(f, name)
			if err != nil {
				return false, err
			}
			there, err := mcp.Logout(s.dirs.Secrets(), c)
			return there, errors.Join(err, mcp.ForgetLists(s.dirs.State, name, c))
		},
		Search: func(ctx context.Context, base, word string) (out []cli.MCPFound, more bool, err error) {
			found, more, err := catalogue(base).Search(ctx, word)
			for _, e := range found {
				out = append(out, cli.MCPFound{Name: e.Name, Title: e.Title, Description: e.Description, Version: e.Version, Status: e.Status, Repository: e.Repository.URL, Ways: e.Ways()})
			}
			return out, more, err
		},
		Find: func(ctx context.Context, base, whole string, n cli.MCPNew) (cli.MCPNew, []string, error) {
			e, err := catalogue(base).Get(ctx, whole)
			if err != nil {
				return n, nil, err
			}
			if n.Name == "" {
				n.Name = e.ShortName()
			}
			c, open, err := e.Config(n.Name, n.Type, n.Words)
			if err != nil {
				return n, nil, err
			}
			n.Words = append([]string{c.Command}, c.Args...)
			if n.Type = c.Type; c.URL != "" {
				n.Words = []string{c.URL}
			}
			// What the person gave goes before what the entry has.
			maps.Copy(c.Env, n.Env)
			maps.Copy(c.Headers, n.Headers)
			n.Env, n.Headers = c.Env, c.Headers
			used := strings.Join(slices.Concat(n.Words, slices.Collect(maps.Values(n.Env)), slices.Collect(maps.Values(n.Headers))), "\n")
			open = slices.DeleteFunc(open, func(v string) bool {
				variable, _, _ := strings.Cut(v, ":")
				return !strings.Contains(used, "${"+variable+"}")
			})
			return n, open, nil
		},
		Log: func(f cli.Flags, name string) (string, error) {
			s, err := newServers(f.Dir)
			if err != nil {
				return "", err
			}
			return mcp.LogFile(s.dirs.State, name), nil
		},
		Demo: func(ctx context.Context, in io.Reader, out, log io.Writer) error {
			return demo.Serve(ctx, in, out, log, version(), time.Now)
		},
		Serve: serveTools,
		Conformance: func(ctx context.Context, url string, out io.Writer) error {
			return mcp.Conformance(ctx, url, os.Getenv("MCP_CONFORMANCE_CONTEXT"), out)
		},
	}
}
