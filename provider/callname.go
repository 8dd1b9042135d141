package provider

import "strings"

// callNameMax is the longest name of a tool that every server takes, in bytes.
const callNameMax = 64

// CallName is the name of a call as a history can carry it. A model may call what
// it likes ("functions.read file", nothing at all), and servers refuse the whole
// conversation for a letter outside their alphabet, so that one slip would end
// it. A proper name is returned as it is.
func CallName(name string) string {
	proper := func(c byte) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
	}
	bad := name == "" || len(name) > callNameMax || !proper(name[0]) || name[0] >= '0' && name[0] <= '9' || name[0] == '-'
	for i := 0; i < len(name) && !bad; i++ {
		bad = !proper(name[i])
	}
	if !bad {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() < callNameMax; i++ {
		c := name[i]
		switch {
		case b.Len() == 0 && (c >= '0' && c <= '9' || c == '-'): // Gemini wants a letter or _ first
			b.WriteByte('_')
			b.WriteByte(c)
		case proper(c):
			b.WriteByte(c)
		case c < 0x80 || c >= 0xC0: // one _ for a letter of several bytes
			b.WriteByte('_')
		}
	}
	if strings.Trim(b.String(), "_") == "" {
		return "unnamed"
	}
	return b.String()
}
