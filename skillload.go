package main

import (
	"context"
	"fmt"
	"slices"

	"forge/agent/session"
	"forge/agent/skill"
	"forge/provider"
)

// load reads a skill as it is now and opens its folder to reading. args is what a person
// typed behind its name; person says that one called it.
func (s *skills) load(ctx context.Context, name, args string, person bool) (string, error) {
	k, ok := s.look().Find(name)
	switch {
	case !ok || k.Off:
		return "", skill.ErrNone
	case !person && k.Person && !s.had(k.Name):
		return "", fmt.Errorf("skill %s: only the user calls it, with /%s", k.Name, k.Name)
	}
	text, err := s.text(ctx, k)
	if err != nil {
		return "", err
	}
	out, err := k.Text(text, args)
	if err != nil {
		return "", err
	}
	s.readable(k.Dir)
	s.mu.Lock()
	s.loaded = append(slices.DeleteFunc(s.loaded, func(n string) bool { return n == k.Name }), k.Name)
	s.mu.Unlock()
	if k.Waits { // not any more
		s.renew()
	}
	return out, nil
}

func (s *skills) had(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.loaded, name)
}

// took is told of the conversation there is from now on: what it loaded can be read again.
func (s *skills) took(records []session.Record) {
	var names []string
	note := func(text string) {
		if n := skill.Loaded(text); n != "" {
			names = append(names, n)
		}
	}
	asked := map[string]bool{} // calls of the model's own tool: what else holds such a text quotes it
	for _, r := range records {
		if r.Message == nil {
			continue
		}
		for _, b := range r.Message.Blocks {
			switch b := b.(type) {
			case provider.Text:
				if r.Message.Role == provider.User {
					note(b.Text)
				}
			case provider.ToolUse:
				asked[b.ID] = b.Name == skill.ToolName
			case provider.ToolResult:
				if !asked[b.ID] {
					continue
				}
				for _, c := range b.Content {
					if t, ok := c.(provider.Text); ok {
						note(t.Text)
					}
				}
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	s.mu.Lock()
	s.loaded = names
	s.mu.Unlock()
	if len(names) == 0 || s.readable == nil {
		return
	}
	set := s.look()
	for _, n := range names {
		if k, ok := set.Find(n); ok && !k.Waits && !k.Off {
			s.readable(k.Dir)
		}
	}
}

// facts is what a summary says of the skills that were loaded: their names and files.
func (s *skills) facts() (out []string) {
	s.mu.Lock()
	names := slices.Clone(s.loaded)
	s.mu.Unlock()
	if len(names) == 0 {
		return nil
	}
	set := s.look()
	for _, n := range names {
		if k, ok := set.Find(n); ok && !k.Waits && !k.Off {
			out = append(out, k.Name+" ("+k.File+")")
		}
	}
	return out
}
