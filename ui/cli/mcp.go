package cli

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

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// MCPOptions is what the mcp commands need of main.
type MCPOptions struct {
	// List tells the configured servers, sorted by name, and what is wrong with the
	// files they stand in.
	List func(f Flags) (servers []MCPServer, problems []string, err error)
	// Add writes a server to the file of a scope, user or project, and names the file.
	Add func(f Flags, scope string, s MCPNew) (file string, err error)
	// Remove takes one out; scope empty: wherever it stands.
	Remove func(f Flags, scope, name string) (file string, err error)
	// Test starts one server by itself and tells what comes of it.
	Test func(ctx context.Context, f Flags, name string, out io.Writer) error
	// Approve allows a project's server to start as it is now.
	Approve func(f Flags, name string) error
	// Login logs in at a server that wants it; in is where the person may paste an
	// address, if they are there.
	Login func(ctx context.Context, f Flags, name string, in io.Reader, out io.Writer) error
	// Logout forgets a login, and says whether there was one.
	Logout func(f Flags, name string) (bool, error)
	// Search finds servers in a registry; base empty: the usual one.
	Search func(ctx context.Context, base, word string) (found []MCPFound, more bool, err error)
	// Find makes a configuration of a server of a registry, by its whole name there.
	// s has the name it is to have here, empty for one of the registry's, and what
	// the person gave; open tells the variables that are still to be set.
	Find func(ctx context.Context, base, whole string, s MCPNew) (out MCPNew, open []string, err error)
	// Log names the file of what a server wrote to its error stream.
	Log func(f Flags, name string) (path string, err error)
	// Demo serves the small demo server.
	Demo func(ctx context.Context, in io.Reader, out, log io.Writer) error
	// Serve serves forge's own tools to other clients, until in or ctx ends.
	Serve func(ctx context.Context, f Flags, s MCPServe, in io.Reader, out, log io.Writer) error
	// Conformance drives the server at a URL for the protocol's public suite.
	Conformance func(ctx context.Context, url string, out io.Writer) error
	// More are commands of the same family that are made elsewhere.
	More []*cobra.Command
}

// MCPServer is one configured server.
type MCPServer struct {
	Name    string
	Command string // or its URL, as configured
	Where   string // file and line
	Scope   string // user or project
	State   string // "configured", "not approved", or what is wrong
	Config  json.RawMessage
}

func mcp(o MCPOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "mcp", Short: lang.T("Configure and try MCP servers"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(mcpAdd(o, r), mcpList(o, r), mcpGet(o, r), mcpRemove(o, r), mcpTest(o, r), mcpApprove(o, r), mcpSearch(o, r), mcpLogin(o, r), mcpLogout(o, r), mcpLogs(o, r), mcpDemo(o), mcpServe(o, r), mcpConformance(o))
	c.AddCommand(o.More...)
	return c
}

// named wants exactly one name.
func named(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage{fmt.Errorf(lang.T("%s takes the name of one server; forge mcp list tells which there are"), c.CommandPath())}
	}
	return nil
}

func mcpList(o MCPOptions, r *raw) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "list", Short: lang.T("List the configured servers"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			servers, err := o.listed(c, r)
			if err != nil {
				return err
			}
			if asJSON {
				all := map[string]json.RawMessage{}
				for _, s := range servers {
					all[s.Name] = s.Config
				}
				return printJSON(c.OutOrStdout(), map[string]any{"mcpServers": all})
			}
			if len(servers) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), lang.T("no MCP server is configured; forge mcp add adds one"))
				return err
			}
			var rows [][]string
			for _, s := range servers {
				rows = append(rows, []string{line(s.Name), lang.Said(s.Scope), line(lang.Said(s.State)), line(s.Command)})
			}
			return table(c.OutOrStdout(), rows)
		}}
	c.Flags().BoolVar(&asJSON, "json", false, lang.T("as JSON, in the shape of .mcp.json"))
	return c
}

