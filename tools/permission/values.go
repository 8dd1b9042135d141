package permission

import (
	"strings"

	"forge/tools"
)

// carrying is the risk of a call that would get the real values of secrets; nil:
// it gets none, or only writes them into a file here, which its changes show. A
// command on this machine may have them once somebody said so; for a call to a
// server, each time is asked about.
func carrying(e tools.Effect) *Risk {
	switch {
	case len(e.Secrets) == 0, e.Kind == tools.Write:
		return nil
	case e.Server != "":
		return &Risk{High, "sends the real value of " + named(e.Secrets) + " to the server " + e.Server}
	case e.Kind != tools.Exec:
		return &Risk{High, "sends the real value of " + named(e.Secrets) + " out"}
	}
	return &Risk{Medium, "gets the real value of " + named(e.Secrets)}
}

// named lists secrets for a person: what they are, and what stands for them.
func named(hs []tools.Hidden) string {
	var out []string
	for _, h := range hs {
		out = append(out, h.Kind+" ("+h.Placeholder+")")
	}
	return strings.Join(out, ", ")
}

// offerValues is what "for the session" would store of the secrets themselves.
func offerValues(e tools.Effect) []Grant {
	var gs []Grant
	for _, h := range e.Secrets {
		gs = append(gs, Grant{Text: "give commands the " + h.Kind + " " + h.Placeholder, key: "secret\x00" + h.Kind + " " + h.Placeholder})
	}
	return gs
}
