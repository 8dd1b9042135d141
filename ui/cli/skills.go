package cli

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// SkillLine is a skill there is, or a file that is none.
type SkillLine struct {
	Name, Description, License string
	File, Show                 string // its SKILL.md: absolute, and for a person
	Scope                      string // "user" or "project"
	On, Trusted                bool
	HiddenBy                   string // the file of a nearer one with its name
	Person, Model              bool   // only a person calls it; only the model loads it
	Notes                      []string
	Fault                      string // why it is none; then it has no name
}

// SkillsOptions is what the skills commands need.
type SkillsOptions struct {
	List func(Flags) ([]SkillLine, error)
}

func skills(o SkillsOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "skills", Short: lang.T("See the skills there are"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(&cobra.Command{
		Use: "list", Short: lang.T("List the skills, where each is from, and what is wrong with the others"), Args: noArgs,
		Example: `  forge skills list
  forge skills list --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			all, err := o.List(f)
			if err != nil {
				return err
			}
			if r.json || r.format == "json" {
				return skillsJSON(c.OutOrStdout(), all)
			}
			if len(all) == 0 {
				_, err := io.WriteString(c.OutOrStdout(), lang.T("there are no skills; a folder with a SKILL.md in .agents/skills, .claude/skills or .forge/skills is one")+"\n")
				return err
			}
			return table(c.OutOrStdout(), skillRows(all))
		},
	})
	return c
}

func skillRows(all []SkillLine) (rows [][]string) {
	for _, s := range all {
		if s.Fault != "" {
			rows = append(rows, []string{"-", lang.T("no skill"), safe.Prompt(s.Show), safe.Prompt(s.Fault)})
			continue
		}
		state := lang.T("on")
		switch {
		case s.HiddenBy != "":
			state = lang.T("hidden by %s", safe.Prompt(s.HiddenBy))
		case !s.On:
			state = lang.T("off")
		case !s.Trusted:
			state = lang.T("not trusted")
		}
		rows = append(rows, []string{safe.Prompt(s.Name), state, safe.Prompt(s.Show), safe.Prompt(strings.Join(s.Notes, lang.T("; ")))})
	}
	return rows
}

func skillsJSON(w io.Writer, all []SkillLine) error {
	type entry struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		License     string   `json:"license,omitempty"`
		File        string   `json:"file"`
		Scope       string   `json:"scope,omitempty"`
		On          bool     `json:"on"`
		Trusted     bool     `json:"trusted"`
		HiddenBy    string   `json:"hidden_by,omitempty"`
		PersonOnly  bool     `json:"person_only,omitempty"`
		ModelOnly   bool     `json:"model_only,omitempty"`
		Notes       []string `json:"notes,omitempty"`
		Fault       string   `json:"fault,omitempty"`
	}
	out := []entry{}
	for _, s := range all {
		out = append(out, entry{s.Name, s.Description, s.License, s.File, s.Scope, s.On, s.Trusted, s.HiddenBy, s.Person, s.Model, s.Notes, s.Fault})
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
