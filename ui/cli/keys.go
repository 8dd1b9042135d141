package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/ui/lang"
)

// configKeys lists what keys of the screen do: the names the setting keys takes.
func configKeys(o ConfigOptions, r *raw) *cobra.Command {
	return &cobra.Command{Use: "keys [ACTION]", Short: lang.T("List what the keys of the screen do; the setting keys changes them"),
		Example: "  forge config keys prompt\n  forge config set keys '{\"screen.todos\": \"f2\", \"prompt.undo\": [\"ctrl+_\", \"ctrl+z\"]}'",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return Usage{fmt.Errorf(lang.T("%s takes %s"), c.CommandPath(), "[ACTION]")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := r.check(c, nil); err != nil {
				return err
			}
			list, err := o.Keys()
			if err != nil {
				return err
			}
			if len(args) == 1 {
				list = slices.DeleteFunc(list, func(a KeyAction) bool { return !strings.HasPrefix(a.Name, args[0]) })
				if len(list) == 0 {
					return Usage{fmt.Errorf(lang.T("no action begins with %q; forge config keys lists them"), args[0])}
				}
			}
			if r.json || r.format == "json" {
				return printJSON(c.OutOrStdout(), keysJSON(list))
			}
			var rows [][]string
			for _, a := range list {
				held := strings.Join(a.Keys, ", ")
				if held == "" {
					held = "-"
				}
				note := lang.T(a.About)
				if !slices.Equal(a.Keys, a.Default) {
					note += lang.T("; unset: %s", strings.Join(a.Default, ", "))
				}
				rows = append(rows, []string{a.Name, held, note})
			}
			return table(c.OutOrStdout(), rows)
		}}
}

// keysJSON is the list for programs.
func keysJSON(list []KeyAction) any {
	type action struct {
		Action  string          `json:"action"`
		Keys    json.RawMessage `json:"keys"`
		Default json.RawMessage `json:"default"`
		About   string          `json:"about"`
	}
	names := func(keys []string) json.RawMessage {
		b, _ := json.Marshal(append([]string{}, keys...)) // of texts
		return b
	}
	out := []action{}
	for _, a := range list {
		out = append(out, action{a.Name, names(a.Keys), names(a.Default), a.About})
	}
	return out
}