// listed lists the servers and says on the error stream what is wrong with files.
func (o MCPOptions) listed(c *cobra.Command, r *raw) ([]MCPServer, error) {
	f, err := r.check(c, nil)
	if err != nil {
		return nil, err
	}
	servers, problems, err := o.List(f)
	for _, p := range problems {
		fmt.Fprintln(c.ErrOrStderr(), "forge: "+safe.Output(lang.Said(p)))
	}
	return servers, err
}

// line is untrusted text as one line.
func line(s string) string { return strings.Join(strings.Fields(safe.Output(s)), " ") }

func printJSON(w io.Writer, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", b)
	return err
}

func mcpGet(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "get NAME", Short: lang.T("Show one server's configuration"), Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			servers, err := o.listed(c, r)
			if err != nil {
				return err
			}
			i := slices.IndexFunc(servers, func(s MCPServer) bool { return s.Name == args[0] })
			if i < 0 {
				return unknownServer(args[0], servers)
			}
			s := servers[i]
			fmt.Fprintf(c.OutOrStdout(), lang.T("%s, %s, in %s\n"), line(s.Name), line(lang.Said(s.State)), line(s.Where))
			return printJSON(c.OutOrStdout(), s.Config)
		}}
}

func unknownServer(name string, servers []MCPServer) error {
	names := map[string]bool{}
	for _, s := range servers {
		names[s.Name] = true
	}
	if len(names) == 0 {
		return fmt.Errorf(lang.T("no MCP server is named %q; none is configured"), name)
	}
	return fmt.Errorf(lang.T("no MCP server is named %q; there are %s"), name, strings.Join(slices.Sorted(maps.Keys(names)), ", "))
}

func mcpRemove(o MCPOptions, r *raw) *cobra.Command {
	var scope string
	c := &cobra.Command{Use: "remove NAME", Aliases: []string{"rm"}, Short: lang.T("Remove a server"), Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if err := scoped(scope, true); err != nil {
				return err
			}
			file, err := o.Remove(f, scope, args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), lang.T("removed %s from %s\n"), line(args[0]), line(file))
			return err
		}}
	c.Flags().StringVarP(&scope, "scope", "s", "", lang.T("where: user or project; left out: wherever it stands"))
	return c
}

func mcpTest(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "test NAME", Short: lang.T("Start one server and tell what comes of it"),
		Long: lang.T(`Start one server by itself, and tell what it is, which tools it has and what they
cost, or why it does not work and what it wrote. It is stopped again.`),
		Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			return o.Test(c.Context(), f, args[0], &spoken{w: c.OutOrStdout()})
		}}
}

func mcpApprove(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "approve NAME", Short: lang.T("Allow a project's server to start as it is now"),
		Long: lang.T(`Allow a server of this folder's .mcp.json to start. The approval is bound to its
whole configuration: with any change of that it has to be given anew. Look at it
first, with forge mcp get.`),
		Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			if err := o.Approve(f, args[0]); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), lang.T("%s may start in this folder\n"), line(args[0]))
			return err
		}}
}

func mcpLogs(o MCPOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "logs NAME", Short: lang.T("Print what a server wrote to its error stream"), Args: named,
		RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			path, err := o.Log(f, args[0])
			if err != nil {
				return err
			}
			b, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf(lang.T("%s has written nothing yet"), line(args[0]))
			}
			if err != nil {
				return err
			}
			_, err = io.WriteString(c.OutOrStdout(), safe.Output(string(b)))
			return err
		}}
}

func mcpDemo(o MCPOptions) *cobra.Command {
	return &cobra.Command{Use: "demo", Short: lang.T("Be a small MCP server on stdin and stdout"), Args: noArgs,
		Long: lang.T(`Be a small MCP server, with the tools current_time and word_count, on stdin and
stdout, for trying a client. forge --mcp demo mounts it.`),
		RunE: func(c *cobra.Command, _ []string) error {
			return o.Demo(c.Context(), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		}}
}

func mcpConformance(o MCPOptions) *cobra.Command {
	return &cobra.Command{Use: "conformance URL", Hidden: true, Short: lang.T("Be the client under test of the protocol's public suite"),
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return o.Conformance(c.Context(), args[0], c.OutOrStdout())
		}}
}
