package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"forge/agent/budget"
	"forge/ui/lang"
	"forge/ui/safe"
)

// UsageOptions is what the usage command needs: Calls reads the model calls that
// were made since a time, by all forges of this person.
type UsageOptions struct {
	Calls func(since time.Time) ([]budget.Call, error)
	Now   func() time.Time // nil: time.Now
}

// usedDays is how far back forge usage looks unless it is told.
const usedDays = 30

func usage(o UsageOptions) *cobra.Command {
	var by, since string
	var asJSON bool
	c := &cobra.Command{
		Use:   "usage",
		Short: lang.T("Add up tokens and money by day, model, project or purpose"),
		Long: lang.T(`Add up what all conversations used, sub-agents and compactions included. The days
are those of this machine's clock; the demo is not counted. A purpose is the work
itself, a compaction, or what was asked beside it: /btw, recaps, names, suggestions.`),
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			now := time.Now
			if o.Now != nil {
				now = o.Now
			}
			from, err := day(since, now())
			if err != nil {
				return Usage{err}
			}
			calls, err := o.Calls(from)
			if err != nil && len(calls) == 0 {
				return err
			}
			if err != nil { // part of it can be read: say both
				fmt.Fprintln(c.ErrOrStderr(), "forge: "+safe.Output(lang.Said(err.Error())))
			}
			sums, err := budget.By(calls, by)
			if err != nil {
				return Usage{err}
			}
			if asJSON || c.Flags().Changed("output-format") {
				return writeSums(c.OutOrStdout(), sums, by)
			}
			if len(sums) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), lang.T("nothing was used since %s; demos are not counted", from.Format(time.DateOnly)))
				return err
			}
			return tableSums(c.OutOrStdout(), sums, by)
		},
	}
	c.Flags().StringVar(&by, "by", "day", lang.T("add up by day, model, project or purpose"))
	c.Flags().StringVar(&since, "since", "", lang.T("from this day on: 2026-01-31, or 7d for the last seven days (default 30d)"))
	c.Flags().BoolVar(&asJSON, "json", false, lang.T("as JSON"))
	return c
}

// day reads a day as --since has it: a date, or how many days back. The day of now
// is one of them.
func day(text string, now time.Time) (time.Time, error) {
	y, m, d := now.Date()
	back := usedDays
	if n, ok := strings.CutSuffix(text, "d"); ok {
		var err error
		if back, err = strconv.Atoi(n); err != nil || back < 1 {
			return time.Time{}, fmt.Errorf("--since %q: give a date, as 2026-01-31, or days, as 7d", text)
		}
	} else if text != "" {
		t, err := time.ParseInLocation(time.DateOnly, text, now.Location())
		if err != nil {
			return time.Time{}, fmt.Errorf("--since %q: give a date, as 2026-01-31, or days, as 7d", text)
		}
		return t, nil
	}
	return time.Date(y, m, d-back+1, 0, 0, 0, 0, now.Location()), nil
}

// sumJSON is a line of --json; what has no price is counted in unpriced.
type sumJSON struct {
	Key        string  `json:"key"`
	Calls      int     `json:"calls"`
	USD        float64 `json:"usd"`
	Unpriced   int     `json:"unpriced_calls"`
	Input      int     `json:"input_tokens"`
	Output     int     `json:"output_tokens"`
	CacheRead  int     `json:"cache_read_tokens"`
	CacheWrite int     `json:"cache_write_tokens"`
	Seconds    float64 `json:"seconds"`
}

func writeSums(w io.Writer, sums []budget.Sum, by string) error {
	out := struct {
		By   string    `json:"by"`
		Sums []sumJSON `json:"sums"`
	}{by, []sumJSON{}}
	for _, s := range sums {
		out.Sums = append(out.Sums, sumJSON{Key: s.Key, Calls: s.Calls, USD: s.USD, Unpriced: s.Unpriced, Input: s.Input, Output: s.Output,
			CacheRead: s.CacheRead, CacheWrite: s.CacheWrite, Seconds: s.Time.Seconds()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func tableSums(w io.Writer, sums []budget.Sum, by string) error {
	head := map[string]string{"day": lang.T("DAY"), "model": lang.T("MODEL"), "project": lang.T("PROJECT"), "purpose": lang.T("PURPOSE")}[by]
	rows := [][]string{{head, lang.T("CALLS"), lang.T("IN"), lang.T("OUT"), lang.T("CACHE"), lang.T("COST")}}
	all := budget.Sum{Key: lang.T("sum")}
	for _, s := range sums {
		if by == "purpose" {
			s.Key = Purpose(s.Key)
		}
		rows = append(rows, sumRow(s))
		all.Calls += s.Calls
		all.USD += s.USD
		all.Unpriced += s.Unpriced
		all.Input += s.Input
		all.Output += s.Output
		all.CacheRead += s.CacheRead
	}
	if len(sums) > 1 {
		rows = append(rows, sumRow(all))
	}
	return table(w, rows)
}

// Purpose says what calls were for: one of budget's words in a person's. Others stay.
func Purpose(word string) string {
	switch word {
	case budget.Work:
		return lang.T("the work itself")
	case budget.ForCompaction:
		return lang.T("compactions")
	case budget.ForBtw:
		return lang.T("questions (/btw)")
	case budget.ForRecap:
		return lang.T("recaps")
	case budget.ForName:
		return lang.T("made-up names")
	case budget.ForSuggestion:
		return lang.T("suggested prompts")
	}
	return word
}

// sumRow is a line of the table. A cost that is not all of it has a +, one that
// nothing is known of is a question mark.
func sumRow(s budget.Sum) []string {
	cost := fmt.Sprintf("$%.2f", s.USD)
	switch {
	case s.Unpriced == s.Calls:
		cost = "?"
	case s.Unpriced > 0:
		cost += "+"
	}
	return []string{safe.Line(s.Key), strconv.Itoa(s.Calls), strconv.Itoa(s.Input), strconv.Itoa(s.Output),
		fmt.Sprintf("%.0f%%", 100*s.Hit()), cost}
}
