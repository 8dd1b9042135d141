package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"forge/ui/lang"
	"forge/ui/print"
)

// ServeOptions is what the command serve needs of main.
type ServeOptions struct {
	// Serve speaks the Agent Client Protocol with whoever connects, until ctx ends or a
	// client wants it to end.
	Serve func(ctx context.Context, f Flags, s Serving, out, errs io.Writer) error
	// Status asks the server that runs how it stands, and Stop has it end and waits until
	// it has.
	Status func(ctx context.Context, asJSON bool, out io.Writer) error
	Stop   func(ctx context.Context, out io.Writer) error
}

// Serving is where forge serve listens, and what for.
type Serving struct {
	Listen string   // empty: where it does by itself
	Dirs   []string // the folders conversations may be in; none: any
}

func server(o ServeOptions, r *raw) *cobra.Command {
	var s Serving
	var status, stop bool
	c := &cobra.Command{Use: "serve", Short: lang.T("Keep conversations open for editors that come and go"), Args: noArgs,
		Long: lang.T(`Speak the Agent Client Protocol with any number of clients, until it is ended: what
a client began goes on when it goes away, and whoever loads the conversation later
sees what has happened meanwhile and is asked what waits for an answer. An editor
connects with forge acp --connect. It listens on a Unix socket that only you may
open, or on a port of this machine, with a token. docs/serve.md says more.`),
		Example: `  forge serve
  forge serve -C ~/src/one -C ~/src/two
  forge serve --listen 127.0.0.1:4711
  forge acp --connect
  forge serve --status
  forge serve --stop`,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			switch {
			case err != nil:
				return err
			case status && stop:
				return Usage{errors.New(lang.T("--status and --stop contradict each other: give one of them"))}
			case status:
				return o.Status(c.Context(), f.Format == print.JSON, c.OutOrStdout())
			case stop:
				return o.Stop(c.Context(), c.OutOrStdout())
			}
			return o.Serve(c.Context(), f, s, c.OutOrStdout(), c.ErrOrStderr())
		}}
	f := c.Flags()
	f.StringVar(&s.Listen, "listen", "", lang.T("where to listen: `unix:PATH`, 127.0.0.1:PORT or [::1]:PORT"))
	f.StringArrayVarP(&s.Dirs, "cd", "C", nil, lang.T("only conversations in this folder and below (repeatable)"))
	f.BoolVar(&status, "status", false, lang.T("say where the server listens, who is connected and what is open"))
	f.BoolVar(&stop, "stop", false, lang.T("end the server: what runs is stopped, and conversations are kept"))
	return c
}

// connecting is what forge acp needs to be a client of forge serve.
type connecting struct{ address string }

func (k *connecting) define(c *cobra.Command) {
	c.Flags().Var(&optional{&k.address}, "connect", lang.T("connect standard input and output to forge serve; `[=ADDRESS]` where it is not your own"))
	c.Flags().Lookup("connect").NoOptDefVal = bare
}

// to is the address that was given; empty: where the person's own server is.
func (k *connecting) to(c *cobra.Command, args []string) (string, error) {
	at := k.address
	if at == bare {
		at = ""
	}
	if len(args) > 0 {
		if at != "" {
			return "", Usage{errors.New(lang.T("forge acp --connect takes one address"))}
		}
		at = args[0]
	}
	var wrong error
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "connect" && f.Name != "lang" {
			wrong = Usage{errors.New(lang.T("--%s is for the server to have: give it to forge serve, not to forge acp --connect", f.Name))}
		}
	})
	return at, wrong
}
