package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"forge/ui/doctor"
	"forge/ui/lang"
)

// DoctorOptions is what the doctor command needs: Examine runs every check.
type DoctorOptions struct {
	Examine func(ctx context.Context, f Flags) (doctor.Report, error)
}

// ErrUnwell says that a check failed; what there is to say has been printed.
var ErrUnwell = errors.New("a check failed")

func examine(o DoctorOptions, r *raw) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: lang.T("Examine keys, endpoints, settings, terminal, sandbox and servers, and say what to mend"),
		Long: lang.T(`Examine what forge stands on: keys, endpoints, settings, the terminal, the sandbox,
programs, MCP servers and the state folder. Each finding that is not in order has a
line that says what to do. Keys are never printed. Nothing is asked of anybody but the
endpoints and servers that are configured. Exit code 0: nothing fails; 1: something does.`),
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			report, err := o.Examine(c.Context(), f)
			if err != nil {
				return err
			}
			if r.json || r.format == "json" {
				err = report.WriteJSON(c.OutOrStdout())
			} else {
				_, err = io.WriteString(c.OutOrStdout(), report.Plain())
			}
			if err == nil && !report.Well() {
				err = ErrUnwell
			}
			return err
		},
	}
}
