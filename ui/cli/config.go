package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
	"forge/ui/safe"
)

// Setting is a key of the settings files. Value is JSON; empty: no file sets it.
type Setting struct {
	Name, About, Value, Default, Source string
	Words                               []string // the values there are; none: any
}

// KeyAction is what a key of the screen does, with the keys it has, and has when
// nobody chose others.
type KeyAction struct {
	Name, About   string
	Keys, Default []string
}

// ConfigOptions is what the config command needs. File is the person's file, Problems
// what is wrong with one. Set and Unset write to the person's.
type ConfigOptions struct {
	File     func() (string, error)
	List     func(f Flags) ([]Setting, error)
	Problems func(file string) []string
	Set      func(name, value string) error
	Unset    func(name string) error
	Schema   func() []byte
	Keys     func() ([]KeyAction, error)
}

// Typed is a value of a settings file as a person types it: a text without its
// quotes.
func Typed(value string) string {
	var s string
	if strings.HasPrefix(value, `"`) && json.Unmarshal([]byte(value), &s) == nil {
		return s
	}
	return value
}

func configure(o ConfigOptions, r *raw) *cobra.Command {
	c := &cobra.Command{Use: "config", Short: lang.T("See and change the settings"), Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	words := func(n int, what string) cobra.PositionalArgs {
		return func(c *cobra.Command, args []string) error {
			if len(args) != n {
				return Usage{fmt.Errorf(lang.T("%s takes %s"), c.CommandPath(), what)}
			}
			return nil
		}
	}
	c.AddCommand(
		configList(o, r),
		configKeys(o, r),
		&cobra.Command{Use: "get KEY", Short: lang.T("Print the value of a setting"), Args: words(1, "KEY"), RunE: func(c *cobra.Command, args []string) error {
			f, err := r.check(c, nil)
			if err != nil {
				return err
			}
			list, err := o.List(f)
			if err != nil {
				return err
			}
			for _, s := range list {
				if s.Name != args[0] {
					continue
				}
				if s.Value == "" {
					return fmt.Errorf(lang.T("%s is not set"), s.Name)
				}
				_, err := fmt.Fprintln(c.OutOrStdout(), Typed(s.Value))
				return err
			}
			return Usage{fmt.Errorf(lang.T("unknown setting %q; forge config list lists them"), args[0])}
		}},
		&cobra.Command{Use: "set KEY VALUE", Short: lang.T("Store a setting in your file; its comments and order stay"), Args: words(2, "KEY VALUE"),
			Example: "  forge config set model deepseek-chat\n  forge config set compact.at 70\n  forge config set secrets.allow '[\"^EXAMPLE\"]'",
			RunE:    func(_ *cobra.Command, args []string) error { return o.Set(args[0], args[1]) }},
		&cobra.Command{Use: "unset KEY", Short: lang.T("Take a setting out of your file"), Args: words(1, "KEY"),
			RunE: func(_ *cobra.Command, args []string) error { return o.Unset(args[0]) }},
		&cobra.Command{Use: "path", Short: lang.T("Print where your file is"), Args: noArgs, RunE: func(c *cobra.Command, _ []string) error {
			file, err := o.File()
			if err == nil {
				_, err = fmt.Fprintln(c.OutOrStdout(), file)
			}
			return err
		}},
		&cobra.Command{Use: "edit", Short: lang.T("Open your file in $EDITOR, and say what is wrong with it afterwards"), Args: noArgs,
			RunE: func(c *cobra.Command, _ []string) error { return configEdit(c, o) }},
		&cobra.Command{Use: "schema", Short: lang.T("Print the JSON schema of the settings, for editors"), Args: noArgs, RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(o.Schema())
			return err
		}},
	)
	return c
}

func configList(o ConfigOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "list", Short: lang.T("List every setting, its value and what set it"), Args: noArgs, RunE: func(c *cobra.Command, _ []string) error {
		f, err := r.check(c, nil)
		if err != nil {
			return err
		}
		list, err := o.List(f)
		if err != nil {
			return err
		}
		if r.json || r.format == "json" {
			type setting struct {
				Key     string          `json:"key"`
				Value   json.RawMessage `json:"value"`
				Source  string          `json:"source"`
				Default string          `json:"default"`
				About   string          `json:"about"`
			}
			out := []setting{}
			for _, s := range list {
				v := json.RawMessage(s.Value)
				if s.Value == "" {
					v = json.RawMessage("null")
				}
				out = append(out, setting{s.Name, v, s.Source, s.Default, s.About})
			}
			return printJSON(c.OutOrStdout(), out)
		}
		var rows [][]string
		for _, s := range list {
			value, note := line(Typed(s.Value)), line(s.Source)
			if s.Value == "" {
				value = "-"
				if note = lang.Said(s.About); s.Default != "" {
					note += lang.T("; unset: %s", lang.Said(s.Default))
				}
			}
			rows = append(rows, []string{s.Name, safe.Truncate(value, 40, "…"), note})
		}
		return table(c.OutOrStdout(), rows)
	}}
}

func configEdit(c *cobra.Command, o ConfigOptions) error {
	file, err := o.File()
	if err != nil {
		return err
	}
	words := strings.Fields(os.Getenv("VISUAL"))
	if len(words) == 0 {
		words = strings.Fields(os.Getenv("EDITOR"))
	}
	if len(words) == 0 {
		return errors.New(lang.T("no editor is known: set EDITOR"))
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	fresh, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fresh.WriteString("{\n}\n")
		err = errors.Join(err, fresh.Close())
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	editor := exec.CommandContext(c.Context(), words[0], append(words[1:], file)...)
	editor.Stdin, editor.Stdout, editor.Stderr = c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
	if err := editor.Run(); err != nil {
		return fmt.Errorf(lang.T("the editor: %w"), err)
	}
	problems := o.Problems(file)
	for _, p := range problems {
		fmt.Fprintln(c.ErrOrStderr(), "forge: "+safe.Output(lang.Said(p)))
	}
	if len(problems) > 0 {
		return errors.New(lang.T("the file has problems; it is kept as you left it"))
	}
	return nil
}
