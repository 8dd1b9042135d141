package main

import (
	"slices"

	"forge/agent/config"
)

// turn switches a skill on or off, and keeps that in the person's settings.
func (s *skills) turn(name string, on bool) error {
	s.turning.Lock() // each begins with what the one before it kept
	defer s.turning.Unlock()
	// As the file has them: another forge may have switched some meanwhile.
	off := slices.DeleteFunc(config.Load(s.file, "").SkillsOff, func(n string) bool { return n == name })
	if !on {
		off = append(off, name)
		slices.Sort(off)
	}
	if err := keepList(s.file, "skills.off", off); err != nil {
		return err
	}
	s.mu.Lock()
	s.off = off
	s.mu.Unlock()
	s.renew()
	return nil
}

// switched is told which ones are off by the settings.
func (s *skills) switched(off []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off = slices.Clone(off)
}
