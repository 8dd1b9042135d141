package journal

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"unicode/utf8"
)

// Kind is what stands at a path.
type Kind string

// The kinds. Anything else (a pipe, a socket, a device) is not followed.
const (
	KindNone Kind = ""
	KindFile Kind = "file"
	KindDir  Kind = "dir"
	KindLink Kind = "link"
)

// State is what stood at a path at one time.
type State struct {
	Kind Kind   `json:"kind,omitempty"`
	Mode uint32 `json:"mode,omitempty"` // the permission bits, setuid, setgid and sticky, as fs.FileMode has them; not of links
	Hash string `json:"hash,omitempty"` // SHA-256 of a file's content, hexadecimal; empty: too large, or it could not be read
	Size int64  `json:"size,omitempty"` // of a file, in bytes
	Time int64  `json:"time,omitempty"` // when it was changed, nanoseconds since 1970; only of a file without a hash
	Link exact  `json:"link,omitempty"` // where a link leads
	// Foreign says that it was moved here from a place that is not followed: what
	// was there is not known to stand anywhere else.
	Foreign bool `json:"foreign,omitempty"`
}

// Change is one path before and after. Path is absolute.
type Change struct {
	Path   exact `json:"path"`
	Before State `json:"before"`
	After  State `json:"after"`
}

const modeBits = fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky

func bits(m fs.FileMode) uint32 { return uint32(m & modeBits) }

func (s State) mode() fs.FileMode { return fs.FileMode(s.Mode) }

// sameContent compares everything but the mode. Files without a hash are the same
// if size and time are: more is not known of them.
func (s State) sameContent(o State) bool {
	return s.Kind == o.Kind && s.Hash == o.Hash && s.Link == o.Link &&
		(s.Kind != KindFile || s.Size == o.Size && (s.Hash != "" || s.Time == o.Time))
}

func (s State) same(o State) bool { return s.sameContent(o) && s.Mode == o.Mode }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// exact is a string that survives JSON to the byte: a path need not be UTF-8.
type exact string

// MarshalJSON implements json.Marshaler.
func (e exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(e)) {
		return json.Marshal(string(e))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(e))})
}

// UnmarshalJSON implements json.Unmarshaler.
func (e *exact) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*e = exact(s)
		return nil
	}
	var o struct{ B64 []byte }
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	*e = exact(o.B64)
	return nil
}
