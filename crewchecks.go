package main

import (
	"slices"
	"strings"

	"forge/agent/skill"
	"forge/agent/subagent"
	"forge/provider/catalog"
	"forge/ui/lang"
)

// missing says which tools and models definitions name that nobody here knows. Their
// agents run all the same, without the tool or on the model of the conversation:
// definitions travel.
func (f *forge) missing(defs []subagent.Definition) (out []string) {
	known := append(f.hands.registry.Names(), subagent.ToolName, skill.ToolName)
	for _, d := range defs {
		for _, t := range slices.Concat(d.Tools, d.Without) {
			later := f.serves() || strings.HasPrefix(t, "mcp__") // a server may have it once it is there
			if !later && !strings.ContainsAny(t, "*?[") && !slices.Contains(known, t) {
				out = append(out, lang.T("%s: there is no tool %s, which the agent %s names", d.Source.File, t, d.Name))
			}
		}
		if d.Model != "" && !f.flags.Demo && !f.modelKnown(d.Model) {
			out = append(out, lang.T("%s: nobody offers the model %s: the agent %s runs on the one of the conversation", d.Source.File, d.Model, d.Name))
		}
	}
	return out
}

// familiar are the names other agents have for a kind of model; a definition that is for
// them, too, is not wrong.
var familiar = []string{"sonnet", "opus", "haiku"}

// modelKnown reports whether a provider lists a model, as far as that is known without
// asking one.
func (f *forge) modelKnown(name string) bool {
	ref := catalog.ResolveModel(name, "")
	if slices.Contains(familiar, name) {
		return true
	}
	if _, own := f.choice.Endpoint.Model(ref.ID); own || f.choice.Model.ID == ref.ID {
		return true
	}
	return slices.ContainsFunc(catalog.Endpoints(), func(e catalog.Endpoint) bool {
		_, ok := e.Model(ref.ID)
		return ok || e.Name == ref.Endpoint && len(e.Models) == 0 // only its server knows
	})
}
