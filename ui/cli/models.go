package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"forge/provider"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Offer is what `forge models` says of a model.
type Offer struct {
	Model   provider.Model
	Wire    string
	Ready   bool // a key is there, or the server answers
	KeyEnv  string
	Default bool // the one its provider begins with
}

// Custom is the provider's name of a server that was given by its address alone.
const Custom = "custom"

// ModelsOptions is what the models command needs: Offers lists what there is,
// local servers asked just now included.
type ModelsOptions struct {
	Offers func(ctx context.Context, f Flags, providerName string) ([]Offer, error)
}

func models(o ModelsOptions, r *raw) *cobra.Command {
	var asJSON bool
	var all bool
	c := &cobra.Command{
		Use:   "models [provider]",
		Short: lang.T("List models with their window and price"),
		Long: lang.T(`List the models of every provider whose key is set and of local servers that
answer; with --all, or a provider's name, also those without a key.`),
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return Usage{fmt.Errorf(lang.T("forge models takes one provider, not %d"), len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			flags, err := r.check(c, nil)
			if err != nil {
				return err
			}
			name := strings.Join(args, "")
			switch {
			case name == "" && flags.Provider != "":
				name = flags.Provider
			case name == "" && flags.BaseURL != "":
				name = Custom
			}
			offers, err := o.Offers(c.Context(), flags, name)
			if err != nil {
				return err
			}
			if !all && name == "" {
				offers = ready(offers)
			}
			if asJSON || c.Flags().Changed("output-format") {
				return writeOffers(c.OutOrStdout(), offers)
			}
			if len(offers) == 0 {
				fmt.Fprintln(c.OutOrStdout(), lang.T("no key is set and no local server answers; --all lists what there is"))
				return nil
			}
			return tableOffers(c.OutOrStdout(), offers)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, lang.T("as JSON"))
	c.Flags().BoolVar(&all, "all", false, lang.T("also providers without a key"))
	return c
}

func ready(offers []Offer) []Offer {
	var out []Offer
	for _, o := range offers {
		if o.Ready {
			out = append(out, o)
		}
	}
	return out
}

// offerJSON is a line of --json; null is unknown.
type offerJSON struct {
	Provider  string   `json:"provider"`
	ID        string   `json:"id"`
	Name      string   `json:"name,omitempty"`
	Wire      string   `json:"wire"`
	Window    *int     `json:"context_window"`
	MaxOutput *int     `json:"max_output_tokens"`
	Input     *float64 `json:"input_usd_per_mtok"`
	Output    *float64 `json:"output_usd_per_mtok"`
	CacheRead *float64 `json:"cache_read_usd_per_mtok"`
	Reasoning bool     `json:"reasoning"`
	Images    bool     `json:"images"`
	Ready     bool     `json:"ready"`
	KeyEnv    string   `json:"key_env,omitempty"`
	Default   bool     `json:"default"`
}

func writeOffers(w io.Writer, offers []Offer) error {
	out := []offerJSON{}
	for _, o := range offers {
		m := o.Model
		j := offerJSON{Provider: m.Provider, ID: m.ID, Name: m.Name, Wire: o.Wire, Reasoning: m.Reasoning, Images: m.Images,
			Ready: o.Ready, KeyEnv: o.KeyEnv, Default: o.Default}
		if m.Window > 0 {
			j.Window = &m.Window
		}
		if m.MaxOutput > 0 {
			j.MaxOutput = &m.MaxOutput
		}
		if p := m.Price; p.Known {
			j.Input, j.Output, j.CacheRead = &p.Input, &p.Output, &p.CacheRead
		}
		out = append(out, j)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func tableOffers(w io.Writer, offers []Offer) error {
	rows := [][]string{{lang.T("MODEL"), lang.T("WINDOW"), lang.T("PRICE IN/OUT"), lang.T("NOTES")}}
	for _, o := range offers {
		m := o.Model
		var notes []string
		if o.Default {
			notes = append(notes, lang.T("default"))
		}
		if m.Reasoning {
			notes = append(notes, lang.T("thinks"))
		}
		if m.Images {
			notes = append(notes, lang.T("sees"))
		}
		if m.NoTools {
			notes = append(notes, lang.T("calls no tools"))
		}
		if !o.Ready && o.KeyEnv != "" {
			notes = append(notes, lang.T("needs %s", o.KeyEnv))
		}
		rows = append(rows, []string{safe.Line(m.Provider) + "/" + safe.Line(m.ID), Tokens(m.Window), Price(m.Price), strings.Join(notes, ", ")})
	}
	return table(w, rows)
}

// Tokens is a window for people: 128k, 1M, ? where unknown.
func Tokens(n int) string {
	switch {
	case n <= 0:
		return "?"
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1e6, 'g', 3, 64) + "M"
	case n >= 1000:
		return strconv.Itoa(n/1000) + "k"
	}
	return strconv.Itoa(n)
}

// Price is dollars per million tokens for people.
func Price(p provider.Price) string {
	if !p.Known {
		return "?"
	}
	if p.Input == 0 && p.Output == 0 {
		return lang.T("free")
	}
	return fmt.Sprintf("$%s / $%s", money(p.Input), money(p.Output))
}

// money drops what a division by a million left behind: 0.4, not 0.39999999999999997.
func money(v float64) string { return strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64) }
