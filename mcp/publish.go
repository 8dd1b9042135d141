package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/sorting"
	"forge/tools"
)

// withdraw takes the tools away: a server that is not there has none.
func (s *server) withdraw() { s.publish(nil) }

// publish offers the tools; they are taken over between two turns.
func (s *server) publish(ts []RemoteTool) {
	s.mu.Lock()
	var theirs []string
	refused := map[string]string{}
	var list []RemoteTool
	schemas := map[string]json.RawMessage{}
	for _, t := range ts {
		theirs = append(theirs, t.Name)
	}
	names, problems := toolNames(s.name, s.key, theirs, s.cfg.Aliases)
	for _, t := range ts {
		schema, err := usableSchema(t.Input)
		switch {
		case !s.cfg.allowed(t.Name):
			refused[t.Name] = "by allow and deny of its configuration"
		case s.m.o.Keep != nil && !s.m.o.Keep(names[t.Name]):
			refused[t.Name] = "by --tools or --deny-tools of the command line"
		case s.off[t.Name]:
			refused[t.Name] = ByYou
		case err != nil:
			refused[t.Name] = err.Error()
		default:
			schemas[t.Name] = schema
			list = append(list, t)
		}
	}
	s.notes = problems
	if ts != nil {
		s.notes = append(s.notes, scanAll(ts)...)
		for _, f := range scanText(s.about.Instructions) {
			s.notes = append(s.notes, "its instructions: "+f)
		}
	}
	sorting.By(list, func(a, b RemoteTool) int { return strings.Compare(names[a.Name], names[b.Name]) })
	s.want, s.cost, s.dirty = nil, 0, true
	for _, t := range list {
		spec := tools.Spec{Name: names[t.Name], Description: describe(s.name, t), Schema: schemas[t.Name]}
		s.cost += tokens(spec.Name, spec.Description, spec.Schema)
		s.want = append(s.want, &remote{server: s, def: t, spec: spec})
	}
	s.names, s.refused = names, refused
	s.mu.Unlock()
	s.m.plan()
}

// approve takes over what has changed.
func (s *server) approve(tool string) {
	s.mu.Lock()
	s.manifest.approve(s.offered, func(name string) bool {
		return slices.ContainsFunc(s.changes, func(c Change) bool { return c.Tool == name }) && (tool == "" || tool == name)
	})
	if tool == "" {
		s.manifest.Instructions = s.about.Instructions
	}
	s.judge()
	usable := s.usable
	s.mu.Unlock()
	s.publish(usable)
	s.remember()
	s.m.told(s)
}

// judge holds what the server offers against what was approved. Its caller has the
// lock.
func (s *server) judge() {
	s.usable, s.changes = s.manifest.judge(whole(s.offered), s.cfg.Strict)
	s.changes = append(s.changes, s.manifest.heard(s.about.Instructions)...)
}

func (s *server) turn(tool string, on bool) error {
	s.mu.Lock()
	if !slices.ContainsFunc(s.offered, func(t RemoteTool) bool { return t.Name == tool }) {
		s.mu.Unlock()
		return fmt.Errorf("%s has no tool %q", s.name, tool)
	}
	if on {
		delete(s.off, tool)
	} else {
		s.off[tool] = true
	}
	s.manifest.Off = slices.Sorted(maps.Keys(s.off))
	usable := s.usable
	s.mu.Unlock()
	s.publish(usable)
	s.remember()
	s.m.told(s)
	return nil
}
