package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent/config"
	"forge/tools/permission"
	"forge/ui/acp"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/socket"
)

// servePlace is where a person's server keeps what it keeps. There is one for the person
// and not for each project: every conversation names its own folder, keys, settings and
// conversations are the person's, and an editor has one line to start an agent with,
// whatever project it shows.
func servePlace() (socket.Place, error) {
	dirs, err := config.Paths()
	return socket.Place{Dir: filepath.Join(dirs.State, "serve")}, err
}

// serveClients speaks the Agent Client Protocol with whoever connects and may, until ctx
// ends, which is in order here, or a client wants it to end.
func serveClients(ctx context.Context, flags cli.Flags, s cli.Serving, out, errs io.Writer) error {
	if flags.Mode == permission.ModeYolo && os.Getenv("FORGE") != "" {
		return cli.Usage{Err: errYolo}
	}
	if flags.Continue || flags.Resume {
		return cli.Usage{Err: errors.New(lang.T("each client chooses its conversation: forge serve takes neither --continue nor --resume"))}
	}
	place, err := servePlace()
	if err != nil {
		return err
	}
	at := place.Default()
	if s.Listen != "" {
		if at, err = socket.Parse(s.Listen); err != nil {
			return cli.Usage{Err: err}
		}
	}
	only, err := servedDirs(s.Dirs)
	if err != nil {
		return cli.Usage{Err: err}
	}
	e, err := newEditors(flags, errs)
	if err != nil {
		return err
	}
	defer e.base.shut()
	e.only = only
	l, err := place.Listen(at, slog.Default())
	if err != nil {
		return err
	}
	defer l.Close()
	e.base.sweepBeside()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	house := acp.NewHouse(e.host(), acp.Kept{
		About: func() map[string]any {
			return map[string]any{"address": l.Address.String(), "pid": l.PID, "version": version(), "since": l.Since.UTC().Format(time.RFC3339)}
		},
		Stop: stop,
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("serving crashed", "panic", p)
				stop()
			}
		}()
		l.Serve(ctx, func(c net.Conn) {
			if err := house.Client(c); err != nil {
				slog.Debug("client left", "err", err)
			}
		})
	}()
	if err := welcome(l, out); err != nil {
		return err
	}
	<-ctx.Done()
	house.Close() // who is connected hears of it, and is then left
	<-ended
	return nil
}

// welcome says how clients connect. A token is shown to a terminal alone: elsewhere what
// is written here is kept, by a service manager say, and others may read it.
func welcome(l *socket.Listener, out io.Writer) error {
	lines := []string{
		lang.T("forge serves clients on %s, until ctrl+c or forge serve --stop", l.Address),
		lang.T("on this machine, an editor starts: forge acp --connect"),
	}
	if l.Token != "" {
		if o, ok := out.(*os.File); ok && term.IsTerminal(o.Fd()) {
			lines = append(lines, lang.T("through a tunnel of ssh, with this in its environment:"), socket.TokenVar+"="+l.Token)
		} else {
			lines = append(lines, lang.T("through a tunnel of ssh, with the token in its environment as %s; it is in %s", socket.TokenVar, l.TokenFile()))
		}
	}
	_, err := fmt.Fprintln(out, safe.Output(strings.Join(lines, "\n")))
	return err
}

// servedDirs are the folders conversations may be in, as they really are.
func servedDirs(given []string) (only []string, err error) {
	for _, d := range given {
		real, err := realDir(d)
		if err != nil {
			return nil, fmt.Errorf(lang.T("folder %s: %w"), d, err)
		}
		if fi, err := os.Stat(real); err == nil && !fi.IsDir() {
			return nil, fmt.Errorf(lang.T("%s is no folder"), d)
		}
		only = append(only, real)
	}
	return only, nil
}

func realDir(d string) (string, error) {
	d, err := filepath.Abs(d)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(d)
}

// allowed reports why no conversation may be in a folder; nil: one may.
func (e *editors) allowed(dir string) error {
	if len(e.only) == 0 {
		return nil
	}
	real, err := realDir(dir)
	if err == nil {
		for _, o := range e.only {
			rel, wrong := filepath.Rel(o, real)
			if wrong == nil && filepath.IsLocal(rel) {
				return nil
			}
		}
	}
	return acp.Wrong{Err: fmt.Errorf(lang.T("forge serve was started for other folders than %s; start it with -C for this one as well"), dir)}
}
