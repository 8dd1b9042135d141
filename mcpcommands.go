package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/mcp"
	"forge/mcp/demo"
	"forge/tools"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
)

// What the commands of forge mcp are given.

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
		List: mcpList, Add: mcpAdd, Remove: mcpRemove, Test: mcpTest, Approve: mcpApprove, Login: mcpLogin, Logout: mcpLogout,
		Search: mcpSearch, Find: mcpFind, Log: mcpLog, Demo: mcpDemo, Serve: serveTools, Conformance: mcpConformance,
	}
}

func mcpList(f cli.Flags) (out []cli.MCPServer, problems []string, err error) {
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
}

func mcpAdd(f cli.Flags, scope string, n cli.MCPNew) (string, error) {
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
}

func mcpRemove(f cli.Flags, scope, name string) (string, error) {
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
}

func mcpTest(ctx context.Context, f cli.Flags, name string, out io.Writer) error {
	s, err := newServers(f.Dir)
	if err != nil {
		return err
	}
	all, problems := s.load(f)
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(p)))
	}
	if err := s.approved(name, all[name]); err != nil {
		return err
	}
	o := s.options(all)
	if o.Registry, err = tools.NewRegistry(); err != nil {
		return err
	}
	return mcp.Try(ctx, o, name, out)
}

func mcpApprove(f cli.Flags, name string) error {
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
}

func mcpLogin(ctx context.Context, f cli.Flags, name string, in io.Reader, out io.Writer) error {
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
	if err := mcp.Login(ctx, mcp.LoginOptions{Vault: s.dirs.Secrets(), Out: out, In: in, Not: []string{s.dir}}, name, c); err != nil {
		return err
	}
	return mcp.ForgetLists(s.dirs.State, name, c)
}

func mcpLogout(f cli.Flags, name string) (bool, error) {
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
}

func mcpSearch(ctx context.Context, base, word string) (out []cli.MCPFound, more bool, err error) {
	found, more, err := catalogue(base).Search(ctx, word)
	for _, e := range found {
		out = append(out, cli.MCPFound{Name: e.Name, Title: e.Title, Description: e.Description, Version: e.Version, Status: e.Status, Repository: e.Repository.URL, Ways: e.Ways()})
	}
	return out, more, err
}

func mcpFind(ctx context.Context, base, whole string, n cli.MCPNew) (cli.MCPNew, []string, error) {
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
}

func mcpLog(f cli.Flags, name string) (string, error) {
	s, err := newServers(f.Dir)
	if err != nil {
		return "", err
	}
	return mcp.LogFile(s.dirs.State, name), nil
}

func mcpDemo(ctx context.Context, in io.Reader, out, log io.Writer) error {
	return demo.Serve(ctx, in, out, log, version(), time.Now)
}

func mcpConformance(ctx context.Context, url string, out io.Writer) error {
	return mcp.Conformance(ctx, url, os.Getenv("MCP_CONFORMANCE_CONTEXT"), out)
}
