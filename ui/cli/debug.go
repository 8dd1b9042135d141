package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"forge/provider"
	"forge/ui/lang"
)

// DebugOptions is what the debug commands need: the decoder of each wire, and
// the handler that plays a script on both.
type DebugOptions struct {
	Wires map[string]func(io.Reader) iter.Seq2[provider.Event, error]
	// Pace is words a second; 0 plays at once, negative at the script's own pace.
	Serve func(script io.Reader, name string, pace float64) (http.Handler, error)
}

func debug(o DebugOptions) *cobra.Command {
	c := &cobra.Command{Use: "debug", Short: lang.T("Look at the wire: decode a recording, serve a script"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(debugDecode(o), debugServe(o))
	return c
}

func debugDecode(o DebugOptions) *cobra.Command {
	var n int
	c := &cobra.Command{
		Use:   "decode --wire openai|anthropic [--n N] FILE",
		Short: lang.T("Print the normalised JSON of a recorded reply"),
		Long: lang.T(`Print what forge makes of a reply: FILE is the bare body of a response, or with
--n the recording of --raw, of which reply N (from 1) is taken. - is stdin. This
is the way to report a server that forge gets wrong.`),
		Args: oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			wire, _ := c.Flags().GetString("wire")
			decode, ok := o.Wires[wire]
			if !ok {
				return Usage{errors.New(lang.T("which wire? give --wire openai or --wire anthropic"))}
			}
			body, err := readFile(c, args[0])
			if err != nil {
				return err
			}
			if c.Flags().Changed("n") || isRecording(body) {
				if body, _, err = provider.ReadRaw(bytes.NewReader(body), n); err != nil {
					return fmt.Errorf(lang.T("read %s: %w"), args[0], err)
				}
			}
			_, err = c.OutOrStdout().Write(provider.Normalise(decode(bytes.NewReader(body))).JSON())
			return err
		},
	}
	c.Flags().IntVar(&n, "n", 1, lang.T("which reply of a --raw recording"))
	return c
}

func readFile(c *cobra.Command, name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(c.InOrStdin())
	}
	return os.ReadFile(name)
}

// isRecording reports whether a file is one that --raw wrote: its first line is
// a request of ours.
func isRecording(b []byte) bool {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.HasPrefix(line, []byte(`{"time":`)) && bytes.Contains(line, []byte(`"type":"request"`))
}

func debugServe(o DebugOptions) *cobra.Command {
	var script, addr string
	var pace float64
	c := &cobra.Command{
		Use:   "serve --script FILE [--addr 127.0.0.1:0]",
		Short: lang.T("Play a demo script as a model server, on both wires"),
		Long: lang.T(`Serve a demo script over loopback HTTP: POST /v1/chat/completions and
/v1/messages. The address is printed as the first line.`),
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if script == "" {
				return Usage{errors.New(lang.T("which script? give --script FILE"))}
			}
			f, err := os.Open(script)
			if err != nil {
				return err
			}
			defer f.Close()
			h, err := o.Serve(f, script, pace)
			if err != nil {
				return err
			}
			return serve(c.Context(), c.OutOrStdout(), addr, h)
		},
	}
	c.Flags().StringVar(&script, "script", "", lang.T("the script"))
	c.Flags().Float64Var(&pace, "pace", 0, lang.T("words a second; 0: at once, -1: as the script says"))
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:0", lang.T("where to listen; loopback only"))
	return c
}

func serve(ctx context.Context, out io.Writer, addr string, h http.Handler) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return Usage{fmt.Errorf(lang.T("address %q: want host:port, for example 127.0.0.1:0"), addr)}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return Usage{fmt.Errorf(lang.T("address %q is not loopback: a script answers anybody, so it is served to this machine alone"), addr)}
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "http://%s\n", l.Addr())
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		defer func() { _ = recover() }() // closing twice is not worth a crash
		s.Close()
	})
	defer stop()
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}
