package acp

import (
	"maps"
	"strings"

	"forge/sorting"
	"forge/ui/safe"
)

// The methods of a house that keeps its conversations, beside the protocol's.
const (
	methodStatus = "_forge/status"
	methodStop   = "_forge/stop"
)

// OpenTalk is a conversation that is open in a house, as its status has it.
type OpenTalk struct {
	ID      string `json:"sessionId"`
	Root    string `json:"cwd"`
	Title   string `json:"title,omitempty"`
	State   string `json:"state"` // idle, running, or waiting for an answer
	Clients int    `json:"clients"`
}

// ofHouse answers what is asked of the server itself.
func (s *server) ofHouse(m message) {
	n := s.home
	if !n.keeps {
		s.unknown(m)
		return
	}
	if m.Method == methodStop {
		s.reply(m, nil, nil)
		n.stops()
		return
	}
	n.mu.Lock()
	talks, clients := n.open(), len(n.clients)-1 // without who asks
	n.mu.Unlock()
	open := []OpenTalk{}
	for _, t := range talks {
		at := t.stands()
		open = append(open, OpenTalk{t.o.ID, t.o.Root, safe.Line(t.o.Title()), at.State, at.Clients})
	}
	sorting.By(open, func(a, b OpenTalk) int { return strings.Compare(a.ID, b.ID) })
	out := maps.Clone(n.about())
	out["clients"], out["sessions"] = clients, open
	s.reply(m, out, nil)
}
