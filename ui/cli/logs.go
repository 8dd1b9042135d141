package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"forge/agent/trail"
	"forge/ui/lang"
	"forge/ui/safe"
)

// LogsOptions is where the logs are: debug of everything, faults of what went wrong alone,
// as text. Neither need be there.
type LogsOptions struct {
	Files func() (debug, faults string, err error)
}

func logs(o LogsOptions) *cobra.Command {
	var follow, asJSON bool
	var level string
	lines := 200
	c := &cobra.Command{
		Use: "logs [SESSION]", Short: lang.T("Show what forge did, as --debug logged it"),
		Long: lang.T(`Show the log that forge --debug writes: what was asked of which endpoint and how long
it took, what was tried again, calls, MCP servers, what was decided about each call and
why. Keys are masked in it, and what was said is not in it. SESSION is the name of a
conversation, or the end of it. Without such a log, what went wrong is shown, which is
always logged.`),
		Example: `  forge --debug
  forge logs -f
  forge logs --level warn ct2awr`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return Usage{errors.New(lang.T("forge logs takes one session"))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			var least slog.Level
			if err := least.UnmarshalText([]byte(level)); err != nil {
				return Usage{fmt.Errorf(lang.T("level %q is unknown: use debug, info, warn or error"), level)}
			}
			if lines < 1 {
				return Usage{fmt.Errorf(lang.T("--%s must be at least 1"), "lines")}
			}
			lines := min(lines, 1<<20) // more than the logs have room for
			debug, faults, err := o.Files()
			if err != nil {
				return err
			}
			session := strings.TrimSuffix(strings.Join(args, ""), ".jsonl")
			out := c.OutOrStdout()
			show := func(line []byte, r trail.Record) (string, bool) {
				switch {
				case r.Level < least || !r.Of(session):
					return "", false
				case asJSON:
					return trail.Visible(string(line)), true
				}
				return safe.Line(r.String()), true
			}
			var last []string
			end, err := trail.Read(debug, func(line []byte, r trail.Record) {
				if text, ok := show(line, r); ok {
					if last = append(last, text); len(last) >= 2*lines {
						last = append(last[:0], last[len(last)-lines:]...)
					}
				}
			})
			switch {
			case errors.Is(err, os.ErrNotExist) && !follow:
				return onlyFaults(c, faults, session, lines)
			case err != nil && !errors.Is(err, os.ErrNotExist):
				return fmt.Errorf(lang.T("read the log: %w"), err)
			}
			for _, text := range last[max(0, len(last)-lines):] {
				if _, err := fmt.Fprintln(out, text); err != nil {
					return err
				}
			}
			if !follow {
				return nil
			}
			var wrote error
			return errors.Join(trail.Follow(c.Context(), debug, end, func(line []byte, r trail.Record) {
				if text, ok := show(line, r); ok && wrote == nil {
					_, wrote = fmt.Fprintln(out, text)
				}
			}), wrote)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, lang.T("go on with what comes, until ctrl+c"))
	c.Flags().StringVar(&level, "level", "debug", lang.T("the least that is shown: debug, info, warn, error"))
	c.Flags().IntVarP(&lines, "lines", "n", lines, lang.T("how many of the last lines"))
	c.Flags().BoolVar(&asJSON, "json", false, lang.T("as JSON, a line each"))
	return c
}

// faultsTail is how much of the end of that log is read, in bytes.
const faultsTail = 256 << 10

// onlyFaults shows the log that is always kept. It knows no sessions: of one it has nothing.
func onlyFaults(c *cobra.Command, path, session string, lines int) error {
	var all []string
	if session == "" {
		var err error
		if all, err = lastFaults(path); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		_, err := fmt.Fprintln(c.ErrOrStderr(), lang.T("forge --debug has logged nothing yet"))
		return err
	}
	fmt.Fprintln(c.ErrOrStderr(), lang.T("forge --debug has logged nothing yet; this is what forge noted by itself:"))
	for _, l := range all[max(0, len(all)-lines):] {
		if _, err := fmt.Fprintln(c.OutOrStdout(), safe.Line(l)); err != nil {
			return err
		}
	}
	return nil
}

// lastFaults is the end of that log, by lines; none where there is no such log.
func lastFaults(path string) (all []string, err error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf(lang.T("read the log: %w"), err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() > faultsTail {
		if _, err := f.Seek(-faultsTail, io.SeekEnd); err != nil {
			return nil, fmt.Errorf(lang.T("read the log: %w"), err)
		}
	}
	b, err := io.ReadAll(io.LimitReader(f, faultsTail))
	if err != nil {
		return nil, fmt.Errorf(lang.T("read the log: %w"), err)
	}
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimRight(l, "\r\n"); l != "" {
			all = append(all, l)
		}
	}
	return all, nil
}
