// Command forge is a terminal agent that reads, edits and runs code.
//
// This package is the wiring and nothing else: it reads flags and settings and
// joins the rooms. main.go is the way in and out of the process, start.go the order
// in which everything is joined; workplace.go the folder and the log, openmodel.go
// the way to the model, choices.go what flags and settings say together, hands.go the tools and their guard, servers.go
// and serving.go what is mounted and what is served, spending.go what it may cost,
// conversations.go the records, faces.go the screen and the plain output. No package
// registers itself.
//
// The runtime would read the limits of processors anew every second, for as long as
// forge stands idle, and wake for it: what they were at the start is enough.
//
//go:debug updatemaxprocs=0
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"

	"github.com/charmbracelet/x/term"

	"forge/agent/config"
	"forge/models"
	"forge/provider"
	"forge/provider/demo"
	"forge/tools/sandbox"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/print"
	"forge/ui/safe"
)

func main() {
	if sandbox.Guard(os.Args[1:], os.Stdin) { // before anything else: it is one more process on the machine
		return
	}
	sandbox.SealDescriptors()
	os.Exit(run(os.Args[1:]))
}

// exit is an exit code on its way out; what there was to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func run(args []string) int {
	ctx, interrupts, stop := listen()
	defer stop()
	ctx = context.WithValue(ctx, signalsKey{}, interrupts)
	slog.SetDefault(slog.New(slog.DiscardHandler))       // until there is a file for it
	reachByName(http.DefaultTransport.(*http.Transport)) // all others are copies of it
	if err := speak(args, os.Getenv); err != nil {
		complain(err)
		return print.ExitUsage
	}
	root := cli.Root(cli.Options{
		Version: version(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Start: start,
		Models: cli.ModelsOptions{Offers: func(ctx context.Context, flags cli.Flags, name string) ([]cli.Offer, error) {
			dirs, cfg, err := settings(".")
			if err != nil {
				return nil, err
			}
			var out []cli.Offer
			offers, err := newSource(flags, cfg, dirs, nil).Offers(ctx, name)
			for _, o := range offers {
				out = append(out, cli.Offer(o))
			}
			return out, err
		}},
		Permissions: cli.PermissionsOptions{Load: explained, Rules: standings, Change: changeRule},
		Sessions:    cli.SessionsOptions{Places: places, Terminal: func() bool { return term.IsTerminal(os.Stdin.Fd()) }},
		Usage:       cli.UsageOptions{Calls: spent},
		Config:      configCommands(),
		Eval:        evaluation(),
		ACP:         cli.ACPOptions{Serve: serveEditor, Connect: connectEditor},
		Serve:       cli.ServeOptions{Serve: serveClients, Status: serverStatus, Stop: stopServer},
		MCP:         mcpCommands(),
		Doctor:      cli.DoctorOptions{Examine: diagnose},
		Feedback:    cli.FeedbackOptions{Write: report},
		Trust:       cli.TrustOptions{List: trusted, Revoke: distrust},
		Skills:      cli.SkillsOptions{List: skillList},
		Login:       loginCommands(),
		Logs:        cli.LogsOptions{Files: logFiles},
		Update:      updateCommand(),
		Hooks:       hookCommands(),
		Changelog:   changelog,
		Debug: cli.DebugOptions{Wires: models.Decoders(), Serve: func(r io.Reader, name string, pace float64) (http.Handler, error) {
			s, err := demo.Parse(r)
			if err != nil {
				return nil, fmt.Errorf(lang.T("read %s: %w"), name, err)
			}
			return demo.Serve(s, demo.Options{Pace: pace}), nil
		}},
	})
	root.SetArgs(cli.Args(root, args))
	err := root.ExecuteContext(ctx)
	var code exit
	var usage cli.Usage
	switch {
	case err == nil:
		return print.ExitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		complain(usage.Err)
		return print.ExitUsage
	case errors.Is(err, context.Canceled):
		return print.ExitInterrupted
	case errors.Is(err, cli.ErrUnwell):
		return print.ExitFailed
	}
	complain(err)
	return print.ExitFailed
}

// complain says an error as a person is to read it: what, and what to do next.
func complain(err error) {
	line := lang.Said(err.Error())
	var pe *provider.Error
	if errors.As(err, &pe) && pe.Hint != "" {
		line += lang.T(" - ") + lang.Said(pe.Hint)
	}
	fmt.Fprintln(os.Stderr, "forge: "+safe.Output(line))
}

// settings reads the folders and files a person keeps forge's settings in.
func settings(workspace string) (config.Dirs, *config.Config, error) {
	dirs, err := config.Paths()
	if err != nil {
		return dirs, nil, err
	}
	cfg := config.LoadUnder(config.PolicyFiles(), dirs.File(), config.ProjectFile(workspace))
	_, misread := bound(cfg)
	cfg.Problems = append(cfg.Problems, misread...)
	return dirs, cfg, nil
}
