package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"

	"github.com/charmbracelet/x/term"

	"forge/mcp"
	"forge/tools/permission"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
)

// serveTools serves forge's own tools to clients of the Model Context Protocol: on
// in and out, or over HTTP. What it has to say goes to errs, since out is the
// client's.
func serveTools(ctx context.Context, flags cli.Flags, s cli.MCPServe, in io.Reader, out, errs io.Writer) error {
	if flags.Mode == permission.ModeYolo && os.Getenv("FORGE") != "" {
		return cli.Usage{Err: errors.New(lang.T("--yolo is refused here: this forge was started by a command of another forge"))}
	}
	// Nobody watches, and only what was asked for here widens what runs: a mode of
	// the settings was chosen for a person at a screen.
	flags.Headless = true
	if flags.Mode == "" {
		flags.Mode = permission.ModeAsk
	}
	token := os.Getenv(tokenVar)
	os.Unsetenv(tokenVar) // no command of a client shall read it
	f := &forge{flags: flags}
	defer f.shut()
	dir, err := f.workspaceDir()
	if err != nil {
		return err
	}
	if f.dirs, f.cfg, err = settings(dir); err != nil {
		return err
	}
	f.notices = append(f.notices, f.cfg.Problems...)
	f.openVeil() // the client's model is somebody's, too
	f.openLog()
	if f.hands, err = newHands(f, dir, &face{permission: permission.Refuse{Why: served}}); err != nil {
		return err
	}
	f.close = append(f.close, f.hands.close)
	f.openLSP(&face{}) // nobody is asked: they start where the person has said yes before
	f.openHooks()
	f.findHooks()
	f.close = append(f.close, f.hooks.set.Close)
	if err := f.hands.narrow.check(f.hands.registry, nil); err != nil {
		return cli.Usage{Err: err}
	}
	say := func(format string, args ...any) {
		fmt.Fprintln(errs, "forge: "+safe.Output(fmt.Sprintf(format, args...)))
	}
	for _, n := range f.notices {
		say("%s", n)
	}
	root := f.hands.workspace.Root()
	service, err := mcp.NewService(mcp.ServeOptions{
		Exec: f.hands.exec, Offers: offers(flags.Mode, s.All), Version: version(),
		Instructions: fmt.Sprintf("The tools of forge on the folder %s (%s). Paths may be relative to it. What needs a permission is refused, with the reason.", root, runtime.GOOS),
		Log:          slog.New(slog.NewTextHandler(errs, nil)),
	})
	if err != nil {
		return err
	}
	defer service.Close()
	if s.HTTP == "" {
		if i, ok := in.(*os.File); ok && term.IsTerminal(i.Fd()) {
			say(lang.T("serving the tools of %s on stdin and stdout; a client starts this, see docs/mcp.md"), root)
		}
		return service.ServeStream(ctx, in, out)
	}
	l, err := mcp.Listen(s.HTTP, token)
	if err != nil {
		return cli.Usage{Err: err}
	}
	say(lang.T("serving the tools of %s at http://%s%s"), root, l.Addr(), mcp.Path)
	if token == "" {
		token = mcp.NewToken()
		say(lang.T("clients send the header  Authorization: Bearer %s"), token)
	}
	return service.ServeHTTP(ctx, l, token)
}

// tokenVar holds the token of forge mcp serve --http.
const tokenVar = "FORGE_MCP_TOKEN"

// served is what a client is told of a call that may not run.
const served = "this needs a permission, and nobody is at this server to be asked; go on without it and say what was left out " +
	"(who runs the server can allow it: forge mcp serve --mode edits or auto, or an allow rule)"

// offers is what is served in a mode: what could run in it, or all. The guard
// decides on each call all the same. The todo list is left out: it is shown to a
// person on forge's own screen.
func offers(mode permission.Mode, all bool) []mcp.Offer {
	list := []mcp.Offer{
		{Name: "read_file", Title: "Read a file", Reads: true},
		{Name: "list_dir", Title: "List a folder", Reads: true},
		{Name: "glob", Title: "Find files by name", Reads: true},
		{Name: "grep", Title: "Search in files", Reads: true},
	}
	wide := all || mode == permission.ModeAuto || mode == permission.ModeYolo
	if wide || mode == permission.ModeEdits {
		list = append(list, mcp.Offer{Name: "write_file", Title: "Write a file"}, mcp.Offer{Name: "edit_file", Title: "Edit a file"},
			mcp.Offer{Name: "move_file", Title: "Move a file"}, mcp.Offer{Name: "delete_file", Title: "Delete a file"})
	}
	if wide {
		list = append(list, mcp.Offer{Name: "run_bash", Title: "Run a command"},
			mcp.Offer{Name: "job_output", Title: "Read a job's output", Reads: true}, mcp.Offer{Name: "job_kill", Title: "End a job"})
	}
	return slices.Clip(list)
}
