package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// FeedbackOptions is what the feedback command needs: Write makes the report, with a
// conversation if talk is set, and writes it to file, or to one of its own naming.
type FeedbackOptions struct {
	Write func(ctx context.Context, f Flags, talk bool, id, file string) (path, text, address string, err error)
}

func feedback(o FeedbackOptions, r *raw) *cobra.Command {
	var talk, show bool
	var id, file string
	c := &cobra.Command{
		Use:   "feedback",
		Short: lang.T("Write a report about forge for you to read and send"),
		Long: lang.T(`Write a report: version, system, terminal, what forge doctor finds, the last errors of
the log. Keys and passwords are masked. A conversation is in it only with
--conversation. The report is a file of yours; nothing is sent.`),
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			path, text, address, err := o.Write(c.Context(), f, talk || id != "", id, file)
			if err != nil {
				return err
			}
			if r.json || r.format == "json" {
				return printJSON(c.OutOrStdout(), struct {
					Path string `json:"path"`
					URL  string `json:"url"`
				}{path, address})
			}
			if show {
				if _, err := io.WriteString(c.OutOrStdout(), safe.Output(text)); err != nil {
					return err
				}
			}
			fmt.Fprintln(c.OutOrStdout(), lang.T("the report is %s; nothing was sent: read it, then send it", safe.Line(path)))
			if address != "" {
				fmt.Fprintln(c.OutOrStdout(), lang.T("this address begins a report with its outline: %s", safe.Line(address)))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&talk, "conversation", false, lang.T("with this folder's last conversation"))
	c.Flags().StringVar(&id, "session", "", lang.T("with this conversation"))
	c.Flags().StringVarP(&file, "out", "o", "", lang.T("write it to this file, which must not be there yet"))
	c.Flags().BoolVar(&show, "show", false, lang.T("print it as well"))
	return c
}
