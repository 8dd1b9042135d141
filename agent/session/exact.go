package session

import (
	"encoding/json"
	"unicode/utf8"
)

// Exact is a string that survives JSON byte for byte: what a file held need not
// be valid UTF-8.
type Exact string

// MarshalJSON writes a plain string where that is exact, else {"b64": …}.
func (x Exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(x)) {
		return json.Marshal(string(x))
	}
	return json.Marshal(map[string][]byte{"b64": []byte(x)})
}

// UnmarshalJSON reads either form.
func (x *Exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var raw struct{ B64 []byte }
		err := json.Unmarshal(b, &raw)
		*x = Exact(raw.B64)
		return err
	}
	return json.Unmarshal(b, (*string)(x))
}
