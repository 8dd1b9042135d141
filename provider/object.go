package provider

// ObjectText writes a JSON object that came as an object, where arguments usually
// come as a string, the way most model servers write such strings: a blank after
// every comma and colon, none elsewhere. One object has one text, whatever a
// server's own spacing is; the bytes of its strings and numbers stay.
func ObjectText(raw string) string {
	out := make([]byte, 0, len(raw)+len(raw)/8)
	quoted := false
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		switch {
		case quoted:
			if c == '\\' && i+1 < len(raw) {
				out = append(out, c)
				i++
				c = raw[i]
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			continue
		case c == ',' || c == ':':
			out = append(out, c, ' ')
			continue
		}
		out = append(out, c)
	}
	return string(out)
}
