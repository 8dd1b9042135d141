package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/ui/acp"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/socket"
)

// stopPatience is how long forge serve --stop waits for the end: a server waits itself for
// what it cancels.
const stopPatience = 30 * time.Second

// reach connects to a server: at an address, or where the person's own is.
func reach(ctx context.Context, address string) (net.Conn, error) {
	if os.Getenv("FORGE") != "" { // the server may have more rights than the forge whose command this is
		return nil, cli.Usage{Err: errors.New(lang.T("forge serve is not spoken to from here: this forge was started by a command of another forge"))}
	}
	place, err := servePlace()
	if err != nil {
		return nil, err
	}
	var at socket.Address
	if address != "" {
		if at, err = socket.Parse(address); err != nil {
			return nil, cli.Usage{Err: err}
		}
	} else {
		r, err := place.Said()
		if err != nil {
			return nil, err
		}
		at = r.Address
	}
	return place.Dial(ctx, at)
}

// connectEditor is a client of forge serve on in and out: what comes is handed on, either
// way, as it is.
func connectEditor(ctx context.Context, address string, in io.Reader, out, errs io.Writer) error {
	c, err := reach(ctx, address)
	if err != nil {
		return err
	}
	defer c.Close()
	if i, ok := in.(*os.File); ok && term.IsTerminal(i.Fd()) {
		fmt.Fprintln(errs, "forge: "+safe.Output(lang.T("connected to forge serve on %s, speaking the Agent Client Protocol; an editor starts this, see docs/serve.md", c.RemoteAddr())))
	}
	over := context.AfterFunc(ctx, func() { c.Close() })
	defer over()
	left := make(chan struct{})
	go func() {
		defer func() { _ = recover() }()
		_, _ = io.Copy(c, in)
		close(left)
		if half, ok := c.(interface{ CloseWrite() error }); ok { // what was asked for is still answered
			_ = half.CloseWrite()
		}
	}()
	_, err = io.Copy(out, c)
	select {
	case <-left:
		return nil
	default:
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, net.ErrClosed):
		return fmt.Errorf(lang.T("the connection to forge serve is lost: %w"), err)
	}
	return errors.New(lang.T("forge serve has ended the connection; what it worked on can be loaded again once it runs"))
}

// serverStatus says how the person's server stands.
func serverStatus(ctx context.Context, asJSON bool, out io.Writer) error {
	c, err := reach(ctx, "")
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(stopPatience))
	s, raw, err := acp.Status(c)
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintln(out, string(raw))
		return err
	}
	since, _ := time.Parse(time.RFC3339, s.Since) // of a later forge it may be written otherwise
	text := lang.T("forge %s serves clients on %s, process %d, since %s", s.Version, s.Address, s.PID, since.Local().Format(time.DateTime)) + "\n" +
		lang.Count(s.Clients, "1 client is connected", "%d clients are connected") + lang.T("; ") + lang.Count(len(s.Open), "1 conversation is open", "%d conversations are open") + "\n"
	for _, o := range s.Open {
		text += fmt.Sprintf("  %s  %s  %s  %s\n", o.ID, stateWord(o.State), lang.Count(o.Clients, "1 client", "%d clients"), o.Root)
		if o.Title != "" {
			text += "    " + safe.Line(o.Title) + "\n"
		}
	}
	_, err = io.WriteString(out, safe.Output(text))
	return err
}

// stateWord is how a conversation stands, for a person.
func stateWord(state string) string {
	switch state {
	case "running":
		return lang.T("is worked on")
	case "waiting":
		return lang.T("waits for an answer")
	case "idle":
		return lang.T("nothing goes on")
	}
	return state
}

// stopServer has the person's server end, and waits until it has.
func stopServer(ctx context.Context, out io.Writer) error {
	c, err := reach(ctx, "")
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(stopPatience))
	if err := acp.Stop(c); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, c); err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return errors.New(lang.T("forge serve was told to end and has not yet; forge serve --status says whether it runs"))
	}
	_, err = fmt.Fprintln(out, lang.T("forge serve has ended"))
	return err
}
