package skill

import (
	"slices"
	"strings"
)

// Set is the skills there are, the nearest first, and what is none.
type Set struct {
	Skills []Skill
	Faults []Fault
}

// Settle decides which skill a name means: the nearest. One that waits for trust takes
// nobody's place.
func (s *Set) Settle() {
	meant := map[string]string{}
	for _, waits := range []bool{false, true} {
		for i, k := range s.Skills {
			if k.Waits != waits {
				continue
			}
			if over, again := meant[k.Name]; again {
				s.Skills[i].Over = over
				continue
			}
			meant[k.Name] = k.Show
			s.Skills[i].Over = ""
		}
	}
}

// Find returns the skill that a name means, whether it waits or is off or not.
func (s Set) Find(name string) (Skill, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := slices.IndexFunc(s.Skills, func(k Skill) bool { return k.Name == name && k.Over == "" })
	if i < 0 {
		return Skill{}, false
	}
	return s.Skills[i], true
}

// Offered are those a model may load.
func (s Set) Offered() (out []Skill) {
	for _, k := range s.Skills {
		if k.Over == "" && !k.Waits && !k.Off && !k.Person {
			out = append(out, k)
		}
	}
	return out
}

// Called are those a person may call, one that still waits for trust included.
func (s Set) Called() (out []Skill) {
	for _, k := range s.Skills {
		if k.Over == "" && !k.Off && !k.Model {
			out = append(out, k)
		}
	}
	return out
}
